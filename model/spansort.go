package model

import "slices"

const (
	// movedPiece is from where on a piece is moved rather than copied: less would
	// cut a list into ever smaller ones.
	movedPiece = 512
	// mostRuns is how many sorted runs of a piece are merged with others as they
	// are; a piece of more is sorted first.
	mostRuns = 8
)

// Sort puts the spans in the order of Compare, those that are alike as they
// stood. It merges what is in order already, and takes little memory.
func (l *SpanList) Sort() {
	runs := l.runs()
	var m spanMerge
	for len(runs) > 1 {
		for i := 0; i+1 < len(runs); i += 2 {
			runs[i/2] = m.merge(&runs[i], &runs[i+1])
		}
		if len(runs)%2 == 1 {
			runs[len(runs)/2] = runs[len(runs)-1]
		}
		clear(runs[(len(runs)+1)/2:])
		runs = runs[:(len(runs)+1)/2]
	}
	if len(runs) == 1 {
		*l = runs[0]
	}
}

// runs returns the spans as sorted lists, each as long as can be.
func (l *SpanList) runs() []SpanList {
	var runs []SpanList
	for _, p := range l.pieces {
		if descents(p) >= mostRuns {
			slices.SortStableFunc(p, TraceSpan.Compare)
		}
		for len(p) > 0 {
			n := 1
			for n < len(p) && !p[n].before(p[n-1]) {
				n++
			}
			if k := len(runs) - 1; k < 0 || runs[k].before(p[0]) {
				runs = append(runs, SpanList{})
			}
			r := &runs[len(runs)-1]
			r.pieces = append(r.pieces, p[:n:n])
			p = p[n:]
		}
	}
	return runs
}

func descents(p []TraceSpan) int {
	n := 0
	for i := 1; i < len(p); i++ {
		if p[i].before(p[i-1]) {
			n++
		}
	}
	return n
}

// before reports whether x comes before the last span.
func (l *SpanList) before(x TraceSpan) bool {
	last, ok := l.Last()
	return ok && x.before(last)
}

// A spanMerge merges sorted lists into the memory of those that it has merged.
type spanMerge struct {
	free [][]TraceSpan
}

// merge uses up a and b. Of spans that are alike those of a come first.
func (m *spanMerge) merge(a, b *SpanList) SpanList {
	var out SpanList
	for len(a.pieces) > 0 && len(b.pieces) > 0 {
		x, y := a.pieces[0], b.pieces[0]
		switch {
		case len(x) >= movedPiece && !y[0].before(x[len(x)-1]):
			move(&out, a)
		case len(y) >= movedPiece && y[len(y)-1].before(x[0]):
			move(&out, b)
		default:
			m.weave(&out, a, b)
		}
	}
	out.Append(a)
	out.Append(b)
	return out
}

// move moves the first piece of from to the end of out.
func move(out, from *SpanList) {
	out.pieces = append(out.pieces, slices.Clip(from.pieces[0]))
	from.pieces = from.pieces[1:]
}

// weave merges the first pieces of a and b until one is used up.
func (m *spanMerge) weave(out, a, b *SpanList) {
	x, y := a.pieces[0], b.pieces[0]
	i, k := 0, 0
	for i < len(x) && k < len(y) {
		if y[k].before(x[i]) {
			m.add(out, y[k])
			k++
		} else {
			m.add(out, x[i])
			i++
		}
	}
	m.used(a, i)
	m.used(b, k)
}

func (m *spanMerge) add(out *SpanList, x TraceSpan) {
	n := len(out.pieces) - 1
	if n < 0 || len(out.pieces[n]) == cap(out.pieces[n]) {
		out.pieces = append(out.pieces, m.room())
		n++
	}
	out.pieces[n] = append(out.pieces[n], x)
}

func (m *spanMerge) room() []TraceSpan {
	n := len(m.free) - 1
	if n < 0 {
		return make([]TraceSpan, 0, mostPiece)
	}
	p := m.free[n]
	m.free = m.free[:n]
	return p
}

// used drops the first n spans of a list's first piece.
func (m *spanMerge) used(l *SpanList, n int) {
	p := l.pieces[0]
	if n >= movedPiece {
		m.free = append(m.free, p[:0:n])
	}
	if l.pieces[0] = p[n:]; n == len(p) {
		l.pieces = l.pieces[1:]
	}
}
