package model

import (
	"math/bits"
	"slices"
)

// Keep drops the rows for which keep is false. It is for rows of which is
// known only at the end of a file that they should not be there.
func (t *Table) Keep(keep func(b *Batch, row int) bool) {
	t.rows, t.cur = 0, nil
	for _, b := range t.Batches {
		b.keep(keep)
		t.rows += b.n
	}
	t.Batches = slices.DeleteFunc(t.Batches, func(b *Batch) bool { return b.n == 0 })
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
	if c.valid == nil {
		return
	}
	valid := make([]uint64, len(c.valid))
	c.set = 0
	for w, r := range rows {
		if c.valid[r>>6]&(1<<(r&63)) != 0 {
			valid[w>>6] |= 1 << (w & 63)
			c.set++
		}
		switch {
		case c.i != nil:
			c.i[w] = c.i[r]
		case c.f != nil:
			c.f[w] = c.f[r]
		case c.c != nil:
			c.c[w] = c.c[r]
		}
	}
	c.valid = valid
}

// FillInt sets the Int cells of the rows from and up to to, whole words of the
// bitmap at a time.
func (b *Batch) FillInt(col, from, to int, v int64) {
	for from < to && from&63 != 0 {
		b.PutInt(col, from, v)
		from++
	}
	for ; from+64 <= to; from += 64 {
		b.PutInt(col, from, v)
		c := &b.cols[col]
		for r := from; r < from+64; r++ {
			c.i[r] = v
		}
		c.set += 64 - bits.OnesCount64(c.valid[from>>6])
		c.valid[from>>6] = ^uint64(0)
	}
	for ; from < to; from++ {
		b.PutInt(col, from, v)
	}
}

// Clear makes a cell missing.
func (b *Batch) Clear(col, row int) {
	c := &b.cols[col]
	if w, m := row>>6, uint64(1)<<(row&63); c.set > 0 && c.valid[w]&m != 0 {
		c.valid[w] &^= m
		c.set--
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
