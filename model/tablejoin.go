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

// joined returns a packed batch of all rows of a list. What the rows of a record have in
// common stands once where it does in all of the list.
func (t *Table) joined(list []*Batch, rows int) *Batch {
	b := &Batch{File: list[0].File, spec: t.Spec, n: rows, size: rows, dated: list[0].dated, cols: make([]column, len(t.Spec.Columns)), work: t.work}
	grouped, laid := true, true
	for _, o := range list {
		grouped, laid = grouped && o.rec != nil, laid && o.lay != nil && o.isLaid(t.Spec)
	}
	for _, o := range list {
		if o.work = t.work; !grouped {
			o.ungroup()
		} else if !laid {
			o.spell()
		}
	}
	if grouped {
		b.joinRecords(list)
	}
	if grouped && laid {
		b.joinLayouts(list)
	}
	for k := range b.cols {
		if c := &b.cols[k]; c.ints == nil { // else it is laid
			b.joinColumn(c, list, func(o *Batch) *column { return &o.cols[k] }, t.Spec.Columns[k].Kind)
		}
	}
	b.joinColumn(&b.line, list, func(o *Batch) *column { return &o.line }, Int)
	b.joinColumn(&b.byte, list, func(o *Batch) *column { return &o.byte }, Int)
	t.pack(b)
	return b
}

// joinRecords makes the records of a list those of the batch.
func (b *Batch) joinRecords(list []*Batch) {
	b.rec = &recordMap{}
	rows := uint16(0)
	for _, o := range list {
		for _, first := range o.rec.from {
			b.rec.from = append(b.rec.from, rows+first)
		}
		rows += uint16(o.n)
	}
}

// joinColumn makes the cells of a column those of a list, of which in gives the same
// column. It has a cell for each record where all of them have.
func (b *Batch) joinColumn(c *column, list []*Batch, in func(*Batch) *column, kind Kind) {
	cells := b.rec != nil
	for _, o := range list {
		cells = cells && in(o).rec != nil
	}
	at := 0
	for _, o := range list {
		from := in(o)
		if from.rec != nil && !cells {
			*from = o.flat(from, kind)
		}
		n := o.cells(from)
		from.widen(kind, n, o.size, o.work)
		c.take(from, at, n, b)
		from.free(o.work)
		at += n
	}
	if cells {
		c.rec = b.rec
	}
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
