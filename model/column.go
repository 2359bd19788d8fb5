package model

import "slices"

// A column is wide while its batch is in work, with room for every row in one of
// i, f and c, and packed after it, but where that would save nothing.
type column struct {
	i     []int64
	f     []float64
	c     []int32
	ints  *packed // of an Int or a Text column
	float *packedFloat
	set   int        // cells with a value
	valid []uint64   // which, nil while they are the first ones
	top   int32      // no code is higher
	tight bool       // packed, or that saves nothing
	rec   *recordMap // whose records have the cells, nil where each row has its own
}

// cell returns where the cell of a row is.
func (c *column) cell(row int) int {
	if c.rec != nil {
		return c.rec.of(row)
	}
	return row
}

// has reports whether cell r has a value.
func (c *column) has(r int) bool {
	if c.valid == nil {
		return r < c.set
	}
	return c.valid[r>>6]&(1<<(r&63)) != 0
}

// mark says that cell r, of a batch with room for size rows, has a value.
func (c *column) mark(r, size int) {
	if c.valid == nil {
		if r <= c.set {
			c.set = max(c.set, r+1)
			return
		}
		c.valid = c.bits(size)
	}
	w, m := r>>6, uint64(1)<<(r&63)
	if c.valid[w]&m == 0 {
		c.valid[w] |= m
		c.set++
	}
}

// markAll says that the cells from and up to to have a value.
func (c *column) markAll(from, to, size int) {
	if c.valid == nil && from <= c.set {
		c.set = max(c.set, to)
		return
	}
	for r := from; r < to; r++ {
		c.mark(r, size)
	}
}

// bits has a bit for each of size rows, set where it has a value.
func (c *column) bits(size int) []uint64 {
	if c.valid != nil {
		return c.valid
	}
	bits := make([]uint64, (size+63)/64)
	for w := range bits {
		switch left := c.set - 64*w; {
		case left >= 64:
			bits[w] = ^uint64(0)
		case left > 0:
			bits[w] = 1<<left - 1
		default:
			bits[w] = 0 // memory that is read before it is written is mapped twice
		}
	}
	return bits
}

// pack packs the first n rows, and gives what was wide to r. form is the column's
// place in r.forms.
func (c *column) pack(n int, r *scratch, form *uint8) {
	if c.tight {
		return
	}
	c.tight = true
	switch {
	case c.i != nil:
		gap(c, c.i[:n], firstOf(c, c.i[:n]))
		if c.ints = pack(c.i[:n]); c.ints != nil {
			c.i = give(&r.ints, c.i)
			return
		}
		gap(c, c.i[:n], 0)
		c.i = shorten(&r.ints, c.i, n)
	case c.f != nil:
		work := r.int(n)
		gap(c, c.f[:n], firstOf(c, c.f[:n]))
		c.float = packFloats(c.f[:n], work, form)
		give(&r.ints, work)
		if c.float != nil {
			c.f = give(&r.floats, c.f)
			return
		}
		gap(c, c.f[:n], 0)
		c.f = shorten(&r.floats, c.f, n)
	case c.c != nil:
		c.packCodes(n, r)
	}
}

func (c *column) packCodes(n int, r *scratch) {
	gap(c, c.c[:n], firstOf(c, c.c[:n]))
	if c.ints = pack(c.c[:n]); c.ints != nil {
		c.c = give(&r.codes, c.c)
		return
	}
	gap(c, c.c[:n], 0)
	c.c = shorten(&r.codes, c.c, n)
}

// trim gives the unused part of a Float column back that is half empty.
func (c *column) trim(n int) {
	if c.tight {
		return
	}
	if c.tight = true; n <= cap(c.f)/2 {
		c.f = slices.Clone(c.f[:n])
	}
}

// firstOf returns the first value that any cell has, to fill the gaps with; 0
// where there are none.
func firstOf[T any](c *column, v []T) (first T) {
	if c.set == len(v) {
		return first
	}
	for r, x := range v {
		if c.has(r) {
			return x
		}
	}
	return first
}

// gap writes x where a cell is missing.
func gap[T any](c *column, v []T, x T) {
	if c.set == len(v) {
		return
	}
	for r := range v {
		if !c.has(r) {
			v[r] = x
		}
	}
}

// wideInts makes an Int column wide: n rows, with room for size.
func (c *column) wideInts(n, size int, r *scratch) {
	if c.i != nil {
		return
	}
	c.i, c.tight = r.int(size), false
	if p := c.ints; p != nil {
		c.ints = nil
		p.into(c.i[:n])
		gap(c, c.i[:n], 0)
	}
}

func (c *column) wideFloats(n, size int, r *scratch) {
	if c.f != nil {
		return
	}
	c.f, c.tight = r.float(size), false
	if p := c.float; p != nil {
		c.float = nil
		p.into(c.f[:n])
		gap(c, c.f[:n], 0)
	}
}

func (c *column) wideCodes(n, size int, r *scratch) {
	if c.c != nil {
		return
	}
	c.c, c.tight = r.code(size), false
	if p := c.ints; p != nil {
		c.ints = nil
		p.codesInto(c.c[:n])
		gap(c, c.c[:n], 0)
	}
}
