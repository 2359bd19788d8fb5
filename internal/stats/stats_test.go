package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// ar1 is a series with lag-1 correlation phi and unit innovations.
func ar1(n int, phi float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(1, seed))
	v := make([]float64, n)
	x := 0.0
	for i := range v {
		x = phi*x + rng.NormFloat64()
		v[i] = x
	}
	return v
}

// TestTau: the integrated autocorrelation time of an AR(1) series is (1+phi)/(1-phi).
func TestTau(t *testing.T) {
	for _, phi := range []float64{0, 0.5, 0.8} {
		want := (1 + phi) / (1 - phi)
		if got := Tau(ar1(20000, phi, 7)); math.Abs(got/want-1) > 0.25 {
			t.Errorf("phi %g: tau %.2f, want about %.2f", phi, got, want)
		}
	}
	if got := Effective(make([]float64, 100)); got != 1 {
		t.Errorf("a constant series is worth %g samples, want 1", got)
	}
}

// TestRatioCovers: intervals of a ratio over independent blocks hold the truth
// in about 95 of 100 cases.
func TestRatioCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hits := 0
	for range 200 {
		var num, den []float64
		for range 40 {
			d := 10 + rng.NormFloat64()
			num, den = append(num, 0.2*d+0.3*rng.NormFloat64()), append(den, d)
		}
		if iv := Ratio(num, den); iv.Lo <= 0.2 && 0.2 <= iv.Hi {
			hits++
		}
	}
	if hits < 178 || hits > 199 {
		t.Errorf("the truth lay in %d of 200 intervals, want about 190", hits)
	}
}

// TestMSER5 cuts a slow start and leaves a level series alone.
func TestMSER5(t *testing.T) {
	v := ar1(200, 0, 5)
	for i := range 30 {
		v[i] -= 8
	}
	if cut := MSER5(v); cut < 30 || cut > 40 {
		t.Errorf("cut %d, want 30 or a little more", cut)
	}
	if cut := MSER5(ar1(200, 0, 6)); cut > 50 {
		t.Errorf("cut %d of a level series", cut)
	}
}

// TestChangePoints finds a shift, and none in correlated noise without one.
func TestChangePoints(t *testing.T) {
	v := ar1(200, 0.3, 8)
	for i := 120; i < 200; i++ {
		v[i] += 5
	}
	cuts := ChangePoints(v, 10)
	if len(cuts) != 1 || cuts[0] < 117 || cuts[0] > 123 {
		t.Errorf("cuts %v, want one at 120", cuts)
	}
	false0 := 0
	for seed := range uint64(20) {
		false0 += len(ChangePoints(ar1(200, 0.5, 100+seed), 10))
	}
	if false0 > 4 {
		t.Errorf("%d change points in 20 series without one", false0)
	}
}

// TestQuantile holds selection against a sort, with many equal values too.
func TestQuantile(t *testing.T) {
	for _, n := range []int{1, 2, 13, 500, 4001} {
		v := ar1(n, 0.5, uint64(n))
		for i := range v {
			v[i] = math.Round(v[i] * 2)
		}
		s := slices.Sorted(slices.Values(v))
		for _, q := range []float64{0, 0.001, 0.05, 0.5, 0.95, 1} {
			if got, want := Quantile(v, q), stat.Quantile(q, stat.Empirical, s, nil); got != want {
				t.Errorf("n %d, q %g: %g, want %g", n, q, got, want)
			}
		}
	}
	if got := Quantile([]float64{1, math.NaN()}, 0.5); !math.IsNaN(got) {
		t.Errorf("a NaN among the values: %g, want NaN", got)
	}
}

// TestWeighted agrees with plain quantiles where all weights are 1.
func TestWeighted(t *testing.T) {
	v := ar1(99, 0, 9)
	w := slices.Repeat([]float64{1}, 99)
	for _, q := range []float64{0.05, 0.5, 0.95} {
		if a, b := Weighted(v, w, q)[0], Quantile(v, q); a != b {
			t.Errorf("q %g: %g, want %g", q, a, b)
		}
	}
}
