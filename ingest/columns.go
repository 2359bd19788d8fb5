package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidemark/internal/archive"
	"tidemark/internal/config"
	"tidemark/internal/scan"
	"tidemark/model"
)

// columns are what a user says of the columns of files without a header, and where.
type columns struct {
	cfg   *config.Config
	from  string
	place string  // from, and the line
	errs  []error // of the files that they do not fit
}

// A pending file has no header. What its columns are may stand in a file that
// is read after it.
type pending struct {
	m archive.Member
	f *model.File
}

// givenNote is said of a file that is read under the user's columns.
const givenNote = "no header: columns as given in "

// maxPending bounds how many files without a header are kept open, maxHeld how
// many bytes of those that lie in archives.
const (
	maxPending = 256
	maxHeld    = 256 << 20
)

// headless reports whether a file begins with rows that no header came before,
// or may do so for all that its format tells.
func headless(f *Format, head []byte) bool {
	switch f {
	case BareNumbers:
		return true
	case SMIQuery:
		first, _ := smiFirst(head)
		_, table := smiHeader(first)
		return first != nil && table == smiNoHeader
	case nil:
		first, _ := smiFirst(head)
		return (bytes.IndexByte(first, ',') > 0 || dmonRow(head) != nil) && !isBinary(head)
	}
	return false
}

// wait keeps a file until all others are read.
func (r *reader) wait(m archive.Member, f *model.File) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named != nil || len(r.waiting) >= maxPending || m.Archive != "" && r.held+m.Bytes > maxHeld {
		return false
	}
	if m.Archive != "" {
		r.held += m.Bytes
	}
	r.waiting = append(r.waiting, pending{m, f})
	return true
}

// settle takes what the user says of columns, the flags before tidemark.yaml.
func (r *reader) settle(cfg *config.Config) error {
	r.named = &columns{cfg: &config.Config{}, from: "flags", place: "flags"}
	if cfg != nil && len(cfg.Columns) > 0 {
		r.named.cfg = cfg
		return r.named.check()
	}
	var own *model.Settings
	for _, b := range r.files {
		own = model.Nearest(own, b.Settings)
	}
	if own == nil {
		return nil
	}
	c, err := config.Parse(own.Path, strings.NewReader(own.Text))
	if err != nil {
		return &config.Error{Err: err}
	}
	r.named.cfg, r.named.from, r.named.place = c, own.Path, config.Place(own.Path, []byte(own.Text), "$.columns")
	return r.named.check()
}

// late reads the files that have waited. The error is the first of those that
// the user's columns do not fit.
func (r *reader) late() error {
	for _, p := range r.waiting {
		r.begin(p.m, p.f)
	}
	r.wg.Wait()
	for _, b := range r.files {
		name, _ := r.named.cfg.ColumnsOf(b.File.Path)
		if name != "" && b.File.Format != "" && !slices.Contains(b.File.Notes, givenNote+r.named.from) {
			b.File.Note("tells its columns itself: those given in " + r.named.from + " are not used")
		}
	}
	if len(r.named.errs) == 0 {
		return nil
	}
	return &config.Error{Err: slices.MinFunc(r.named.errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })}
}

// columns says under which header a file without one is read, ok false where
// that is not known.
func (r *reader) columns(path string, format *Format, head []byte) (b binding, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named == nil {
		return b, false
	}
	if name, list := r.named.cfg.ColumnsOf(path); name != "" {
		header := smiNamed(list)
		if err := fits(path, head, header); err != nil {
			r.named.errs = append(r.named.errs, fmt.Errorf("%s: columns of %s: %w", r.named.place, name, err))
			return b, false
		}
		return binding{SMIQuery, header, givenNote + r.named.from}, true
	}
	return r.olderHeader(path, format, head)
}

// check reports the first list that is none of a query of GPUs.
func (c *columns) check() error {
	for _, file := range slices.Sorted(maps.Keys(c.cfg.Columns)) {
		if err := checkNames(c.cfg.Columns[file]); err != nil {
			return &config.Error{Err: fmt.Errorf("%s: columns of %s: %w", c.place, file, err)}
		}
	}
	return nil
}

// passed is the name of a column that nobody needs; anyColumn is a name that
// nvidia-smi might have for it.
const passed, anyColumn = "-", "gpu.other"

// smiNamed is the header that a list of names stands for.
func smiNamed(list string) string {
	names := strings.Split(list, ",")
	for i, n := range names {
		if names[i] = strings.TrimSpace(n); names[i] == passed {
			names[i] = anyColumn
		}
	}
	return strings.Join(names, ", ")
}

func checkNames(list string) error {
	seen := map[string]bool{}
	for n := range strings.SplitSeq(list, ",") {
		name, _ := smiName([]byte(n))
		family, _, _ := strings.Cut(name, ".")
		_, known := smiFields[name]
		switch {
		case name == passed:
		case !known && !smiFamilies[family]:
			near := config.Nearest(name, slices.Sorted(maps.Keys(smiFields)))
			return fmt.Errorf("unknown name %q, the nearest known one is %q; want the names that followed --query-gpu=, and %s for what is none of nvidia-smi's", strings.TrimSpace(n), near, passed)
		case seen[name]:
			return fmt.Errorf("%q twice, want each name once", name)
		}
		seen[name] = name != passed
	}
	if _, table := smiHeader([]byte(smiNamed(list))); table != smiGPUHeader {
		return fmt.Errorf("%q: no reading of a GPU among them, want such as utilization.gpu or memory.used", list)
	}
	return nil
}

// fits reports where no row in the first lines has as many cells as the header.
func fits(path string, head []byte, header string) error {
	want, first, at := strings.Count(header, ",")+1, 0, 0
	for n := 1; len(head) > 0 && n <= lookLines; n++ {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && n > 1 {
			break
		}
		cells := bytes.Count(line, []byte{','}) + 1
		failure, chatter := smiMessage(scan.Trim(line))
		switch {
		case cells == want, cells == want+1 && !strings.HasPrefix(header, "time"): // the shell's time in front
			return nil
		case first == 0 && cells > 1 && !failure && !chatter:
			first, at = cells, n
		}
	}
	if first == 0 {
		return nil
	}
	return fmt.Errorf("%d names, but %s:%d has %d cells, want one name a cell", want, path, at, first)
}
