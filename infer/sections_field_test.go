package infer_test

import (
	"fmt"

	"tidemark/infer"
	"tidemark/model"
)

// The sections about what goes wrong in the field.
var (
	waitsSection = section{
		analyzers: []*infer.Analyzer{infer.WaitFindings, infer.Limiter},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var ledger []string
			for _, e := range r.Limiter.Ledger {
				ledger = append(ledger, fmt.Sprintf("%s %s, weight %.2f: %s", e.Source, e.Side, e.Weight, e.Reading))
			}
			return map[string]any{"findings": claims(r, "waits.", "drafters."), "ledger": ledger, "checks": failed(r)}
		},
	}
	gateSection = section{
		analyzers: []*infer.Analyzer{infer.Gate},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			return map[string]any{"findings": claims(r, "gate.", "queue.sampling"), "checks": failed(r)}
		},
	}
	doubtsSection = section{
		analyzers: []*infer.Analyzer{infer.Limiter},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			l := r.Limiter
			return map[string]any{"findings": claims(r, "run.", "queue.", "waits.", "gpu."), "side": l.Side, "strength": l.Strength, "unknown": fmt.Sprintf("%.2f", l.Probabilities.Unknown)}
		},
	}
)

// failed lists the checks that did not hold.
func failed(r *model.Report) []string {
	list := []string{}
	for _, c := range r.Checks {
		if !c.OK {
			list = append(list, c.Name+": "+c.Text)
		}
	}
	return list
}
