package ingest

import (
	"cmp"
	"maps"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// QueueJSONL reads the counters of queue-csv as JSON, one object a line.
var QueueJSONL = &Format{
	Name:   "queue-jsonl",
	Doc:    "queue counters or depth as JSON, one object a line and reading, under the names of queue-csv, or with an object or a list of them under a key that names queues; NaN and null are missing",
	Record: `from the training process, at 10 Hz, to queue.jsonl: {"ts":…,"queue":…,"depth":…,"capacity":…,"min_ready":…,"puts_total":…,"gets_total":…,"put_wait_seconds_total":…,"get_wait_seconds_total":…}`,
	Detect: detectQueueJSONL,
	Parse:  parseQueueJSONL,
	Parts:  true,
}

// detectQueueJSONL wants a time and a depth, that of an object under a queue's name
// as well, and nothing that a log has.
func detectQueueJSONL(_ string, head []byte) bool {
	time, depth, inside := false, false, false
	for key, first := range jsonHead(head) {
		switch key {
		case "event", "level", "levelname", "message", "msg", "loss", "step", "_step", "gpus", "query_time", "log":
			return false
		}
		c := queueColumn(key)
		nested := first == '{' || first == '['
		time = time || c.col == model.QueueT && !nested
		depth = depth || c.col == model.QueueDepth && !nested
		inside = inside || nested && namesQueue(key)
	}
	return time && (depth || inside && depthInside(head))
}

func parseQueueJSONL(src *Source, out *model.RunBuilder) error {
	p := &queueJSONParser{src: src, out: out, cols: map[string]queueCell{}}
	return jsonLines(src, out, p.line)
}

type queueJSONParser struct {
	src   *Source
	out   *model.RunBuilder
	stamp scan.Stamp
	cols  map[string]queueCell
}

// column returns what a key is; inside an object under a queue's name it may be
// short: size, or name.
func (p *queueJSONParser) column(key string, inside bool) queueCell {
	full := key
	if inside {
		full = "queue." + key
	}
	c, ok := p.cols[full]
	if !ok {
		if c = queueColumn(key); inside {
			c = insideColumn(key)
		}
		if len(p.cols) < 1000 {
			p.cols[full] = c
		}
	}
	return c
}

// unread are the keys that are not read, in order.
func (p *queueJSONParser) unread() (names []string) {
	for _, key := range slices.Sorted(maps.Keys(p.cols)) {
		if p.cols[key].col < 0 {
			names = append(names, clip([]byte(key)))
		}
	}
	return names
}

// A queueLine is the readings in one object: its own, and those of the objects in
// it that stand under a queue's name.
type queueLine struct {
	queueReading
	when   smiWhen
	bad    []byte                    // a time that could not be read
	prefix [model.QueueEpoch + 1]int // of the names that gave the values
	inside []*queueLine
}

func (p *queueJSONParser) line(j *jsonCursor) bool {
	q := &queueLine{queueReading: queueReading{line: p.src.Line(), off: p.src.Offset()}}
	p.object(j, q, false, 0)
	switch {
	case j.err != nil:
		return false
	case q.off == 0:
		noteColumns(p.out, p.unread()) // those of the first line: parts of a file must not differ
	}
	list := q.list(nil)
	if len(list) == 0 {
		list = []*queueLine{q}
	}
	for _, x := range list {
		x.inherit(q)
		if x.when.kind == model.ClockNone {
			p.src.Reject("time %q, want epoch seconds or YYYY-MM-DDTHH:MM:SS", clip(x.bad))
			return false
		}
	}
	for _, x := range list {
		x.write(p.out, x.when)
	}
	return true
}

// object reads the members of an object into q. queue says that it stands under a
// queue's name.
func (p *queueJSONParser) object(j *jsonCursor, q *queueLine, queue bool, depth int) {
	j.members(func(key string) {
		switch c := j.next(); {
		case c != '{' && c != '[':
			p.member(key, p.column(key, queue), j.cell(), q)
		case depth < mostNested && (queue || namesQueue(key)):
			p.nested(j, key, q, depth+1)
		default:
			p.column(key, queue)
			j.skip()
		}
	})
}

// mostNested is how deep objects are looked into.
const mostNested = 3

// nested reads the object or the list of objects under a key.
func (p *queueJSONParser) nested(j *jsonCursor, key string, q *queueLine, depth int) {
	each := func() {
		if j.next() != '{' {
			j.skip()
			return
		}
		x := &queueLine{queueReading: queueReading{line: q.line, off: q.off}}
		if !plainQueueName(key) {
			x.name = key
		}
		p.object(j, x, true, depth)
		q.inside = append(q.inside, x)
	}
	if j.next() == '[' {
		j.elements(each)
	} else {
		each()
	}
}

// inherit takes what the whole line says where x says nothing.
func (q *queueLine) inherit(whole *queueLine) {
	q.host, q.role, q.worker = cmp.Or(q.host, whole.host), cmp.Or(q.role, whole.role), cmp.Or(q.worker, whole.worker)
	if q.when.kind == model.ClockNone {
		q.when, q.bad = whole.when, whole.bad
	}
}

// counts reports whether a queue's depth or counters were read: settings alone are
// no reading.
func (q *queueLine) counts() bool {
	return q.has[model.QueueDepth] || q.has[model.QueuePuts] || q.has[model.QueueGets] || q.has[model.QueuePutWait] || q.has[model.QueueGetWait]
}

// list appends the readings of a line.
func (q *queueLine) list(to []*queueLine) []*queueLine {
	for _, x := range q.inside {
		to = x.list(to)
	}
	if q.counts() {
		to = append(to, q)
	}
	return to
}

func (p *queueJSONParser) member(key string, c queueCell, cell []byte, q *queueLine) {
	switch {
	case queueNumber(c.col) && q.has[c.col] && q.prefix[c.col] < c.prefix:
	case c.col == model.QueueT && q.when.kind == model.ClockNone:
		q.when, _ = wholeTime(&p.stamp, cell)
		q.bad = cell
	case queueNumber(c.col):
		v, ok := scan.Float(cell)
		if ok {
			q.set(c.col, v*c.scale)
			q.prefix[c.col] = c.prefix
		} else if !missing(cell) {
			p.src.oddCell("%s %q, want a number", key, clip(cell))
		}
	case c.col == model.QueueName:
		q.name = string(cell)
	case c.col == model.QueueHost:
		q.host = string(cell)
	case c.col == model.QueueRole:
		q.role = string(cell)
	case c.col == model.QueueWorker:
		q.worker = string(cell)
	}
}
