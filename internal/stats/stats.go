// Package stats is the statistics of correlated series: block bootstrap,
// effective sample size, change points, warm-up. Plain moments and quantiles
// come from gonum/stat.
package stats

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tidemark/model"
)

// Resamples is how many times a bootstrap draws: 2,000 keep the Monte Carlo
// error of a 95 % bound under a tenth of the interval (Efron and Tibshirani
// 1993, chapter 13).
const Resamples = 2000

// Bootstrap returns f over resamples of n blocks drawn with replacement, NaN left
// out. f gets the drawn block numbers. The draws are the same
// in every call with the same n. Blocks should be longer than two correlation
// times (Künsch 1989).
func Bootstrap(n int, f func(draw []int) float64) []float64 {
	rng := rand.NewPCG(0x7469646d61726b, uint64(n))
	draw := make([]int, n)
	out := make([]float64, 0, Resamples)
	for range Resamples {
		for i := range draw {
			hi, _ := bits.Mul64(rng.Uint64(), uint64(n)) // uneven by n in 2^64 (Lemire 2019)
			draw[i] = int(hi)
		}
		if v := f(draw); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// Interval is the 95 % percentile interval of resamples around mid. It reorders
// them.
func Interval(mid float64, resamples []float64) model.Interval {
	if len(resamples) < 20 {
		return model.Interval{Lo: mid, Mid: mid, Hi: mid}
	}
	lo, hi := Select(resamples, 0.025), Select(resamples, 0.975)
	return model.Interval{Lo: min(lo, mid), Mid: mid, Hi: max(hi, mid)}
}

// Ratio estimates sum(num)/sum(den) over blocks, with its interval. With one
// block the interval is the point.
func Ratio(num, den []float64) model.Interval {
	all := func(draw []int) float64 {
		var a, b float64
		for _, i := range draw {
			a, b = a+num[i], b+den[i]
		}
		return a / b
	}
	every := make([]int, len(num))
	for i := range every {
		every[i] = i
	}
	mid := all(every)
	if len(num) < 2 {
		return model.Interval{Lo: mid, Mid: mid, Hi: mid}
	}
	return Interval(mid, Bootstrap(len(num), all))
}

// Mean estimates the mean of few independent values, such as one per thread,
// by Student's t.
func Mean(v []float64) model.Interval {
	m, sd := stat.MeanStdDev(v, nil)
	if len(v) < 2 {
		return model.Interval{Lo: m, Mid: m, Hi: m}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(v) - 1)}.Quantile(0.975)
	d := t * sd / math.Sqrt(float64(len(v)))
	return model.Interval{Lo: m - d, Mid: m, Hi: m + d}
}

// Tau is the integrated autocorrelation time of v in samples, at least 1: the
// sum of autocorrelations up to the first negative pair (Geyer 1992).
func Tau(v []float64) float64 {
	n := len(v)
	if n < 4 {
		return 1
	}
	m, variance := stat.PopMeanVariance(v, nil)
	if variance <= 0 {
		return float64(n)
	}
	c := slices.Clone(v)
	floats.AddConst(-m, c)
	tau := 1.0
	for k := 1; k+1 < min(n/2, 4000); k += 2 {
		pair := (autocov(c, k) + autocov(c, k+1)) / variance
		if pair <= 0 {
			break
		}
		tau += 2 * pair
	}
	return min(max(tau, 1), float64(n))
}

// autocov is of centred values.
func autocov(c []float64, k int) float64 {
	return floats.Dot(c[k:], c[:len(c)-k]) / float64(len(c))
}

// Effective returns how many independent samples v is worth: n over Tau. A
// series without variation is worth one, and none more than 8,000: a longer one
// is thinned first, which can only lower the answer.
func Effective(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	t := thin(v, 8000)
	return float64(len(t)) / Tau(t)
}

// thin keeps about n evenly spaced values.
func thin(v []float64, n int) []float64 {
	if len(v) <= n {
		return v
	}
	k := (len(v) + n - 1) / n
	out := make([]float64, 0, n)
	for i := 0; i < len(v); i += k {
		out = append(out, v[i])
	}
	return out
}

// Median returns the median of v, NaN for none. v is not changed.
func Median(v []float64) float64 { return Quantile(v, 0.5) }

// Quantile returns the q-quantile of v, NaN for none. v is not changed.
func Quantile(v []float64, q float64) float64 {
	lo, hi, ok := ends(v)
	k := rank(len(v), q)
	switch {
	case !ok:
		return math.NaN()
	case lo == hi || k == 0:
		return lo
	case k == len(v)-1:
		return hi
	}
	return kth(slices.Clone(v), k)
}

// Select is Quantile for a v that may be reordered, and is; v holds no NaN.
func Select(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return kth(v, rank(len(v), q))
}

// rank is the index of the q-quantile among n sorted values.
func rank(n int, q float64) int { return min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1) }

// ends are the least and the largest value; ok is false for none and for NaN.
func ends(v []float64) (lo, hi float64, ok bool) {
	if len(v) == 0 {
		return 0, 0, false
	}
	lo, hi = v[0], v[0]
	for _, x := range v {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		if x != x {
			return 0, 0, false
		}
	}
	return lo, hi, true
}

// kth returns the value that would stand at index k if v were sorted, and
// reorders v (Hoare's selection, median of three).
func kth(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for hi-lo > 12 {
		p := v[lo+(hi-lo)/2]
		a, b := v[lo], v[hi]
		p = max(min(p, a), min(max(p, a), b))
		i, j := lo, hi
		for i <= j {
			for v[i] < p {
				i++
			}
			for v[j] > p {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	slices.Sort(v[lo : hi+1])
	return v[k]
}

// MAD returns the median absolute deviation, scaled to a standard deviation.
func MAD(v []float64) float64 {
	m := Median(v)
	d := make([]float64, len(v))
	for i, x := range v {
		d[i] = math.Abs(x - m)
	}
	return 1.4826 * Median(d)
}

// Weighted returns the q-quantiles of values with weights, 0 for none.
func Weighted(v, w []float64, qs ...float64) []float64 {
	out := make([]float64, len(qs))
	if len(v) == 0 {
		return out
	}
	var total float64
	same := true
	for _, x := range w {
		total += x
		same = same && x == w[0]
	}
	if same && !slices.ContainsFunc(v, math.IsNaN) {
		list := slices.Clone(v)
		for k, q := range qs {
			out[k] = kth(list, reach(q*total, len(v), func(int) float64 { return w[0] }))
		}
		return out
	}
	type pair struct{ v, w float64 }
	list := make([]pair, len(v))
	for i := range v {
		list[i] = pair{v[i], w[i]}
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.v, b.v) })
	for k, q := range qs {
		out[k] = list[reach(q*total, len(v), func(i int) float64 { return list[i].w })].v
	}
	return out
}

// reach returns the first of n indexes by which the weights come to a sum, else
// the last.
func reach(want float64, n int, weight func(i int) float64) int {
	sum := 0.0
	for i := range n {
		if sum += weight(i); sum >= want {
			return i
		}
	}
	return n - 1
}
