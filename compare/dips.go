package compare

import (
	"math"

	"tidemark/internal/stats"
)

// A dip is a block under dipShare of the median rate, and by dipErrors robust
// standard deviations: a pause that no phase was made of. What waits in the
// queue meanwhile is caught up within mostCatchUp blocks.
const (
	dipShare    = 0.75
	dipErrors   = 2
	mostCatchUp = 8
)

// A dip is where a rate fell, and how much time it cost.
type dip struct {
	from, to int     // blocks, with those that caught up
	lost     float64 // s at the median rate
}

// dips finds falls of a rate, each with the blocks above the median after it
// as long as they make up for it.
func dips(num, den []float64) []dip {
	rate := make([]float64, len(num))
	for i := range num {
		rate[i] = num[i] / den[i]
	}
	median := stats.Median(rate)
	bar := math.Min(dipShare*median, median-dipErrors*stats.MAD(rate))
	var out []dip
	for i := 0; i < len(rate); i++ {
		if !(rate[i] < bar) { // also where either is no number
			continue
		}
		d := dip{from: i}
		owed := 0.0
		for ; i < len(rate) && i-d.from <= mostCatchUp && (rate[i] < bar || rate[i] > median && owed > 0); i++ {
			owed += (median - rate[i]) * den[i] / median
			if rate[i] < bar {
				d.lost += (median - rate[i]) * den[i] / median
			}
		}
		d.to = i
		i--
		out = append(out, d)
	}
	return out
}

// joined adds the blocks of each dip together: one alone says that a run is
// noisy, while its sum is what would have been done without.
func joined(num, den []float64) (a, b []float64) {
	next := 0
	add := func(from, to int) {
		x, y := 0.0, 0.0
		for i := from; i < to; i++ {
			x, y = x+num[i], y+den[i]
		}
		a, b = append(a, x), append(b, y)
	}
	for _, d := range dips(num, den) {
		for ; next < d.from; next++ {
			add(next, next+1)
		}
		add(d.from, d.to)
		next = d.to
	}
	for ; next < len(num); next++ {
		add(next, next+1)
	}
	if len(a) < 3 {
		return num, den
	}
	return a, b
}
