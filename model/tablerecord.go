package model

// group begins to keep what rows of a record have in common once.
func (b *Batch) group() {
	if b.of != nil {
		return
	}
	b.of, b.from = make([]uint16, b.size), make([]uint16, b.n, max(b.n, b.size/4))
	for r := range b.n {
		b.of[r], b.from[r] = uint16(r), uint16(r)
	}
	for k := range b.spec.Record {
		b.cols[k].of = b.of
	}
	b.line.of, b.byte.of = b.of, b.of
}

// cells returns how many cells a column has.
func (b *Batch) cells(c *column) int {
	if c.of != nil {
		return len(b.from)
	}
	return b.n
}

// count returns how many rows have a value in a column.
func (b *Batch) count(c *column) (n int) {
	switch {
	case c.of == nil:
		return c.set
	case c.set == len(b.from):
		return b.n
	}
	for _, k := range c.of[:b.n] {
		if c.has(int(k)) {
			n++
		}
	}
	return n
}

// span returns where the cells of the rows from and up to to are. Where they begin or
// end within a record, the column has a cell for each row from then on.
func (b *Batch) span(col, from, to int) (c *column, first, end int) {
	c = &b.cols[col]
	if c.of == nil || from >= to {
		return c, from, to
	}
	first, end = c.cell(from), c.cell(to-1)+1
	if from > 0 && c.cell(from-1) == first || to < b.n && c.cell(to) == end-1 {
		return b.byRow(col), from, to
	}
	return c, first, end
}

// byRow returns a column, which has a cell for each row from then on.
func (b *Batch) byRow(col int) *column {
	c := &b.cols[col]
	if c.of != nil {
		*c = b.flat(c, b.spec.Columns[col].Kind)
	}
	return c
}

// ungroup gives each row cells of its own.
func (b *Batch) ungroup() {
	if b.of == nil {
		return
	}
	b.spell()
	for k := range b.cols {
		b.byRow(k)
	}
	for _, c := range [...]*column{&b.line, &b.byte} {
		c.set = len(b.from)
		*c = b.flat(c, Int)
	}
	b.of, b.from = nil, nil
}

// flat is a column with a cell for each row.
func (b *Batch) flat(c *column, kind Kind) column {
	if c.of == nil {
		return *c
	}
	out, of := column{top: c.top}, c.of[:b.n]
	switch {
	case c.set == 0:
		return out
	case kind == Text:
		codes := c.c
		if codes == nil {
			codes = make([]int32, len(b.from))
			c.ints.codesInto(codes)
		}
		out.c = b.work.code(b.size)
		gather(out.c, codes, of)
	default:
		ints := c.i
		if ints == nil {
			ints = make([]int64, len(b.from))
			c.ints.into(ints)
		}
		out.i = b.work.int(b.size)
		gather(out.i, ints, of)
	}
	for r, k := range of {
		if c.has(int(k)) {
			out.mark(r, b.size)
		} else if out.c != nil {
			out.c[r] = 0
		}
	}
	return out
}

// gather sets dst to the cell of each row.
func gather[T any](dst, cells []T, of []uint16) {
	for r, k := range of {
		dst[r] = cells[k]
	}
}
