package infer

import (
	"math"

	"tidemark/internal/shard"
	"tidemark/internal/stats"
	"tidemark/model"
)

// measure publishes busy shares, waits, capacities and headroom: as measured
// where counters say, else from the posterior.
func (u *LimitUse) measure(l *model.Limiter, w *WaitUse, pace *Pace, s *SteadyState, r *Readings, n noise) {
	full := quantiles(u.States, func(x state) float64 { return pFull(x.r, x.k) })
	empty := quantiles(u.States, func(x state) float64 { return pEmpty(x.r, x.k) })
	input := quantiles(u.States, func(x state) float64 { return x.input })
	l.Wait = model.Waits{TargetPut: &full, DrafterGate: &empty, TargetInput: &input}
	if w != nil && w.Put != nil && w.Put.Bound == 0 {
		l.Wait.TargetPut = &w.Put.Share
	}
	if w != nil && w.Gate != nil && w.Gate.Bound == 0 {
		l.Wait.DrafterGate = &w.Gate.Share
	}
	if w != nil && w.Input != nil {
		l.Wait.TargetInput = &w.Input.Share
	}
	u.shares(l, w)
	if pace == nil || pace.Items == nil && pace.Tokens == nil {
		return
	}
	u.capacities(l, w, pace, s, r.Queue, n)
}

// soFar takes off the waits that nobody has had yet, while the queue filled or
// drained: shares of this run are published, and capacities stay those of the
// model.
func (u *LimitUse) soFar(l *model.Limiter, w *WaitUse, unbound float64) {
	if unbound == 0 {
		return
	}
	less := func(v *model.Interval) *model.Interval {
		return &model.Interval{Lo: v.Lo * (1 - unbound), Mid: v.Mid * (1 - unbound), Hi: v.Hi * (1 - unbound)}
	}
	if w == nil || w.Put == nil || w.Put.Bound != 0 {
		l.Wait.TargetPut = less(l.Wait.TargetPut)
	}
	if w == nil || w.Gate == nil || w.Gate.Bound != 0 {
		l.Wait.DrafterGate = less(l.Wait.DrafterGate)
	}
	u.shares(l, w)
}

// shares follow from the waits.
func (u *LimitUse) shares(l *model.Limiter, w *WaitUse) {
	u.Busy.Target, u.Busy.Drafter = rest(l.Wait.TargetPut), rest(l.Wait.DrafterGate)
	l.Busy, u.Work = u.Busy, u.Busy
	if w != nil && w.Input != nil {
		u.Work.Target = without(u.Busy.Target, w.Input.Share)
	}
}

func rest(v *model.Interval) *model.Interval {
	return &model.Interval{Lo: 1 - v.Hi, Mid: 1 - v.Mid, Hi: 1 - v.Lo}
}

// without is a busy share less the wait for prompts in it.
func without(busy *model.Interval, input model.Interval) *model.Interval {
	mid := max(busy.Mid-input.Mid, 0)
	half := math.Hypot(busy.Hi-busy.Lo, input.Hi-input.Lo) / 2
	return &model.Interval{Lo: max(mid-half, 0), Mid: mid, Hi: min(mid+half, 1)}
}

// capacities follow from the utilisation law: throughput over busy share
// (Denning and Buzen 1978), block by block where waits are measured. The
// targets' throughput is that of puts where those are counted. Waiting for prompts
// counts as busy, so that a starved side's capacity is what its prompts allow.
func (u *LimitUse) capacities(l *model.Limiter, w *WaitUse, pace *Pace, s *SteadyState, q *QueueReadings, n noise) {
	if pace.ItemsS != nil {
		u.X, u.PerItem = pace.ItemsS.Mid, pace.PerItem
		scatter := math.Sqrt(n.sum / 2 / max(pace.ItemsS.Mid*s.Seconds(), 1))
		perSide(func(side string) {
			count, rate := pace.Items, pace.ItemsS
			if side == model.Target && q != nil && len(q.Puts.T) > 2 {
				puts := q.Puts.increments()
				count, rate = &puts, pace.over(&puts, s)
			}
			u.ItemsS.Set(side, capacity(count, rate, side, u.Busy, w, s, scatter))
		})
		l.CapacityItemsS = u.ItemsS
	}
	if pace.TokensS != nil {
		perSide(func(side string) {
			l.CapacityTokensS.Set(side, capacity(pace.Tokens, pace.TokensS, side, u.Busy, w, s, 0))
		})
	}
	u.headroom(l)
}

// perSide does the same for either side at the same time.
func perSide(f func(side string)) {
	shard.All(func() { f(model.Target) }, func() { f(model.Drafter) })
}

// capacity is rate over busy share. scatter is the relative standard error that
// the number of items alone leaves.
func capacity(count *Points, rate *model.Interval, side string, busy model.Sides[model.Interval], w *WaitUse, s *SteadyState, scatter float64) *model.Interval {
	if rate == nil {
		return nil
	}
	if b := waitBlocks(w, side); b != nil {
		var work, time []float64
		for i, x := range s.Blocks {
			if d, ok := gained(*count, x); ok && !math.IsNaN(b[i]) {
				work, time = append(work, d), append(time, x.seconds()*max(1-b[i], 0))
			}
		}
		if len(work) > 1 {
			v := stats.Ratio(work, time)
			if !math.IsNaN(v.Mid) && !math.IsInf(v.Mid, 0) {
				return widen(v, 1.96*scatter)
			}
		}
	}
	b := busy.Of(side)
	if b == nil || b.Mid <= 0.02 {
		return nil
	}
	lo, hi := rate.Mid/b.Hi, rate.Mid/max(b.Lo, 0.01)
	mid := rate.Mid / b.Mid
	noise := math.Hypot((rate.Hi-rate.Lo)/2/rate.Mid, 1.96*scatter)
	return &model.Interval{Lo: mid * (1 - math.Hypot(1-lo/mid, noise)), Mid: mid, Hi: mid * (1 + math.Hypot(hi/mid-1, noise))}
}

// widen takes at least so large a half width, relative to the middle.
func widen(v model.Interval, half float64) *model.Interval {
	return &model.Interval{Lo: min(v.Lo, v.Mid*(1-half)), Mid: v.Mid, Hi: max(v.Hi, v.Mid*(1+half))}
}

func waitBlocks(w *WaitUse, side string) []float64 {
	switch {
	case w == nil:
		return nil
	case side == model.Target && w.Put != nil && w.Put.Bound == 0:
		return w.Put.Blocks
	case side == model.Drafter && w.Gate != nil && w.Gate.Bound == 0:
		return w.Gate.Blocks
	}
	return nil
}

// headroom is how much faster the other side may get before this one limits.
func (u *LimitUse) headroom(l *model.Limiter) {
	ratio := quantiles(u.States, func(x state) float64 { return math.Exp(x.r) }) // target over drafter
	room := func(lo, mid, hi float64) *model.Interval {
		return &model.Interval{Lo: max(lo-1, 0), Mid: max(mid-1, 0), Hi: max(hi-1, 0)}
	}
	l.Headroom.Target = room(ratio.Lo, ratio.Mid, ratio.Hi)
	l.Headroom.Drafter = room(1/ratio.Hi, 1/ratio.Mid, 1/max(ratio.Lo, 1e-3))
}
