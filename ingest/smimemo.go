package ingest

import (
	"encoding/binary"
	"math/bits"
)

// An smiMemo knows what the short cells of a column were read as: a meter shows the
// same few numbers over and over, and to look one up is less work than to read it.
type smiMemo struct {
	seen  [1 << memoBits]smiSeen
	lost  int // cells that were not known,
	reads int // of which so many were not those of the row before either
}

// An smiSeen is a cell of n bytes and the number that it was read as. text and more are its
// bytes, 0 behind them, but for the last one, which is n; 0 for none.
type smiSeen struct {
	text, more uint64
	v          float64
}

func (x *smiSeen) n() int { return int(x.more >> 56) }

const (
	memoBits  = 7
	memoTrial = 128 // cells not known after which a memo that knows less than half is given up
)

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
// stood in the earlier one. Only cells of 1 to 15 bytes are known, not close to the end of
// the line.
func (p *smiRows) recall(cells []smiCell, line []byte, k, at, was int) (int, int, int) {
	steps := p.steps
	p.missed = smiSeen{}
	for ; k < len(cells) && k < len(steps); k++ {
		m, b := steps[k].memo, line[at:]
		if m == nil || len(b) < 16 {
			break
		}
		text, more := binary.LittleEndian.Uint64(b), uint64(0)
		n := commaIn(text)
		if n == 0 {
			break
		}
		if n < 8 {
			text &= 1<<(8*n) - 1
		} else {
			more = binary.LittleEndian.Uint64(b[8:])
			if n += commaIn(more); n == 16 {
				break
			}
			more &= 1<<(8*(n-8)) - 1
		}
		more |= uint64(n) << 56
		x := m.slot(text, more)
		if x.text != text || x.more != more {
			p.missed = smiSeen{text: text, more: more}
			if m.lost++; m.lost >= memoTrial && 2*m.lost > p.rows {
				steps[k].giveUp()
			}
			break
		}
		c := &cells[k]
		at, was = at+n+1, was+int(c.n)+1
		c.n, c.state, c.v = int32(n), smiOK, x.v
	}
	return k, at, was
}

// giveUp leaves a column without a memo.
func (s *smiStep) giveUp() { s.fresh, s.memo = 2*s.memo.reads > s.memo.lost, nil }

// learn keeps what a cell of n bytes was read as that recall has missed. One that a line
// ends in is shorter than recall took it for.
func (p *smiRows) learn(m *smiMemo, c *smiCell, n int) {
	if x := p.missed; m != nil && n > 0 && x.n() == n {
		if m.reads++; c.state == smiOK {
			x.v = c.v
			*m.slot(x.text, x.more) = x
		}
	}
}

// remember takes over what an earlier part of the file has learned of its columns, if they
// are these.
func (p *smiRows) remember(steps []smiStep) {
	if len(steps) != len(p.steps) {
		return
	}
	for k := range p.steps {
		mine, known := &p.steps[k], steps[k].memo
		switch {
		case mine.memo == nil:
		case known == nil:
			mine.memo, mine.fresh = nil, steps[k].fresh
		default:
			mine.memo.seen = known.seen
		}
	}
}
