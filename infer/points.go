package infer

import (
	"math"
	"slices"
	"sort"

	"tidemark/internal/stats"
	"tidemark/model"
)

// Points is a series in time order. Between two times the value is that of
// the earlier one (a level) or belongs to the whole stretch before the later
// one (a rate): which, the user of the series knows.
type Points struct {
	T []int64 // ns
	V []float64
}

func pointsFor(n int) Points { return Points{T: make([]int64, 0, n), V: make([]float64, 0, n)} }

func (p *Points) add(t int64, v float64) {
	p.T = append(p.T, t)
	p.V = append(p.V, v)
}

// sorted puts the points in time order; files are nearly so already.
func (p *Points) sorted() {
	if !slices.IsSorted(p.T) {
		sort.Stable(byTime{p})
	}
}

type byTime struct{ *Points }

func (p byTime) Len() int           { return len(p.T) }
func (p byTime) Less(i, j int) bool { return p.T[i] < p.T[j] }
func (p byTime) Swap(i, j int) {
	p.T[i], p.T[j] = p.T[j], p.T[i]
	p.V[i], p.V[j] = p.V[j], p.V[i]
}

// index returns the first point at t or later. Most series have one step, so it
// looks first where t would stand then.
func (p Points) index(t int64) int {
	n := len(p.T)
	if n > 64 && t > p.T[0] && t <= p.T[n-1] {
		guess := int(float64(t-p.T[0]) / float64(p.T[n-1]-p.T[0]) * float64(n-1))
		if lo, hi := max(guess-4, 0), min(guess+5, n-1); p.T[lo] < t && t <= p.T[hi] {
			for lo++; p.T[lo] < t; lo++ {
			}
			return lo
		}
	}
	i, _ := slices.BinarySearch(p.T, t)
	return i
}

// between returns the points with from <= t <= to.
func (p Points) between(from, to int64) Points {
	i, j := p.index(from), len(p.T)
	if to < math.MaxInt64 {
		j = max(p.index(to+1), i)
	}
	return Points{p.T[i:j], p.V[i:j]}
}

// interpolate returns a cumulative count at t, on the straight line between
// the readings around it. ok is false outside them.
func (p Points) interpolate(t int64) (float64, bool) {
	i := p.index(t)
	switch {
	case i == len(p.T) || i == 0 && p.T[0] != t:
		return 0, false
	case p.T[i] == t:
		return p.V[i], true
	}
	w := float64(t-p.T[i-1]) / float64(p.T[i]-p.T[i-1])
	return p.V[i-1] + w*(p.V[i]-p.V[i-1]), true
}

// hold calls f with every value in [from, to] and the seconds it held there.
// A value holds until the next reading, but not over more than gap seconds.
func (p Points) hold(from, to int64, gap float64, f func(v, seconds float64)) {
	first := max(p.index(from)-1, 0)
	for i := first; i < len(p.T) && p.T[i] < to; i++ {
		end := to
		if i+1 < len(p.T) {
			end = min(end, p.T[i+1])
		}
		start := max(p.T[i], from)
		if d := min(float64(end-start)/1e9, gap); d > 0 {
			f(p.V[i], d)
		}
	}
}

// step returns the median distance of neighbouring readings at different times
// in seconds, since several workers may print at once: 0 where all are at one
// time, NaN for fewer than two. Of a long series it is that of 2,000 pairs
// spread over it.
func (p Points) step() float64 {
	if len(p.T) < 2 {
		return math.NaN()
	}
	for _, every := range []int{1 + len(p.T)/2000, 1} { // the first may meet pairs at one time alone
		d := make([]float64, 0, len(p.T)/every+1)
		for i := 1; i < len(p.T); i += every {
			if p.T[i] > p.T[i-1] {
				d = append(d, float64(p.T[i]-p.T[i-1])/1e9)
			}
		}
		if len(d) > 0 {
			return stats.Select(d, 0.5)
		}
	}
	return 0
}

// within returns the points in spans, which are in time order.
func (p Points) within(spans []span) Points {
	if len(spans) == 1 {
		return p.between(spans[0].from, spans[0].to)
	}
	n := 0
	for _, x := range spans {
		n += len(p.between(x.from, x.to).T)
	}
	out := pointsFor(n)
	for _, x := range spans {
		part := p.between(x.from, x.to)
		out.T, out.V = append(out.T, part.T...), append(out.V, part.V...)
	}
	return out
}

// increments turns a cumulative count that may fall back at a restart into one
// that never falls: a fall adds nothing.
func (p Points) increments() Points {
	if slices.IsSorted(p.V) {
		return p
	}
	out := Points{T: p.T, V: make([]float64, len(p.V))}
	total := 0.0
	for i, v := range p.V {
		if i > 0 && v > p.V[i-1] {
			total += v - p.V[i-1]
		}
		out.V[i] = total
	}
	return out
}

// placed reports whether a batch's file stands on the run's clock.
func placed(run *model.Run, b *model.Batch) bool { return run.Files[b.File].Clock.Placed }
