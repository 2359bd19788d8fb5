package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidemark/model"
)

// A traceSum adds up a trace in the order of time. Where the file itself is in
// that order, or fits in memory, nothing is lost by folding it in pieces.
type traceSum struct {
	log     *model.TraceLog
	from    int64 // sums begin here
	dropped bool
	done    int64 // all spans before were added
	begun   bool
	late    int64
	missed  int64 // kernels and copies that came too late to be put in their place
	threads map[model.TrackKey]*threadSum
	order   []*threadSum
	devices map[int64]*deviceSum
	marks   []nameMark // of names, by code
	pool    *model.Strings
	links   launchLinks
}

// A launch is a call that put something on a device.
type launch struct {
	thread     *threadSum
	start, end int64
	lull       *lull // before it, nil where there was none
	link       uint32
	found      uint32 // the turn in which something last was that it launched, from 1
}

// A lull is what a thread did since the launch before beside calling.
type lull struct {
	synced  bool    // waited for the device
	in, out stretch // longest wait for input, and to hand on
	away    stretch // longest time outside of calls, of model.AwayGap or more
}

func noLull() lull { return lull{in: nothing, out: nothing, away: nothing} }

// A nameMark is what a name says beside its kind.
type nameMark uint8

const (
	markBackward nameMark = 1 << iota
	markOptimizer
	markRead       // waits for a value from the device
	markCollective // a kernel that waits for other devices
)

func newTraceSum(out *model.RunBuilder) *traceSum {
	return &traceSum{
		log: out.Spans, pool: out.Strings, threads: map[model.TrackKey]*threadSum{}, devices: map[int64]*deviceSum{},
		done: math.MinInt64,
	}
}

// sumOf returns the sum that a builder's trace goes into.
func sumOf(out *model.RunBuilder) *traceSum {
	s, ok := out.Spans.State.(*traceSum)
	if !ok {
		s = newTraceSum(out)
		out.Spans.State = s
	}
	return s
}

// foldTrace adds up the earlier spans that are held and drops them.
func foldTrace(out *model.RunBuilder) {
	s := sumOf(out)
	pairTracks(out)
	s.add(max(s.foldable(), s.done))
}

// foldable returns the time up to which spans can be summed up: half of them.
// The last open half is kept, so that what a call holds comes into it even
// where a file lists calls by the time they end. Where devices have begun, it is
// not beyond three quarters of what they did: Kineto lists the operators of the
// whole trace, and only then launches and kernels in the order of time.
func (s *traceSum) foldable() int64 {
	var all, device []int64
	for _, t := range s.log.Tracks {
		i := 0 // in the piece, of every 64th span of the track
		for p := range t.Spans.Pieces() {
			for ; i < len(p); i += 64 {
				all = append(all, p[i].Start)
				if t.Device {
					device = append(device, p[i].Start)
				}
			}
			i -= len(p)
		}
	}
	slices.Sort(all)
	slices.Sort(device)
	until := int64(math.MaxInt64)
	if n := len(all); n > 0 && all[n/2] < all[n-1] {
		until = all[n/2] + 1
	}
	if n := len(device); n > 0 && s.log.N < 3*model.MaxTraceSpans {
		until = min(until, device[3*n/4])
	}
	return until
}

// begin finds what the sums are about: all but the first step, which carries
// warm-up and the context's creation.
func (s *traceSum) begin() {
	s.begun = true
	s.from = s.log.First
	if steps := orderSteps(s.log.Steps); len(steps) > 1 && s.runsAfter(steps[0].To) {
		s.from, s.dropped = steps[0].To, true
	}
}

// runsAfter reports whether kernels begin after a time, or none are there at all.
func (s *traceSum) runsAfter(at int64) bool {
	any := false
	for _, t := range s.log.Tracks {
		if !t.Device {
			continue
		}
		for p := range t.Spans.Pieces() {
			for _, x := range p {
				any = any || x.Kind() == model.SpanKernel
				if x.Kind() == model.SpanKernel && x.Start >= at {
					return true
				}
			}
		}
	}
	return !any
}

