package tidemark

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/config"
	"tidemark/model"
)

// sameRun is the longest gap, in ns, that parts of one run may leave between
// them whatever their length: an upload that was split, a restart.
const sameRun = int64(600e9)

// several reports that the files are those of several runs: folders with a
// record of their own, further apart in time than a restart leaves. Their lines would make
// one run that nobody made.
func several(run *model.Run) error {
	type folder struct {
		name        string
		first, last int64
	}
	var list []*folder
	at := map[string]*folder{}
	for _, f := range run.Files {
		dir, _, ok := strings.Cut(f.Path, "/")
		if !ok || f.First == 0 || f.Format != "train-log" && f.Format != "queue-csv" {
			continue
		}
		x := at[dir]
		if x == nil {
			x = &folder{name: dir, first: math.MaxInt64}
			at[dir], list = x, append(list, x)
		}
		x.first, x.last = min(x.first, f.First), max(x.last, f.Last)
	}
	slices.SortFunc(list, func(a, b *folder) int { return cmp.Compare(a.first, b.first) })
	var apart []string
	for i, x := range list {
		if i > 0 {
			before := list[i-1]
			gap := x.first - before.last
			if gap <= max(sameRun, 2*(before.last-before.first), 2*(x.last-x.first)) {
				x.first, x.last = before.first, max(x.last, before.last)
				continue
			}
		}
		apart = append(apart, x.name)
	}
	if len(apart) < 2 {
		return nil
	}
	names := strings.Join(apart[:min(len(apart), 4)], ", ")
	return &config.Error{Err: fmt.Errorf("several runs, far apart in time (%s, %d in all): give one of them, or analyze compare BASE NEW", names, len(apart))}
}
