package model

import "iter"

// A Kind is the physical type of a column.
type Kind uint8

// The kinds. Text cells are codes of the run's string pool.
const (
	Int Kind = iota
	Float
	Text
)

// A Column is one column of a table. Unit is empty for what has none.
type Column struct {
	Name, Unit string
	Kind       Kind
}

// A Spec is the shape of a table: its name and its own columns. Every row also
// has the position columns file, line and byte.
type Spec struct {
	Name    string
	Columns []Column
}

const (
	firstBatch = 1 << 10
	lastBatch  = 1 << 14 // of a table of unknown size
	mostBatch  = 1 << 16
)

// A Table is rows in batches. A batch belongs to one file. Columns that no row
// of a batch has set take no memory.
type Table struct {
	Spec    *Spec
	Batches []*Batch
	rows    int
	cur     *Batch
	dated   bool // what follows has a date of its own: see RunBuilder.Redate
	expect  int  // rows, 0 where nothing is known
}

// NewTable returns an empty table.
func NewTable(s *Spec) *Table { return &Table{Spec: s} }

// A Batch is up to 65,536 rows of one file.
type Batch struct {
	File int32 // index of the file in Run.Files
	Line []int32
	Byte []int64
	n    int
	size int
	cols []column

	dated bool
}

// A column has room for every row of its batch in one of i, f and c, or it has
// the value one in all rows.
type column struct {
	one   int64
	i     []int64
	f     []float64
	c     []int32
	set   int      // cells with a value
	valid []uint64 // which, nil while they are the first ones
	top   int32    // no code in c is higher
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Add begins a row at a position. All its cells are missing until they are set.
func (t *Table) Add(line int, off int64) *Batch {
	b := t.cur
	if b == nil || b.n == b.size {
		b = t.grow()
	}
	b.Line = append(b.Line, int32(line))
	b.Byte = append(b.Byte, off)
	b.n++
	t.rows++
	return b
}

// AddAll begins n rows, at most 256, at one position and returns their batch
// and the first of them.
func (t *Table) AddAll(n, line int, off int64) (b *Batch, first int) {
	if b = t.cur; b == nil || b.n+n > b.size {
		if b != nil {
			b.size = b.n
		}
		b = t.grow()
	}
	first = b.n
	for range n {
		b.Line, b.Byte = append(b.Line, int32(line)), append(b.Byte, off)
	}
	b.n += n
	t.rows += n
	return b, first
}

func (t *Table) grow() *Batch {
	size := firstBatch
	if t.cur != nil {
		size = min(max(4*t.cur.size, firstBatch), lastBatch)
	}
	if left := t.expect - t.rows; left > size {
		size = min(left, mostBatch)
	}
	b := &Batch{size: size, dated: t.dated, cols: make([]column, len(t.Spec.Columns)), Line: make([]int32, 0, size), Byte: make([]int64, 0, size)}
	t.cur = b
	t.Batches = append(t.Batches, b)
	return b
}

// redate ends the batch in work, so that a batch is dated as a whole.
func (t *Table) redate() {
	if t.cur != nil {
		t.cur.trim()
	}
	t.cur, t.dated = nil, true
}

// Rows returns the number of rows in the batch.
func (b *Batch) Rows() int { return b.n }

// SetInt sets an Int cell of the last row.
func (b *Batch) SetInt(col int, v int64) {
	c, r := &b.cols[col], b.n-1
	if c.i == nil {
		c.spread(b.size)
	}
	c.i[r] = v
	c.mark(r)
}

// PutInt sets an Int cell of any row, for what is known only after later rows
// were read.
func (b *Batch) PutInt(col, row int, v int64) {
	c := &b.cols[col]
	if c.i == nil {
		c.spread(b.size)
	}
	c.i[row] = v
	c.mark(row)
}

// SetFloat sets a Float cell of the last row.
func (b *Batch) SetFloat(col int, v float64) {
	c, r := &b.cols[col], b.n-1
	if c.f == nil {
		c.f = make([]float64, b.size)
	}
	c.f[r] = v
	c.mark(r)
}

// SetText sets a Text cell of the last row to a code of the pool.
func (b *Batch) SetText(col int, code int32) {
	c, r := &b.cols[col], b.n-1
	if c.c == nil {
		c.c = make([]int32, b.size)
	}
	c.c[r], c.top = code, max(c.top, code)
	c.mark(r)
}

// PutText sets a Text cell of any row, for what is known only after reading.
func (b *Batch) PutText(col, row int, code int32) {
	c := &b.cols[col]
	if c.c == nil {
		c.c = make([]int32, b.size)
	}
	c.c[row], c.top = code, max(c.top, code)
	c.mark(row)
}

// Has reports whether the batch has any value in a column.
func (b *Batch) Has(col int) bool { return b.cols[col].set > 0 }

// OK reports whether a cell has a value.
func (b *Batch) OK(col, row int) bool {
	return b.cols[col].has(row)
}

// Ints returns the cells of an Int column, nil where one is missing.
func (b *Batch) Ints(col int) []int64 {
	c := &b.cols[col]
	if c.set < b.n {
		return nil
	}
	return c.ints(b.n)
}

// Floats returns the cells of a Float column, nil where one is missing.
func (b *Batch) Floats(col int) []float64 {
	c := &b.cols[col]
	if c.set < b.n {
		return nil
	}
	return c.f[:b.n]
}

// Times are the times of the rows that have one, in the order of the rows.
func (b *Batch) Times() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if all := b.Ints(0); all != nil {
			for _, t := range all {
				if !yield(t) {
					return
				}
			}
			return
		}
		for r := range b.n {
			if t, ok := b.Int(0, r); ok && !yield(t) {
				return
			}
		}
	}
}