// orderSteps returns the steps in time; several threads' annotations of one
// number are one step.
func orderSteps(list []model.TraceStep) []model.TraceStep {
	slices.SortFunc(list, func(a, b model.TraceStep) int { return cmp.Compare(a.From, b.From) })
	var out []model.TraceStep
	for _, x := range list {
		if n := len(out); n > 0 && out[n-1].Number == x.Number {
			out[n-1].To = max(out[n-1].To, x.To)
			continue
		}
		out = append(out, x)
	}
	return out
}

// finishTrace turns what was read into a trace of the model.
func finishTrace(out *model.RunBuilder) {
	log := out.Spans
	if log == nil {
		return
	}
	noteTrace(out)
	out.Spans = nil
	if log.N == 0 && log.State == nil {
		return
	}
	out.Spans = log
	unclosed := pairTracks(out)
	s := sumOf(out)
	s.add(math.MaxInt64)
	out.Spans = nil
	if unclosed > 0 {
		out.File.Note(fmt.Sprintf("calls left open at the end of the trace and closed there: %d", unclosed))
	}
	if s.missed > 0 {
		out.File.Note(fmt.Sprintf("%d kernels and copies stand too late in a large file to be put in order: idle times are not known", s.missed))
	}
	if s.late > 0 {
		out.File.Note(fmt.Sprintf("%d calls stand so late in the file that their time is also their callers'", s.late))
	}
	out.Trace = s.trace(out)
}

// noteTrace says what was missing in the file.
func noteTrace(out *model.RunBuilder) {
	log := out.Spans
	if log.Open {
		out.File.Note("the list of events is not closed: the file was cut, or its writer stopped")
	}
	if log.Lost > 0 {
		out.File.Note(fmt.Sprintf("events that could not be read: %d, reading went on at the next", log.Lost))
	}
	if log.Odd > 0 {
		out.File.Note(fmt.Sprintf("complete events without a duration, left out: %d", log.Odd))
	}
	switch f := out.File; {
	case log.Events > 0:
	case log.Lost > 0 || log.Open:
		f.Reason, f.Damaged = "not one event could be read: cut short, or not JSON of events", true
	default:
		f.Note("no events")
	}
}

// trace returns the sums as a trace of the model.
func (s *traceSum) trace(out *model.RunBuilder) *model.Trace {
	log := s.log
	t := &model.Trace{Writer: "chrome trace", Dropped: s.dropped, Events: log.Events, Lost: log.Lost, Late: s.late, Missed: s.missed, Clock: log.Based}
	if log.Kineto {
		t.Writer = "kineto"
	}
	t.Steps = orderSteps(log.Steps)
	end := log.Last
	if n := len(t.Steps); n > 0 && len(s.devices) > 0 {
		end = t.Steps[n-1].To
		for _, d := range s.devices {
			end = max(end, d.end)
		}
	}
	t.From, t.To = s.from, max(end, s.from)
	for _, d := range s.devices {
		d.share()
	}
	for _, th := range s.order {
		if len(th.ops) > 0 {
			t.Threads = append(t.Threads, th.thread(s, t.Steps))
		}
	}
	for _, d := range s.devices {
		t.Devices = append(t.Devices, d.device(s, t.To))
	}
	slices.SortFunc(t.Devices, func(a, b model.TraceDevice) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortFunc(t.Threads, func(a, b model.TraceThread) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID))
	})
	s.clock(out, t)
	return t
}

// clock puts the trace's times on the file's clock.
func (s *traceSum) clock(out *model.RunBuilder, t *model.Trace) {
	base := s.log.Base
	out.File.Clock.Kind = model.ClockElapsed
	if !s.log.Based && t.From > 1e18 && t.From < 4e18 {
		base, t.Clock = 0, true // old writers: absolute microseconds
	}
	if !t.Clock {
		return
	}
	out.File.Clock.Kind = model.ClockUTC
	t.Shift(base)
}
