package model

import (
	"encoding/binary"
	"slices"
)

// A Layout is what the rows of a record have in the columns that its table's Spec calls
// laid: lines of a log that differ in their numbers alone have the same keys and units.
// Rows with a layout keep none of that themselves. It serves one table at a time.
type Layout struct {
	codes [][]int32 // by laid column, one a row
	top   int32     // no code is higher
	batch *Batch    // that it was used in last,
	at    uint16    // and its place there
}

// NewLayout returns a layout with the codes of each laid column, as many in each: 1 to 256.
func NewLayout(codes ...[]int32) *Layout {
	l := &Layout{codes: codes}
	for _, list := range codes {
		l.top = max(l.top, slices.Max(list))
	}
	return l
}

// Own is the same layout for another table.
func (l *Layout) Own() *Layout { return &Layout{codes: l.codes, top: l.top} }

// mostLayouts is how many kinds of record a batch may have whose rows keep no keys: of
// records that are all of another kind, layouts would take more than they save.
const mostLayouts = 256

// layouts are those of the records of a batch.
type layouts struct {
	list []*Layout
	of   []uint16 // of each record
}

// laidCodes are one laid column of a batch.
type laidCodes struct {
	batch *Batch
	which int
}

func (c *laidCodes) at(row int) int32 {
	b := c.batch
	k := b.rec.of(row)
	return b.lay.list[b.lay.of[k]].codes[c.which][row-int(b.rec.from[k])]
}

// into spreads the codes of all rows out.
func (c *laidCodes) into(dst []int32) {
	b := c.batch
	for k, i := range b.lay.of {
		copy(dst[b.rec.from[k]:], b.lay.list[i].codes[c.which])
	}
}

// rowsWith appends the rows whose code is says yes to.
func (c *laidCodes) rowsWith(rows []uint16, is func(code int32) bool) []uint16 {
	b := c.batch
	offs := make([][]uint16, len(b.lay.list)) // of each layout
	for i, l := range b.lay.list {
		for off, code := range l.codes[c.which] {
			if is(code) {
				offs[i] = append(offs[i], uint16(off))
			}
		}
	}
	for k, i := range b.lay.of {
		for _, off := range offs[i] {
			rows = append(rows, b.rec.from[k]+off)
		}
	}
	return rows
}

// laid returns what a column has instead of codes, nil where it has codes or a row has none.
func (b *Batch) laid(col int) *laidCodes {
	if c := &b.cols[col]; c.ints != nil && c.set == b.n {
		return c.ints.laid
	}
	return nil
}

// labelled is Batch.Labelled for two laid columns, by the first rows of the records.
func (x *layouts) labelled(list []Labelled, from []uint16, key, unit int, is func(key, unit int32) bool) []Labelled {
	of := make([][]Labelled, len(x.list)) // of each layout, by the rows of a record
	for i, l := range x.list {
		for off, k := range l.codes[key] {
			if u := l.codes[unit][off]; is(k, u) {
				of[i] = append(of[i], Labelled{uint16(off), 0, k, u})
			}
		}
	}
	for k, i := range x.of {
		for _, r := range of[i] {
			r.Row, r.Record = r.Row+from[k], uint16(k)
			list = append(list, r)
		}
	}
	return list
}

// AddLaid begins the rows of a record with a layout, whose laid columns they have, and
// returns their batch and the first of them.
func (t *Table) AddLaid(l *Layout, line int, off int64) (b *Batch, first int) {
	n := len(l.codes[0])
	if b = t.cur; b == nil || b.n+n > b.size {
		b = t.grow()
	}
	b.group()
	switch {
	case b.n == 0:
		b.begin(t.Spec)
	case b.lay != nil && (!b.isLaid(t.Spec) || l.batch != b && len(b.lay.list) == mostLayouts):
		b.spell()
	}
	first = b.n
	b.place(n, line, off)
	t.rows += n
	if b.lay == nil {
		for which, col := range t.Spec.Laid {
			b.PutTexts(col, first, l.codes[which])
		}
		return b, first
	}
	b.lay.add(l, b)
	for _, col := range t.Spec.Laid {
		c := &b.cols[col]
		c.set, c.top = b.n, max(c.top, l.top)
	}
	return b, first
}

// begin makes an empty batch one of records with layouts.
func (b *Batch) begin(s *Spec) {
	b.lay = &layouts{of: make([]uint16, 0, b.size/4)}
	for which, col := range s.Laid {
		b.cols[col].ints = &packed{width: byLayout, laid: &laidCodes{b, which}}
	}
}

// isLaid reports whether no laid column was set otherwise since.
func (b *Batch) isLaid(s *Spec) bool {
	for _, col := range s.Laid {
		if c := &b.cols[col]; c.ints == nil || c.ints.laid == nil || c.set != b.n {
			return false
		}
	}
	return true
}

func (x *layouts) add(l *Layout, b *Batch) {
	if l.batch != b {
		l.batch, l.at = b, uint16(len(x.list))
		x.list = append(x.list, l)
	}
	x.of = append(x.of, l.at)
}

// joinLayouts makes the layouts of a list those of the batch, equal ones of several once.
func (b *Batch) joinLayouts(list []*Batch) {
	b.begin(b.spec)
	known, key := map[string]uint16{}, []byte(nil)
	for _, o := range list {
		at := make([]uint16, len(o.lay.list)) // of its layouts
		for i, l := range o.lay.list {
			key = key[:0]
			for _, codes := range l.codes {
				for _, code := range codes {
					key = binary.LittleEndian.AppendUint32(key, uint32(code))
				}
			}
			n, ok := known[string(key)]
			if !ok {
				n = uint16(len(b.lay.list))
				b.lay.list = append(b.lay.list, l)
				known[string(key)] = n
			}
			at[i] = n
		}
		for _, i := range o.lay.of {
			b.lay.of = append(b.lay.of, at[i])
		}
		for _, col := range b.spec.Laid {
			c := &b.cols[col]
			c.set, c.top = b.n, max(c.top, o.cols[col].top)
		}
	}
}

// spell gives the rows the codes that their layouts have.
func (b *Batch) spell() {
	if b.lay == nil {
		return
	}
	for k := range b.cols {
		if c := &b.cols[k]; c.ints != nil && c.ints.laid != nil {
			c.wideCodes(b.n, b.size, b.work)
		}
	}
	b.lay = nil
}
