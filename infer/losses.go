package infer

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// Losses counts GPU time that made nothing, by cause.
var Losses = &Analyzer{
	Name: "losses",
	Doc: `Lost GPU-hours by cause over the whole run: waiting at gate and put, warm-up, pauses, and devices idle while their side was busy.

Waiting shares are those of the steady state. Where one device serves both sides its hours have no side and only warm-up and pauses are counted.`,
	Requires: []*Analyzer{Topology, Steady, Limiter, Segments, GPUActivity},
	Run: func(p *Pass) (any, error) {
		t, _ := Result[*model.Topology](p, Topology)
		s, ok := Result[*SteadyState](p, Steady)
		u, ok2 := Result[*LimitUse](p, Limiter)
		if !ok || !ok2 || len(t.TargetGPUs)+len(t.DrafterGPUs) == 0 {
			return nil, &SkipError{Needs: "the GPUs of each side and a verdict", Record: "targets: [0, 1], drafters: [2] in tidemark.yaml"}
		}
		gpus, _ := Result[*GPUUse](p, GPUActivity)
		hours := s.Seconds() / 3600
		add := func(cause string, h float64) {
			if h > 0.0005*hours {
				p.Out.Losses = append(p.Out.Losses, model.Loss{Cause: cause, GPUHours: h, Cost: price(p, h)})
			}
		}
		if !u.sameDevices(t) {
			w := p.Out.Limiter.Wait
			add("drafters wait at the gate", w.DrafterGate.Mid*hours*float64(len(t.DrafterGPUs)))
			add("targets blocked on put", w.TargetPut.Mid*hours*float64(len(t.TargetGPUs)))
			add("targets wait for prompts", w.TargetInput.Mid*hours*float64(len(t.TargetGPUs)))
			idle(gpus, u, t, hours, add)
		}
		all := float64(len(union(t.TargetGPUs, t.DrafterGPUs)))
		for _, ph := range p.Out.Phases {
			if ph.Kind != "steady" && ph.Kind != "drain" && ph.Kind != "earlier level" {
				add(ph.Kind, (ph.ToS-ph.FromS)/3600*all)
			}
		}
		slices.SortStableFunc(p.Out.Losses, func(a, b model.Loss) int { return cmp.Compare(b.GPUHours, a.GPUHours) })
		return p.Out.Losses, nil
	},
}

func price(p *Pass, h float64) *float64 {
	if p.Config.GPUHourPrice == nil {
		return nil
	}
	return new(h * *p.Config.GPUHourPrice)
}

// idle is device time without a kernel while the side was at work.
func idle(g *GPUUse, u *LimitUse, t *model.Topology, hours float64, add func(string, float64)) {
	if g == nil || g.Shared {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		d, busy := g.Sides[side], u.Work.Of(side)
		if d == nil || busy == nil {
			continue
		}
		n := len(t.TargetGPUs)
		if side == model.Drafter {
			n = len(t.DrafterGPUs)
		}
		add(side+" GPUs idle while their side is busy", max(busy.Mid-d.Active.Mid, 0)*hours*float64(n))
	}
}

func union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
