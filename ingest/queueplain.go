package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// plain reads a row of plain numbers, as nearly all are, in one pass over the line.
// It reports false, and adds nothing, where any cell is something else: row says
// what then.
func (q *queueParser) plain(line []byte) bool {
	if q.clock < 0 || q.src.Cut() {
		return false
	}
	var t int64
	var kind model.ClockKind
	for i := range q.last {
		c, n, ok := &q.last[i], 0, true
		switch c.kind {
		case numberCell:
			c.v, n = scan.Decimal(line)
			ok = n > 0
		case clockCell:
			if t, n = q.epoch.Lead(line); n > 0 {
				kind = model.ClockUTC
			} else {
				n = q.cellEnd(line)
				t, kind, ok = q.time(line[:n])
			}
		case textCell:
			if n = len(c.text); n == 0 || n >= len(line) || line[n] != q.sep || !bytes.Equal(line[:n], c.text) {
				n = q.cellEnd(line)
				ok = c.name(q.out.Strings, line[:n])
			}
		default:
			n = q.cellEnd(line)
		}
		end := i == len(q.last)-1
		if !ok || end != (n == len(line)) || !end && line[n] != q.sep {
			return false
		}
		if !end {
			line = line[n+1:]
		}
	}
	q.commit(t, kind)
	return true
}

func (q *queueParser) cellEnd(line []byte) int {
	if n := bytes.IndexByte(line, q.sep); n >= 0 {
		return n
	}
	return len(line)
}

func textColumn(col int) bool {
	switch col {
	case model.QueueName, model.QueueHost, model.QueueRole, model.QueueWorker:
		return true
	}
	return false
}

// name reads a text cell, most of which are as in the row before. It reports false
// where there is nothing, or more than the name.
func (r *queueRead) name(pool *model.Strings, cell []byte) bool {
	if len(cell) == 0 || cell[0] == '"' || len(scan.Trim(cell)) < len(cell) {
		return false
	}
	if r.text == nil || !bytes.Equal(cell, r.text) {
		r.text, r.code = append(r.text[:0], cell...), pool.CodeBytes(cell)
	}
	return true
}

// commit adds the row in work to those that wait.
func (q *queueParser) commit(t int64, kind model.ClockKind) {
	b := q.block
	b.Row(q.src.Line(), q.src.Offset())
	b.Int(0, t)
	for i := range q.last {
		switch c := &q.last[i]; c.kind {
		case numberCell:
			b.Float(c.at, c.v*c.scale)
		case textCell:
			b.Text(c.at, c.code)
		}
	}
	q.out.File.Clock.Kind = max(q.out.File.Clock.Kind, kind)
	q.out.Claim(1)
}

// flush puts the rows that wait into the table.
func (q *queueParser) flush() {
	if q.block != nil {
		q.block.Flush()
	}
}
