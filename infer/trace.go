package infer

import (
	"cmp"
	"slices"
	"time"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// Traces says what bounds each side in a profiler's traces.
var Traces = &Analyzer{
	Name: "traces",
	Doc: `What bounds each side in a profiler's trace: launches, synchronisation, its input, or the GPU.

A device's time without a kernel is divided by what the thread did that launched the next one: it launched late, it had just waited for the device, it waited for its input or to hand on its output, or a copy ran. The first of several steps is left out. Right for the moments recorded, which the profiler itself slows: every launch costs some microseconds more, so a side near the limit is called launch-bound too soon. Waits at queues are seen only where the program annotates them (record_function), a DataLoader is used, or Python functions are recorded (with_stack); else a thread that is outside of any call for a millisecond or more is said to be just there: it may wait for the queue or for the interpreter lock, or run Python. Where both sides share a device, a gap counts for the side that ended it.`,
	Requires: []*Analyzer{Roles, Topology, Steady},
	Run: func(p *Pass) (any, error) {
		if len(p.Run.Traces) == 0 {
			return nil, &SkipError{Needs: "a trace of torch.profiler", Record: TraceRecord}
		}
		roles, _ := Result[*RoleMap](p, Roles)
		topo, _ := Result[*model.Topology](p, Topology)
		steady, _ := Result[*SteadyState](p, Steady)
		u := &TraceUses{}
		for _, t := range p.Run.Traces {
			r := &traceReader{p: p, t: t, steady: steady, sides: traceSides{p.Run, t, roles, topo, rolePatterns(p.Config.Roles)}}
			info := r.info()
			p.Out.Traces = append(p.Out.Traces, info)
			for _, s := range info.Sides {
				u.keep(t, s)
				if s.Bound != model.Unknown {
					p.Find(r.finding(s))
				}
			}
		}
		return u, nil
	},
}

// TraceRecord records a trace of a few steps.
const TraceRecord = `with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=schedule(wait=20, warmup=2, active=5), on_trace_ready=lambda p: p.export_chrome_trace("trace.json")) as prof: … prof.step()`

// TraceUses holds, for each side, the trace that says most of it.
type TraceUses struct {
	Target, Drafter *model.TraceSide
	at              model.Sides[model.Trace]
}

func (u *TraceUses) of(side string) *model.TraceSide {
	switch side {
	case model.Target:
		return u.Target
	case model.Drafter:
		return u.Drafter
	}
	return nil
}

// keep keeps the side's trace with most launches.
func (u *TraceUses) keep(t *model.Trace, s model.TraceSide) {
	old := u.of(s.Side)
	if s.Side == model.Unknown || s.GPUActive == nil || s.LaunchesS == nil || old != nil && *old.LaunchesS >= *s.LaunchesS {
		return
	}
	u.at.Set(s.Side, t)
	if s.Side == model.Target {
		u.Target = &s
	} else {
		u.Drafter = &s
	}
}

// traceCalls is how many calls of a side are listed.
const traceCalls = 10

type traceReader struct {
	p      *Pass
	t      *model.Trace
	steady *SteadyState
	sides  traceSides
}

func (r *traceReader) seconds() float64 { return float64(r.t.To-r.t.From) / 1e9 }

func (r *traceReader) share(ns int64) float64 {
	if r.t.To <= r.t.From {
		return 0
	}
	return float64(ns) / float64(r.t.To-r.t.From)
}

func (r *traceReader) info() model.TraceInfo {
	t := r.t
	i := model.TraceInfo{
		File: r.p.Run.Files[t.File].Path, Writer: t.Writer, DurationS: r.seconds(), Steps: len(t.Steps), Events: t.Events, Lost: t.Lost,
		Limits: r.limits(), Sides: []model.TraceSide{}, Devices: []model.TraceGPU{},
	}
	if t.Clock {
		i.Start = time.Unix(0, t.From).UTC().Format(time.RFC3339Nano)
	}
	if steps := t.Steps; len(steps) > 1 {
		var d []float64
		for _, s := range steps[1:] {
			d = append(d, float64(s.To-s.From)/1e9)
		}
		i.StepS = new(stats.Median(d))
	}
	for _, d := range t.Devices {
		i.Devices = append(i.Devices, r.device(d))
	}
	for _, g := range r.sides.groups() {
		i.Sides = append(i.Sides, r.side(g))
	}
	return i
}

// limits says what weakens the trace's claims.
func (r *traceReader) limits() []string {
	t := r.t
	out := []string{}
	if t.Lost > 0 {
		out = append(out, say.Count(t.Lost)+" events could not be read")
	}
	if t.Missed > 0 {
		out = append(out, "kernels stand too late in the file to be put in order: idle times are not known")
	}
	if len(t.Devices) == 0 {
		out = append(out, "no kernels: the trace says nothing of the GPU")
	}
	if s := r.steady; s != nil && s.Found && t.Clock && (t.To < s.From || t.From > s.To) {
		out = append(out, "lies outside the steady state")
	}
	if len(t.Steps) == 1 {
		out = append(out, "one step only: it holds the profiler's own start")
	}
	return out
}

func (r *traceReader) device(d model.TraceDevice) model.TraceGPU {
	g := model.TraceGPU{
		Index: d.Index, Name: r.p.Run.Text(d.Name), Active: r.share(d.BusyNS), Kernels: d.Kernels, KernelS: float64(d.KernelNS) / 1e9,
		CollectiveS: float64(d.CollectiveNS) / 1e9, Idle: r.idle(d.Idle, 1), Durations: []model.TraceDuration{}, Streams: []model.TraceLane{}, Copies: []model.TraceMove{},
	}
	last := model.KernelBins - 1
	for last >= 0 && d.Bins[last] == 0 {
		last--
	}
	for i := range last + 1 {
		b := model.TraceDuration{Kernels: d.Bins[i]}
		if i < model.KernelBins-1 {
			b.UnderUS = new(float64(int64(1) << i))
		}
		g.Durations = append(g.Durations, b)
	}
	for _, s := range d.Streams {
		g.Streams = append(g.Streams, model.TraceLane{ID: s.ID, Count: s.N, Active: r.share(s.BusyNS)})
	}
	for _, c := range d.Copies {
		m := model.TraceMove{Kind: r.p.Run.Text(c.Name), Count: c.N, Seconds: float64(c.NS) / 1e9}
		if c.Bytes >= 0 {
			m.Bytes = new(c.Bytes)
		}
		g.Copies = append(g.Copies, m)
	}
	return g
}

// idle are shares of the time of n devices.
func (r *traceReader) idle(s model.IdleSplit, n int) model.TraceIdle {
	f := func(ns int64) float64 { return r.share(ns) / float64(max(n, 1)) }
	return model.TraceIdle{
		HostLate: f(s.HostNS), Sync: f(s.SyncNS), Input: f(s.InputNS), Output: f(s.OutputNS), Outside: f(s.AwayNS), Copy: f(s.CopyNS), Other: f(s.OtherNS),
	}
}

// side adds up one side's threads and devices.
func (r *traceReader) side(g *traceGroup) model.TraceSide {
	s := model.TraceSide{Side: g.side, From: g.from, Mechanisms: []model.TraceUse{}, Calls: []model.TraceCall{}}
	var launches, cost int64
	for _, t := range g.threads {
		launches, cost = launches+t.Launches, cost+t.LaunchNS
		if t.Launches+t.Syncs > 0 {
			s.Threads++
		}
	}
	if launches > 0 && r.seconds() > 0 {
		s.LaunchesS, s.LaunchUS = new(float64(launches)/r.seconds()), new(float64(cost)/1e3/float64(launches))
	}
	r.calls(&s, g)
	r.gpu(&s, g)
	return s
}

// calls lists the side's heaviest calls and mechanisms by their own time.
func (r *traceReader) calls(s *model.TraceSide, g *traceGroup) {
	type key struct {
		name int32
		kind model.SpanKind
	}
	sums := map[key]*model.TraceCall{}
	by := map[string]float64{}
	var total float64
	for _, t := range g.threads {
		for _, o := range t.Ops {
			k := key{o.Name, o.Kind}
			c := sums[k]
			if c == nil {
				name := r.p.Run.Text(o.Name)
				c = &model.TraceCall{Name: callName(name), Mechanism: traceMechanism(name, o.Kind, r.t.Writer)}
				sums[k] = c
			}
			self := float64(max(o.SelfNS, 0)) / 1e9
			c.Count, c.SelfS = c.Count+o.N, c.SelfS+self
			by[c.Mechanism] += self
			total += self
		}
	}
	if total <= 0 {
		return
	}
	for _, c := range sums {
		c.Share = c.SelfS / total
		s.Calls = append(s.Calls, *c)
	}
	slices.SortFunc(s.Calls, func(a, b model.TraceCall) int {
		return cmp.Or(cmp.Compare(b.SelfS, a.SelfS), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Mechanism, b.Mechanism))
	})
	s.Calls = s.Calls[:min(len(s.Calls), traceCalls)]
	for _, id := range sortedKeys(by) {
		s.Mechanisms = append(s.Mechanisms, model.TraceUse{ID: id, Share: by[id] / total})
	}
	slices.SortStableFunc(s.Mechanisms, func(a, b model.TraceUse) int { return cmp.Compare(b.Share, a.Share) })
}
