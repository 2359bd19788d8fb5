package compare

import (
	"math"
	"testing"
)

// TestDipsEnd: rates that are no numbers are no dips, and the search for some ends.
func TestDipsEnd(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		num  []float64
		want int
	}{
		"none":        {[]float64{10, 10, 10, 10, 10, 10}, 0},
		"one":         {[]float64{10, 10, 2, 10, 10, 10}, 1},
		"no number":   {[]float64{10, nan, 10, 10, 2, 10}, -1},
		"no numbers":  {[]float64{nan, nan, nan, nan}, 0},
		"all at once": {[]float64{math.Inf(1), math.Inf(1), 1, 2}, -1},
	} {
		den := make([]float64, len(c.num))
		for i := range den {
			den[i] = 1
		}
		if got := len(dips(c.num, den)); c.want >= 0 && got != c.want {
			t.Errorf("%s: %d dips, want %d", name, got, c.want)
		}
	}
}
