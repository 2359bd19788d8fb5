package compare

import (
	"slices"
	"strings"

	"tidemark/internal/lazy"
)

// oldSize is how files written before sizes had a field of their own hold them.
var oldSize = lazy.Regexp(`^\d+ GiB(, \d+ W)?$`)

// types settles by what GPUs are told apart: by name where each run that knows
// its GPUs has names, else by size where each has sizes. A name says nothing
// of a size, nor does a recording that has begun to print names make another
// pipeline. A run without what the others have is left open.
func types(sides ...[]*Run) {
	var names, sizes, known int
	var all []*Run
	for _, r := range slices.Concat(sides...) {
		n, s := r.gpuNames(), r.gpuSizes()
		if len(n)+len(s) == 0 {
			continue
		}
		known++
		if len(n) > 0 {
			names++
		}
		if len(s) > 0 {
			sizes++
		}
		all = append(all, r)
	}
	of := (*Run).gpuNames
	if names < known && sizes == known {
		of = (*Run).gpuSizes
	}
	var whole []string
	for _, r := range all {
		whole = append(whole, of(r)...)
	}
	for _, r := range slices.Concat(sides...) {
		var list []string
		for _, name := range of(r) {
			if name = completed(name, whole); !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		slices.Sort(list)
		r.gpuType = strings.Join(list, " and ")
	}
}

// gpuNames are the models without the maker's name, which not every tool prints.
func (run *Run) gpuNames() []string {
	var list []string
	for _, name := range run.Pipeline.GPUs {
		if !oldSize().MatchString(name) {
			list = append(list, strings.TrimPrefix(strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "NVIDIA "), "Tesla "))
		}
	}
	return list
}

func (run *Run) gpuSizes() []string {
	list := slices.Clone(run.Pipeline.GPUSizes)
	for _, name := range run.Pipeline.GPUs {
		if oldSize().MatchString(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// completed is the whole name of one that a table cut short, where exactly one
// of the names begins like it.
func completed(name string, names []string) string {
	begin, cut := strings.CutSuffix(name, "...")
	if !cut {
		return name
	}
	found := name
	for _, other := range names {
		switch {
		case strings.HasSuffix(other, "...") || !strings.HasPrefix(other, begin) || other == found:
		case found != name:
			return name
		default:
			found = other
		}
	}
	return found
}
