package ingest

import "tidemark/model"

// A sheetQueue is the reading of a queue in the record in work.
type sheetQueue struct {
	has                  [queueGauge + 1]bool
	depth, capacity, min float64
	name                 int32
	alone                bool
}

func (q *sheetQueue) take(n sheetName, v float64) {
	switch {
	case n.queue == queueCapacity:
		q.capacity = v
	case n.queue == queueMinReady:
		q.min = v
	case q.alone && !n.alone, n.queue == queueGauge && q.has[queueDepth]:
		return // the better name counts
	default:
		q.depth, q.name, q.alone = v, n.which, n.alone && n.queue == queueDepth
	}
	q.has[n.queue] = true
}

// row writes the reading of a queue, where the record has one: a depth whose
// name says so, or any with a capacity beside it. A size alone may be a setting.
func (q *sheetQueue) row(m *metricSheet, line int, off int64) {
	if !q.has[queueDepth] && !q.has[queueGauge] || !q.has[queueCapacity] && !q.alone || !m.hasT {
		return
	}
	b := m.out.Queue.Add(line, off)
	b.SetInt(model.QueueT, m.t)
	if q.name != 0 {
		b.SetText(model.QueueName, q.name)
	}
	b.SetFloat(model.QueueDepth, q.depth)
	if q.has[queueCapacity] {
		b.SetFloat(model.QueueCapacity, q.capacity)
	}
	if q.has[queueMinReady] {
		b.SetFloat(model.QueueMinReady, q.min)
	}
}
