package model

import "slices"

// Keep drops the rows for which keep is false. It is for rows of which is
// known only at the end of a file that they should not be there.
func (t *Table) Keep(keep func(b *Batch, row int) bool) { t.KeepIn(0, len(t.Batches), keep) }

// Drop is Keep for the rows whose Text cell has none of the codes that are in gone; rows
// without one stay.
func (t *Table) Drop(col int, gone []bool) {
	for i := 0; i < len(t.Batches); i++ {
		if b := t.Batches[i]; b.anyOf(col, gone) {
			i -= t.KeepIn(i, i+1, func(b *Batch, r int) bool {
				code, ok := b.Text(col, r)
				return !ok || !gone[code]
			})
		}
	}
}

// KeepIn is Keep for the rows of the batches from and up to to. It returns how
// many batches are gone, since no row of them is left.
func (t *Table) KeepIn(from, to int, keep func(b *Batch, row int) bool) (gone int) {
	if to == len(t.Batches) {
		t.cur = nil
	}
	for _, b := range t.Batches[from:to] {
		n := b.n
		if b.keep(keep); b.n < n {
			t.pack(b)
			t.rows -= n - b.n
		}
	}
	return t.sweep(from, to)
}

// sweep takes the batches out that have no row left, and returns how many those are.
func (t *Table) sweep(from, to int) (gone int) {
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
	b.keepRows(rows)
}

// keepRows drops the other rows.
func (b *Batch) keepRows(rows []int32) {
	b.ungroup()
	for k := range b.cols {
		b.widen(k)
		b.cols[k].keep(rows, b.n, b.size)
	}
	for _, c := range []*column{&b.line, &b.byte} {
		c.wideInts(b.n, b.size, b.work)
		c.keep(rows, b.n, b.size)
	}
	b.n = len(rows)
}

// keep moves those of n cells that are listed to the front of a wide column.
func (c *column) keep(list []int32, n, size int) {
	kept := column{i: c.i, f: c.f, c: c.c, top: c.top, rec: c.rec}
	switch {
	case c.i != nil:
		forward(c.i, list)
	case c.f != nil:
		forward(c.f, list)
	case c.c != nil:
		forward(c.c, list)
	}
	if c.set == n {
		kept.set = len(list)
	} else if c.set > 0 {
		for w, r := range list {
			if c.has(int(r)) {
				kept.mark(w, size)
			}
		}
	}
	*c = kept
}

func forward[T any](cells []T, list []int32) {
	for w, r := range list {
		cells[w] = cells[r]
	}
}

// widen makes a column wide that any row has set.
func (b *Batch) widen(col int) {
	c := &b.cols[col]
	c.widen(b.spec.Columns[col].Kind, b.cells(c), b.size, b.work)
}

// widen makes a column with n cells wide, with room for size, that any row has set.
func (c *column) widen(kind Kind, n, size int, r *scratch) {
	switch {
	case c.float != nil:
		c.wideFloats(n, size, r)
	case c.ints != nil && kind == Text:
		c.wideCodes(n, size, r)
	case c.ints != nil:
		c.wideInts(n, size, r)
	}
}

// free gives the memory of a wide column back that is not needed any more.
func (c *column) free(r *scratch) {
	c.i, c.f, c.c = give(&r.ints, c.i), give(&r.floats, c.f), give(&r.codes, c.c)
}

// FillInt sets the Int cells of the rows from and up to to.
func (b *Batch) FillInt(col, from, to int, v int64) {
	c := &b.cols[col]
	if c.set == 0 && b.work == nil && from == 0 && to == b.n {
		*c = column{ints: constant(v), set: b.cells(c), rec: c.rec}
		return
	}
	if at := b.Records() - 1; c.rec != nil && from == int(c.rec.from[at]) && to == b.n {
		c.wideInts(b.cells(c), b.size, b.work)
		c.i[at] = v
		c.mark(at, b.size)
		return
	}
	c, from, to = b.span(col, from, to)
	c.wideInts(b.cells(c), b.size, b.work)
	for r := from; r < to; r++ {
		c.i[r] = v
	}
	c.markAll(from, to, b.size)
}

// FillText sets the Text cells of the rows from and up to to.
func (b *Batch) FillText(col, from, to int, code int32) {
	c := &b.cols[col]
	if at := b.Records() - 1; c.rec != nil && from == int(c.rec.from[at]) && to == b.n {
		b.putCode(c, at, code)
		return
	}
	c, from, to = b.span(col, from, to)
	c.wideCodes(b.cells(c), b.size, b.work)
	for r := from; r < to; r++ {
		c.c[r] = code
	}
	c.top = max(c.top, code)
	c.markAll(from, to, b.size)
}

// PutTexts sets the Text cells of the rows from from on.
func (b *Batch) PutTexts(col, from int, codes []int32) {
	c := b.byRow(col)
	c.wideCodes(b.n, b.size, b.work)
	copy(c.c[from:], codes)
	c.top = max(c.top, slices.Max(codes))
	c.markAll(from, from+len(codes), b.size)
}

// PutInts sets the Int cells of the rows from from on.
func (b *Batch) PutInts(col, from int, v []int64) {
	c := b.byRow(col)
	c.wideInts(b.n, b.size, b.work)
	copy(c.i[from:], v)
	c.markAll(from, from+len(v), b.size)
}

// PutFloats sets the Float cells of the rows from from on.
func (b *Batch) PutFloats(col, from int, v []float64) {
	c := b.byRow(col)
	c.wideFloats(b.n, b.size, b.work)
	copy(c.f[from:], v)
	c.markAll(from, from+len(v), b.size)
}

// Clear makes a cell missing. A text cell's code becomes 0, since Reader.Texts
// hands out the codes without asking which cells have one.
func (b *Batch) Clear(col, row int) {
	c := b.byRow(col)
	if !c.has(row) {
		return
	}
	c.valid = c.bits(b.size)
	c.valid[row>>6] &^= 1 << (row & 63)
	c.set--
	if c.c != nil {
		c.c[row] = 0
	}
}

// Scale multiplies the values of a Float column, whose unit was found out late.
func (b *Batch) Scale(col int, by float64) {
	b.widen(col)
	for i := range b.cols[col].f {
		b.cols[col].f[i] *= by
	}
}
