package tidemark

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/infer"
	"tidemark/internal/config"
	"tidemark/model"
)

// sameRun is the longest gap, in ns, that parts of one run may leave between
// them whatever their length: an upload that was split, a restart.
const sameRun = int64(600e9)

// A stretch is the time that a record of a run takes.
type stretch struct {
	name        string
	first, last int64
}

// several reports that the files are those of several runs: folders with
// records of their own, or records of one format, further apart in time than a
// restart leaves. Their lines would make one run that nobody made.
func several(run *model.Run) error {
	folders := apart(stretches(run, func(f *model.File) string {
		dir, _, ok := strings.Cut(f.Path, "/")
		if !ok || f.Format != "train-log" && f.Format != "queue-csv" {
			return ""
		}
		return dir
	}))
	if len(folders) > 1 {
		return severalError(folders, "give one of them, or analyze compare BASE NEW")
	}
	if folders := beside(run); len(folders) > 1 {
		return &config.Error{Err: fmt.Errorf("several runs of the same time (%s): give one of them, or analyze compare BASE NEW", strings.Join(folders, ", "))}
	}
	for _, format := range []string{"train-log", "queue-csv"} {
		files := apart(stretches(run, func(f *model.File) string {
			switch {
			case f.Format != format:
				return ""
			case f.Oldest > 0:
				return run.Files[f.Oldest-1].Path
			}
			return f.Path
		}))
		if len(files) > 1 {
			return severalError(files, "give the files of one of them")
		}
	}
	return nil
}

// beside names the folders of queue counters that overlap in time and differ,
// each with a training log of its own: runs side by side.
func beside(run *model.Run) []string {
	has := map[string]map[string]bool{"train-log": {}, "queue-csv": {}}
	for _, f := range run.Files {
		if dir, _, ok := strings.Cut(f.Path, "/"); ok && has[f.Format] != nil && f.First != 0 {
			has[f.Format][dir] = true
		}
	}
	if len(has["train-log"]) < 2 || len(has["queue-csv"]) < 2 {
		return nil
	}
	c := infer.ChosenQueue(run)
	if c == nil {
		return nil
	}
	var folders []string
	for _, path := range append([]string{c.Used}, c.Left...) {
		dir, _, ok := strings.Cut(path, "/")
		if ok && has["train-log"][dir] && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

func severalError(names []string, wish string) error {
	some := strings.Join(names[:min(len(names), 4)], ", ")
	return &config.Error{Err: fmt.Errorf("several runs, far apart in time (%s, %d in all): %s", some, len(names), wish)}
}

// stretches are those of the files with times, put together under the name
// that each goes by; "" leaves a file out.
func stretches(run *model.Run, name func(*model.File) string) []*stretch {
	var list []*stretch
	at := map[string]*stretch{}
	for _, f := range run.Files {
		key := name(f)
		if key == "" || f.First == 0 {
			continue
		}
		x := at[key]
		if x == nil {
			x = &stretch{name: key, first: math.MaxInt64}
			at[key], list = x, append(list, x)
		}
		x.first, x.last = min(x.first, f.First), max(x.last, f.Last)
	}
	return list
}

// apart names the first of those stretches that follow each other closely, in
// the order of time: one name is one run.
func apart(list []*stretch) []string {
	slices.SortFunc(list, func(a, b *stretch) int { return cmp.Compare(a.first, b.first) })
	var names []string
	for i, x := range list {
		if i > 0 {
			before := list[i-1]
			gap := x.first - before.last
			if gap <= max(sameRun, 2*(before.last-before.first), 2*(x.last-x.first)) {
				x.first, x.last = before.first, max(x.last, before.last)
				continue
			}
		}
		names = append(names, x.name)
	}
	return names
}
