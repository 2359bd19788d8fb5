package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// oneRun says where training logs follow each other without a common time: one
// run in parts, or several that were put together. Which, no line tells.
func oneRun(p *Pass) {
	logs := turns(p.Run.Files)
	if len(logs) < 2 {
		return
	}
	var names []string
	for _, f := range logs {
		names = append(names, fmt.Sprintf("%s from %s", f.Path, stamp(f.First)))
	}
	if len(names) > 3 {
		names = append(names[:3:3], fmt.Sprintf("%d more", len(logs)-3))
	}
	p.Check(model.Check{
		Name: "one.run", Value: new(float64(len(logs))), Limit: new(1.0),
		Text: fmt.Sprintf("%s training logs of different times are read as one run: %s", say.Count(len(logs)), strings.Join(names, ", ")),
	})
}

// turns are the training logs of which each begins when those before it have
// ended; the parts of a rotated one begin none.
func turns(files []*model.File) []*model.File {
	var logs, out []*model.File
	first := map[*model.File]bool{}
	for i, f := range files {
		if f.Format == "train-log" && f.First != 0 {
			logs, first[f] = append(logs, f), f.Oldest == 0 || int(f.Oldest) == i+1
		}
	}
	slices.SortStableFunc(logs, func(a, b *model.File) int { return cmp.Compare(a.First, b.First) })
	end := int64(0)
	for _, f := range logs {
		if first[f] && (len(out) == 0 || f.First > end) {
			out = append(out, f)
		}
		end = max(end, f.Last)
	}
	return out
}
