package ingest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tidemark/model"
)

// A threadSum adds up one thread's calls with a stack of those that are open.
type threadSum struct {
	key      model.TrackKey
	open     []openCall
	ops      map[opKey]int32
	list     []model.TraceOp
	t        model.TraceThread
	steps    map[int64]int64 // launches by step
	synced   bool            // no launch since it last waited for the device
	in, out  stretch         // the longest waits since the last launch
	away     stretch         // the longest time outside of calls since then
	called   int64           // end of the last call
	waits    int             // open calls that wait for input or to hand on
	devices  map[int64]int64 // its kernels' time by device
	lastOp   opKey
	lastSeen int32
}

type opKey struct {
	name int32
	kind model.SpanKind
}

// An openCall is a call that has not ended.
type openCall struct {
	end  int64
	op   int32 // -1 before the sums begin
	wait bool
	mark nameMark
}

func (s *traceSum) thread(k model.TrackKey) *threadSum {
	t := s.threads[k]
	if t == nil {
		t = &threadSum{key: k, ops: map[opKey]int32{}, devices: map[int64]int64{}, in: nothing, out: nothing, away: nothing, called: math.MaxInt64, lastSeen: -1}
		s.threads[k] = t
		s.order = append(s.order, t)
	}
	return t
}

// span adds a call. What sticks out of its caller is clamped: calls that never
// returned end when the profiler stops.
func (s *traceSum) span(t *threadSum, x model.TraceSpan) {
	if x.Start < s.done {
		s.lateSpan(t, x)
		return
	}
	for n := len(t.open); n > 0 && t.open[n-1].end <= x.Start; n = len(t.open) {
		if t.open[n-1].wait {
			t.waits--
		}
		t.open = t.open[:n-1]
	}
	end, d := x.End(), x.Dur()
	marks := nameMark(0)
	if n := len(t.open); n > 0 {
		c := &t.open[n-1]
		if end > c.end {
			end = c.end
			d = end - x.Start
		}
		if c.op >= 0 {
			t.list[c.op].SelfNS -= d
		}
		marks = c.mark
	}
	c := openCall{end: end, op: -1, mark: marks}
	if x.Start >= s.from {
		if len(t.open) == 0 {
			t.t.BusyNS += d
		}
		kind := x.Kind()
		if kind == model.SpanCopyCall && marks&markRead != 0 {
			kind = model.SpanSync // a copy that a scalar is read by waits for the device
		}
		c.op = t.op(x.Name, kind)
		o := &t.list[c.op]
		o.N, o.SelfNS, o.AllNS = o.N+1, o.SelfNS+d, o.AllNS+d
		c.mark |= s.marked(t, x.Name, marks, d)
		if t.t.First == 0 || x.Start < t.t.First {
			t.t.First = x.Start
		}
		t.t.Last = max(t.t.Last, end)
	}
	t.leave(x, end)
	c.wait = s.effect(t, x, d, c.op >= 0)
	t.open = append(t.open, c)
}

// leave notes how long the thread was outside of any call before this one.
// Annotations and Python functions are no calls: waits lie inside of them.
func (t *threadSum) leave(x model.TraceSpan, end int64) {
	switch x.Kind() {
	case model.SpanAnnotation, model.SpanInput, model.SpanOutput, model.SpanOther:
		return
	}
	if d := x.Start - t.called; t.called != math.MaxInt64 && d >= model.AwayGap && d > t.away.last-t.away.first {
		t.away = stretch{t.called, x.Start}
	}
	if t.called == math.MaxInt64 || end > t.called {
		t.called = end
	}
}

// effect notes what a call means for the device, and reports whether it waits
// at a queue.
func (s *traceSum) effect(t *threadSum, x model.TraceSpan, d int64, counted bool) (wait bool) {
	switch kind := x.Kind(); kind {
	case model.SpanLaunch, model.SpanCopyCall:
		if kind == model.SpanLaunch {
			s.countStep(t, x.Start)
		}
		if kind == model.SpanLaunch && counted {
			t.t.Launches++
			t.t.LaunchNS += d
		}
		if x.Link != 0 {
			s.links[0].add(x.Link, launch{t, x.Start, x.Start + d, t.synced, t.in, t.out, t.away})
			t.synced, t.in, t.out, t.away = false, nothing, nothing, nothing
		}
	case model.SpanSync:
		if counted {
			t.t.Syncs++
			t.t.SyncNS += d
		}
		t.synced = true
	case model.SpanInput, model.SpanOutput:
		if t.waits++; t.waits > 1 {
			return true
		}
		w := &t.in
		if kind == model.SpanOutput {
			w = &t.out
		}
		if w.empty() || d > w.last-w.first {
			*w = stretch{x.Start, x.Start + d}
		}
		if counted && kind == model.SpanInput {
			t.t.InputNS += d
		} else if counted {
			t.t.OutputNS += d
		}
		return true
	}
	return false
}

