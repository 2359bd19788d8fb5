package ingest

import (
	"bytes"
	"cmp"
	"slices"

	"tidemark/model"
)

// A svgStack is what a drawn box stands for: the stack up to it.
type svgStack struct {
	box      svgBox
	stack    int32
	thread   model.StackThread
	children int64 // samples of the boxes on it
}

// rebuild finds the stacks again: the caller of a box is the one in the row
// before that spans it. What the boxes on it do not cover is its own.
func (p *svgParser) rebuild() {
	down := bytes.Contains(p.doc, []byte("inverted = true"))
	slices.SortStableFunc(p.boxes, func(a, b svgBox) int {
		row := cmp.Compare(a.y, b.y)
		if !down {
			row = -row
		}
		return cmp.Or(row, cmp.Compare(a.x, b.x))
	})
	var below []svgStack // the row before
	for len(p.boxes) > 0 {
		n := 1
		for n < len(p.boxes) && p.boxes[n].y == p.boxes[0].y {
			n++
		}
		row := p.row(p.boxes[:n], below)
		p.own(below)
		below, p.boxes = row, p.boxes[n:]
	}
	p.own(below)
}

// row finds the caller of each box of a row; both are in the order of x. A box
// that no other spans begins a stack.
func (p *svgParser) row(boxes []svgBox, below []svgStack) []svgStack {
	row := make([]svgStack, 0, len(boxes))
	i := 0
	for _, b := range boxes {
		for i < len(below) && below[i].box.x+below[i].box.w < b.x+b.w {
			i++
		}
		s := svgStack{box: b}
		if i < len(below) && below[i].box.x <= b.x {
			below[i].children += b.w
			s.stack, s.thread = below[i].stack, below[i].thread
		} else if len(below) > 0 {
			p.capture.Errors += float64(b.w)
		}
		row = append(row, p.push(s, len(below) == 0))
	}
	return row
}

// push adds a box's own frame to the stack of its caller. The row at the root
// holds one box for all; those of process and thread say whose the stack is.
func (p *svgParser) push(s svgStack, root bool) svgStack {
	name := []byte(s.box.name)
	switch {
	case root && s.box.name == "all":
	case s.stack == 0 && (processPrefix(name) > 0 || threadPrefix(name) > 0):
		s.thread = withRow(s.thread, s.box.name, 0)
		p.capture.Threads = p.capture.Threads || s.thread.TID != ""
	default:
		s.stack = p.out.Stacks.Set.Push(s.stack, p.frame(name))
	}
	return s
}

func (p *svgParser) frame(name []byte) int32 {
	f := splitFrame(name)
	p.capture.Native = p.capture.Native || f.native
	return p.out.Stacks.Set.Frame(f.frame(p.out.Strings))
}

// own adds what each stack of a row has for itself.
func (p *svgParser) own(row []svgStack) {
	for _, s := range row {
		if s.box.w > s.children {
			p.add(s.thread, s.stack, s.box, float64(s.box.w-s.children))
		}
	}
}

// totals adds each frame with all samples it is in, where there is no layout.
func (p *svgParser) totals() {
	p.capture.Totals = true
	for _, b := range p.boxes {
		if b.name != "all" && b.n > 0 {
			p.add(model.StackThread{}, p.out.Stacks.Set.Push(0, p.frame([]byte(b.name))), b, b.n)
		}
	}
}

func (p *svgParser) add(t model.StackThread, stack int32, b svgBox, n float64) {
	s := model.Sample{Thread: p.out.Stacks.Thread(t), Stack: stack, N: n, Line: b.line, Byte: int64(b.off)}
	if p.capture.Rate > 0 {
		s.Seconds = n / p.capture.Rate
	}
	p.out.Stacks.Add(s)
}
