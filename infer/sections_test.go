package infer_test

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/infer"
	"tidemark/model"
)

// sections lists every folder of cases, by name.
var sections = map[string]section{
	"cpu": {
		analyzers: []*infer.Analyzer{infer.CPUCost},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			return map[string]any{"cpu": short(r.CPU), "findings": claims(r, "cpu.", "capture."), "skipped": skipped(r, "cpu")}
		},
	},
	"flames": {
		analyzers: []*infer.Analyzer{infer.Flames},
		show:      func(_ *model.Run, r *model.Report, _ any) any { return r.Flames },
	},
	"launch-queue": {
		analyzers: []*infer.Analyzer{infer.LaunchQueue},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			return map[string]any{"findings": claims(r, "cpu.launch_queue"), "skipped": skipped(r, "launch-queue")}
		},
	},
	"observer": {
		analyzers: []*infer.Analyzer{infer.Observer},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			return map[string]any{"limits": r.CPU.Capture.Limits, "findings": claims(r, "capture."), "skipped": skipped(r, "observer")}
		},
	},
	"hot-threads": {
		analyzers: []*infer.Analyzer{infer.HotThreads},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			m := map[string]any{"findings": claims(r, "threads.", "gil."), "skipped": skipped(r, "hot-threads")}
			if r.CPU != nil {
				m["hot"], m["busiest"], m["gil"] = lines(r.CPU.HotThreads), lines(r.CPU.Busiest), r.CPU.GIL
			}
			return m
		},
	},
	"logs": {
		analyzers: []*infer.Analyzer{infer.LogFindings},
		show:      func(_ *model.Run, r *model.Report, _ any) any { return claims(r, "log.") },
	},
	"log-series": {
		analyzers: []*infer.Analyzer{infer.LogFindings},
		probe:     infer.ReadingsOf,
		show: func(_ *model.Run, r *model.Report, v any) any {
			return map[string]any{"findings": claims(r, "log."), "used": usedLines(v.(*infer.Readings).Log)}
		},
	},
	"queue":     queueSection,
	"steady":    steadySection,
	"limiter":   limiterSection,
	"soundness": soundnessSection,
	"waits":     waitsSection,
	"gate":      gateSection,
	"doubts":    doubtsSection,
	"verdict": {
		analyzers: []*infer.Analyzer{infer.VerdictWords},
		show: func(_ *model.Run, r *model.Report, _ any) any {
			m := map[string]any{"headline": r.Verdict.Headline, "lead": r.Verdict.Lead, "queue": r.Verdict.Queue}
			for _, because := range r.Verdict.Because {
				m["from "+because.Source] = because.Text
			}
			return m
		},
	},

	"gpu":          gpuSection,
	"gpu-findings": findingsSection(infer.GPUFindings, "gpu.", "pcie."),
	"recompiles":   findingsSection(infer.Recompiles, "run.recompiles"),
	"host":         findingsSection(infer.Host, "host."),
	"hardware": {analyzers: []*infer.Analyzer{infer.Hardware}, show: func(_ *model.Run, r *model.Report, _ any) any {
		return map[string]any{"gpus": r.Run.GPUs, "gpu_sizes": r.Run.GPUSizes, "hosts": r.Run.Hosts, "clock_hz": r.Run.ClockHz}
	}},
	"workers":    workersSection,
	"whatif":     whatIfSection,
	"little":     findingsSection(infer.Little, "little"),
	"segments":   segmentsSection,
	"wait-units": waitUnitsSection,
	"inside":     insideSection,
	"roles": {
		probe: infer.Roles,
		show:  func(run *model.Run, _ *model.Report, v any) any { return roleLines(run, v.(*infer.RoleMap)) },
	},
	"stack-activity": {
		probe: infer.StackActivity,
		show:  func(_ *model.Run, _ *model.Report, v any) any { return useLines(v.(*infer.StackUse)) },
	},
}

