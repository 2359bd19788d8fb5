package infer

import (
	"fmt"

	"tidemark/internal/say"
	"tidemark/model"
)

// gpu says how full the side's devices are, where their idle time went, and
// what bounds the side.
func (r *traceReader) gpu(s *model.TraceSide, g *traceGroup) {
	s.Bound = model.Unknown
	if len(g.devices) == 0 {
		s.Why = "no kernel of this side in the trace"
		return
	}
	n := len(g.devices)
	var busy, own, kernels, spin int64
	var split model.IdleSplit
	for _, d := range g.devices {
		busy, kernels, spin = busy+d.BusyNS, kernels+d.KernelNS, spin+d.CollectiveNS
		if !g.shared {
			split.Add(d.Idle)
		}
	}
	for _, t := range g.threads {
		own += t.KernelNS
		if g.shared {
			split.Add(t.Idle)
		}
	}
	active := r.share(busy) / float64(n)
	idle := r.idle(split, n)
	s.GPUActive, s.OwnKernels, s.Idle = &active, new(r.share(own)/float64(n)), &idle
	switch {
	case r.seconds() <= 0:
		s.Why = "the trace lasts no time"
	case r.t.Missed > 0:
		s.Why = "kernels stand too late in the file to be put in order"
	case g.launches() < traceLaunches:
		s.Why = fmt.Sprintf("%s launches, want %d or more", say.Count(g.launches()), traceLaunches)
	case active >= deviceBound && float64(spin) >= traceMost*float64(kernels):
		s.Why = fmt.Sprintf("GPU active %s, most of it in collectives that may only wait", say.Round(active))
	case active >= deviceBound:
		s.Bound, s.Why = model.BoundGPU, fmt.Sprintf("GPU active %s of the time", say.Round(active))
	default:
		s.Bound, s.Why = boundOf(active, idle, g.shared)
	}
}

// A cause is one part of the idle time.
type idleCause struct {
	bound, words string
	share        float64
}

// boundOf names the largest part of the idle time, if it is most of it.
func boundOf(active float64, i model.TraceIdle, shared bool) (bound, why string) {
	causes := []idleCause{
		{model.BoundLaunch, "the host launches late", i.HostLate},
		{model.BoundSync, "the host has waited for the GPU and starts it anew", i.Sync},
		{model.BoundInput, "the host waits for input", i.Input},
		{model.BoundOutput, "the host waits to hand on its output", i.Output},
		{model.BoundAway, "the host is outside of torch (a wait that nothing annotates, the interpreter lock, or Python)", i.Outside},
		{model.BoundCopy, "only copies run", i.Copy},
	}
	most, all := idleCause{}, i.Other
	for _, c := range causes {
		all += c.share
		if c.share > most.share {
			most = c
		}
	}
	switch {
	case shared && all < traceLeast:
		return model.Unknown, fmt.Sprintf("both sides run on this device, and this one ended only %s of its idle time", say.Round(all))
	case most.share >= traceMost*all && most.share >= traceLeast:
		return most.bound, fmt.Sprintf("GPU active %s; idle %s of the time while %s", say.Round(active), say.Round(most.share), most.words)
	}
	return model.BoundMixed, fmt.Sprintf("GPU active %s; no cause makes up half of its idle time, the largest is that %s (%s)", say.Round(active), most.words, say.Round(most.share))
}

// finding says what bounds a side.
func (r *traceReader) finding(s model.TraceSide) model.Finding {
	at := []model.Pos{{File: r.p.Run.Files[r.t.File].Path}}
	who := capital(traceWho(s.Side))
	f := model.Finding{ID: "trace.bound", Claim: fmt.Sprintf("%s in the trace: %s. %s.", who, boundWords[s.Bound], capital(s.Why))}
	add := func(what string, v float64, unit string) {
		f.Evidence = append(f.Evidence, model.Evidence{What: what, Value: v, Unit: unit, At: at})
	}
	add("GPU active", *s.GPUActive, "share")
	if s.LaunchesS != nil {
		add("launches", *s.LaunchesS, "1/s")
		add("mean cost of a launch", *s.LaunchUS, "us")
	}
	add("idle, host late", s.Idle.HostLate, "share")
	add("idle, after a synchronisation", s.Idle.Sync, "share")
	add("idle, input", s.Idle.Input, "share")
	f.Advice = boundAdvice[s.Bound]
	return f
}

func traceWho(side string) string {
	if s := sideNames[side]; s != "" {
		return s
	}
	return "threads of an unknown side"
}

// boundWords word what bounds a side.
var boundWords = map[string]string{
	model.BoundGPU: "GPU-bound", model.BoundLaunch: "launch-bound", model.BoundSync: "sync-bound", model.BoundInput: "input-bound",
	model.BoundOutput: "output-bound", model.BoundAway: "not bound by torch's calls", model.BoundCopy: "copy-bound", model.BoundMixed: "no single cause",
}

// boundAdvice is what helps; a synchronisation is where waiting shows, not its cause.
var boundAdvice = map[string]string{
	model.BoundGPU:    "Faster kernels, fewer of them, or more devices; the host keeps up.",
	model.BoundLaunch: "Fewer, larger launches: torch.compile, CUDA graphs, fused operators, a larger batch; see the calls with most time of their own.",
	model.BoundSync:   "Remove the reads that wait for the device (.item(), .cpu(), nonzero) from the step, or read every N steps.",
	model.BoundInput:  "The side waits for what it is fed: see which side limits.",
	model.BoundOutput: "The side waits to hand on its output: see which side limits.",
	model.BoundAway:   "Annotate the waits with record_function, or record with_stack=True, to tell waiting from Python.",
	model.BoundCopy:   "Pinned memory and non_blocking copies on a stream of their own.",
}

// inTrace begins the reason where only a trace tells.
const inTrace = "in the trace: "

// insideOf turns what bounds a side in a trace into device or host. The interval
// is that of any share read from so short a window.
func (u *TraceUses) insideOf(side string) *model.Inside {
	s := u.of(side)
	in := &model.Inside{Bound: model.Unknown, Why: inTrace + s.Why}
	if t := u.at.Of(side); s.GPUActive != nil && t.To > t.From {
		in.GPUActive = window(*s.GPUActive, &CaptureUse{Seconds: float64(t.To-t.From) / 1e9})
	}
	switch s.Bound {
	case model.BoundGPU:
		in.Bound = "device"
	case model.BoundLaunch, model.BoundSync, model.BoundCopy:
		in.Bound = "host"
	case model.BoundInput:
		in.Bound = "input"
	}
	return in
}
