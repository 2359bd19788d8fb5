package infer

import (
	"fmt"
	"math"
	"slices"

	"tidemark/internal/shard"
	"tidemark/model"
)

// WhatIfs predicts throughput after a change.
var WhatIfs = &Analyzer{
	Name: "whatif",
	Doc: `What a faster side, a side without stragglers, another split of the GPUs, or other watermarks would give.

Closed form of the queue model over its posterior, held against simulation in tests. With waits that are known, all gains of drawn pipelines that have nothing beside two services and a gate come within 3 points of simulating again (TestDrawnGains), so nothing is simulated again; with the waits of a run itself fewer do, since a run is a draw of what its pipeline does: docs/calibration.md has the share. Wrong where a shared lock is not seen, and where prompts may limit and nothing tells. Stragglers are lifted to their side's median speed, items over time at work, where the items of each worker are counted or printed; busy shares alone tell no speed, since whoever never waits is busy all the time. A re-split couples the sides (host, transport, collectives) and is rough: its interval is widened until it holds a published pipeline that was measured at two splits. Splits are said of two measured capacities even where who limits is open. Other watermarks change the room between them, and matter where both sides wait for the noise of the other.`,
	Requires: []*Analyzer{Limiter, Segments, Topology, QueueClass, ItemBytes, Workers, ReadingsOf, Steady},
	Run: func(p *Pass) (any, error) {
		u, ok := Result[*LimitUse](p, Limiter)
		if !ok || u.Side == model.Unknown && !u.Measured {
			return nil, &SkipError{Needs: "a verdict on who limits"}
		}
		t, _ := Result[*model.Topology](p, Topology)
		size, _ := Result[*ItemSize](p, ItemBytes)
		var list []func() []model.WhatIf
		if u.Side != model.Unknown {
			for _, pct := range []float64{10, 25, 50} {
				list = append(list,
					func() []model.WhatIf { return []model.WhatIf{u.faster(model.Target, pct)} },
					func() []model.WhatIf { return []model.WhatIf{u.faster(model.Drafter, pct)} })
			}
			list = append(list, func() []model.WhatIf { return u.stragglers(p, t) })
		}
		// two measured capacities stand whoever limits
		for _, move := range []int{1, -1, mostMoved, -mostMoved} {
			list = append(list, func() []model.WhatIf { return u.split(t, move) })
		}
		if u.Side != model.Unknown {
			list = append(list, func() []model.WhatIf { return u.buffers(t, p.Out.Queue.GateKind, size) })
		}
		parts := make([][]model.WhatIf, len(list))
		each := make([]func(), len(list))
		for i, f := range list {
			each[i] = func() { parts[i] = f() }
		}
		shard.All(each...)
		p.Out.WhatIf = append(p.Out.WhatIf, slices.Concat(parts...)...)
		return p.Out.WhatIf, nil
	},
}

func (u *LimitUse) faster(side string, pct float64) model.WhatIf {
	f := 1 + pct/100
	g := u.gain(side, f)
	w := model.WhatIf{Change: fmt.Sprintf("%ss %.0f %% faster", side, pct), Kind: "speed", Gain: &g}
	if g.Mid < pct/100-0.02 && g.Mid > 0.005 {
		w.NextLimit = other(side)
	}
	u.couple(&w, f-1)
	return w
}

// couple widens the gain of a step where both sides need one resource: work
// taken off it speeds up both, so no less than nothing and no more than the
// whole step can come of it.
func (u *LimitUse) couple(w *model.WhatIf, step float64) {
	if u.Shared.Resource == "none" {
		return
	}
	w.Coupled = true
	w.Gain = &model.Interval{Lo: w.Gain.Lo, Mid: w.Gain.Mid, Hi: max(w.Gain.Hi, step)}
	w.Range = "coupled: both sides need the " + resourceNames[u.Shared.Resource]
}

// gain is the gain of a side that is faster by a factor.
func (u *LimitUse) gain(side string, f float64) model.Interval {
	return quantiles(u.States, func(s state) float64 {
		if side == model.Drafter {
			return s.gainLocked(1, f, u.Use)
		}
		return s.gainLocked(f, 1, u.Use)
	})
}

func other(side string) string {
	if side == model.Target {
		return model.Drafter
	}
	return model.Target
}

// mostMoved is how many GPUs another split moves at most: further off the
// workers' own speed would not stay what it is.
const mostMoved = 2

// split moves GPUs to the targets, or from them, where the total stays.
func (u *LimitUse) split(t *model.Topology, move int) []model.WhatIf {
	nt, nd := len(t.TargetGPUs), len(t.DrafterGPUs)
	a, b := nt+move, nd-move
	if nt == 0 || nd == 0 || nt+nd < 3 || a < 1 || b < 1 || u.sameDevices(t) {
		return nil
	}
	g := quantiles(u.States, func(s state) float64 { return s.gain(float64(a)/float64(nt), float64(b)/float64(nd)) })
	wide := math.Exp(splitError * (math.Abs(math.Log(float64(a)/float64(nt))) + math.Abs(math.Log(float64(b)/float64(nd)))))
	g.Lo, g.Hi = (1+g.Lo)/wide-1, (1+g.Hi)*wide-1
	next := model.Target
	if g.Mid < 0 && move > 0 || g.Mid > 0 && move < 0 {
		next = model.Drafter
	}
	return []model.WhatIf{{
		Change: many(a, model.Target) + " + " + many(b, model.Drafter), Kind: "split", Gain: &g,
		Range: "rough: a re-split couples the sides", NextLimit: next, Coupled: true,
	}}
}

func many(n int, side string) string {
	if n == 1 {
		return "1 " + side
	}
	return fmt.Sprintf("%d %ss", n, side)
}

// buffers are other values of the two watermarks: half and twice. They change
// the places of the model alone, so they matter where both sides wait. Where
// the size of an item is known, each says what its items take in memory.
func (u *LimitUse) buffers(t *model.Topology, gate string, size *ItemSize) []model.WhatIf {
	if t.QueueCapacity == nil {
		return nil
	}
	room, ready := *t.QueueCapacity, 0.0
	if t.MinReady != nil {
		ready = *t.MinReady
	}
	var out []model.WhatIf
	add := func(kind, name string, today, value, capacity, ready float64) {
		if capacity <= ready || value < 1 {
			return
		}
		more := buffer(capacity, ready, gate) / buffer(room, *orZero(t.MinReady), gate)
		g := quantiles(u.States, func(s state) float64 { return s.places(more) })
		w := model.WhatIf{Change: fmt.Sprintf("%s %.0f", name, value), Kind: kind, Gain: &g}
		size.hold(&w, value, today)
		out = append(out, w)
	}
	for _, f := range []float64{0.5, 2} {
		v := math.Round(ready * f)
		if t.MinReady != nil && v != ready {
			add("watermark", "min_ready", ready, v, room, v)
		}
	}
	for _, f := range []float64{0.5, 2} {
		v := math.Round(room * f)
		add("capacity", "capacity", room, v, v, ready)
	}
	return out
}

func orZero(v *float64) *float64 {
	if v == nil {
		return new(0.0)
	}
	return v
}

// places is the relative throughput with so many times the places.
func (s state) places(more float64) float64 {
	return (1-pEmpty(s.r, max(s.k*more, 0.5)))/s.flowing() - 1
}

func (u *LimitUse) sameDevices(t *model.Topology) bool {
	for _, a := range t.TargetGPUs {
		for _, b := range t.DrafterGPUs {
			if a == b {
				return true
			}
		}
	}
	return false
}
