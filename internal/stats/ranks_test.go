package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMannWhitney against tabled values: with 5 and 3 values that do not
// overlap p is 2/56, with 4 and 4 2/70, U = 2 of 5 and 5 gives 0.0317.
func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		p    float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8}, 2.0 / 56},
		{[]float64{5, 6, 7, 8}, []float64{1, 2, 3, 4}, 2.0 / 70},
		{[]float64{1, 2, 3, 4, 7}, []float64{5, 6, 8, 9, 10}, 8.0 / 252},
		{[]float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{nil, []float64{1}, 1},
	} {
		if got := MannWhitney(c.a, c.b); math.Abs(got-c.p) > 1e-9 {
			t.Errorf("%v, %v: p %.5f, want %.5f", c.a, c.b, got, c.p)
		}
	}
}

// TestHodgesLehmann: the interval of 5 against 5 drops the two outermost
// differences on either side, and holds the shift in 95 of 100 cases.
func TestHodgesLehmann(t *testing.T) {
	lo, mid, hi := HodgesLehmann([]float64{11, 12, 13, 14, 15}, []float64{1, 2, 3, 4, 5}, 0.95)
	if mid != 10 || lo != 7 || hi != 13 {
		t.Errorf("%g %g %g, want 7 10 13", lo, mid, hi)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 400 {
		a, b := make([]float64, 6), make([]float64, 5)
		for i := range a {
			a[i] = rng.ExpFloat64()
		}
		for i := range b {
			b[i] = rng.ExpFloat64() - 1
		}
		if lo, _, hi := HodgesLehmann(a, b, 0.95); lo <= 1 && 1 <= hi {
			hits++
		}
	}
	if hits < 370 {
		t.Errorf("the shift lay in %d of 400 intervals, want 380 or more", hits)
	}
}

// TestBenjaminiHochberg on the example of the paper's kind: q rises with p and is never under it.
func TestBenjaminiHochberg(t *testing.T) {
	q := BenjaminiHochberg([]float64{0.04, 0.01, 0.03, 0.5})
	for i, want := range []float64{4.0 / 75, 0.04, 4.0 / 75, 0.5} {
		if math.Abs(q[i]-want) > 1e-9 {
			t.Errorf("q %v", q)
		}
	}
}

// TestMeanError: the error of a correlated mean is that of its effective sample.
func TestMeanError(t *testing.T) {
	for _, phi := range []float64{0, 0.5, 0.8} {
		want := 1 / (1 - phi) / math.Sqrt(400)
		var got []float64
		for seed := range uint64(60) {
			se, _ := MeanError(ar1(400, phi, 900+seed))
			got = append(got, se)
		}
		if m := Median(got); m < 0.9*want || m > 1.8*want {
			t.Errorf("phi %g: error %.3f, want %.3f or a little more", phi, m, want)
		}
	}
	if se, _ := MeanError([]float64{1, 2}); !math.IsNaN(se) {
		t.Errorf("two values have the error %g, want none", se)
	}
}

// TestEDivisive finds a step among independent values, and none where there is none.
func TestEDivisive(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func() []float64 {
		v := make([]float64, 40)
		for i := range v {
			v[i] = 100 + rng.NormFloat64()
		}
		return v
	}
	wrong, found := 0, 0
	for range 40 {
		if len(EDivisive(draw(), 4, 0.05)) > 0 {
			wrong++
		}
		v := draw()
		for i := 25; i < len(v); i++ {
			v[i] -= 4
		}
		if cuts := EDivisive(v, 4, 0.05); slices.Contains(cuts, 25) {
			found++
		}
	}
	if wrong > 6 || found < 38 {
		t.Errorf("%d of 40 false alarms, want about 2; %d of 40 steps found, want all", wrong, found)
	}
}

// TestTrend gives slope and certainty.
func TestTrend(t *testing.T) {
	v := make([]float64, 20)
	for i := range v {
		v[i] = 3 * float64(i)
	}
	if s, p := Trend(v); s != 3 || p > 1e-6 {
		t.Errorf("slope %g, p %g", s, p)
	}
	if _, p := Trend([]float64{1, 3, 2, 4, 1, 3, 2, 4, 1}); p < 0.2 {
		t.Errorf("p %g of a series without trend", p)
	}
}
