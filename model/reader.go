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
}

// NewReader returns a reader of columns of tables with a spec.
func NewReader(s *Spec, columns ...int) *Reader {
	n := len(s.Columns)
	return &Reader{want: columns, cols: make([]column, n), ints: make([][]int64, n), floats: make([][]float64, n), codes: make([][]int32, n)}
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
			c.c = sized(&r.codes[k], b.n)
			c.ints.codesInto(c.c)
			gap(&c, c.c, 0)
		case c.ints != nil:
			c.i = sized(&r.ints[k], b.n)
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

// Int returns an Int cell; ok is false where it is missing.
func (r *Reader) Int(col, row int) (v int64, ok bool) {
	c := &r.cols[col]
	if !c.has(row) {
		return 0, false
	}
	return c.i[row], true
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
	if !c.has(row) {
		return 0, false
	}
	return c.c[row], true
}

// Texts returns the codes of a Text column, one a row, nil where no row of the
// batch has it. Where a cell is missing, there is 0.
func (r *Reader) Texts(col int) []int32 {
	if c := &r.cols[col]; c.c != nil {
		return c.c[:r.n]
	}
	return nil
}

// Ints returns the cells of an Int column, nil where one is missing.
func (r *Reader) Ints(col int) []int64 {
	if c := &r.cols[col]; c.set == r.n {
		return c.i[:r.n]
	}
	return nil
}

// Floats returns the cells of a Float column, nil where one is missing.
func (r *Reader) Floats(col int) []float64 {
	if c := &r.cols[col]; c.set == r.n {
		return c.f[:r.n]
	}
	return nil
}
