package infer

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// insides says device or host for the side that limits.
func (w *words) insides() {
	side := w.out.Limiter.Side
	if side == model.Upstream {
		side = model.Target
	}
	if sideNames[side] == "" {
		return
	}
	in := w.out.Inside.Of(side)
	if in == nil || in.GPUActive == nil || in.Bound == model.Unknown || strings.HasPrefix(in.Why, inTrace) {
		return
	}
	s := fmt.Sprintf("%s GPUs are active %s of the time", capital(side), say.Round(in.GPUActive.Mid))
	if in.AtWork != nil && w.out.Limiter.Starved(side) {
		s += fmt.Sprintf(", their threads at work %s, apart from the wait for prompts: %s-bound", say.Round(in.AtWork.Mid), in.Bound)
	} else if b := w.out.Limiter.Busy.Of(side); b != nil {
		s += fmt.Sprintf(", their threads busy %s: %s-bound", say.Round(b.Mid), in.Bound)
	}
	w.reason("GPU readings", nil, "%s.", s)
}

// strays says what the GPUs did where nothing tells whose they are.
func (w *words) strays() {
	if w.gpus == nil || len(w.gpus.Devices) == 0 || len(w.gpus.Sides) > 0 {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, d := range w.gpus.Devices {
		if !math.IsNaN(d.Mean) {
			lo, hi = min(lo, d.Mean), max(hi, d.Mean)
		}
	}
	if lo > hi {
		return
	}
	w.reason("GPU readings", []model.Pos{w.gpus.Devices[0].First}, "%d GPUs, active %s on average: whose they are is not stated, say --targets and --drafters.", len(w.gpus.Devices), between(lo, hi))
}

// traced says what bounds the limiting side in a profiler's trace.
func (w *words) traced() {
	side := w.out.Limiter.Side
	if side == model.Upstream {
		side = model.Target
	}
	if sideNames[side] == "" {
		return
	}
	for _, t := range w.out.Traces {
		for _, s := range t.Sides {
			if s.Side != side || s.Bound == model.Unknown || s.Bound == model.BoundMixed || s.LaunchesS == nil {
				continue
			}
			w.reason(t.File, []model.Pos{{File: t.File}}, "%s in a trace of %.2g s: %s launches/s of %.2g µs; %s: %s.",
				capital(sideNames[side]), t.DurationS, say.SI(*s.LaunchesS), *s.LaunchUS, s.Why, boundWords[s.Bound])
			return
		}
	}
}

// cost names the dominant CPU cost of the limiting side.
func (w *words) cost() {
	c := w.out.CPU
	if c == nil || c.Dominant == nil {
		return
	}
	role, ok := c.Roles[c.Dominant.Role]
	if !ok || c.Dominant.Share == nil {
		return
	}
	source := "n = " + say.Count(role.Samples)
	if u := role.Unresolved; u != nil && u.Mid > unresolvedShare {
		s := fmt.Sprintf("%s (%s) of the %s' samples end in lines of libraries that call into C", say.Round(u.Mid), say.RoundRange(*u), plural(c.Dominant.Role))
		if own := shareOfID(role.Mechanisms, "python.other"); own >= minCost && c.Capture != nil && c.Capture.Native != Yes {
			s += fmt.Sprintf(", another %s in own lines that may or may not", say.Round(own))
		}
		w.reason(source, nil, "%s: what they do there is not visible, record --native.", s)
		return
	}
	if in := w.out.Inside.Of(c.Dominant.Role); c.Dominant.Family == "launch" && launchesWait(role, in) {
		w.reason(source, nil, "%s of %s time launches kernels onto GPUs that are active %s: the launch queue is full, so the device is the cost.", say.Round(launching(role)), c.Dominant.Role, say.Round(in.GPUActive.Mid))
		return
	}
	if in := w.out.Inside.Of(c.Dominant.Role); in != nil && in.Bound == "device" && c.Dominant.Family == familySync {
		w.reason(source, nil, "%s (%s) of %s time waits for the GPU in a synchronise: the device is the cost, not the CPU.",
			say.Round(c.Dominant.Share.Mid), say.RoundRange(*c.Dominant.Share), c.Dominant.Role)
		return
	}
	s := fmt.Sprintf("%s (%s) of %s time: %s", say.Round(c.Dominant.Share.Mid), say.RoundRange(*c.Dominant.Share), c.Dominant.Role, familyLabel(role, c.Dominant.Family))
	if c.Dominant.Tie {
		s += ", tied with the next"
	}
	w.reason(source, nil, "%s%s.", s, others(role, c.Dominant.Family))
}

// familySync is the family of waiting for the GPU.
const familySync = "sync"

func familyLabel(r model.RoleCPU, family string) string {
	for _, f := range r.Families {
		if f.Family == family {
			return lower(f.Label)
		}
	}
	return family
}

// others lists the next two families.
func others(r model.RoleCPU, family string) string {
	var parts []string
	for _, f := range r.Families {
		if f.Family != family && len(parts) < 2 {
			label, _, _ := strings.Cut(f.Label, ",")
			parts = append(parts, lower(label)+" "+say.Round(f.Share.Mid))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

func plural(role string) string {
	if s := sideNames[role]; s != "" {
		return s
	}
	return role
}

func (w *words) shared() {
	s := w.out.Limiter.Shared
	if s.Note != "" && (s.Resource != "none" || s.Probability > 0.5) {
		source := "stacks"
		if from := w.out.Run.Topology.From; s.Resource == "gpu" {
			source = cmp.Or(from["drafter_gpus"], from["target_gpus"])
			if from["target_gpus"] == configuration {
				source = configuration
			}
		}
		w.reason(source, nil, "%s.", capital(s.Note))
	}
}

// hot names the threads at 100 %.
func (w *words) hot() {
	c := w.out.CPU
	if c == nil || len(c.HotThreads) == 0 {
		return
	}
	var ids []string
	lo, hi := 2.0, 0.0
	roles := map[string]int{}
	for _, h := range c.HotThreads {
		ids = append(ids, h.TID)
		lo, hi = min(lo, h.CPU), max(hi, h.CPU)
		roles[h.Role]++
	}
	if len(ids) > 6 {
		ids = append(ids[:6:6], "…")
	}
	var who []string
	for _, r := range sortedKeys(roles) {
		who = append(who, fmt.Sprintf("%d %s", roles[r], r))
	}
	w.reason("thread CPU", nil, "Hot threads, %s of a core: %s (%s).", between(lo, hi), strings.Join(ids, ", "), strings.Join(who, ", "))
}

func between(lo, hi float64) string {
	return say.RoundRange(model.Interval{Lo: lo, Mid: lo, Hi: hi}) + " %"
}
