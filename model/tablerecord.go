package model

// group begins to keep what rows of a record have in common once.
func (b *Batch) group() {
	if b.rec != nil {
		return
	}
	b.rec = &recordMap{from: make([]uint16, b.n, max(b.n, b.size/4))}
	for r := range b.n {
		b.rec.from[r] = uint16(r)
	}
	for k := range b.spec.Record {
		b.cols[k].rec = b.rec
	}
	b.line.rec, b.byte.rec = b.rec, b.rec
}

// cells returns how many cells a column has.
func (b *Batch) cells(c *column) int {
	if c.rec != nil {
		return len(b.rec.from)
	}
	return b.n
}

// count returns how many rows have a value in a column.
func (b *Batch) count(c *column) (n int) {
	switch {
	case c.rec == nil:
		return c.set
	case c.set == len(b.rec.from):
		return b.n
	}
	for k, from := range b.rec.from {
		if c.has(k) {
			n += b.rec.end(k, b.n) - int(from)
		}
	}
	return n
}

// span returns where the cells of the rows from and up to to are. Where they begin or
// end within a record, the column has a cell for each row from then on.
func (b *Batch) span(col, from, to int) (c *column, first, end int) {
	c = &b.cols[col]
	if c.rec == nil || from >= to {
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
	if c.rec != nil {
		*c = b.flat(c, b.spec.Columns[col].Kind)
	}
	return c
}

// ungroup gives each row cells of its own.
func (b *Batch) ungroup() {
	if b.rec == nil {
		return
	}
	b.spell()
	for k := range b.cols {
		b.byRow(k)
	}
	for _, c := range [...]*column{&b.line, &b.byte} {
		c.set = len(b.rec.from)
		*c = b.flat(c, Int)
	}
	b.rec = nil
}

// flat is a column with a cell for each row.
func (b *Batch) flat(c *column, kind Kind) column {
	if c.rec == nil {
		return *c
	}
	out, records := column{top: c.top}, len(c.rec.from)
	switch {
	case c.set == 0:
		return out
	case kind == Text:
		codes := c.c
		if codes == nil {
			codes = make([]int32, records)
			c.ints.codesInto(codes)
		}
		out.c = b.work.code(b.size)
		gather(out.c[:b.n], codes, c.rec)
	default:
		ints := c.i
		if ints == nil {
			ints = make([]int64, records)
			c.ints.into(ints)
		}
		out.i = b.work.int(b.size)
		gather(out.i[:b.n], ints, c.rec)
	}
	for k, from := range c.rec.from {
		to := c.rec.end(k, b.n)
		if c.has(k) {
			out.markAll(int(from), to, b.size)
		} else if out.c != nil {
			clear(out.c[from:to])
		}
	}
	return out
}
