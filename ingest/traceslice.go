package ingest

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// sliceSpans is how many spans, about, are summed up at a time: so few that
// what they touch stays in the cache.
const sliceSpans = 1 << 11

// threadLead is how many slices the threads are summed up ahead of the devices.
// A launch comes before what it launched, but the two clocks may differ by tens
// of milliseconds.
const threadLead = 32

// add sums up all spans that begin before until and drops them.
func (s *traceSum) add(until int64) {
	if !s.begun {
		s.begin()
	}
	s.markNames()
	s.sort()
	for _, t := range s.order {
		t.launches = nil // of a step whose place may have changed
	}
	last := min(until, s.log.Last+1)
	pieces := int64(s.log.N/max(sliceSpans, len(s.log.Tracks)) + 1)
	at := max(s.done, s.log.First)
	step := max((last-at)/pieces, 1)
	for at < last {
		at += min(step, last-at)
		if last-at < step {
			at = last
		}
		s.sumThreads(at)
		s.sumDevices(at - threadLead*step)
		s.links.forget()
	}
	s.sumThreads(until)
	s.sumDevices(until)
	s.log.Kept = s.log.N
	s.done = until
}

func (s *traceSum) sort() {
	slices.SortFunc(s.log.Steps, func(a, b model.TraceStep) int { return cmp.Compare(a.From, b.From) })
	for _, t := range s.log.Tracks {
		if !t.Sorted {
			t.Spans.Sort()
			t.Sorted = true
		}
	}
}

// sumThreads sums up the calls that begin before until.
func (s *traceSum) sumThreads(until int64) {
	for _, t := range s.log.Tracks {
		if t.Device {
			continue
		}
		th := s.thread(t.TrackKey)
		for list := s.log.Take(t, until); len(list) > 0; list = s.log.Take(t, until) {
			for _, x := range list {
				s.span(th, x)
			}
		}
	}
}

func (s *traceSum) sumDevices(until int64) {
	for _, t := range s.log.Tracks {
		if !t.Device {
			continue
		}
		d := s.device(t.PID)
		for list := s.log.Take(t, until); len(list) > 0; list = s.log.Take(t, until) {
			d.take(t.TID, list)
		}
	}
	for _, d := range s.devices {
		s.sweep(d)
	}
}
