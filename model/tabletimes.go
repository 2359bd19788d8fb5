package model

import "iter"

// Times are the times of the rows that have one, in the order of the rows; that of a
// record comes once.
func (b *Batch) Times() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		c := &b.cols[0]
		if c.set == 0 {
			return
		}
		all := c.set == b.cells(c)
		var some [256]int64
		for from := 0; from < b.cells(c); from += len(some) {
			n := min(len(some), b.cells(c)-from)
			if c.i != nil {
				copy(some[:n], c.i[from:])
			} else {
				c.ints.part(some[:n], from)
			}
			for k, t := range some[:n] {
				if (all || c.has(from+k)) && !yield(t) {
					return
				}
			}
		}
	}
}

// Rising returns the first and the last of Times where they are known to fall nowhere, and
// all rows to have one.
func (b *Batch) Rising() (first, last int64, ok bool) {
	c := &b.cols[0]
	if n := b.cells(c); n > 0 && c.set == n && c.ints != nil && c.ints.sorted {
		return c.ints.at(0), c.ints.at(n - 1), true
	}
	return 0, 0, false
}

// Span returns the least and the greatest of Times; ok is false where there are none.
func (b *Batch) Span() (first, last int64, ok bool) {
	if first, last, ok = b.Rising(); ok {
		return first, last, ok
	}
	for v := range b.Times() {
		if !ok {
			first, last, ok = v, v, true
		}
		first, last = min(first, v), max(last, v)
	}
	return first, last, ok
}
