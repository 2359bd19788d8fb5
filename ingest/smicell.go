package ingest

import (
	"encoding/binary"

	"tidemark/internal/scan"
)

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
