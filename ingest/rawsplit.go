package ingest

import (
	"bytes"
	"slices"

	"github.com/zeebo/xxh3"

	"tidemark/model"
)

// split fills codes with the frames of a stack without its rows, and reports
// whether the stack is torn: its root is a line inside some function.
func (p *rawParser) split(stack []byte, rows bool) (torn bool) {
	p.codes = p.codes[:0]
	root, pyspy, odd, whole := rawFrame{root: true}, rows, false, false
	for rest := stack; len(rest) > 0; {
		var piece []byte
		if piece, rest = cutPiece(rest); len(piece) == 0 {
			continue
		}
		f := p.frames[p.frame(piece)]
		if len(p.codes) == 0 {
			root = f
		}
		p.codes = append(p.codes, f.code)
		pyspy, odd, whole = pyspy || f.lined, odd || !f.whole, whole || f.whole
	}
	if pyspy && odd && whole {
		root = p.rejoin(stack)
	}
	return !root.root
}

// rejoin is split for a py-spy stack with a semicolon inside a name. There
// every frame has a file, so a piece without one goes with the next.
func (p *rawParser) rejoin(stack []byte) (root rawFrame) {
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
		f := p.frames[p.frame(text)]
		if len(p.codes) == 0 {
			root = f
		}
		p.codes = append(p.codes, f.code)
	}
	return root
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
