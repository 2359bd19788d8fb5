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
	for i := range q.cells {
		n, ok := 0, true
		switch col := q.cells[i].col; {
		case i == q.clock:
			n = q.cellEnd(line)
			t, kind, ok = q.time(line[:n])
		case col == -1 || col == model.QueueT:
			n = q.cellEnd(line)
		case textColumn(col):
			n = q.cellEnd(line)
			ok = q.last[i].name(q.out.Strings, line[:n])
		default:
			q.last[i].v, n = scan.Decimal(line)
			ok = n > 0
		}
		end := i == len(q.cells)-1
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

func (q *queueParser) commit(t int64, kind model.ClockKind) {
	b := q.add(t, kind)
	for i, c := range q.cells {
		switch {
		case c.col == -1 || c.col == model.QueueT:
		case textColumn(c.col):
			b.SetText(c.col, q.last[i].code)
		default:
			b.SetFloat(c.col, q.last[i].v*c.scale)
		}
	}
}
