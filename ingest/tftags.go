package ingest

import "tidemark/model"

// tagSessions numbers the runs of the process in a file where each tag, or each
// rank, counts steps by itself: some by step, some by epoch, some not at all. A session
// begins where the writer has said START and the steps are not beyond all
// others, or where the steps of one tag fall.
type tagSessions struct {
	number    int64
	highest   int64 // step of any tag
	announced bool
	tags      map[int32]*tagSteps
}

// tagSteps are the steps of one tag in a session.
type tagSteps struct {
	steps   sheetSession
	session int64
}

func (s *tagSessions) next(tag int32, step int64, epoch float64) {
	if s.announced && step <= s.highest && len(s.tags) > 0 {
		s.number, s.highest = s.number+1, step
	}
	s.announced = false
	t := s.tags[tag]
	switch {
	case t == nil && len(s.tags) >= maxSheetNames:
		return
	case t == nil:
		t = &tagSteps{session: s.number}
		s.tags[tag] = t
	case t.session != s.number:
		*t = tagSteps{session: s.number}
	}
	was := t.steps.number
	if t.steps.next(step, epoch); t.steps.number != was {
		s.number++
		t.session, s.highest = s.number, step
	}
	s.highest = max(s.highest, step)
}

// A heldQueue joins what events of one step say of queues, each one number: the
// depth, the capacity, the counters.
type heldQueue struct {
	queue sheetQueue
	step  int64
	t     int64
	at    int64
}

// gather takes what the record in work says of queues. A greater step, or
// another depth, ends the reading.
func (h *heldQueue) gather(m *metricSheet, at int64) {
	held := len(h.queue.list) > 0
	if held && (m.step > h.step || len(m.queue.list) > 0 && (m.step != h.step || m.queue.depth(&h.queue))) {
		h.release(m.out)
		held = false
	}
	if len(m.queue.list) == 0 || !m.hasT {
		return
	}
	if !held || m.queue.depth(nil) {
		h.t, h.at = m.t, at
	}
	h.step = m.step
	h.queue.join(&m.queue)
	m.queue.list = m.queue.list[:0]
}

func (h *heldQueue) release(out *model.RunBuilder) {
	h.queue.rows(out, h.t, 0, 0, h.at)
	h.queue.list = h.queue.list[:0]
}
