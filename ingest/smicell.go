package ingest

import (
	"bytes"
	"encoding/binary"

	"tidemark/internal/scan"
	"tidemark/model"
)

// What became of a cell. From smiBad on it needs a warning, every time.
const (
	smiUnread  = iota
	smiOK      // has a value
	smiAbsent  // says "no value"
	smiBad     // is not what the column holds
	smiOutside // is a number that cannot be
)

// An smiCell is a cell as it was read last: where it stands in its line, and
// its value: v, or for an index, a mask and the code of a text i.
type smiCell struct {
	from, n int32 // from is set by locate
	block   int32 // bytes of the block that begins here, 0 where they are not known
	state   uint8
	v       float64
	i       int64
}

// cellEnd returns how long the cell is that rest begins with.
func cellEnd(rest []byte) int {
	n := bytes.IndexByte(rest, ',')
	if n < 0 {
		n = len(rest)
	}
	if end := bytes.IndexByte(rest[:n], '\n'); end >= 0 {
		return end
	}
	return n
}

// cell reads the cell that rest begins with, and returns how long it is; -1 is
// a time that cannot be read.
func (p *smiRows) cell(k int, c *smiCell, rest []byte) int {
	col := &p.cols[k]
	switch {
	case col.class == smiOther || col.class == smiUUID || col.class == smiBus || col.class == smiMask:
	case col.class == smiTime:
		c.state = smiUnread
		return p.timeCell(rest)
	default:
		if v, n := col.quick(rest); n > 0 {
			col.set(c, v, col.tailed)
			return n
		}
	}
	n := cellEnd(rest)
	if col.class == smiOther || k != p.key && col.col < 0 {
		c.state = smiUnread
		return n
	}
	p.slow(col, c, scan.Trim(rest[:n]))
	return n
}

// slow reads a cell that is not a plain number with the usual unit.
func (p *smiRows) slow(col *smiColumn, c *smiCell, b []byte) {
	switch {
	case smiMissing(b):
		c.state = smiAbsent
		p.absent(col, b)
	case col.class == smiUUID || col.class == smiBus:
		c.state, c.i = smiOK, int64(p.out.Strings.CodeBytes(b))
	case col.class == smiMask:
		c.state = smiBad
		v, ok := scan.Hex(b)
		if !ok {
			v, ok = scan.Int(b)
		}
		if ok {
			c.state, c.i = smiOK, v
		}
	default:
		col.united(c, b)
	}
}

// sameTime reports whether rest begins with the time cell read last: rows of one reading
// mostly have the same.
func (p *smiRows) sameTime(rest []byte) bool {
	n := len(p.last)
	return n > 0 && len(rest) > n && rest[n] == ',' && string(rest[:n]) == string(p.last)
}

// timeCell reads a time cell.
func (p *smiRows) timeCell(rest []byte) int {
	if p.sameTime(rest) {
		return len(p.last)
	}
	n := cellEnd(rest)
	cell := scan.Trim(rest[:n])
	w, k := p.date(cell)
	if k < len(cell) {
		t, ok := scan.Epoch(cell)
		if w = (smiWhen{t, model.ClockUTC}); !ok {
			return -1
		}
	}
	p.last, p.when = append(p.last[:0], rest[:n]...), w
	return n
}

// date reads the date and time that b begins with, and returns how many bytes
// it takes: 0 where there is none. nvidia-smi's own has no zone.
func (p *smiRows) date(b []byte) (w smiWhen, n int) {
	t, n, zoned, ok := p.stamp.DateTime(b)
	switch {
	case !ok:
		return w, 0
	case zoned:
		return smiWhen{t, model.ClockUTC}, n
	}
	return smiWhen{t, model.ClockLocal}, n
}

// quick reads a number that has the same unit behind it as the one before.
func (c *smiColumn) quick(b []byte) (v float64, n int) {
	blank := 0
	if len(b) > 0 && b[0] == ' ' {
		blank = 1
	}
	v, n = scan.Decimal(b[blank:])
	if n == 0 {
		return 0, 0
	}
	n += blank
	end := n + len(c.tail)
	switch {
	case n+8 <= len(b):
		if binary.LittleEndian.Uint64(b[n:])&c.mask != c.word {
			return 0, 0
		}
	case end > len(b) || end < len(b) && b[end] != ',' || string(b[n:end]) != string(c.tail):
		return 0, 0
	}
	return v, end
}

// follow sets the unit that the next numbers are expected to have.
func (c *smiColumn) follow(tail []byte, f factor) {
	if len(tail) > 7 {
		return
	}
	var word [8]byte
	copy(word[:], tail)
	word[len(tail)] = ','
	c.tail, c.tailed = append(c.tail[:0], tail...), f
	c.word, c.mask = binary.LittleEndian.Uint64(word[:]), 1<<(8*len(tail)+8)-1
}

// set converts a number and holds it against what the column can be.
func (c *smiColumn) set(cell *smiCell, v float64, f factor) {
	v *= f.mul
	if f.div != 1 {
		v /= f.div
	}
	cell.v, cell.state = v, smiOK
	if v < c.lo || v > c.hi {
		cell.state = smiOutside
	}
	if c.class < smiShare {
		cell.i = int64(v)
	}
}

// united reads a number and the unit behind it.
func (c *smiColumn) united(cell *smiCell, b []byte) {
	end := len(b)
	for end > 0 && (b[end-1]-'0' > 9 && b[end-1] != '.') {
		end--
	}
	f, ok := c.bare, true
	if end < len(b) {
		f, ok = smiUnits[c.class][string(scan.Trim(b[end:]))]
	}
	v, isNumber := scan.Float(b[:end])
	if !ok || !isNumber {
		cell.state = smiBad
		return
	}
	c.follow(b[end:], f)
	c.set(cell, v, f)
}
