package ingest

import "tidemark/model"

// A queueReading collects what is said of one queue before its row is written.
type queueReading struct {
	line                     int
	off                      int64
	host, name, role, worker string
	v                        [model.QueueEpoch + 1]float64
	has                      [model.QueueEpoch + 1]bool
}

func (q *queueReading) set(col int, v float64) { q.v[col], q.has[col] = v, true }

// queueNumber reports whether a column of the queue table holds a number.
func queueNumber(col int) bool { return col >= model.QueueDepth }

// write adds the row, at the time w unless that is zero.
func (q *queueReading) write(out *model.RunBuilder, w smiWhen) {
	b := out.Queue.Add(q.line, q.off)
	if w.kind != model.ClockNone {
		b.SetInt(model.QueueT, w.t)
		out.File.Clock.Kind = max(out.File.Clock.Kind, w.kind)
	}
	for i, text := range [...]string{q.host, q.name, q.role, q.worker} {
		if text != "" {
			b.SetText(model.QueueHost+i, out.Strings.Code(text))
		}
	}
	for col, ok := range q.has {
		if ok {
			b.SetFloat(col, q.v[col])
		}
	}
}
