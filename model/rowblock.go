package model

import "math/bits"

// A RowBlock collects the rows of a table that are read one after the other, and puts
// them into it by the column: that takes a third to a half less time than cell by cell.
// Nothing is in the table before Flush.
type RowBlock struct {
	table *Table
	n     int
	line  [blockRows]int64
	byte  [blockRows]int64
	cols  []blockColumn
}

// blockRows is how many rows wait at most: as many as a word has bits.
const blockRows = 64

// A blockColumn is the cells of the waiting rows, of the kind that the column has.
type blockColumn struct {
	col  int
	have uint64 // the rows with a value
	f    *[blockRows]float64
	i    *[blockRows]int64
	c    *[blockRows]int32
}

// NewRowBlock returns a block for columns of a table, which it names by their place
// in the list. Of a column that is in it twice the later value counts.
func NewRowBlock(t *Table, columns ...int) *RowBlock {
	b := &RowBlock{table: t, cols: make([]blockColumn, len(columns))}
	for k, col := range columns {
		c := &b.cols[k]
		switch c.col = col; t.Spec.Columns[col].Kind {
		case Int:
			c.i = new([blockRows]int64)
		case Float:
			c.f = new([blockRows]float64)
		case Text:
			c.c = new([blockRows]int32)
		}
	}
	return b
}

// Row begins a row at a position.
func (b *RowBlock) Row(line int, off int64) {
	if b.n == blockRows {
		b.Flush()
	}
	b.line[b.n], b.byte[b.n] = int64(line), off
	b.n++
}

// Float sets a Float cell of the row.
func (b *RowBlock) Float(k int, v float64) {
	c, r := &b.cols[k], uint(b.n-1)%blockRows
	c.f[r] = v
	c.have |= 1 << r
}

// Int sets an Int cell of the row.
func (b *RowBlock) Int(k int, v int64) {
	c, r := &b.cols[k], uint(b.n-1)%blockRows
	c.i[r] = v
	c.have |= 1 << r
}

// Text sets a Text cell of the row to a code of the pool.
func (b *RowBlock) Text(k int, code int32) {
	c, r := &b.cols[k], uint(b.n-1)%blockRows
	c.c[r] = code
	c.have |= 1 << r
}

// Flush puts the rows that wait into the table.
func (b *RowBlock) Flush() {
	for from := 0; from < b.n; {
		to, first, n := b.table.AddRows(b.line[from:b.n], b.byte[from:b.n])
		for k := range b.cols {
			b.cols[k].put(to, first, from, from+n)
		}
		from += n
	}
	b.n = 0
	for k := range b.cols {
		b.cols[k].have = 0
	}
}

// put sets the cells of the waiting rows from and up to to in a batch, whose row
// first is from.
func (c *blockColumn) put(b *Batch, first, from, to int) {
	for from < to {
		have := c.have >> from
		skip := bits.TrailingZeros64(have)
		if from += skip; from >= to {
			return
		}
		n := min(bits.TrailingZeros64(^(have >> skip)), to-from)
		first += skip
		switch {
		case c.f != nil:
			b.PutFloats(c.col, first, c.f[from:from+n])
		case c.i != nil:
			b.PutInts(c.col, first, c.i[from:from+n])
		default:
			b.PutTexts(c.col, first, c.c[from:from+n])
		}
		first, from = first+n, from+n
	}
}
