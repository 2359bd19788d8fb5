package stats

import "math"

// MSER5 returns how many leading values of v are a warm-up by the MSER-5 rule
// (White 1997; White and Robinson 2010): batches of 5, the cut that makes the
// standard error of the rest smallest, at most half.
func MSER5(v []float64) int {
	n := len(v) / 5
	if n < 4 {
		return 0
	}
	batch := make([]float64, n)
	for i := range batch {
		for _, x := range v[5*i : 5*i+5] {
			batch[i] += x / 5
		}
	}
	best, at := math.Inf(1), 0
	var sum, sq float64
	for d := n - 1; d >= 0; d-- {
		sum += batch[d]
		sq += batch[d] * batch[d]
		k := float64(n - d)
		if z := (sq - sum*sum/k) / (k * k); d <= n/2 && z <= best {
			best, at = z, d
		}
	}
	return 5 * at
}

// ChangePoints returns where the mean of v shifts, as the first index of each
// later segment: exact least-cost partition with penalty 3·ln n (Killick,
// Fearnhead and Eckley 2012 give the pruned form; v is short here), noise from
// the MAD, penalty raised by (1+phi)/(1-phi) for lag-1 correlation phi, no
// segment shorter than least.
func ChangePoints(v []float64, least int) []int {
	n := len(v)
	sigma := MAD(v)
	if n < 2*least || sigma <= 0 {
		return nil
	}
	phi := lag1(residuals(v, least))
	penalty := 3 * math.Log(float64(n)) * (1 + phi) / (1 - phi)
	sum, sq := prefix(v, sigma)
	cost := make([]float64, n+1)
	from := make([]int, n+1)
	cost[0] = -penalty
	for j := 1; j <= n; j++ {
		cost[j] = math.Inf(1)
		for i := 0; i <= j-least; i++ {
			if i > 0 && i < least {
				continue
			}
			k, s := float64(j-i), sum[j]-sum[i]
			if c := cost[i] + sq[j] - sq[i] - s*s/k + penalty; c < cost[j] {
				cost[j], from[j] = c, i
			}
		}
	}
	var cuts []int
	for j := from[n]; j > 0; j = from[j] {
		cuts = append([]int{j}, cuts...)
	}
	return cuts
}

func prefix(v []float64, sigma float64) (sum, sq []float64) {
	sum, sq = make([]float64, len(v)+1), make([]float64, len(v)+1)
	for i, x := range v {
		x /= sigma
		sum[i+1], sq[i+1] = sum[i]+x, sq[i]+x*x
	}
	return sum, sq
}

// residuals are deviations from a running median, so that a shift of the mean
// is not taken for correlation.
func residuals(v []float64, half int) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x - Median(v[max(0, i-half):min(len(v), i+half+1)])
	}
	return out
}

func lag1(v []float64) float64 {
	var num, den float64
	for i := 1; i < len(v); i++ {
		num += v[i] * v[i-1]
		den += v[i] * v[i]
	}
	if den <= 0 {
		return 0
	}
	return min(max(num/den, 0), 0.95)
}
