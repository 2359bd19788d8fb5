package infer

import (
	"slices"
	"sort"

	"tidemark/model"
)

// ofWorkers adds up the counters of a queue whose readings are kept by worker
// or by role: the depth is the queue's in every row, but puts, gets and waits
// are each worker's own. best is the one whose depth is taken. Sums begin at 0.
func ofWorkers(best *QueueReadings, all []*QueueReadings) *QueueReadings {
	var parts []*QueueReadings
	for _, q := range all {
		if q.labelled && q.File == best.File && q.Name == best.Name {
			parts = append(parts, q)
		}
	}
	if !best.labelled || len(parts) < 2 || len(best.Depth.T) < 2 {
		return best
	}
	out := *best
	for i, s := range out.series() {
		if i < 3 { // depth and watermarks are of the queue
			continue
		}
		var list []Points
		for _, q := range parts {
			if c := *q.series()[i]; len(c.T) > 1 {
				list = append(list, c)
			}
		}
		if len(list) > 1 && !same(list) || len(list) == 1 {
			*s = sumAt(best.Depth.T, list)
		}
	}
	for _, q := range parts {
		if q != best {
			out.Resets = append(out.Resets, q.Resets...)
		}
	}
	slices.SortStableFunc(out.Resets, func(a, b model.Pos) int { return a.Line - b.Line })
	return &out
}

// same reports that all workers print one counter, the queue's own: then nine
// tenths of their readings are equal, as those of workers are not.
func same(list []Points) bool {
	first := list[0].V
	for _, c := range list[1:] {
		equal := 0
		for i := range min(len(c.V), len(first)) {
			if c.V[i] == first[i] {
				equal++
			}
		}
		if float64(equal) < 0.9*float64(max(len(c.V), len(first))) {
			return false
		}
	}
	return true
}

// sumAt is the sum of what counters have grown by at each time.
func sumAt(t []int64, list []Points) Points {
	out := Points{T: t, V: make([]float64, len(t))}
	for _, c := range list {
		grown := c.increments()
		for i, at := range t {
			out.V[i] += grown.level(at)
		}
	}
	return out
}

// level is the count at a time: straight between readings, flat outside them.
func (p Points) level(t int64) float64 {
	if v, ok := p.interpolate(t); ok {
		return v
	}
	if i := sort.Search(len(p.T), func(i int) bool { return p.T[i] >= t }); i > 0 {
		return p.V[len(p.V)-1]
	}
	return p.V[0]
}
