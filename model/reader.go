package model

// A Reader reads the rows of one batch after another. It spreads the columns
// that are read out, once a batch: a cell is then an array access, where a packed
// one is a call.
type Reader struct {
	*Batch
	want   []int
	cols   []column
	ints   [][]int64 // memory, by column, as the two below
	floats [][]float64
	codes  [][]int32
	// memory for columns of a record, by the row
	rowInts  [][]int64
	rowCodes [][]int32
	// memory for offsets, by the cell and by the record
	offs       []int64
	recordOffs []int64
}

// NewReader returns a reader of columns of tables with a spec.
func NewReader(s *Spec, columns ...int) *Reader {
	n := len(s.Columns)
	return &Reader{want: columns, cols: make([]column, n), ints: make([][]int64, n), floats: make([][]float64, n), codes: make([][]int32, n), rowInts: make([][]int64, n), rowCodes: make([][]int32, n)}
}

// Read goes on with a batch, of which only the reader's columns may be read.
func (r *Reader) Read(b *Batch) {
	r.Batch = b
	for _, k := range r.want {
		c := b.cols[k]
		switch kind := b.spec.Columns[k].Kind; {
		case c.float != nil:
			c.f = sized(&r.floats[k], b.n)
			c.float.into(c.f)
		case c.ints != nil && kind == Text:
			c.c = sized(&r.codes[k], b.cells(&c))
			c.ints.codesInto(c.c)
			gap(&c, c.c, 0)
		case c.ints != nil:
			c.i = sized(&r.ints[k], b.cells(&c))
			c.ints.into(c.i)
		}
		r.cols[k] = c
	}
}

func sized[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	return (*buf)[:n]
}

// RecordBytes returns the offset of each record in its file.
func (r *Reader) RecordBytes() []int64 {
	c, offs := &r.byte, r.byte.i
	if offs == nil {
		offs = sized(&r.offs, r.cells(c))
		c.ints.into(offs)
	}
	if c.rec == nil && r.rec != nil {
		return firstCells(&r.recordOffs, offs, r.rec.from)
	}
	return offs[:r.cells(c)]
}

// Int returns an Int cell; ok is false where it is missing.
func (r *Reader) Int(col, row int) (v int64, ok bool) {
	c := &r.cols[col]
	at := c.cell(row)
	if !c.has(at) {
		return 0, false
	}
	return c.i[at], true
}

// RecordInt returns an Int cell of a record, that of its first row; ok is false where it is
// missing.
func (r *Reader) RecordInt(col, record int) (v int64, ok bool) {
	c := &r.cols[col]
	if record = r.recordCell(c, record); !c.has(record) {
		return 0, false
	}
	return c.i[record], true
}

// RecordText returns the code in a Text cell of a record, as RecordInt does.
func (r *Reader) RecordText(col, record int) (code int32, ok bool) {
	c := &r.cols[col]
	if record = r.recordCell(c, record); !c.has(record) {
		return 0, false
	}
	return c.c[record], true
}

// Float returns a Float cell; ok is false where it is missing.
func (r *Reader) Float(col, row int) (v float64, ok bool) {
	c := &r.cols[col]
	if !c.has(row) {
		return 0, false
	}
	return c.f[row], true
}

// Text returns the code in a Text cell; ok is false where it is missing.
func (r *Reader) Text(col, row int) (code int32, ok bool) {
	c := &r.cols[col]
	at := c.cell(row)
	if !c.has(at) {
		return 0, false
	}
	return c.c[at], true
}

// Texts returns the codes of a Text column, one a row, nil where no row of the
// batch has it. Where a cell is missing, there is 0.
func (r *Reader) Texts(col int) []int32 {
	c := &r.cols[col]
	switch {
	case c.c == nil:
		return nil
	case c.rec == nil:
		return c.c[:r.n]
	}
	rows := sized(&r.rowCodes[col], r.n)
	gather(rows, c.c, c.rec)
	return rows
}

// firstCells returns the cell of the first row of each record.
func firstCells[T any](buf *[]T, cells []T, from []uint16) []T {
	first := sized(buf, len(from))
	for k, r := range from {
		first[k] = cells[r]
	}
	return first
}

// Ints returns the cells of an Int column, nil where one is missing.
func (r *Reader) Ints(col int) []int64 {
	c := &r.cols[col]
	switch {
	case c.set < r.cells(c) || c.i == nil:
		return nil
	case c.rec == nil:
		return c.i[:r.n]
	}
	rows := sized(&r.rowInts[col], r.n)
	gather(rows, c.i, c.rec)
	return rows
}

// Floats returns the cells of a Float column, nil where one is missing.
func (r *Reader) Floats(col int) []float64 {
	if c := &r.cols[col]; c.set == r.n {
		return c.f[:r.n]
	}
	return nil
}
