package model

import (
	"iter"
	"slices"
	"sort"
)

// A SpanList is spans in pieces: it grows, is joined to another and gives up its
// first spans without a copy of the rest.
type SpanList struct {
	pieces [][]TraceSpan // none of them empty
}

// The pieces of a long list are of mostPiece spans, 48 KiB; those of a short one
// are smaller.
const (
	leastPiece = 64
	mostPiece  = 2048
)

// Add appends a span.
func (l *SpanList) Add(x TraceSpan) {
	n := len(l.pieces) - 1
	size := 0
	if n >= 0 {
		size = cap(l.pieces[n])
	}
	if n < 0 || len(l.pieces[n]) == size {
		l.pieces = append(l.pieces, make([]TraceSpan, 0, min(max(2*size, leastPiece), mostPiece)))
		n++
	}
	l.pieces[n] = append(l.pieces[n], x)
}

// Append moves the spans of o to the end of l.
func (l *SpanList) Append(o *SpanList) {
	l.pieces = append(l.pieces, o.pieces...)
	o.pieces = nil
}

// First returns the first span; ok is false where there is none.
func (l *SpanList) First() (x TraceSpan, ok bool) {
	if len(l.pieces) == 0 {
		return x, false
	}
	return l.pieces[0][0], true
}

// Last returns the last span; ok is false where there is none.
func (l *SpanList) Last() (x TraceSpan, ok bool) {
	if len(l.pieces) == 0 {
		return x, false
	}
	p := l.pieces[len(l.pieces)-1]
	return p[len(p)-1], true
}

// Len returns the number of spans.
func (l *SpanList) Len() int {
	n := 0
	for _, p := range l.pieces {
		n += len(p)
	}
	return n
}

// Pieces returns the spans, in order, to be read or changed in place.
func (l *SpanList) Pieces() iter.Seq[[]TraceSpan] { return slices.Values(l.pieces) }

func (l *SpanList) recode(text []int32) {
	for _, p := range l.pieces {
		for i := range p {
			p[i].Name = text[p[i].Name]
		}
	}
}

// Flat returns all spans as one slice, which the list keeps.
func (l *SpanList) Flat() []TraceSpan {
	if len(l.pieces) != 1 {
		l.Set(slices.Concat(l.pieces...))
	}
	if len(l.pieces) == 0 {
		return nil
	}
	return l.pieces[0]
}

// Set makes list, which it keeps, the spans of l.
func (l *SpanList) Set(list []TraceSpan) {
	l.pieces = nil
	if len(list) > 0 {
		l.pieces = [][]TraceSpan{list}
	}
}

// Take removes spans from the front of a sorted list and returns them, some or
// all of those that begin before until; none says that no more do.
func (l *SpanList) Take(until int64) []TraceSpan {
	if len(l.pieces) == 0 {
		return nil
	}
	p := l.pieces[0]
	n := len(p)
	if p[n-1].Start < until {
		l.pieces[0] = nil
		l.pieces = l.pieces[1:]
		return p
	}
	n = sort.Search(n, func(i int) bool { return p[i].Start >= until })
	l.pieces[0] = p[n:]
	return p[:n:n]
}
