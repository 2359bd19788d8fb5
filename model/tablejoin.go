package model

import "slices"

// JoinIn makes one batch of neighbours among the batches from and up to to that
// fit into one, as Keep may leave them. It returns how many fewer there are.
func (t *Table) JoinIn(from, to int) (gone int) {
	list := t.Batches[from:to]
	var out []*Batch
	for len(list) > 0 {
		n, rows := 1, list[0].n
		for n < len(list) && rows+list[n].n <= BatchRows && list[n].File == list[0].File && list[n].dated == list[0].dated {
			rows += list[n].n
			n++
		}
		if n > 1 {
			out = append(out, t.joined(list[:n], rows))
		} else {
			out = append(out, list[0])
		}
		list = list[n:]
	}
	gone = to - from - len(out)
	copy(t.Batches[from:], out)
	t.Batches = slices.Delete(t.Batches, to-gone, to)
	if gone > 0 && to-gone == len(t.Batches) {
		t.cur = nil
	}
	return gone
}

// joined returns a packed batch of all rows of a list.
func (t *Table) joined(list []*Batch, rows int) *Batch {
	b := &Batch{File: list[0].File, spec: t.Spec, n: rows, size: rows, dated: list[0].dated, cols: make([]column, len(t.Spec.Columns)), work: t.work}
	at := 0
	for _, o := range list {
		o.ungroup()
		for k := range b.cols {
			o.widen(k)
			b.cols[k].take(&o.cols[k], at, o.n, b)
		}
		for _, c := range [...]struct{ to, from *column }{{&b.line, &o.line}, {&b.byte, &o.byte}} {
			c.from.wideInts(o.n, o.size, o.work)
			c.to.take(c.from, at, o.n, b)
		}
		at += o.n
	}
	t.pack(b)
	return b
}

// take sets the cells from at on to the n of a wide column.
func (c *column) take(o *column, at, n int, b *Batch) {
	switch {
	case o.i != nil:
		c.wideInts(at, b.size, b.work)
		copy(c.i[at:], o.i[:n])
	case o.f != nil:
		c.wideFloats(at, b.size, b.work)
		copy(c.f[at:], o.f[:n])
	case o.c != nil:
		c.wideCodes(at, b.size, b.work)
		copy(c.c[at:], o.c[:n])
	}
	c.top = max(c.top, o.top)
	if o.set == n {
		c.markAll(at, at+n, b.size)
		return
	}
	for r := range n {
		if o.has(r) {
			c.mark(at+r, b.size)
		}
	}
}
