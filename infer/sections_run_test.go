package infer_test

import (
	"fmt"
	"strings"

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
	insideSection = section{
		analyzers: []*infer.Analyzer{infer.InsideSides, infer.VerdictWords, infer.Losses},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			target, drafter := r.Inside.Target, r.Inside.Drafter
			var gpus []string
			for _, b := range r.Verdict.Because {
				if b.Source == "GPU readings" {
					gpus = append(gpus, b.Text)
				}
			}
			var losses []string
			for _, l := range r.Losses {
				losses = append(losses, fmt.Sprintf("%s: %.3f", l.Cause, l.GPUHours))
			}
			return map[string]any{"side": r.Limiter.Side, "target": target.Bound + ": " + target.Why, "drafter": drafter.Bound + ": " + drafter.Why, "at_work": interval(target.AtWork), "because": gpus, "losses": losses}
		},
	}
	waitUnitsSection = section{
		analyzers: []*infer.Analyzer{infer.Curves, infer.NextSteps},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var curves, next []string
			for _, s := range r.Series {
				if strings.HasPrefix(s.Name, "wait.") {
					curves = append(curves, s.Name)
				}
			}
			for _, s := range r.Next {
				if s.Seconds == nil {
					next = append(next, s.Text+": "+s.Command)
				}
			}
			return map[string]any{"curves": curves, "next": next, "because": r.Verdict.Because[0].Text}
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
		analyzers: []*infer.Analyzer{infer.Inputs, infer.Soundness},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			var checks []string
			for _, c := range r.Checks {
				checks = append(checks, fmt.Sprintf("%s ok=%t: %s", c.Name, c.OK, c.Text))
			}
			return map[string]any{"checks": checks, "findings": claims(r, "queue.")}
		},
	}
)
