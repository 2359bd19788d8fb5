package ingest

import (
	"slices"
	"strings"

	"tidemark/model"
)

// A sheetQueue is what the record in work says of queues.
type sheetQueue struct{ list []sheetReading }

// A sheetReading is the reading of one queue.
type sheetReading struct {
	name  int32 // code, 0 for none
	alone bool  // the depth's name says that it is a queue's
	gauge bool  // the depth is one of a name that counts less
	v     [model.QueueEpoch + 1]float64
	has   [model.QueueEpoch + 1]bool
}

// of returns the reading of a queue, a new one where there is none.
func (q *sheetQueue) of(name int32) *sheetReading {
	i := slices.IndexFunc(q.list, func(r sheetReading) bool { return r.name == name })
	if i < 0 {
		i = len(q.list)
		q.list = append(q.list, sheetReading{name: name})
	}
	return &q.list[i]
}

func (r *sheetReading) set(col int, v float64) { r.v[col], r.has[col] = v, true }

func (q *sheetQueue) take(n sheetName, v float64) {
	r := q.of(n.which)
	switch {
	case n.total > 0:
		r.set(n.total, v*n.totalScale)
	case n.queue == queueCapacity:
		r.set(model.QueueCapacity, v)
	case n.queue == queueMinReady:
		r.set(model.QueueMinReady, v)
	case r.alone && !n.alone, n.queue == queueGauge && r.has[model.QueueDepth] && !r.gauge:
		return // the better name counts
	default:
		r.set(model.QueueDepth, v)
		r.alone, r.gauge = n.alone && n.queue == queueDepth, n.queue == queueGauge
	}
}

// depth reports whether there is a depth, of the queues in names or of any.
func (q *sheetQueue) depth(of *sheetQueue) bool {
	for i := range q.list {
		r := &q.list[i]
		if r.has[model.QueueDepth] && (of == nil || of.of(r.name).has[model.QueueDepth]) {
			return true
		}
	}
	return false
}

// join takes what another record of the same moment says.
func (q *sheetQueue) join(o *sheetQueue) {
	for i := range o.list {
		from := &o.list[i]
		to := q.of(from.name)
		if from.has[model.QueueDepth] {
			to.alone, to.gauge = from.alone, from.gauge
		}
		for col, ok := range from.has {
			if ok {
				to.set(col, from.v[col])
			}
		}
	}
}

// share gives what names no queue to the only one that has a name.
func (q *sheetQueue) share() {
	bare := slices.IndexFunc(q.list, func(r sheetReading) bool { return r.name == 0 })
	if bare < 0 || len(q.list) != 2 || q.list[bare].has[model.QueueDepth] {
		return
	}
	r, only := q.list[bare], &q.list[1-bare]
	for col, ok := range r.has {
		if ok && !only.has[col] {
			only.set(col, r.v[col])
		}
	}
}

// rows writes a reading of each queue that has one: a depth whose name says so,
// or any with a capacity beside it. A size alone may be a setting.
func (q *sheetQueue) rows(out *model.RunBuilder, t int64, worker int32, line int, off int64) {
	q.share()
	for i := range q.list {
		r := &q.list[i]
		if !r.has[model.QueueDepth] || !r.has[model.QueueCapacity] && !r.alone {
			continue
		}
		b := out.Queue.Add(line, off)
		b.SetInt(model.QueueT, t)
		if r.name != 0 {
			b.SetText(model.QueueName, r.name)
		}
		if worker != 0 {
			b.SetText(model.QueueWorker, worker)
		}
		for col, ok := range r.has {
			if ok {
				b.SetFloat(col, r.v[col])
			}
		}
	}
}

// A sheetQueueName is what a name says of a queue.
type sheetQueueName struct {
	role  queueRole
	queue string
	alone bool
	total int // column of a counter, 0 for none
	scale float64
}

// queueOf reads a name: hs_queue_depth, queue/hs/depth, hs_queue/size,
// queue/hs_capacity, put_wait_seconds_total, or put_wait_s where counters are
// known to be among the names.
func queueOf(key string, counters bool) sheetQueueName {
	low := strings.ToLower(underscored(key, " -."))
	rest, last := cutPath(low)
	above, parent := cutPath(rest)
	name, inside := queueWord(parent)
	if _, top := cutPath(above); !inside && parent != "" && (top == "queue" || top == "queues") {
		name, inside = parent, true
	}
	if c := queueColumn(last); (counters || strings.HasSuffix(last, "_total")) && totalColumns[c.col] {
		return sheetQueueName{queue: totalQueue(last, name), total: c.col, scale: c.scale}
	}
	role, queue := queueKey(low, parent)
	if role == queueNothing {
		role, queue = queueSuffix(last, inside)
	}
	if queue == "" {
		queue = name
	}
	return sheetQueueName{role: role, queue: queue, alone: inside || last != "depth" && last != "qsize"}
}

// totalColumns are the columns of counters.
var totalColumns = map[int]bool{
	model.QueuePuts: true, model.QueueGets: true, model.QueuePutWait: true, model.QueueGetWait: true, model.QueueInputWait: true, model.QueueDrops: true,
}

// totalQueue takes a queue's name from the front of a counter's.
func totalQueue(last, name string) string {
	if i := strings.Index(last, "queue_"); i >= 0 {
		if q, ok := queueWord(last[:i+len("queue")]); ok {
			return q
		}
	}
	return name
}

// queueSuffix reads hs_queue_capacity and, inside of queue/, hs_depth.
func queueSuffix(last string, inside bool) (queueRole, string) {
	for end, role := range map[string]queueRole{"_capacity": queueCapacity, "_maxsize": queueCapacity, "_max_size": queueCapacity, "_min_ready": queueMinReady, "_depth": queueDepth, "_size": queueGauge} {
		front, ok := strings.CutSuffix(last, end)
		if !ok {
			continue
		}
		if queue, ok := queueWord(front); ok {
			return role, queue
		}
		if inside && front != "max" {
			return role, front
		}
	}
	return queueNothing, ""
}

func cutPath(s string) (before, last string) {
	i := strings.LastIndexByte(s, '/')
	return s[:max(i, 0)], s[i+1:]
}