// short is a CPU section as lines that can be read.
func short(c *model.CPU) any {
	if c == nil {
		return nil
	}
	roles := map[string]any{}
	for name, r := range c.Roles {
		m := map[string]any{"samples": r.Samples, "threads": r.Threads, "unresolved": interval(r.Unresolved), "dominant": "none"}
		if d := r.Dominant; d != nil {
			m["dominant"] = fmt.Sprintf("%s x %s (%s) %s tie=%t", d.Mechanism, d.Cause, d.Family, interval(d.Share), d.Tie)
		}
		var families, frames []string
		for _, f := range r.Families {
			families = append(families, fmt.Sprintf("%s: %s x %s %s n=%g", f.Family, f.Mechanism, f.Cause, interval(&f.Share), f.Samples))
		}
		for _, f := range r.Frames {
			frames = append(frames, strings.TrimSpace(fmt.Sprintf("%g %s %s:%d from %s [%s] at %s", f.Samples, f.Function, f.File, f.Line, f.From, f.Mechanism, f.At)))
		}
		m["families"], m["frames"] = families, frames
		roles[name] = m
	}
	return map[string]any{"samples": c.Samples, "roles": roles, "capture": c.Capture}
}

func interval(i *model.Interval) string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f (%.3f-%.3f)", i.Mid, i.Lo, i.Hi)
}

// claims lists the findings whose ids begin with one of the prefixes.
func claims(r *model.Report, prefixes ...string) []string {
	list := []string{}
	for _, f := range r.Findings {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(f.ID, p) }) {
			continue
		}
		list = append(list, fmt.Sprintf("%s: %s [%s]", f.ID, f.Claim, f.Evidence[0].At[0]))
	}
	return list
}

func skipped(r *model.Report, analyzer string) []string {
	list := []string{}
	for _, s := range r.Skipped {
		if s.Analyzer == analyzer {
			list = append(list, s.Needs+": "+s.RecordWith)
		}
	}
	return list
}

func lines(list []model.HotThread) []string {
	out := []string{}
	for _, h := range list {
		out = append(out, fmt.Sprintf("%s %s %s %.3f %s", h.TID, h.Name, h.Role, h.CPU, h.Does))
	}
	return out
}

func roleLines(run *model.Run, m *infer.RoleMap) any {
	measured, sampled := []string{}, []string{}
	for _, s := range run.Stacks.Samples {
		th := run.Stacks.Threads[s.Thread]
		sampled = append(sampled, fmt.Sprintf("line %d, thread %q %q: %s inferred=%t", s.Line, th.TID, th.Name, m.Of(s), m.Inferred[s.Thread]))
	}
	for _, t := range m.Sorted() {
		measured = append(measured, fmt.Sprintf("%d %s: %s inferred=%t total=%t", t.TID, t.Name, t.Role, t.Inferred, t.Total))
	}
	return map[string]any{"sampled": sampled, "counted": m.Counted, "measured": measured}
}

// usedLines shows the series of logs that inference asks for.
func usedLines(l *infer.LogReadings) []string {
	list := []string{}
	for _, key := range []string{"tok_s", "items_s", "put_wait", "gate_wait"} {
		if p := l.Keys[key]; len(p.V) > 0 {
			list = append(list, fmt.Sprintf("%s: %d from %s, first %.6g, last %.6g %s", key, len(p.V), l.First[key], p.V[0], p.V[len(p.V)-1], l.Units[key]))
		}
	}
	return list
}

func useLines(u *infer.StackUse) any {
	roles := map[string]any{}
	for name, r := range u.Roles {
		roles[name] = map[string]any{
			"threads": r.Threads, "seen": r.Seen, "samples": fmt.Sprintf("active %g, queue %g, input %g, other %g, helper %g", r.Active, r.QueueWait, r.InputWait, r.OtherWait, r.Helper),
			"ticks": r.Ticks, "idle": r.Idle, "activity": interval(r.Activity), "busy": interval(r.Busy), "lower_bound": r.LowerBound, "why": r.Why,
		}
	}
	var captures []string
	for _, c := range u.Captures {
		captures = append(captures, fmt.Sprintf("%s: rate %g, %g s, ticks %g, late %g, errors %g, idle %s, gil %s", c.File, c.Rate, c.Seconds, c.Ticks, c.Late, c.Errors, c.Idle, c.GIL))
	}
	return map[string]any{"roles": roles, "captures": captures, "one_process": u.OneProcess, "gil_cleared": u.GILCleared}
}
