package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// permutations of E-divisive: the least p is 1/500.
const permutations = 499

// EDivisive returns where the distribution of independent values changes, as
// first indices of later segments: the split with the largest energy statistic
// (alpha 1), kept while a permutation test within segments gives p <= level,
// then the same within all segments (Matteson and James 2014). No segment is
// shorter than least. The draws are the same in every call.
func EDivisive(v []float64, least int, level float64) []int {
	rng := rand.New(rand.NewPCG(0x6564697669736976, uint64(len(v))))
	var cuts []int
	for {
		at, q := bestSplit(v, cuts, least)
		if at == 0 || shiftP(rng, v, cuts, least, q) > level {
			return cuts
		}
		cuts = append(cuts, at)
		slices.Sort(cuts)
	}
}

// bestSplit is the split of any segment with the largest statistic.
func bestSplit(v []float64, cuts []int, least int) (at int, q float64) {
	from := 0
	for _, to := range append(slices.Clone(cuts), len(v)) {
		if k, s := energySplit(v[from:to], least); k > 0 && s > q {
			at, q = from+k, s
		}
		from = to
	}
	return at, q
}

// energySplit finds the split of one segment in O(n²): moving one value from
// right to left changes the sums of distances by its own row.
func energySplit(v []float64, least int) (at int, q float64) {
	n := len(v)
	if n < 2*least {
		return 0, 0
	}
	row := func(i, from, to int) float64 {
		s := 0.0
		for j := from; j < to; j++ {
			s += math.Abs(v[i] - v[j])
		}
		return s
	}
	var within, cross, rest float64
	for i := range n {
		rest += row(i, i+1, n)
	}
	for k := 1; k < n; k++ {
		left, right := row(k-1, 0, k-1), row(k-1, k, n)
		within, rest, cross = within+left, rest-right, cross+right-left
		if k < least || n-k < least {
			continue
		}
		a, b := float64(k), float64(n-k)
		e := 2*cross/(a*b) - 2*pairMean(within, a) - 2*pairMean(rest, b)
		if s := e * a * b / (a + b); s > q {
			at, q = k, s
		}
	}
	return at, q
}

// pairMean is half of the mean distance between two values drawn from n.
func pairMean(sum, n float64) float64 {
	if n < 2 {
		return 0
	}
	return sum / (n * (n - 1))
}

func shiftP(rng *rand.Rand, v []float64, cuts []int, least int, q float64) float64 {
	w, over := slices.Clone(v), 1
	for range permutations {
		from := 0
		for _, to := range append(slices.Clone(cuts), len(v)) {
			part := w[from:to]
			rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			from = to
		}
		if _, s := bestSplit(w, cuts, least); s >= q {
			over++
		}
	}
	return float64(over) / (permutations + 1)
}

// Trend is the Theil-Sen slope per step, and the two-sided probability of
// Kendall's rank sum under no trend (Mann 1945), without correction for ties.
func Trend(v []float64) (slope, p float64) {
	var slopes []float64
	s := 0
	for i := range v {
		for j := i + 1; j < len(v); j++ {
			slopes = append(slopes, (v[j]-v[i])/float64(j-i))
			s += cmp.Compare(v[j], v[i])
		}
	}
	n := float64(len(v))
	if n < 3 {
		return 0, 1
	}
	z := max(math.Abs(float64(s))-1, 0) / math.Sqrt(n*(n-1)*(2*n+5)/18)
	return Median(slopes), 2 * distuv.UnitNormal.Survival(z)
}
