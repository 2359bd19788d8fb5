package ingest

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"tidemark/model"
)

// A rawPiece is a frame of the stack that was taken apart last: where the text
// of the stack goes on after it, and what is known up to there.
type rawPiece struct {
	end   int
	lined bool
}

// split fills codes with the frames of a stack from the end of its rows on, and
// reports whether the stack is torn: its root is a line inside some function.
// What the stack begins with as the one before did is taken from there.
func (p *rawParser) split(stack []byte, rows int) (torn bool) {
	n := 0
	if same := commonPrefix(stack, p.last); rows == p.lastRows && same >= rows {
		for n < len(p.lastPieces) && p.lastPieces[n].end <= same {
			n++
		}
	}
	p.codes, p.lastPieces = p.codes[:n], p.lastPieces[:n]
	from, pyspy, odd := rows, rows > 0, false
	if n > 0 {
		from, pyspy = p.lastPieces[n-1].end, p.lastPieces[n-1].lined
	}
	for from < len(stack) {
		piece, _ := cutPiece(stack[from:])
		if from += len(piece) + 1; len(piece) == 0 {
			continue
		}
		f := p.frames[p.frame(piece)]
		p.push(f)
		pyspy, odd = pyspy || f.lined, odd || !f.whole
		p.lastPieces = append(p.lastPieces, rawPiece{from, pyspy})
	}
	p.last, p.lastRows = append(p.last[:0], stack...), rows
	if odd {
		p.lastRows = -1
		if pyspy {
			p.rejoin(stack[rows:])
		}
	}
	return len(p.codes) > 0 && !p.root.root
}

// gather is split for a stack that another processor has taken apart.
func (p *rawParser) gather(stack []byte, look *rawLook) (torn bool) {
	p.codes, p.lastRows = p.codes[:0], -1
	pyspy, odd := look.rows > 0, false
	for _, piece := range look.pieces {
		f := &look.by.frames[piece.number]
		if f.code < 0 {
			*f = p.frames[p.frame(stack[piece.from:piece.to])]
		}
		p.push(*f)
		pyspy, odd = pyspy || f.lined, odd || !f.whole
	}
	if odd && pyspy {
		p.rejoin(stack[look.rows:])
	}
	return len(p.codes) > 0 && !p.root.root
}

// commonPrefix returns the number of bytes that two texts begin with alike.
func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// rejoin is split for a py-spy stack with a semicolon inside a name. There
// every frame has a file, so a piece without one goes with the next, unless
// none has one.
func (p *rawParser) rejoin(stack []byte) {
	if !bytes.Contains(stack, []byte(" (")) {
		return
	}
	p.codes = p.codes[:0]
	for from, rest := stack, stack; len(rest) > 0; {
		var piece []byte
		piece, rest = cutPiece(rest)
		if len(rest) > 0 && fileBracket(piece) < 0 {
			continue
		}
		text := bytes.Trim(from[:len(from)-len(rest)], ";")
		if from = rest; len(text) == 0 {
			continue
		}
		p.push(p.frames[p.frame(text)])
	}
}

func (p *rawParser) push(f rawFrame) {
	if len(p.codes) == 0 {
		p.root = f
	}
	p.codes = append(p.codes, f.code)
}

// cutPiece returns the piece up to the next ; and what follows it.
func cutPiece(b []byte) (piece, rest []byte) {
	if i := bytes.IndexByte(b, ';'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// frame returns the index in frames of a frame's text.
func (p *rawParser) frame(text []byte) int32 {
	sum := xxh3.Hash128(text)
	i, ok := p.pieces.get(sum)
	if !ok {
		i = p.newFrame(text)
		p.pieces.put(sum, i)
	}
	return i
}

func (p *rawParser) newFrame(text []byte) int32 {
	if len(p.frames) >= maxDigests {
		p.frames, p.pieces = nil, digestTable{}
	}
	f := splitFrame(text)
	pyspy := f.line > 0 && text[len(text)-1] == ')'
	switch _, _, _, torch := torchFrame(text); {
	case pyspy:
		p.writer = pySpyRawWriter
	case torch && f.whole && p.writer == model.Collapsed:
		p.writer = torchStacks
	}
	p.native = p.native || f.native
	p.frames = append(p.frames, rawFrame{
		code:  p.out.Stacks.Set.Frame(f.frame(p.out.Strings)),
		whole: f.whole, lined: pyspy, root: !pyspy || mayBeRoot(f),
	})
	return int32(len(p.frames) - 1)
}

// mayBeRoot reports whether a stack may begin with a frame that has a line: a
// module, the interpreter's own first functions of a thread, machine code, or
// what C++ threads of torch call.
func mayBeRoot(f frameText) bool {
	name := f.function[bytes.LastIndexByte(f.function, '.')+1:]
	return f.native || bytes.HasPrefix(name, []byte("<")) || bytes.HasPrefix(f.file, []byte("<")) ||
		slices.Contains([]string{"_bootstrap", "_run_module_as_main", "_run_code"}, string(name)) ||
		bytes.Contains(f.file, []byte("torch/autograd/"))
}
