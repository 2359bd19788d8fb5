package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHundredths: quantiles are those of the values themselves.
func TestHundredths(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 500 {
		var h Hundredths
		v := make([]float64, rng.IntN(60))
		for i := range v {
			v[i] = float64(rng.IntN(101)) / 100
		}
		if !h.Add(v) {
			t.Fatalf("%v: refused", v)
		}
		least := float64(rng.IntN(120)-10) / 100
		above, rest := h.Above(least), slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x <= least })
		for _, q := range []float64{0, 0.05, 0.5, 0.95, 1} {
			got, want := h.Quantile(q), Select(slices.Clone(v), q)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("quantile %g of %v: %g, want %g", q, v, got, want)
			}
			got, want = above.Quantile(q), Select(slices.Clone(rest), q)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("quantile %g of what is above %g in %v: %g, want %g", q, least, v, got, want)
			}
		}
	}
	for _, x := range []float64{0.005, 1.01, -0.01, math.NaN(), math.Inf(1), 0.30000000000000004} {
		var h Hundredths
		if h.Add([]float64{0.5, x}) {
			t.Errorf("%g is taken for a whole hundredth", x)
		}
	}
}