// Int returns an Int cell; ok is false where it is missing.
func (b *Batch) Int(col, row int) (v int64, ok bool) {
	if !b.OK(col, row) {
		return 0, false
	}
	if c := &b.cols[col]; c.i != nil {
		return c.i[row], true
	}
	return b.cols[col].one, true
}

// Float returns a Float cell; ok is false where it is missing.
func (b *Batch) Float(col, row int) (v float64, ok bool) {
	if !b.OK(col, row) {
		return 0, false
	}
	return b.cols[col].f[row], true
}

// Text returns the code in a Text cell; ok is false where it is missing.
func (b *Batch) Text(col, row int) (code int32, ok bool) {
	if !b.OK(col, row) {
		return 0, false
	}
	return b.cols[col].c[row], true
}

// Shift adds d to the values of an Int column, for a batch whose clock or line
// numbers were found after it was read.
func (b *Batch) Shift(col int, d int64) {
	if d == 0 {
		return
	}
	c := &b.cols[col]
	c.one += d
	for i := range c.i[:min(b.n, len(c.i))] {
		c.i[i] += d
	}
}

// Recode replaces every text code c by m[c]. Codes under same stay what they are.
func (b *Batch) Recode(m []int32, same int32) {
	for k := range b.cols {
		c := &b.cols[k]
		if c.top < same {
			continue
		}
		c.top = 0
		for i, code := range c.c {
			c.c[i] = m[code]
			c.top = max(c.top, m[code])
		}
	}
}

// Append moves the batches of o, with lines shifted by line, to the end of t.
func (t *Table) Append(o *Table, line int) {
	for _, b := range o.Batches {
		if line > 0 {
			for i := range b.Line {
				b.Line[i] += int32(line)
			}
		}
		b.trim()
	}
	t.Batches = append(t.Batches, o.Batches...)
	t.rows += o.rows
	t.cur = nil
}

// trim gives back the unused tail of a batch that is mostly empty.
func (b *Batch) trim() {
	if b.n > b.size/2 {
		return
	}
	b.size = b.n
	for k := range b.cols {
		c := &b.cols[k]
		c.i, c.f, c.c = cut(c.i, b.n), cut(c.f, b.n), cut(c.c, b.n)
		c.valid = cut(c.valid, (b.n+63)/64)
	}
	b.Line, b.Byte = cut(b.Line, b.n), cut(b.Byte, b.n)
}

func cut[T any](s []T, n int) []T {
	if len(s) < n || s == nil {
		return s
	}
	return append(make([]T, 0, n), s[:n]...)
}
