package tidemark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidemark/compare"
	"tidemark/internal/lazy"
	"tidemark/model"
)

// A piece is one entry of a directory of artifacts.
type piece struct {
	path    string
	a       *Analysis // nil where nothing was recognised
	err     error
	stem    string // name without the mark of a retry
	attempt int
	ranked  string // name without the number of a rank, "" where it has none
}

var (
	retryMark = lazy.Regexp(`(?i)[-_. ]+(?:re-?try|attempt|rerun|try)[-_ ]?(\d*)$|\((\d+)\)$`)
	rankMark  = lazy.Regexp(`(?i)(rank|node|host|worker|proc|gpu|replica|shard|part|chunk|segment|split)[-_ ]?\d+`)
	partMark  = lazy.Regexp(`(?i)(?:\b|_)(?:part|chunk|segment|split)[-_ ]?\d+`)
	packed    = lazy.Regexp(`(?i)\.(zip|tar|tgz|tar\.(gz|zst|xz|bz2))$`)
)

// piecesOf lists the entries of a directory that holds nothing but
// directories, archives and reports; nil for any other path.
func piecesOf(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir(), packed().MatchString(name), strings.EqualFold(filepath.Ext(name), ".json"):
			out = append(out, filepath.Join(path, name))
		default:
			return nil
		}
	}
	return out
}

// pieces reads entries one by one, and those that are of one run together.
func (s *Set) pieces(ctx context.Context, whole, paths []string, cfg *Config) error {
	var list []*piece
	for _, p := range paths {
		if isDocument(p) {
			if err := s.document(p); err != nil {
				return err
			}
			continue
		}
		x := named(p)
		x.a, x.err = Inspect(ctx, []string{p}, nil, cfg)
		var config *ConfigError
		if errors.As(x.err, &config) || ctx.Err() != nil {
			return x.err
		}
		list = append(list, x)
	}
	list = s.lastAttempts(list)
	var lost []string
	for _, g := range grouped(list) {
		if err := s.group(ctx, g, cfg, &lost); err != nil {
			return err
		}
	}
	if len(s.Runs) == 0 {
		a, err := Run(ctx, whole, nil, cfg)
		if err != nil {
			return err
		}
		s.add(a)
	}
	s.Joined = append(s.Joined, lost...)
	for _, r := range s.Runs {
		r.Unread = append(r.Unread, s.Damaged...)
	}
	return nil
}

func named(path string) *piece {
	name := packed().ReplaceAllString(filepath.Base(path), "")
	x := &piece{path: path, stem: name}
	if m := retryMark().FindStringSubmatch(name); m != nil {
		x.stem = strings.TrimSpace(name[:len(name)-len(m[0])])
		x.attempt = 2
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			x.attempt = n + 1
		}
	}
	if rankMark().MatchString(x.stem) {
		x.ranked = rankMark().ReplaceAllString(x.stem, "$1")
	}
	return x
}

// lastAttempts keeps the last of several attempts that could be read.
func (s *Set) lastAttempts(list []*piece) []*piece {
	best := map[string]*piece{}
	for _, x := range list {
		if o := best[x.stem]; o == nil || o.a == nil && x.a != nil || x.a != nil && x.attempt > o.attempt {
			best[x.stem] = x
		}
	}
	var out []*piece
	for _, x := range list {
		if best[x.stem] == x {
			out = append(out, x)
			continue
		}
		s.Joined = append(s.Joined, fmt.Sprintf("%s left out: %s is a later attempt", filepath.Base(x.path), filepath.Base(best[x.stem].path)))
	}
	return out
}

// grouped puts pieces of one run together: they overlap in time, and either
// are ranks of one another or hold different kinds of files; or they are parts,
// by their names, that follow each other. A piece without
// times of its own, such as stacks or settings, goes to all if there is one
// run, and else stays alone.
func grouped(list []*piece) [][]*piece {
	var groups [][]*piece
	var loose []*piece
	for _, x := range list {
		if x.a == nil {
			groups = append(groups, []*piece{x})
			continue
		}
		if x.a.Report.Run.Start == "" {
			loose = append(loose, x)
			continue
		}
		k := slices.IndexFunc(groups, func(g []*piece) bool { return g[0].a != nil && slices.ContainsFunc(g, x.joins) })
		if k >= 0 {
			groups[k] = append(groups[k], x)
		} else {
			groups = append(groups, []*piece{x})
		}
	}
	whole := slices.IndexFunc(groups, func(g []*piece) bool { return g[0].a != nil })
	n := 0
	for _, g := range groups {
		if g[0].a != nil {
			n++
		}
	}
	for _, x := range loose {
		if n == 1 {
			groups[whole] = append(groups[whole], x)
		} else {
			groups = append(groups, []*piece{x})
		}
	}
	return groups
}

func (x *piece) joins(o *piece) bool {
	if o.a == nil {
		return false
	}
	if x.ranked != "" && x.ranked == o.ranked && partMark().MatchString(x.stem) && consecutive(x.a.Report, o.a.Report) {
		return true
	}
	if !overlap(x.a.Report, o.a.Report) {
		return false
	}
	if x.ranked != "" && x.ranked == o.ranked {
		return true
	}
	mine := compare.From(x.a.Report).Formats
	return !slices.ContainsFunc(compare.From(o.a.Report).Formats, func(f string) bool { return slices.Contains(mine, f) })
}

// overlap reports whether half of the shorter of two runs lies within the other.
func overlap(a, b *model.Report) bool {
	s, ok := common(a, b)
	return ok && s >= 0.5*min(a.Run.DurationS, b.Run.DurationS)
}

// consecutive reports whether one of two runs begins where the other ends, or
// after no more than a restart takes.
func consecutive(a, b *model.Report) bool {
	s, ok := common(a, b)
	return ok && s <= 1 && -s*1e9 <= float64(sameRun)
}

// common is how many seconds two runs have in common, negative for the time
// between them.
func common(a, b *model.Report) (seconds float64, ok bool) {
	s, err := time.Parse(time.RFC3339Nano, a.Run.Start)
	t, err2 := time.Parse(time.RFC3339Nano, b.Run.Start)
	if err != nil || err2 != nil {
		return 0, false
	}
	d := t.Sub(s).Seconds()
	return min(a.Run.DurationS, d+b.Run.DurationS) - max(0, d), true
}

// group reads one run's pieces together. What has no throughput is no run.
func (s *Set) group(ctx context.Context, g []*piece, cfg *Config, lost *[]string) error {
	if g[0].a == nil {
		name := filepath.Base(g[0].path)
		*lost = append(*lost, fmt.Sprintf("%s left out: %v", name, g[0].err))
		var damaged *DamagedInputError
		switch {
		case errors.As(g[0].err, &damaged):
			s.Damaged = append(s.Damaged, damaged.Files...)
		case !errors.Is(g[0].err, ErrNothing):
			s.Damaged = append(s.Damaged, name+": "+g[0].err.Error())
		}
		return nil
	}
	a := g[0].a
	if len(g) > 1 {
		var paths, names []string
		for _, x := range g {
			paths, names = append(paths, x.path), append(names, filepath.Base(x.path))
		}
		var err error
		if a, err = Inspect(ctx, paths, nil, cfg); err != nil {
			return err
		}
		s.Joined = append(s.Joined, "joined as one run: "+strings.Join(names, ", "))
	}
	if a.Report.Throughput.Steady == nil {
		*lost = append(*lost, filepath.Base(g[0].path)+" left out: it has no throughput of its own and belongs to no run")
		return nil
	}
	s.add(a)
	return nil
}
