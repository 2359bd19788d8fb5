package ingest

import (
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"tidemark/internal/lines"
)

// A rawLook is a line taken for what most are: a whole stack and its count.
type rawLook struct {
	sum xxh3.Uint128 // identity of the stack
	n   float64      // 0 where the line is none, or its count is 0
	// of a stack that was not met before, else nil
	by     *rawLooker
	rows   int // where its rows end
	pieces []lookedPiece
}

// A lookedPiece is the text of a frame in a line. Its number is one of the looker's.
type lookedPiece struct{ number, from, to int32 }

// mostPieces is where a looker forgets the frames that it has met.
const mostPieces = 1 << 14

// A rawLooker looks at lines of stacks. frames is the parser's: what it has made
// of a number, code -1 where it has not met it.
type rawLooker struct {
	met    *metStacks
	number digestTable
	frames []rawFrame
	pieces []lookedPiece
	last   []byte  // the stack taken apart last
	parts  rawLook // … and its pieces
}

func newRawLookers() func() lines.Looker[rawLook] {
	met := &metStacks{}
	return func() lines.Looker[rawLook] { return &rawLooker{met: met} }
}

// Begin forgets the lines of the last block.
func (l *rawLooker) Begin() {
	l.pieces, l.last = l.pieces[:0], nil
	if len(l.frames) > mostPieces {
		l.number, l.frames = digestTable{}, nil
	}
}

// Look takes a line apart if its stack was not met before.
func (l *rawLooker) Look(line []byte) rawLook {
	line = trimRight(line)
	if len(line) == 0 || line[0] == '#' {
		return rawLook{}
	}
	stack, n, wrong := splitCount(line)
	if wrong != "" || n == 0 {
		return rawLook{}
	}
	r := rawLook{sum: stackSum(stack), n: n}
	if !l.met.first(r.sum) {
		return r
	}
	if rows, closed := rowsEnd(stack, false); closed {
		r.by, r.rows = l, rows
		r.pieces = l.takeApart(stack, rows)
		l.last, l.parts = stack, r
	}
	return r
}

// takeApart returns the pieces of a stack from the end of its rows on. What it
// begins with as the last one did is taken from there.
func (l *rawLooker) takeApart(stack []byte, rows int) []lookedPiece {
	first, from := len(l.pieces), rows
	if same := commonPrefix(stack, l.last); rows == l.parts.rows && same >= rows {
		for _, p := range l.parts.pieces {
			if int(p.to) >= same {
				break
			}
			l.pieces, from = append(l.pieces, p), int(p.to)+1
		}
	}
	for from < len(stack) {
		piece, _ := cutPiece(stack[from:])
		if len(piece) > 0 {
			l.pieces = append(l.pieces, lookedPiece{l.numberOf(piece), int32(from), int32(from + len(piece))})
		}
		from += len(piece) + 1
	}
	return l.pieces[first:]
}

func (l *rawLooker) numberOf(piece []byte) int32 {
	sum := xxh3.Hash128(piece)
	n, ok := l.number.get(sum)
	if !ok {
		n = int32(len(l.frames))
		l.frames = append(l.frames, rawFrame{code: -1})
		l.number.put(sum, n)
	}
	return n
}

// metStacks are those that any processor has met. They may forget some, and take
// one for another: whoever needs a stack that nobody has taken apart does it then.
type metStacks [1 << 17]atomic.Uint32

// first reports whether a stack was not met before, and keeps it.
func (m *metStacks) first(sum xxh3.Uint128) bool {
	mark, home := uint32(sum.Hi)|1, uint32(sum.Lo)
	for i := range uint32(8) {
		place := &m[(home+i)%uint32(len(m))]
		switch place.Load() {
		case mark:
			return false
		case 0:
			place.Store(mark)
			return true
		}
	}
	m[home%uint32(len(m))].Store(mark)
	return true
}