// lateSpan adds a call whose time was summed up already: it can be counted, but
// not be taken from its caller. The calls that are open lie later, and stay.
func (s *traceSum) lateSpan(t *threadSum, x model.TraceSpan) {
	s.late++
	if x.Start < s.from {
		return
	}
	o := &t.list[t.op(x.Name, x.Kind())]
	o.N, o.SelfNS, o.AllNS = o.N+1, o.SelfNS+x.Dur(), o.AllNS+x.Dur()
	waits := t.waits
	t.waits = 0
	s.effect(t, x, x.Dur(), true)
	t.waits = waits
}

// op returns the index of a call's sum.
func (t *threadSum) op(name int32, kind model.SpanKind) int32 {
	k := opKey{name, kind}
	if t.lastSeen >= 0 && t.lastOp == k {
		return t.lastSeen
	}
	i, ok := t.ops[k]
	if !ok {
		i = int32(len(t.list))
		t.ops[k] = i
		t.list = append(t.list, model.TraceOp{Name: name, Kind: kind})
	}
	t.lastOp, t.lastSeen = k, i
	return i
}

// marked adds the time of autograd's and the optimizer's outermost calls.
func (s *traceSum) marked(t *threadSum, name int32, open nameMark, d int64) nameMark {
	m := s.mark(name)
	switch m &^ open {
	case markBackward:
		t.t.Backward += d
	case markOptimizer:
		t.t.Optimizer += d
	}
	return m
}

// mark returns what a name says beside its kind.
func (s *traceSum) mark(name int32) nameMark {
	m, ok := s.names[name]
	if !ok {
		text := s.pool.At(name)
		switch {
		case strings.HasPrefix(text, "autograd::engine::evaluate_function"):
			m = markBackward
		case strings.HasPrefix(text, "Optimizer.step#"):
			m = markOptimizer
		case slices.Contains(readOps, text):
			m = markRead
		case strings.HasPrefix(text, "nccl") || strings.HasPrefix(text, "rccl"):
			m = markCollective
		}
		s.names[name] = m
	}
	return m
}

// readOps are operators that wait for a value from the device.
var readOps = []string{"aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero"}

// countStep adds a launch to the step it lies in.
func (s *traceSum) countStep(t *threadSum, at int64) {
	if len(s.log.Steps) == 0 {
		return
	}
	if t.steps == nil {
		t.steps = map[int64]int64{}
	}
	i, _ := slices.BinarySearchFunc(s.log.Steps, at, func(x model.TraceStep, at int64) int { return cmp.Compare(x.From, at+1) })
	if i > 0 && at < s.log.Steps[i-1].To {
		t.steps[s.log.Steps[i-1].Number]++
	}
}

// thread returns the sums as a thread of the model.
func (t *threadSum) thread(s *traceSum, steps []model.TraceStep) model.TraceThread {
	x := t.t
	x.PID, x.TID = t.key.PID, t.key.TID
	x.Name, x.Process = s.log.Threads[model.TrackKey{PID: x.PID, TID: x.TID}], s.log.Processes[x.PID]
	x.Ops = t.list
	slices.SortFunc(x.Ops, func(a, b model.TraceOp) int {
		return cmp.Or(cmp.Compare(b.SelfNS, a.SelfNS), cmp.Compare(b.N, a.N), strings.Compare(s.pool.At(a.Name), s.pool.At(b.Name)), cmp.Compare(a.Kind, b.Kind))
	})
	for i := range steps {
		steps[i].Launches += t.steps[steps[i].Number]
	}
	x.Device = -1
	most := int64(0)
	for d, ns := range t.devices {
		if ns > most || ns == most && d < x.Device {
			x.Device, most = d, ns
		}
	}
	return x
}

// pairTracks turns begins and ends into calls, in the order of the file, and
// returns how many nothing closes: those end with the trace.
func pairTracks(out *model.RunBuilder) (unclosed int) {
	for _, t := range out.Spans.Tracks {
		if t.Pairs {
			unclosed += pairTrack(t, out.Spans.Last)
		}
	}
	return unclosed
}

func pairTrack(t *model.Track, last int64) (unclosed int) {
	var open []int
	keep := t.Spans[:0]
	for _, x := range t.Spans {
		switch x.Kind() {
		case model.SpanBegin:
			open = append(open, len(keep))
		case model.SpanEnd:
			if n := len(open); n > 0 {
				b := keep[open[n-1]]
				keep[open[n-1]] = model.NewTraceSpan(model.SpanOp, b.Start, x.Start-b.Start, b.Name, 0)
				open = open[:n-1]
			}
			continue
		}
		keep = append(keep, x)
	}
	for _, i := range open {
		b := keep[i]
		keep[i] = model.NewTraceSpan(model.SpanOp, b.Start, last-b.Start, b.Name, 0)
	}
	t.Spans, t.Pairs, t.Sorted = keep, false, false
	return len(open)
}
