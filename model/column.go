package model

// has reports whether row r has a value.
func (c *column) has(r int) bool {
	if c.valid == nil {
		return r < c.set
	}
	return c.valid[r>>6]&(1<<(r&63)) != 0
}

// mark says that row r has a value.
func (c *column) mark(r int) {
	if c.valid == nil {
		if r <= c.set {
			c.set = max(c.set, r+1)
			return
		}
		c.valid = c.bits()
	}
	w, m := r>>6, uint64(1)<<(r&63)
	if c.valid[w]&m == 0 {
		c.valid[w] |= m
		c.set++
	}
}

// markAll says that the rows from and up to to have a value.
func (c *column) markAll(from, to int) {
	if c.valid == nil && from <= c.set {
		c.set = max(c.set, to)
		return
	}
	for r := from; r < to; r++ {
		c.mark(r)
	}
}

// bits has a bit for each row, set where it has a value.
func (c *column) bits() []uint64 {
	if c.valid != nil {
		return c.valid
	}
	bits := make([]uint64, (max(len(c.i), len(c.f), len(c.c))+63)/64)
	for w := range bits {
		switch left := c.set - 64*w; {
		case left >= 64:
			bits[w] = ^uint64(0)
		case left > 0:
			bits[w] = 1<<left - 1
		}
	}
	return bits
}

// ints are the values of the first n rows of an Int column.
func (c *column) ints(n int) []int64 {
	if c.i != nil {
		return c.i[:n]
	}
	all := column{one: c.one, set: n}
	all.spread(n)
	return all.i
}

// spread makes room for a value of its own in each of n rows.
func (c *column) spread(n int) {
	c.i = make([]int64, n)
	if c.one != 0 {
		for i := range c.set {
			c.i[i] = c.one
		}
	}
}
