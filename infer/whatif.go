package infer

import (
	"fmt"

	"tidemark/model"
)

// WhatIfs predicts throughput after a change.
var WhatIfs = &Analyzer{
	Name: "whatif",
	Doc: `What a faster side, another split of the GPUs, or the median worker's speed would give.

Closed form of the queue model over its posterior: right within 2 points for gates taken one at a time (compared with simulation at service CV up to 1), up to 7 points off for a gate that takes 10 at once. A re-split couples the sides (host, transport, collectives) and is rough.`,
	Requires: []*Analyzer{Limiter, Topology},
	Run: func(p *Pass) (any, error) {
		u, ok := Result[*LimitUse](p, Limiter)
		if !ok || u.Side == model.Unknown {
			return nil, &SkipError{Needs: "a verdict on who limits"}
		}
		t, _ := Result[*model.Topology](p, Topology)
		for _, pct := range []float64{10, 25, 50} {
			for _, side := range []string{model.Target, model.Drafter} {
				p.Out.WhatIf = append(p.Out.WhatIf, u.faster(side, pct))
			}
		}
		p.Out.WhatIf = append(p.Out.WhatIf, u.splits(t)...)
		return p.Out.WhatIf, nil
	},
}

func (u *LimitUse) faster(side string, pct float64) model.WhatIf {
	f := 1 + pct/100
	g := quantiles(u.States, func(s state) float64 {
		if side == model.Target {
			return s.gain(f, 1)
		}
		return s.gain(1, f)
	})
	w := model.WhatIf{Change: fmt.Sprintf("%ss %.0f %% faster", side, pct), Kind: "speed", Gain: &g, Coupled: u.Shared.Resource != "none"}
	if g.Mid < pct/100-0.02 && g.Mid > 0.005 {
		w.NextLimit = other(side)
	}
	return w
}

func other(side string) string {
	if side == model.Target {
		return model.Drafter
	}
	return model.Target
}

// splits moves one GPU from a side to the other and back, where the total stays.
func (u *LimitUse) splits(t *model.Topology) []model.WhatIf {
	nt, nd := len(t.TargetGPUs), len(t.DrafterGPUs)
	if nt == 0 || nd == 0 || nt+nd < 3 || u.sameDevices(t) {
		return nil
	}
	var out []model.WhatIf
	for _, move := range []int{1, -1} {
		a, b := nt+move, nd-move
		if a < 1 || b < 1 {
			continue
		}
		g := quantiles(u.States, func(s state) float64 { return s.gain(float64(a)/float64(nt), float64(b)/float64(nd)) })
		g.Lo, g.Hi = g.Lo-splitError*(1+g.Mid), g.Hi+splitError*(1+g.Mid)
		next := model.Target
		if g.Mid < 0 && move > 0 || g.Mid > 0 && move < 0 {
			next = model.Drafter
		}
		out = append(out, model.WhatIf{
			Change: fmt.Sprintf("%d targets + %d drafters", a, b), Kind: "split", Gain: &g,
			Range: "rough: a re-split couples the sides", NextLimit: next, Coupled: true,
		})
	}
	return out
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
