package model

import (
	"math/bits"
	"slices"
)

// Records returns how many records a batch has. Rows of one record are next to each
// other, and have the same position, and the same cells in the first columns as long as
// none of them was set alone.
func (b *Batch) Records() int {
	if b.rec == nil {
		return b.n
	}
	return len(b.rec.from)
}

// FirstRow returns the first row of a record, and behind the last record how many rows
// there are.
func (b *Batch) FirstRow(record int) int {
	switch {
	case b.rec == nil:
		return record
	case record == len(b.rec.from):
		return b.n
	}
	return int(b.rec.from[record])
}

// RecordTexts returns the codes of a Text column in the first row of each record, 0 where
// there is none; nil where no row of the batch has one.
func (r *Reader) RecordTexts(col int) []int32 {
	c := &r.cols[col]
	switch {
	case c.c == nil:
		return nil
	case c.rec != nil || r.rec == nil:
		return c.c[:r.cells(c)]
	}
	return firstCells(&r.rowCodes[col], c.c, r.rec.from)
}

// RecordsWith appends the records whose first row has a value in a column.
func (b *Batch) RecordsWith(records []uint16, col int) []uint16 {
	c := &b.cols[col]
	n := b.Records()
	switch {
	case c.rec == nil && b.rec != nil:
		for k, r := range b.rec.from {
			if c.has(int(r)) {
				records = append(records, uint16(k))
			}
		}
	case c.valid == nil:
		for k := range c.set {
			records = append(records, uint16(k))
		}
	default:
		for w, word := range c.valid[:(n+63)/64] {
			for ; word != 0; word &= word - 1 {
				records = append(records, uint16(64*w+bits.TrailingZeros64(word)))
			}
		}
	}
	return records
}

// anyOf reports whether a cell of a Text column has a code that is in list.
func (b *Batch) anyOf(col int, list []bool) bool {
	c := &b.cols[col]
	n := b.cells(c)
	switch p := c.ints; {
	case c.set == 0:
		return false
	case p != nil && p.laid == nil && !slices.Contains(list[p.least(n):c.top+1], true): // none of the codes that may be there
		return false
	case c.c == nil && p.width == 1 && p.unit == 1:
		var in [256]bool
		copy(in[:], list[p.base:])
		for k, code := range p.data[:n] {
			if in[code] && c.has(k) {
				return true
			}
		}
		return false
	case c.c == nil && p.laid == nil:
		for k := range n {
			if list[p.at(k)] && c.has(k) {
				return true
			}
		}
		return false
	}
	for r := range b.n {
		if code, ok := b.Text(col, r); ok && list[code] {
			return true
		}
	}
	return false
}

// RowsWith appends the rows whose cell of a Text column has a code of which is says so. A
// code is asked for more than once, and may be one that no row has.
func (b *Batch) RowsWith(rows []uint16, col int, is func(code int32) bool) []uint16 {
	c := &b.cols[col]
	switch {
	case c.set == 0:
	case c.ints != nil && c.ints.laid != nil && c.set == b.n:
		rows = c.ints.laid.rowsWith(rows, is)
	case c.ints != nil && c.ints.width == 1 && c.ints.unit == 1 && c.rec == nil && c.set == b.n:
		var list [256]uint8
		base := int32(c.ints.base)
		for k := range list {
			if base+int32(k) <= c.top && is(base+int32(k)) {
				list[k] = 1
			}
		}
		from := len(rows)
		rows = slices.Grow(rows, b.n)
		all, n := rows[from:from+b.n], 0
		for r, k := range c.ints.data[:b.n] { // without a branch, which would be guessed wrong
			all[n] = uint16(r)
			n += int(list[k])
		}
		rows = rows[:from+n]
	default:
		for r := range b.n {
			if code, ok := b.Text(col, r); ok && is(code) {
				rows = append(rows, uint16(r))
			}
		}
	}
	return rows
}

// recordCell returns where the cell of a record, or of its first row, is.
func (b *Batch) recordCell(c *column, record int) int {
	if c.rec == nil && b.rec != nil {
		return int(b.rec.from[record])
	}
	return record
}

// RecordInt returns an Int cell of a record, that of its first row; ok is false where it is
// missing.
func (b *Batch) RecordInt(col, record int) (v int64, ok bool) {
	c := &b.cols[col]
	if record = b.recordCell(c, record); !c.has(record) {
		return 0, false
	}
	return c.int(record), true
}

// RecordText returns the code in a Text cell of a record, as RecordInt does.
func (b *Batch) RecordText(col, record int) (code int32, ok bool) {
	c := &b.cols[col]
	switch record = b.recordCell(c, record); {
	case !c.has(record):
		return 0, false
	case c.c != nil:
		return c.c[record], true
	case c.ints.laid != nil:
		return c.ints.laid.at(record), true
	}
	return int32(c.ints.at(record)), true
}

// RecordLine returns the line of a record, counted from 1.
func (b *Batch) RecordLine(record int) int32 { return int32(b.line.int(b.recordCell(&b.line, record))) }

// RecordByte returns the offset of a record in its file.
func (b *Batch) RecordByte(record int) int64 { return b.byte.int(b.recordCell(&b.byte, record)) }

// RecordOf returns the record that a row is of.
func (b *Batch) RecordOf(row int) int {
	if b.rec == nil {
		return row
	}
	return b.rec.of(row)
}

// A Labelled is a row with the codes that it has in two Text columns, 0 where there is none.
type Labelled struct {
	Row, Record uint16
	Key, Unit   int32
}

// Labelled appends the rows whose codes in two Text columns is says yes to. Codes are asked
// for more than once, and may be those of no row.
func (b *Batch) Labelled(list []Labelled, key, unit int, is func(key, unit int32) bool) []Labelled {
	if k, u := b.laid(key), b.laid(unit); k != nil && u != nil {
		return b.lay.labelled(list, b.rec.from, k.which, u.which, is)
	}
	for r := range b.n {
		k, _ := b.Text(key, r)
		u, _ := b.Text(unit, r)
		if is(k, u) {
			list = append(list, Labelled{uint16(r), uint16(b.RecordOf(r)), k, u})
		}
	}
	return list
}
