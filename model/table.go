package model

import (
	"iter"
	"slices"
)

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
	// Wide says that Float columns are not packed.
	Wide bool
	// Record is how many of the first columns, none of them a Float, are mostly the same
	// in all rows of a record: they are kept once for those that AddAll has begun.
	Record int
	// Laid are the Text columns behind them that a Layout gives.
	Laid []int
}

// BatchRows is how many rows a batch has at most: what is written wide, a dozen
// columns, stays in a core's own cache.
const BatchRows = 1 << 13

const firstBatch = 1 << 10

// A Table is rows in batches. A batch belongs to one file. Columns that no row
// of a batch has set take no memory, and those of a full batch little.
type Table struct {
	Spec    *Spec
	Batches []*Batch
	rows    int
	cur     *Batch
	dated   bool // what follows has a date of its own: see RunBuilder.Redate
	expect  int  // rows, 0 where nothing is known
	work    *scratch
}

// NewTable returns an empty table.
func NewTable(s *Spec) *Table { return &Table{Spec: s, work: newScratch()} }

// A Batch is up to 8,192 rows of one file.
type Batch struct {
	File int32 // index of the file in Run.Files
	spec *Spec
	n    int
	size int
	cols []column
	line column
	byte column
	work *scratch   // nil once the batch is packed
	rec  *recordMap // nil where each row is a record
	lay  *layouts   // of the records, nil where not each has one

	dated bool
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Add begins a row at a position. All its cells are missing until they are set.
func (t *Table) Add(line int, off int64) *Batch {
	b := t.cur
	if b == nil || b.n == b.size {
		b = t.grow()
	}
	b.spell()
	b.place(1, line, off)
	t.rows++
	return b
}

// place adds n rows at a position, those of one record.
func (b *Batch) place(n, line int, off int64) {
	at := b.n
	if b.rec != nil {
		at = len(b.rec.from)
		b.rec.from = append(b.rec.from, uint16(b.n))
	}
	b.line.i[at], b.byte.i[at] = int64(line), off
	b.n += n
}

// AddAll begins the rows of a record, n of them and at most 256, and returns their batch
// and the first of them. It is for tables whose Spec has columns of a record.
func (t *Table) AddAll(n, line int, off int64) (b *Batch, first int) {
	if b = t.cur; b == nil || b.n+n > b.size {
		b = t.grow()
	}
	b.group()
	b.spell()
	first = b.n
	b.place(n, line, off)
	t.rows += n
	return b, first
}

// AddRows begins rows at positions, as many as the batch in work has room for, at
// least one, and returns the batch, the first of them, and how many.
func (t *Table) AddRows(lines, offs []int64) (b *Batch, first, n int) {
	if b = t.cur; b == nil || b.n == b.size {
		b = t.grow()
	}
	first, n = b.n, min(len(lines), b.size-b.n)
	b.ungroup()
	copy(b.line.i[first:], lines[:n])
	copy(b.byte.i[first:], offs[:n])
	b.n += n
	t.rows += n
	return b, first, n
}

func (t *Table) grow() *Batch {
	size := firstBatch
	if t.cur != nil {
		size = min(max(4*t.cur.size, firstBatch), BatchRows)
		t.pack(t.cur)
	}
	if left := t.expect - t.rows; left > size {
		size = min(left, BatchRows)
	}
	b := &Batch{spec: t.Spec, size: size, dated: t.dated, cols: make([]column, len(t.Spec.Columns)), work: t.work}
	b.line.i, b.byte.i = t.work.int(size), t.work.int(size)
	t.cur = b
	t.Batches = append(t.Batches, b)
	return b
}

// pack ends a batch: no more rows come.
func (t *Table) pack(b *Batch) {
	b.line.set, b.byte.set = b.cells(&b.line), b.cells(&b.byte)
	forms := t.work.formsOf(t.Spec)
	for c, k := range b.columns() {
		n := b.cells(c)
		switch {
		case t.Spec.Wide && c.f != nil:
			c.trim(n)
		case k == 0 && c.i != nil && !c.tight:
			sorted := c.set == n && slices.IsSorted(c.i[:n])
			if c.pack(n, t.work, &forms[k]); c.ints != nil {
				c.ints.sorted = sorted
			}
		default:
			c.pack(n, t.work, &forms[k])
		}
	}
	b.size, b.work = b.n, nil
}

// columns are all columns with their numbers, and those of the positions after
// them.
func (b *Batch) columns() iter.Seq2[*column, int] {
	return func(yield func(*column, int) bool) {
		for k := range b.cols {
			if !yield(&b.cols[k], k) {
				return
			}
		}
		_ = yield(&b.line, len(b.cols)) && yield(&b.byte, len(b.cols)+1)
	}
}

// Pack packs the columns that were made wide since they were packed last.
func (t *Table) Pack() {
	for _, b := range t.Batches {
		t.pack(b)
	}
	t.cur = nil
}

// redate ends the batch in work, so that a batch is dated as a whole.
func (t *Table) redate() {
	if t.cur != nil {
		t.pack(t.cur)
	}
	t.cur, t.dated = nil, true
}

// Rows returns the number of rows in the batch.
func (b *Batch) Rows() int { return b.n }

// Line returns the line of a row, counted from 1.
func (b *Batch) Line(row int) int32 { return int32(b.line.int(b.line.cell(row))) }

// Byte returns the offset of a row in its file.
func (b *Batch) Byte(row int) int64 { return b.byte.int(b.byte.cell(row)) }

// Place moves a row to another position.
func (b *Batch) Place(row, line int, off int64) {
	b.ungroup()
	b.line.wideInts(b.n, b.size, b.work)
	b.byte.wideInts(b.n, b.size, b.work)
	b.line.i[row], b.byte.i[row] = int64(line), off
}

// Shift adds d to the values of an Int column, for a batch whose clock or line
// numbers were found after it was read.
func (b *Batch) Shift(col int, d int64) {
	c := &b.cols[col]
	c.shift(d, b.cells(c))
}

func (c *column) shift(d int64, n int) {
	if c.ints != nil {
		c.ints.base += d
	}
	for r := range c.i[:min(n, len(c.i))] {
		if c.has(r) {
			c.i[r] += d
		}
	}
}

// Recode replaces every text code c by m[c]. Codes under same stay what they are.
func (b *Batch) Recode(m []int32, same int32) {
	for k := range b.cols {
		if c := &b.cols[k]; c.top >= same {
			c.recode(m, b.cells(c), b.work)
		}
	}
}

func (c *column) recode(m []int32, n int, r *scratch) {
	again := c.ints != nil
	c.wideCodes(n, n, r)
	c.top = 0
	for i, code := range c.c[:n] {
		c.c[i] = m[code]
		c.top = max(c.top, m[code])
	}
	if again {
		c.packCodes(n, &scratch{})
	}
}

// Append moves the batches of o, with lines shifted by line, to the end of t.
func (t *Table) Append(o *Table, line int) {
	o.Pack()
	for _, b := range o.Batches {
		b.line.shift(int64(line), b.cells(&b.line))
	}
	t.Batches = append(t.Batches, o.Batches...)
	t.rows += o.rows
	t.cur = nil
}
