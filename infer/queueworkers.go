package infer

import (
	"slices"

	"tidemark/model"
)

// maxSummed bounds readings times workers (a day at 10 Hz of 200 workers is
// under it): labels beyond that are no workers.
const maxSummed = 200_000_000

// ofWorkers adds up the counters of a queue whose readings are kept by worker
// or by role, in one file or in files apart: the depth is the queue's in every
// row, but puts, gets and waits are each worker's own. best is the one whose
// depth is taken. Sums begin at 0.
func ofWorkers(best *QueueReadings, all []*QueueReadings) *QueueReadings {
	var parts []*QueueReadings
	for _, q := range all {
		if q.labelled && q.File == best.File && q.Name == best.Name {
			parts = append(parts, q)
		}
	}
	if len(best.Depth.T) > 1 && !best.labelled {
		parts = apart(best, all)
	}
	if len(parts) < 2 || len(best.Depth.T) < 2 || len(parts)*len(best.Depth.T) > maxSummed {
		return best
	}
	out := *best
	for _, q := range parts {
		if !best.labelled {
			out.summed = append(out.summed, q.File)
		}
	}
	for i, s := range out.series() {
		if i < counters { // the depth is the queue's
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

// sumAt is the sum of what counters have grown by at each time: straight
// between readings, flat outside them.
func sumAt(t []int64, list []Points) Points {
	out := Points{T: t, V: make([]float64, len(t))}
	for _, c := range list {
		grown := c.increments()
		k, base := 0, grown.V[0]
		for i, at := range t {
			for k < len(grown.T) && grown.T[k] <= at {
				k++
			}
			switch {
			case k == len(grown.T):
				out.V[i] += grown.V[k-1] - base
			case k > 0:
				w := float64(at-grown.T[k-1]) / float64(grown.T[k]-grown.T[k-1])
				out.V[i] += grown.V[k-1] - base + w*(grown.V[k]-grown.V[k-1])
			}
		}
	}
	return out
}
