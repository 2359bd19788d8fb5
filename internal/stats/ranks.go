package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MannWhitney is the two-sided probability of a rank sum as far out as that of
// a against b, under no difference (Mann and Whitney 1947): exact up to 20
// values a side without ties, else by the normal approximation with the tie
// correction. It assumes nothing but that the values are independent.
func MannWhitney(a, b []float64) float64 {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return 1
	}
	u, ties := rankSum(a, b)
	if ties == 0 && n <= 20 && m <= 20 {
		return exactU(n, m, min(u, float64(n*m)-u))
	}
	nm, total := float64(n*m), float64(n+m)
	variance := nm / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}
	z := max(math.Abs(u-nm/2)-0.5, 0) / math.Sqrt(variance)
	return min(2*distuv.UnitNormal.Survival(z), 1)
}

// rankSum returns U of a, and the sum of t³-t over ties.
func rankSum(a, b []float64) (u, ties float64) {
	type value struct {
		v float64
		a bool
	}
	var all []value
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		rank := float64(i+j+1) / 2
		for _, x := range all[i:j] {
			if x.a {
				u += rank
			}
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return u - float64(len(a)*(len(a)+1))/2, ties
}

// exactU is twice the share of arrangements with U of at most u.
func exactU(n, m int, u float64) float64 {
	counts := waysU(n, m)
	var low, all float64
	for k, c := range counts {
		all += c
		if float64(k) <= u {
			low += c
		}
	}
	return min(2*low/all, 1)
}

// waysU counts the arrangements of n and m values for every U, as the
// coefficients of the Gaussian binomial.
func waysU(n, m int) []float64 {
	ways := make([]float64, n*m+1)
	ways[0] = 1
	for k := 1; k <= n; k++ {
		for i := len(ways) - 1; i >= m+k; i-- {
			ways[i] -= ways[i-m-k]
		}
		for i := k; i < len(ways); i++ {
			ways[i] += ways[i-k]
		}
	}
	return ways
}

// HodgesLehmann is the median of all differences a-b with the interval that
// the exact rank test does not refuse at 1-confidence (Hodges and Lehmann 1963).
func HodgesLehmann(a, b []float64, confidence float64) (lo, mid, hi float64) {
	var d []float64
	for _, x := range a {
		for _, y := range b {
			d = append(d, x-y)
		}
	}
	slices.Sort(d)
	mid = (d[(len(d)-1)/2] + d[len(d)/2]) / 2
	counts := waysU(len(a), len(b))
	all := 0.0
	for _, c := range counts {
		all += c
	}
	sum, k := 0.0, 0
	for k < len(counts) && (sum+counts[k])/all <= (1-confidence)/2 {
		sum += counts[k]
		k++
	}
	if k == 0 {
		return math.Inf(-1), mid, math.Inf(1)
	}
	return d[k-1], mid, d[len(d)-k]
}

// BenjaminiHochberg turns the p-values of a family into the false-discovery
// rates at which each would be called (Benjamini and Hochberg 1995).
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[j], p[i]) })
	q, least := make([]float64, len(p)), 1.0
	for k, i := range order {
		least = min(least, p[i]*float64(len(p))/float64(len(p)-k))
		q[i] = least
	}
	return q
}
