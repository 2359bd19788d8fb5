package infer_test

import (
	"fmt"

	"tidemark/infer"
	"tidemark/model"
)

// The sections about the run as a whole.
var (
	queueSection = section{
		analyzers: []*infer.Analyzer{infer.QueueClass},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			q := r.Queue
			return map[string]any{"class": q.Class, "meaning": q.Meaning, "zones": q.Zones, "depth": q.Depth, "gate": q.GateKind, "skipped": skipped(r, "queue")}
		},
	}
	steadySection = section{
		analyzers: []*infer.Analyzer{infer.Steady},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var phases []string
			for _, p := range r.Phases {
				phases = append(phases, fmt.Sprintf("%s %.0f-%.0f s", p.Kind, p.FromS, p.ToS))
			}
			return map[string]any{"found": r.Steady.Found, "why": r.Steady.Why, "phases": phases}
		},
	}
	limiterSection = section{
		analyzers: []*infer.Analyzer{infer.Limiter},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			l := r.Limiter
			var sources []string
			for _, e := range l.Ledger {
				sources = append(sources, e.Source+" "+e.Side)
			}
			return map[string]any{"side": l.Side, "strength": l.Strength, "ledger": sources, "target_put": interval(l.Wait.TargetPut), "drafter_gate": interval(l.Wait.DrafterGate)}
		},
	}
	segmentsSection = section{
		analyzers: []*infer.Analyzer{infer.Segments},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var phases []string
			for _, p := range r.Phases {
				phases = append(phases, fmt.Sprintf("%s %.0f-%.0f s %s %s", p.Kind, p.FromS, p.ToS, p.Class, p.Side))
			}
			return map[string]any{"phases": phases, "side": r.Limiter.Side, "findings": claims(r, "phases.")}
		},
	}
	soundnessSection = section{
		analyzers: []*infer.Analyzer{infer.Soundness},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var checks []string
			for _, c := range r.Checks {
				checks = append(checks, fmt.Sprintf("%s ok=%t: %s", c.Name, c.OK, c.Text))
			}
			return map[string]any{"checks": checks, "findings": claims(r, "queue.")}
		},
	}
)
