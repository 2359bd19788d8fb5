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
	recent   [recentOps]int32 // places in the list, by name
	t        model.TraceThread
	steps    map[int64]*int64 // launches by step
	step     int              // that the last launch lay in
	launches *int64           // of it
	lull     lull             // since the last launch
	called   int64            // end of the last call
	waits    int              // open calls that wait for input or to hand on
	devices  map[int64]int64  // its kernels' time by device
}

const recentOps = 256

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
		t = &threadSum{key: k, ops: map[opKey]int32{}, devices: map[int64]int64{}, steps: map[int64]*int64{}, lull: noLull(), called: math.MaxInt64}
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
	if d := x.Start - t.called; t.called != math.MaxInt64 && d >= model.AwayGap && d > t.lull.away.last-t.lull.away.first {
		t.lull.away = stretch{t.called, x.Start}
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
			s.links.add(launch{thread: t, start: x.Start, end: x.Start + d, lull: t.take(), link: x.Link})
		}
	case model.SpanSync:
		if counted {
			t.t.Syncs++
			t.t.SyncNS += d
		}
		t.lull.synced = true
	case model.SpanInput, model.SpanOutput:
		if t.waits++; t.waits > 1 {
			return true
		}
		w := &t.lull.in
		if kind == model.SpanOutput {
			w = &t.lull.out
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

// take returns what lay between the last launch and this one.
func (t *threadSum) take() *lull {
	if !t.lull.synced && t.lull.in.empty() && t.lull.out.empty() && t.lull.away.empty() {
		return nil
	}
	l := t.lull
	t.lull = noLull()
	return &l
}

// op returns the index of a call's sum.
func (t *threadSum) op(name int32, kind model.SpanKind) int32 {
	at := &t.recent[(uint32(name)*4+uint32(kind))%recentOps]
	if i := *at; int(i) < len(t.list) && t.list[i].Name == name && t.list[i].Kind == kind {
		return i
	}
	k := opKey{name, kind}
	i, ok := t.ops[k]
	if !ok {
		i = int32(len(t.list))
		t.ops[k] = i
		t.list = append(t.list, model.TraceOp{Name: name, Kind: kind})
	}
	*at = i
	return i
}

// marked adds the time of autograd's and the optimizer's outermost calls.
func (s *traceSum) marked(t *threadSum, name int32, open nameMark, d int64) nameMark {
	m := s.marks[name]
	switch m &^ open {
	case markBackward:
		t.t.Backward += d
	case markOptimizer:
		t.t.Optimizer += d
	}
	return m
}

// markNames marks the names that have come.
func (s *traceSum) markNames() {
	for i := len(s.marks); i < s.pool.Len(); i++ {
		s.marks = append(s.marks, markOf(s.pool.At(int32(i))))
	}
}

// markOf returns what a name says beside its kind.
func markOf(name string) nameMark {
	switch {
	case strings.HasPrefix(name, "autograd::engine::evaluate_function"):
		return markBackward
	case strings.HasPrefix(name, "Optimizer.step#"):
		return markOptimizer
	case slices.Contains(readOps, name):
		return markRead
	case strings.HasPrefix(name, "nccl") || strings.HasPrefix(name, "rccl"):
		return markCollective
	}
	return 0
}

// readOps are operators that wait for a value from the device.
var readOps = []string{"aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero"}

// countStep adds a launch to the step it lies in.
func (s *traceSum) countStep(t *threadSum, at int64) {
	list := s.log.Steps
	if i := t.step; i >= len(list) || at < list[i].From || i+1 < len(list) && at >= list[i+1].From {
		t.step, _ = slices.BinarySearchFunc(list, at, func(x model.TraceStep, at int64) int { return cmp.Compare(x.From, at+1) })
		t.step = max(t.step-1, 0)
		t.launches = nil
	}
	i := t.step
	if i >= len(list) || at < list[i].From || at >= list[i].To {
		return
	}
	if t.launches == nil {
		t.launches = t.inStep(list[i].Number)
	}
	*t.launches++
}

// inStep returns the count of a thread's launches in a step.
func (t *threadSum) inStep(number int64) *int64 {
	if t.steps[number] == nil {
		t.steps[number] = new(int64)
	}
	return t.steps[number]
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
		steps[i].Launches += *t.inStep(steps[i].Number)
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
			out.Spans.N -= t.Spans.Len()
			unclosed += pairTrack(t, out.Spans.Last)
			out.Spans.N += t.Spans.Len()
		}
	}
	return unclosed
}

func pairTrack(t *model.Track, last int64) (unclosed int) {
	var open []int
	list := t.Spans.Flat()
	keep := list[:0]
	for _, x := range list {
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
	t.Spans.Set(keep)
	t.Pairs, t.Sorted = false, false
	return len(open)
}
