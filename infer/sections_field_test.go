package infer_test

import (
	"fmt"
	"strings"

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
			return map[string]any{"findings": claims(r, "run.", "queue.", "waits.", "gpu.", "clock."), "side": l.Side, "strength": l.Strength, "unknown": fmt.Sprintf("%.2f", l.Probabilities.Unknown)}
		},
	}
)

// workersSection shows the workers with the stragglers among them.
var gpuSection = section{
	probe: infer.GPUActivity,
	show: func(_ *model.Run, _ *model.Report, v any) any {
		var lines []string
		for _, d := range v.(*infer.GPUUse).Devices {
			lines = append(lines, fmt.Sprintf("GPU %d: %d readings from %s, mean %.3f", d.Index, len(d.Util.T), d.First, d.Mean))
		}
		return lines
	},
}

var workersSection = section{
	analyzers: []*infer.Analyzer{infer.Workers},
	show: func(_ *model.Run, r *model.Report, _ any) any {
		return map[string]any{"findings": claims(r, "workers."), "workers": r.Workers, "skipped": skipped(r, "workers")}
	},
}

// whatIfSection shows the predictions, one a line.
var whatIfSection = section{
	analyzers: []*infer.Analyzer{infer.WhatIfs},
	show: func(_ *model.Run, r *model.Report, _ any) any {
		var list []string
		for _, w := range r.WhatIf {
			memory := ""
			if w.MemoryBytes != nil {
				memory = fmt.Sprintf("%.0f B ", *w.MemoryBytes)
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s: %s %s%s", w.Change, interval(w.Gain), memory, w.Range)))
		}
		return map[string]any{"side": r.Limiter.Side, "what_if": list, "skipped": append(skipped(r, "whatif"), skipped(r, "item-size")...)}
	},
}

// findingsSection shows an analyzer's findings and all checks.
func findingsSection(a *infer.Analyzer, prefixes ...string) section {
	return section{
		analyzers: []*infer.Analyzer{a},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var checks []string
			for _, c := range r.Checks {
				checks = append(checks, fmt.Sprintf("%s ok=%t: %s", c.Name, c.OK, c.Text))
			}
			return map[string]any{"findings": claims(r, prefixes...), "checks": checks, "skipped": skipped(r, a.Name)}
		},
	}
}

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
