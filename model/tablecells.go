package model

// SetInt sets an Int cell of the last row, or of its record.
func (b *Batch) SetInt(col int, v int64) {
	c := &b.cols[col]
	r := c.cell(b.n - 1)
	if c.i == nil {
		c.wideInts(b.cells(c), b.size, b.work)
	}
	c.i[r] = v
	if c.valid == nil && r == c.set {
		c.set++
		return
	}
	c.mark(r, b.size)
}

// PutInt sets an Int cell of any row, for what is known only after later rows
// were read.
func (b *Batch) PutInt(col, row int, v int64) {
	c := b.byRow(col)
	c.wideInts(b.n, b.size, b.work)
	c.i[row] = v
	c.mark(row, b.size)
}

// SetFloat sets a Float cell of the last row.
func (b *Batch) SetFloat(col int, v float64) {
	c, r := &b.cols[col], b.n-1
	if c.f == nil {
		c.wideFloats(b.n, b.size, b.work)
	}
	c.f[r] = v
	if c.valid == nil && r == c.set {
		c.set++
		return
	}
	c.mark(r, b.size)
}

// SetText sets a Text cell of the last row, or of its record, to a code of the pool.
func (b *Batch) SetText(col int, code int32) {
	c := &b.cols[col]
	b.putCode(c, c.cell(b.n-1), code)
}

// PutText sets a Text cell of any row, for what is known only after reading.
func (b *Batch) PutText(col, row int, code int32) { b.putCode(b.byRow(col), row, code) }

func (b *Batch) putCode(c *column, at int, code int32) {
	if c.c == nil {
		c.wideCodes(b.cells(c), b.size, b.work)
	}
	c.c[at], c.top = code, max(c.top, code)
	c.mark(at, b.size)
}

// Has reports whether the batch has any value in a column.
func (b *Batch) Has(col int) bool { return b.cols[col].set > 0 }

// Full reports whether each row of the batch has a value in a column.
func (b *Batch) Full(col int) bool { c := &b.cols[col]; return c.set == b.cells(c) }

// Floats returns the cells of a Float column, nil where one is missing or they are packed.
func (b *Batch) Floats(col int) []float64 {
	if c := &b.cols[col]; c.set == b.n && c.f != nil {
		return c.f[:b.n]
	}
	return nil
}

// Same reports whether a column is known to be the same in all rows of the batch:
// no row has a value, or all have one and it was packed as one.
func (b *Batch) Same(col int) bool {
	c := &b.cols[col]
	return c.set == 0 || c.set == b.cells(c) && (c.ints != nil && c.ints.width == 0 || c.float != nil && c.float.width == 0)
}

// OK reports whether a cell has a value.
func (b *Batch) OK(col, row int) bool {
	c := &b.cols[col]
	return c.has(c.cell(row))
}

// Int returns an Int cell; ok is false where it is missing.
func (b *Batch) Int(col, row int) (v int64, ok bool) {
	c := &b.cols[col]
	at := c.cell(row)
	if !c.has(at) {
		return 0, false
	}
	return c.int(at), true
}

func (c *column) int(at int) int64 {
	if c.i != nil {
		return c.i[at]
	}
	return c.ints.at(at)
}

// Float returns a Float cell; ok is false where it is missing.
func (b *Batch) Float(col, row int) (v float64, ok bool) {
	if !b.OK(col, row) {
		return 0, false
	}
	if c := &b.cols[col]; c.f == nil {
		return c.float.at(row), true
	}
	return b.cols[col].f[row], true
}

// Text returns the code in a Text cell; ok is false where it is missing.
func (b *Batch) Text(col, row int) (code int32, ok bool) {
	c := &b.cols[col]
	at := c.cell(row)
	switch {
	case !c.has(at):
		return 0, false
	case c.c != nil:
		return c.c[at], true
	case c.ints.laid != nil:
		return c.ints.laid.at(at), true
	}
	return int32(c.ints.at(at)), true
}
