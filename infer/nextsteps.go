package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// NextSteps says what to try, largest gain first, and what to record.
var NextSteps = &Analyzer{
	Name: "next",
	Doc: `Experiments with the gain they can bring at most, bounded by where the other side takes over, and the recordings that settle what is open.

A gain assumes that the whole cost goes; the bound is of the queue model. Experiments are only named for a side that limits.`,
	Requires: []*Analyzer{VerdictWords, Limiter, StackActivity, Waits},
	Last:     true,
	Run: func(p *Pass) (any, error) {
		u, ok := Result[*LimitUse](p, Limiter)
		stacks, _ := Result[*StackUse](p, StackActivity)
		n := &nextSteps{p: p, u: u}
		if ok {
			n.costs()
			n.device()
			n.prompts()
		}
		waits, _ := Result[*WaitUse](p, Waits)
		n.recordings(stacks, waits)
		return nil, nil
	},
}

type nextSteps struct {
	p *Pass
	u *LimitUse
}

// An experiment is what to try against a mechanism or a cause.
type experiment struct {
	text   string
	part   float64 // share of the cost that it takes away
	effort int     // 1 a line or a setting, 2 a function, 3 the loop
}

// experiments by mechanism, then by cause; the first that is known counts.
var experiments = map[string]experiment{
	"gpu.alloc_oom_retry":    {"Drop the cache flush (empty_cache) from the loop", 1, 1},
	"gpu.sync_scalar_read":   {"Keep scalars on the device, read them every 50 items", 1, 1},
	"gpu.sync_explicit":      {"Take the synchronisation out of the item loop", 1, 2},
	"gpu.launch":             {"Halve the launches: compile or graph the forward", 0.5, 3},
	"gpu.copy":               {"Copy from pinned memory, non_blocking, on a stream of its own", 1, 2},
	"gpu.alloc_cache":        {"Reuse buffers: fewer temporaries, stable shapes", 1, 2},
	"gpu.alloc_driver":       {"Preallocate: no cudaMalloc or cudaFree in the loop", 1, 2},
	"gil.wait":               {"Move this side into processes of its own: it waits for the interpreter lock", 1, 3},
	"compile.dynamo_trace":   {"Stop the recompiles: pad or bucket shapes", 1, 2},
	"data.tokenize":          {"Tokenise ahead of time or in loader processes", 1, 2},
	"ser.pickle":             {"Hand tensors over by shared memory, not by pickle", 1, 2},
	"io.disk":                {"Read ahead from a local cache", 1, 2},
	"comm.collective":        {"Find the rank that the collective waits for", 1, 3},
	"torch.dispatch":         {"Fewer, larger operations: compile or fuse", 0.5, 3},
	"python.gc":              {"Freeze or disable the cyclic garbage collector in the loop", 1, 1},
	"cause:mask_build":       {"Build the block mask once a shape, or compile the builder", 1, 2},
	"cause:optimizer":        {"Use a fused or foreach optimizer", 0.5, 1},
	"cause:backward":         {"Compile the training step", 0.5, 3},
	"cause:data":             {"Move packing and fetching into loader processes", 1, 3},
	"cause:logging":          {"Read metrics every 50 items, not each", 1, 1},
	"cause:checkpoint":       {"Write checkpoints in the background", 1, 2},
	"cause:loss":             {"Fuse the loss", 0.5, 2},
	"mechanism:python.other": {"Move this Python work out of the item loop", 1, 3},
}

// costs turns the frames and families of the limiting side into experiments.
func (n *nextSteps) costs() {
	out := n.p.Out
	if out.CPU == nil || n.u.Side != model.Target && n.u.Side != model.Drafter {
		return
	}
	role, ok := out.CPU.Roles[n.u.Side]
	if !ok || role.Dominant == nil {
		return
	}
	var list []costed
	seen := map[string]bool{}
	for i, f := range role.Frames {
		a, key, ok := experimentFor(f.Mechanism, f.Cause)
		if !ok || seen[key] || f.Share < minCost || n.full(f.Mechanism) || f.Mechanism == "python.other" && !native(out.CPU) {
			continue
		}
		seen[key] = true
		total := n.share(role, key)
		step := model.Step{Kind: "experiment", Text: a.text, Where: where(f, total), Gain: n.gain(total * a.part)}
		list = append(list, costed{step, a.effort, i == 0})
	}
	for _, c := range cheapest(list) {
		out.Next = append(out.Next, c.step)
	}
}

