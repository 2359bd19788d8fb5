package infer

import (
	"math"

	"tidemark/internal/shard"
)

// A noise is the scatter of both sides' work an item: the sum of their squared
// coefficients of variation, and how well ln of what follows from it is known.
type noise struct {
	sum, spread float64
}

// noiseWindows is how many windows a scatter is taken from at least.
const noiseWindows = 20

// noiseOf measures the scatter of counts of puts and gets: over windows of many
// items the variance of a renewal process is its mean times the squared
// coefficient of variation of its intervals (Cox 1962). A side that waits
// follows the other one, so the larger of the two is real, and both are where
// neither waits.
func noiseOf(r *Readings, s *SteadyState) noise {
	n := noise{serviceNoise, placesSpread}
	if r == nil || r.Queue == nil || s == nil {
		return n
	}
	var puts, gets float64
	var ok, ok2 bool
	shard.All(
		func() { puts, ok = dispersion(r.Queue.Puts, s) },
		func() { gets, ok2 = dispersion(r.Queue.Gets, s) },
	)
	if !ok || !ok2 {
		return n
	}
	n.sum = min(max(math.Sqrt(max(puts, gets)*1.6*serviceNoise), 0.04), 8)
	n.spread = placesMeasured
	return n
}

// dispersion is variance over mean of counts in windows of about twelve items,
// from differences of neighbouring windows, so that a drift does not count.
func dispersion(count Points, s *SteadyState) (float64, bool) {
	if len(count.T) < 2*noiseWindows {
		return 0, false
	}
	c := count.increments()
	total, ok := gained(c, span{c.T[0], c.T[len(c.T)-1]})
	seconds := float64(c.T[len(c.T)-1]-c.T[0]) / 1e9
	if !ok || total < 12*noiseWindows || seconds <= 0 {
		return 0, false
	}
	// no shorter than the readings lie apart, whatever a damaged counter or step says
	width := int64(max(12/(total/seconds), 2*c.step(), seconds/float64(len(c.T))) * 1e9)
	if width <= 0 {
		return 0, false
	}
	var square, sum, n float64
	for _, x := range s.Spans {
		prev := math.NaN()
		for t := x.from; t+width <= x.to; t += width {
			d, ok := gained(c, span{t, t + width})
			if !ok {
				prev = math.NaN()
				continue
			}
			if !math.IsNaN(prev) {
				square, sum, n = square+(d-prev)*(d-prev)/2, sum+d, n+1
			}
			prev = d
		}
	}
	if n < noiseWindows || sum == 0 {
		return 0, false
	}
	return square / sum, true
}
