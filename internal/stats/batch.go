package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// leastBatches is the fewest batch means that a standard error is taken from.
const leastBatches = 6

// MeanError is the standard error of the mean of a correlated series, and its
// degrees of freedom: the largest over batches of 1, 2, 4 and so on values
// that leave six batches (Flyvbjerg and Petersen 1989 look for the plateau; the
// largest errs on the side of noise). Under three values it is NaN.
func MeanError(v []float64) (se, df float64) {
	if len(v) < 3 {
		return math.NaN(), 0
	}
	for n := 1; n == 1 || len(v)/n >= leastBatches; n *= 2 {
		m := batches(v, n)
		if s := stat.StdDev(m, nil) / math.Sqrt(float64(len(m))); s >= se {
			se, df = s, float64(len(m)-1)
		}
	}
	return se, df
}

func batches(v []float64, n int) []float64 {
	out := make([]float64, len(v)/n)
	for i := range out {
		for _, x := range v[i*n : (i+1)*n] {
			out[i] += x / float64(n)
		}
	}
	return out
}

// T is the two-sided Student quantile for a confidence.
func T(confidence, df float64) float64 {
	if df > 1e6 {
		return distuv.UnitNormal.Quantile((1 + confidence) / 2)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + confidence) / 2)
}

// TwoSided is the probability of a Student t as far out as t.
func TwoSided(t, df float64) float64 {
	if df > 1e6 {
		return 2 * distuv.UnitNormal.Survival(math.Abs(t))
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t))
}