// full reports that a mechanism waits for a GPU that is full: taking the wait
// away would only move it.
func (n *nextSteps) full(mechanism string) bool {
	in := n.p.Out.Inside.Of(n.u.Side)
	if strings.HasPrefix(mechanism, "gpu.launch") && n.p.Out.CPU != nil && launchesWait(n.p.Out.CPU.Roles[n.u.Side], in) {
		return true
	}
	return in != nil && in.Bound == "device" && strings.HasPrefix(mechanism, "gpu.sync")
}

// native reports whether the capture shows C calls: without, a Python line's
// time may be that of the C it calls.
func native(c *model.CPU) bool { return c.Capture != nil && c.Capture.Native == Yes }

// A costed experiment: how much work it is, and whether it meets the largest cost.
type costed struct {
	step    model.Step
	effort  int
	largest bool
}

// cheapest keeps maxSteps experiments, the least work first, and among them
// the one that meets the largest cost.
func cheapest(list []costed) []costed {
	slices.SortStableFunc(list, func(a, b costed) int {
		return cmp.Or(cmp.Compare(a.effort, b.effort), cmp.Compare(b.step.Gain.Hi, a.step.Gain.Hi))
	})
	for len(list) > maxSteps {
		last := len(list) - 1
		if list[last].largest {
			last--
		}
		list = slices.Delete(list, last, last+1)
	}
	return list
}

func experimentFor(mechanism, cause string) (a experiment, key string, ok bool) {
	for _, k := range []string{"cause:" + cause, mechanism, "mechanism:" + mechanism} {
		if k == "cause:backward" && mechanism != "python.unresolved_builtin_line" {
			continue
		}
		if a, ok := experiments[k]; ok {
			return a, k, true
		}
	}
	return experiment{}, "", false
}

// share is what all frames of the role with the same remedy hold together.
func (n *nextSteps) share(role model.RoleCPU, key string) float64 {
	var s float64
	for _, f := range role.Frames {
		if _, k, ok := experimentFor(f.Mechanism, f.Cause); ok && k == key {
			s += f.Share
		}
	}
	return s
}

// where names the line by its file's base name (paths of packages are long, and
// the frames in the report have them in full), and the share of the side's time.
func where(f model.TopFrame, total float64) string {
	at := f.From
	if at == "" {
		at = place(f)
	}
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		at = at[i+1:]
	}
	return fmt.Sprintf("%s, %s", say.Function(at), say.Round(total))
}

func place(f model.TopFrame) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.Function
}

// gain is the bound on what taking a share of a side's time away can bring.
func (n *nextSteps) gain(share float64) *model.Interval {
	f := 1 / (1 - min(share, 0.9))
	g := quantiles(n.u.States, func(s state) float64 {
		if n.u.Side == model.Drafter {
			return s.gain(1, f)
		}
		return s.gain(f, 1)
	})
	return &model.Interval{Lo: 0, Mid: max(g.Mid, 0), Hi: max(g.Mid, 0)}
}

// device is the experiment of a limiting side whose GPUs are full: another
// split, where the model says that it pays.
func (n *nextSteps) device() {
	out := n.p.Out
	in := out.Inside.Of(n.u.Side)
	if in == nil || in.Bound != "device" {
		return
	}
	for _, w := range out.WhatIf {
		if w.Kind == "split" && w.Gain != nil && w.Gain.Lo > 0 {
			out.Next = append(out.Next, model.Step{
				Kind: "experiment", Text: "Split the GPUs as " + w.Change, Where: fmt.Sprintf("GPUs of the %s are full", sideNames[n.u.Side]),
				Gain: &model.Interval{Lo: max(w.Gain.Lo, 0), Mid: w.Gain.Mid, Hi: w.Gain.Hi},
			})
		}
	}
}

// prompts is the experiment of a starved target side.
func (n *nextSteps) prompts() {
	in := n.p.Out.Limiter.Wait.TargetInput
	if n.u.Side != model.Upstream || in == nil {
		return
	}
	free := 1/(1-min(in.Mid, 0.9)) - 1
	room := n.p.Out.Limiter.Headroom.Drafter
	if room != nil {
		free = min(free, room.Mid)
	}
	n.p.Out.Next = append(n.p.Out.Next, model.Step{
		Kind: "experiment", Text: "Feed the targets: more loader workers, prefetched or cached prompts",
		Where: fmt.Sprintf("targets wait %s of their time for prompts", say.Round(in.Mid)),
		Gain:  &model.Interval{Lo: 0, Mid: free, Hi: free},
	})
}
