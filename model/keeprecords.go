package model

// KeepRecords is KeepIn by the record: choose appends to kept the records of a batch that
// stay. What the rows of a record have in common stays once.
func (t *Table) KeepRecords(from, to int, choose func(b *Batch, kept []int32) []int32) (gone int) {
	if to == len(t.Batches) {
		t.cur = nil
	}
	var kept, rows []int32
	for _, b := range t.Batches[from:to] {
		kept = choose(b, kept[:0])
		n := b.n
		if len(kept) == b.Records() {
			continue
		}
		b.work = t.work
		if b.rec == nil {
			b.keepRows(kept)
		} else {
			rows = rows[:0]
			for _, k := range kept {
				for r := b.FirstRow(int(k)); r < b.FirstRow(int(k)+1); r++ {
					rows = append(rows, int32(r))
				}
			}
			b.keepRecords(kept, rows)
		}
		t.pack(b)
		t.rows -= n - b.n
	}
	return t.sweep(from, to)
}

// keepRecords drops the other records of a batch that keeps what is common to the rows of
// one once. rows are those of the records kept.
func (b *Batch) keepRecords(kept, rows []int32) {
	for k := range b.cols {
		switch c := &b.cols[k]; {
		case c.ints != nil && c.ints.laid != nil && c.set == b.n:
			c.set = len(rows)
		case c.rec != nil:
			b.widen(k)
			c.keep(kept, b.cells(c), b.size)
		default:
			b.widen(k)
			c.keep(rows, b.n, b.size)
		}
	}
	for _, c := range [...]*column{&b.line, &b.byte} {
		c.wideInts(b.Records(), b.size, b.work)
		c.keep(kept, b.Records(), b.size)
	}
	if b.lay != nil {
		forward(b.lay.of, kept)
		b.lay.of = b.lay.of[:len(kept)]
	}
	n := 0
	for i, k := range kept { // in place: no record moves back
		rows := b.FirstRow(int(k)+1) - b.FirstRow(int(k))
		b.rec.from[i] = uint16(n)
		n += rows
	}
	b.rec.from, b.n = b.rec.from[:len(kept)], n
}
