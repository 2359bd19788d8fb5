package model

import "slices"

// Keep drops the rows for which keep is false. It is for rows of which is
// known only at the end of a file that they should not be there.
func (t *Table) Keep(keep func(b *Batch, row int) bool) { t.KeepIn(0, len(t.Batches), keep) }

// KeepIn is Keep for the rows of the batches from and up to to. It returns how
// many batches are gone, since no row of them is left.
func (t *Table) KeepIn(from, to int, keep func(b *Batch, row int) bool) (gone int) {
	if to == len(t.Batches) {
		t.cur = nil
	}
	for _, b := range t.Batches[from:to] {
		n := b.n
		b.keep(keep)
		t.rows -= n - b.n
	}
	rest := slices.DeleteFunc(t.Batches[from:to], func(b *Batch) bool { return b.n == 0 })
	gone = to - from - len(rest)
	t.Batches = slices.Delete(t.Batches, to-gone, to)
	return gone
}

func (b *Batch) keep(keep func(b *Batch, row int) bool) {
	var rows []int32
	for r := range b.n {
		if !keep(b, r) {
			if rows == nil {
				rows = make([]int32, 0, b.n)
				for i := range r {
					rows = append(rows, int32(i))
				}
			}
		} else if rows != nil {
			rows = append(rows, int32(r))
		}
	}
	if rows == nil && b.n > 0 {
		return
	}
	for w, r := range rows {
		b.Line[w], b.Byte[w] = b.Line[r], b.Byte[r]
	}
	for k := range b.cols {
		b.cols[k].keep(rows)
	}
	b.n = len(rows)
	b.Line, b.Byte = b.Line[:b.n], b.Byte[:b.n]
	b.trim()
}

// keep moves the cells of rows to the front.
func (c *column) keep(rows []int32) {
	kept := column{one: c.one, i: c.i, f: c.f, c: c.c, top: c.top}
	for w, r := range rows {
		switch {
		case c.i != nil:
			c.i[w] = c.i[r]
		case c.f != nil:
			c.f[w] = c.f[r]
		case c.c != nil:
			c.c[w] = c.c[r]
		}
		if c.has(int(r)) {
			kept.mark(w)
		}
	}
	*c = kept
}

// FillInt sets the Int cells of the rows from and up to to.
func (b *Batch) FillInt(col, from, to int, v int64) {
	c := &b.cols[col]
	if c.set == 0 && c.i == nil && c.valid == nil && from == 0 && to == b.n {
		c.one, c.set = v, b.n
		return
	}
	if c.i == nil {
		c.spread(b.size)
	}
	for r := from; r < to; r++ {
		c.i[r] = v
	}
	c.markAll(from, to)
}

// FillText sets the Text cells of the rows from and up to to.
func (b *Batch) FillText(col, from, to int, code int32) {
	c := b.text(col)
	for r := from; r < to; r++ {
		c.c[r] = code
	}
	c.top = max(c.top, code)
	c.markAll(from, to)
}

// PutTexts sets the Text cells of the rows from from on.
func (b *Batch) PutTexts(col, from int, codes []int32) {
	c := b.text(col)
	copy(c.c[from:], codes)
	c.top = max(c.top, slices.Max(codes))
	c.markAll(from, from+len(codes))
}

// PutFloats sets the Float cells of the rows from from on.
func (b *Batch) PutFloats(col, from int, v []float64) {
	c := &b.cols[col]
	if c.f == nil {
		c.f = make([]float64, b.size)
	}
	copy(c.f[from:], v)
	c.markAll(from, from+len(v))
}

func (b *Batch) text(col int) *column {
	c := &b.cols[col]
	if c.c == nil {
		c.c = make([]int32, b.size)
	}
	return c
}

// Clear makes a cell missing. A text cell's code becomes 0, since Texts hands out
// the codes without asking which cells have one.
func (b *Batch) Clear(col, row int) {
	c := &b.cols[col]
	if !c.has(row) {
		return
	}
	if c.i == nil && c.f == nil && c.c == nil {
		c.spread(b.size)
	}
	c.valid = c.bits()
	c.valid[row>>6] &^= 1 << (row & 63)
	c.set--
	if c.c != nil {
		c.c[row] = 0
	}
}

// Texts returns the codes of a Text column, one a row, 0 where the cell is
// missing; nil where no row of the batch has it. They must not be changed.
func (b *Batch) Texts(col int) []int32 {
	if c := &b.cols[col]; c.set > 0 {
		return c.c[:b.n]
	}
	return nil
}

// Scale multiplies the values of a Float column, whose unit was found out late.
func (b *Batch) Scale(col int, by float64) {
	for i := range b.cols[col].f {
		b.cols[col].f[i] *= by
	}
}
