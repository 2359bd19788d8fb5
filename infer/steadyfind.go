package infer

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A finder works out the steady state step by step.
type finder struct {
	p         *Pass
	s         *SteadyState
	w         span
	rates     bins
	fine      bins // one for each reading
	holes     []span
	gaps      []model.Phase
	cuts      []span // pauses with their drain
	reason    []string
	occasions []occasion // nil before the first pause
}

// flow cuts the start before work flows at half its median rate, and the tail
// after it fell under a tenth for good.
func (f *finder) flow() {
	b := f.rates
	if b.median <= 0 {
		return
	}
	for i, v := range b.rate {
		if v >= flowStart*b.median {
			if i > 0 {
				f.s.From = max(f.s.From, b.start(i))
			}
			break
		}
	}
	for i := len(b.rate) - 1; i >= 0; i-- {
		if math.IsNaN(b.rate[i]) {
			continue
		}
		if b.rate[i] >= flowEnd*b.median {
			if i+1 < len(b.rate) && !math.IsNaN(b.rate[i+1]) {
				f.s.To = min(f.s.To, b.start(i+1))
			}
			break
		}
	}
}

// arrival cuts the time that the depth takes to get from where it started to
// the range it keeps in the second half.
func (f *finder) arrival(r *Readings) {
	if r.Queue == nil || len(r.Queue.Depth.T) < 20 {
		return
	}
	d := r.Queue.Depth.between(f.w.from, f.w.to)
	if len(d.T) < 20 {
		return
	}
	half := span{d.T[0] + (d.T[len(d.T)-1]-d.T[0])/2, f.w.to}
	late := d.held([]span{half}, holdGap(d))
	range90 := stats.Weighted(late.v, late.sec, 0.05, 0.95)
	lo, hi := range90[0], range90[1]
	for i, v := range d.V {
		if v < lo-1 || v > hi+1 {
			continue
		}
		long := float64(d.T[i]-f.w.from) > maxWarmup*float64(f.w.to-f.w.from)
		if i > 0 && d.T[i] > f.s.From && (!long || trending(Points{d.T[:i], d.V[:i]})) {
			f.s.From = d.T[i]
		}
		return
	}
}

// trending reports that a series goes one way all along, as a queue that fills
// or drains does; a level that ends is no transient but another regime.
func trending(p Points) bool {
	if len(p.V) < 3 {
		return true
	}
	t := make([]float64, len(p.T))
	for i, x := range p.T {
		t[i] = float64(x - p.T[0])
	}
	r := stat.Correlation(t, p.V, nil)
	return r*r >= trendFit
}

// mser applies the MSER-5 rule to the rates that are left, and takes its cut
// where the cut part was really slower.
func (f *finder) mser() {
	b := f.rates
	var v []float64
	first := -1
	for i, x := range b.rate {
		if b.start(i) >= f.s.From && b.start(i) < f.s.To && !math.IsNaN(x) {
			if first < 0 {
				first = i
			}
			v = append(v, x)
		}
	}
	cut := stats.MSER5(v)
	if cut == 0 || cut >= len(v) || float64(cut) > maxWarmup*float64(len(v)) {
		return
	}
	if mean(v[:cut]) < (1-warmupEffect)*mean(v[cut:]) {
		f.s.From = b.start(first + cut)
	}
}

// shifts looks for changes of level inside what is left.
func (f *finder) shifts() {
	b := f.rates
	var v []float64
	var at []int
	for i, x := range b.rate {
		if b.start(i) >= f.s.From && b.start(i)+b.width <= f.s.To && !math.IsNaN(x) && !touched(f.cuts, span{b.start(i), b.start(i) + b.width}) {
			v, at = append(v, x), append(at, i)
		}
	}
	cuts := stats.ChangePoints(v, max(10, len(v)/12))
	if len(v) > 3 {
		f.s.drift = new(slope(v) * float64(len(v)) / mean(v))
	}
	prev := 0
	for _, c := range cuts {
		before, after := mean(v[prev:c]), mean(v[c:next(cuts, c, len(v))])
		prev = c
		if math.Abs(after/before-1) < shiftEffect {
			continue
		}
		t := b.start(at[c])
		share := float64(f.s.To-t) / float64(f.w.to-f.w.from)
		f.reason = append(f.reason, fmt.Sprintf("throughput changes level by %+.0f %% at %s", 100*(after/before-1), say.Elapsed(f.s.at(t))))
		if share >= minSteady {
			f.gaps = append(f.gaps, model.Phase{Kind: "earlier level", FromS: f.s.at(f.s.From), ToS: f.s.at(t), Note: f.reason[len(f.reason)-1]})
			f.s.From = t
		} else {
			f.s.Found = false
		}
	}
}

func next(cuts []int, c, n int) int {
	i := slices.Index(cuts, c)
	if i+1 < len(cuts) {
		return cuts[i+1]
	}
	return n
}

// touched reports whether a span has a part in common with any of a list.
func touched(list []span, x span) bool {
	return slices.ContainsFunc(list, func(c span) bool { return c.from < x.to && x.from < c.to })
}
