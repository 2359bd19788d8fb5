package ingest

import (
	"encoding/binary"
	"math/bits"
)

// An smiMemo knows what the short cells of a column were read as: a meter shows the
// same few numbers over and over, and to look one up takes a third of reading it.
type smiMemo struct {
	seen  [1 << memoBits]smiSeen
	reads int // of cells that were not known
}

// An smiSeen is a cell of n bytes, those behind it 0, and what it was read as.
type smiSeen struct {
	text  uint64
	more  uint64
	n     int32
	state uint8
	v     float64
}

const (
	memoBits  = 7
	memoTrial = 512 // reads after which a memo that knows less than half is given up
)

// shortCell returns the cell of 1 to 15 bytes that b begins with, and how long it is; n is
// -1 where there is no comma behind such a one, or b ends within 16 bytes.
func shortCell(b []byte) (text, more uint64, n int) {
	if len(b) < 16 {
		return 0, 0, -1
	}
	text = binary.LittleEndian.Uint64(b)
	switch at := commaIn(text); at {
	case 0:
		return 0, 0, -1
	case 1, 2, 3, 4, 5, 6, 7:
		return text & (1<<(8*at) - 1), 0, at
	}
	more = binary.LittleEndian.Uint64(b[8:])
	at := commaIn(more)
	if at == 8 {
		return 0, 0, -1
	}
	return text, more & (1<<(8*at) - 1), 8 + at
}

// commaIn returns which byte of a word is the first comma, 8 for none.
func commaIn(word uint64) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	x := word ^ low*','
	return bits.TrailingZeros64((x-low)&^x&high) / 8
}

// slot returns where a cell is kept.
func (m *smiMemo) slot(text, more uint64) *smiSeen {
	return &m.seen[(text*0x9e3779b97f4a7c15^more*0xd6e8feb86659fd93)>>(64-memoBits)]
}

// recall passes over the cells from k on that their columns' memos know, and those are
// the slot's then. It returns the first other cell, and where that stands in the line, and
// stood in the earlier one.
func (p *smiRows) recall(cells []smiCell, line []byte, k, at, was int) (int, int, int) {
	memos := p.memos
	for ; k < len(cells) && k < len(memos); k++ {
		m := memos[k]
		if m == nil {
			break
		}
		text, more, n := shortCell(line[at:])
		if n < 0 {
			break
		}
		x := m.slot(text, more)
		if x.text != text || x.more != more || int(x.n) != n {
			break
		}
		c := &cells[k]
		at, was = at+n+1, was+int(c.n)+1
		c.n, c.state, c.v = x.n, x.state, x.v
	}
	return k, at, was
}

// learn keeps what cell k was read as, and gives up a memo that is of no use.
func (p *smiRows) learn(k int, b []byte, c *smiCell) {
	m := p.memos[k]
	text, more, n := shortCell(b)
	if n < 0 {
		return
	}
	if c.state < smiBad {
		*m.slot(text, more) = smiSeen{text, more, int32(n), c.state, c.v}
	}
	if m.reads++; m.reads >= memoTrial && 2*m.reads > p.rows {
		p.memos[k], p.fresh[k] = nil, true
	}
}

// memosOf returns the memos of columns of numbers.
func memosOf(cols []smiColumn) []*smiMemo {
	memos := make([]*smiMemo, len(cols))
	for k := range cols {
		if c := &cols[k]; c.class >= smiShare && c.class != smiMask && c.col >= 0 && !c.steady() {
			memos[k] = &smiMemo{}
		}
	}
	return memos
}
