package ingest

import (
	"bytes"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// QueueCSV reads counters of a bounded queue, one row per reading.
var QueueCSV = &Format{
	Name:   "queue-csv",
	Doc:    "queue counters or depth as CSV, one row per reading: time, depth, and whatever of capacity, min_ready, puts, gets and waits there is",
	Record: "from the training process, at 10 Hz, to queue.csv: timestamp,queue,depth,capacity,min_ready,puts_total,gets_total,put_wait_seconds_total,get_wait_seconds_total",
	Detect: detectQueueCSV,
	Sure:   true,
	Parse:  parseQueueCSV,
	Parts:  true,
}

func detectQueueCSV(_ string, head []byte) bool {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimRight(line, "\r \t")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		_, _, ok := queueHeader(line)
		return ok && len(line) < 4096 && !trainerHeader(line)
	}
	return false
}

func parseQueueCSV(src *Source, out *model.RunBuilder) error {
	q := &queueParser{src: src, out: out, clock: -1}
	if src.Header != "" {
		cells, sep, _ := queueHeader([]byte(src.Header))
		q.bind(cells, sep)
	}
	defer q.flush()
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		for len(line) > 0 && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
			line = line[:len(line)-1]
		}
		switch {
		case len(line) == 0 || line[0] == '#':
			out.Skip(1)
		case line[0]-'0' > 9 && q.header(line):
			out.Skip(1)
		case !q.plain(line):
			q.row(line)
		}
	}
}

type queueParser struct {
	src   *Source
	out   *model.RunBuilder
	cells []queueCell
	sep   byte
	stamp scan.Stamp
	clock int         // the cell with the time, -1 for none
	last  []queueRead // by cell, of the row in work or the one before
	epoch scan.EpochReader
	block *model.RowBlock // of plain rows
	cut   [][]byte        // the cells of the row in work
}

// A queueRead is how a cell of a plain row is read, and what as.
type queueRead struct {
	kind  cellKind
	at    int // in the block, of a number or text
	scale float64
	v     float64
	text  []byte
	code  int32 // of text
}

// A cellKind is what a plain row has in a cell.
type cellKind uint8

const (
	numberCell cellKind = iota
	clockCell
	textCell
	unreadCell
)

func (q *queueParser) kindOf(i int) cellKind {
	switch col := q.cells[i].col; {
	case i == q.clock:
		return clockCell
	case col == -1 || col == model.QueueT:
		return unreadCell
	case textColumn(col):
		return textCell
	}
	return numberCell
}

func (q *queueParser) bind(cells []queueCell, sep byte) {
	q.flush()
	q.cells, q.sep, q.last = cells, sep, make([]queueRead, len(cells))
	q.clock = slices.IndexFunc(cells, func(c queueCell) bool { return c.col == model.QueueT })
	columns := []int{model.QueueT}
	for i, c := range cells {
		r := queueRead{kind: q.kindOf(i), scale: c.scale}
		if r.kind == numberCell || r.kind == textCell {
			r.at, columns = len(columns), append(columns, c.col)
		}
		q.last[i] = r
	}
	q.block = model.NewRowBlock(q.out.Queue, columns...)
}

// header binds a header line, the first or a later one.
func (q *queueParser) header(line []byte) bool {
	cells, sep, ok := queueHeader(line)
	if ok {
		q.bind(cells, sep)
		q.src.Bind(string(line))
		noteColumns(q.out, unreadColumns(line, cells, sep))
	}
	return ok
}

// row reads one line of values. A row needs its time and depth; any other
// cell may be missing.
func (q *queueParser) row(line []byte) {
	q.flush()
	q.cut = q.cut[:0]
	for c := (csvCells{rest: line, sep: q.sep}); c.next(); {
		q.cut = append(q.cut, c.cell)
	}
	if n := len(q.cut); n != len(q.cells) {
		q.src.Reject("%d cells, want %d as in the header", n, len(q.cells))
		return
	}
	if q.clock < 0 {
		return
	}
	t, kind, ok := q.time(q.cut[q.clock])
	if !ok {
		q.src.Reject("time %q in cell %d, want epoch seconds or YYYY-MM-DD HH:MM:SS", clip(q.cut[q.clock]), q.clock+1)
		return
	}
	b := q.add(t, kind)
	for i, cell := range q.cut {
		q.value(b, i, cell)
	}
}

// value sets the cell of a row, but for its time.
func (q *queueParser) value(b *model.Batch, i int, cell []byte) {
	c := q.cells[i]
	switch {
	case c.col == -1 || c.col == model.QueueT:
		return
	case textColumn(c.col):
		if len(cell) > 0 {
			b.SetText(c.col, q.out.Strings.CodeBytes(cell))
		}
		return
	}
	v, ok := scan.Float(cell)
	switch {
	case ok && !(i == len(q.cells)-1 && q.src.Cut()):
		b.SetFloat(c.col, v*c.scale)
	case !ok && !missing(cell):
		q.src.oddCell("cell %d %q, want a number", i+1, clip(cell))
	}
}

// add begins a row at a time. Only a row says what clock the file has.
func (q *queueParser) add(t int64, kind model.ClockKind) *model.Batch {
	b := q.out.Queue.Add(q.src.Line(), q.src.Offset())
	b.SetInt(model.QueueT, t)
	q.out.File.Clock.Kind = max(q.out.File.Clock.Kind, kind)
	q.out.Claim(1)
	return b
}

func (q *queueParser) time(cell []byte) (t int64, kind model.ClockKind, ok bool) {
	if t, ok = q.epoch.Read(cell); ok {
		return t, model.ClockUTC, true
	}
	t, n, zoned, ok := q.stamp.DateTime(cell)
	return t, clockKind(zoned), ok && n == len(cell)
}

// missing reports whether a cell is one of the ways to say "no value".
func missing(cell []byte) bool {
	switch string(cell) {
	case "", "-", "N/A", "n/a", "NA", "nan", "NaN", "null", "None", "none", "?":
		return true
	}
	return len(cell) > 1 && cell[0] == '['
}

// clip is a piece of input short enough for a message.
func clip(b []byte) string {
	if len(b) > 60 {
		return string(b[:57]) + "..."
	}
	return string(b)
}
