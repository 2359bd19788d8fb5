package ingest

import (
	"maps"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// QueueJSONL reads the counters of queue-csv as JSON, one object a line.
var QueueJSONL = &Format{
	Name:   "queue-jsonl",
	Doc:    "queue counters or depth as JSON, one object a line and reading, under the names of queue-csv; NaN and null are missing",
	Record: `from the training process, at 10 Hz, to queue.jsonl: {"ts":…,"queue":…,"depth":…,"capacity":…,"min_ready":…,"puts_total":…,"gets_total":…,"put_wait_seconds_total":…,"get_wait_seconds_total":…}`,
	Detect: detectQueueJSONL,
	Parse:  parseQueueJSONL,
	Parts:  true,
}

// detectQueueJSONL wants a time and a depth, and nothing that a log has.
func detectQueueJSONL(_ string, head []byte) bool {
	time, depth := false, false
	for key, first := range jsonHead(head) {
		switch key {
		case "event", "level", "levelname", "message", "msg", "loss", "step", "_step", "gpus", "query_time", "log":
			return false
		}
		c := queueColumn(key)
		time = time || c.col == model.QueueT
		depth = depth || c.col == model.QueueDepth && first != '{' && first != '['
	}
	return time && depth
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

func (p *queueJSONParser) column(key string) queueCell {
	c, ok := p.cols[key]
	if !ok {
		c = queueColumn(key)
		if len(p.cols) < 1000 {
			p.cols[key] = c
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

func (p *queueJSONParser) line(j *jsonCursor) bool {
	q := queueReading{line: p.src.Line(), off: p.src.Offset()}
	w := smiWhen{}
	bad := []byte(nil)
	prefix := [len(q.v)]int{} // of the names that gave the values
	j.members(func(key string) {
		c := p.column(key)
		cell := j.cell()
		switch {
		case queueNumber(c.col) && q.has[c.col] && prefix[c.col] < c.prefix:
		case c.col == model.QueueT && w.kind == model.ClockNone:
			w, _ = wholeTime(&p.stamp, cell)
			bad = cell
		case queueNumber(c.col):
			v, ok := scan.Float(cell)
			if ok {
				q.set(c.col, v*c.scale)
				prefix[c.col] = c.prefix
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
	})
	switch {
	case j.err != nil:
		return false
	case q.off == 0:
		noteColumns(p.out, p.unread()) // those of the first line: parts of a file must not differ
	}
	switch {
	case w.kind == model.ClockNone:
		p.src.Reject("time %q, want epoch seconds or YYYY-MM-DDTHH:MM:SS", clip(bad))
		return false
	}
	q.write(p.out, w)
	return true
}
