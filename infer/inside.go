package infer

import (
	"fmt"

	"tidemark/internal/say"
	"tidemark/model"
)

// InsideSides says whether a side's busy time is spent on its device or its host.
var InsideSides = &Analyzer{
	Name: "inside",
	Doc: `Device or host inside each side: GPU active share against the share of time at work, which is the busy share without the measured wait for prompts.

Busy with an idle GPU is host-bound, busy with a full one device-bound. A full meter can be a spinning collective, so "device" is never said of a side that spins; where both sides share a device nothing is said. Without readings of the GPUs a profiler's trace tells, for its few steps.`,
	Requires: []*Analyzer{GPUActivity, Limiter, Segments, StackActivity, Traces},
	Run: func(p *Pass) (any, error) {
		gpus, ok := Result[*GPUUse](p, GPUActivity)
		limit, ok2 := Result[*LimitUse](p, Limiter)
		unknown := func(why string) *model.Inside { return &model.Inside{Bound: model.Unknown, Why: why} }
		p.Out.Inside = model.Sides[model.Inside]{Target: unknown("GPU activity not recorded"), Drafter: unknown("GPU activity not recorded")}
		traces, traced := Result[*TraceUses](p, Traces)
		if !ok && traced && (traces.Target != nil || traces.Drafter != nil) {
			for _, side := range []string{model.Target, model.Drafter} {
				if traces.of(side) != nil {
					p.Out.Inside.Set(side, traces.insideOf(side))
				}
			}
			return p.Out.Inside, nil
		}
		if !ok {
			return nil, &SkipError{Needs: "GPU utilisation over time", Record: "nvidia-smi --query-gpu=timestamp,index,name,uuid,utilization.gpu,utilization.memory,memory.used,power.draw --format=csv -lms 200 -f nvidia-smi.csv"}
		}
		for _, side := range []string{model.Target, model.Drafter} {
			g := gpus.Sides[side]
			if g == nil {
				p.Out.Inside.Set(side, unknown("no readings of this side's GPUs"))
				continue
			}
			in := &model.Inside{GPUActive: &g.Active, MemorySwing: g.Swing}
			if g.Devices > 1 {
				in.SpreadBetweenWorkers = &g.Spread
			}
			var busy *model.Interval
			if ok2 {
				busy = limit.Work.Of(side)
				if side == model.Target && limit.Work.Target != limit.Busy.Target {
					in.AtWork = busy
				}
			}
			in.Bound, in.Why = bound(g, busy, gpus.Shared)
			p.Out.Inside.Set(side, in)
		}
		return p.Out.Inside, nil
	},
}

// bound compares a side's GPU time with its time at work.
func bound(g *SideGPU, busy *model.Interval, shared bool) (string, string) {
	switch {
	case shared && g.Active.Mid >= deviceFull:
		return "device", fmt.Sprintf("one device for both sides, active %s", say.Round(g.Active.Mid))
	case shared:
		return model.Unknown, "both sides run on this device, its activity has no side"
	case busy == nil || busy.Mid < 0.05:
		return model.Unknown, "the side's busy share is not known"
	}
	share := min(g.Active.Mid/busy.Mid, 1)
	switch {
	case share < hostBound:
		return "host", fmt.Sprintf("threads busy, GPUs idle %s", say.Round(1-g.Active.Mid))
	case share >= deviceBound:
		return "device", fmt.Sprintf("GPU active %s of their time at work", say.Round(share))
	}
	return model.Unknown, fmt.Sprintf("GPU active %s of their time at work: between host and device", say.Round(share))
}
