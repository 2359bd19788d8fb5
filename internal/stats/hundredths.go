package stats

import "math"

// Hundredths counts values that are whole hundredths from 0 to 1, as meters print
// shares: quantiles of many are then found without a copy of them.
type Hundredths struct {
	counts [101]int
	n      int
}

// Add counts values, and reports false where one is not such.
func (h *Hundredths) Add(v []float64) bool {
	for _, x := range v {
		k := int(x*100 + 0.5)
		if uint(k) >= uint(len(h.counts)) || float64(k)/100 != x {
			return false
		}
		h.counts[k]++
	}
	h.n += len(v)
	return true
}

// Quantile is that of the values, as Quantile has it; NaN for none.
func (h *Hundredths) Quantile(q float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	left := rank(h.n, q)
	for k, n := range h.counts {
		if left -= n; left < 0 {
			return float64(k) / 100
		}
	}
	return 1
}

// Above are the values above one.
func (h Hundredths) Above(least float64) Hundredths {
	for k := range h.counts {
		if float64(k)/100 <= least {
			h.n -= h.counts[k]
			h.counts[k] = 0
		}
	}
	return h
}
