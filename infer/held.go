package infer

import (
	"maps"
	"slices"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A holding is how long a series stood at each of its values.
type holding struct {
	v     []float64 // ascending
	sec   []float64 // seconds at each value
	total float64   // seconds
}

// smallDepth bounds the values that a holding counts without a map.
const smallDepth = 1 << 10

// held adds up the time at each value over spans. A reading stands for no more
// than gap seconds.
func (p Points) held(spans []span, gap float64) holding {
	small := make([]float64, 0, 64)
	other := map[float64]float64{}
	for _, x := range spans {
		p.hold(x.from, x.to, gap, func(v, sec float64) {
			i := int(v)
			if float64(i) != v || i < 0 || i >= smallDepth {
				other[v] += sec
				return
			}
			for i >= len(small) {
				small = append(small, 0)
			}
			small[i] += sec
		})
	}
	for i, sec := range small {
		if sec > 0 {
			other[float64(i)] = sec
		}
	}
	h := holding{v: slices.Sorted(maps.Keys(other))}
	for _, v := range h.v {
		h.sec, h.total = append(h.sec, other[v]), h.total+other[v]
	}
	return h
}

// share is the part of the time at values that is reports true for.
func (h holding) share(is func(v float64) bool) (share float64) {
	for i, v := range h.v {
		if is(v) {
			share += h.sec[i]
		}
	}
	if h.total > 0 {
		share /= h.total
	}
	return share
}

// depth is the time-weighted quantiles and mean of a depth.
func (h holding) depth() *model.Depth {
	q := stats.Weighted(h.v, h.sec, 0.05, 0.5, 0.95)
	return &model.Depth{P5: q[0], P50: q[1], P95: q[2], Mean: h.mean()}
}

func (h holding) mean() float64 {
	var sum float64
	for i, v := range h.v {
		sum += v * h.sec[i]
	}
	return sum / h.total
}
