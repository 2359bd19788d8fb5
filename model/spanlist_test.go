package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A list in pieces holds what a slice holds, however it was put together and taken.
func TestSpanList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var list SpanList
		var plain []TraceSpan
		at := int64(0)
		grow := func(l *SpanList) {
			for range r.IntN(6000) {
				at += int64(r.IntN(3))
				x := NewTraceSpan(SpanOp, at, 1, int32(len(plain)), 0)
				l.Add(x)
				plain = append(plain, x)
			}
		}
		for range 6 {
			switch r.IntN(4) {
			case 0:
				var o SpanList
				grow(&o)
				list.Append(&o)
			case 1:
				grow(&list)
			case 2:
				if got := list.Flat(); !slices.Equal(got, plain) {
					t.Fatalf("%d spans as one slice, want %d", len(got), len(plain))
				}
			default:
				until := int64(0)
				if len(plain) > 0 {
					until = plain[r.IntN(len(plain))].Start
				}
				n, _ := slices.BinarySearchFunc(plain, until, func(x TraceSpan, at int64) int { return int(x.Start - at) })
				var got []TraceSpan
				for p := list.Take(until); len(p) > 0; p = list.Take(until) {
					got = append(got, p...)
				}
				if !slices.Equal(got, plain[:n]) {
					t.Fatalf("%d spans taken, want %d", len(got), n)
				}
				plain = plain[n:]
			}
			checkSpans(t, &list, plain)
		}
	}
}

func checkSpans(t *testing.T, list *SpanList, want []TraceSpan) {
	t.Helper()
	var got []TraceSpan
	for p := range list.Pieces() {
		if len(p) == 0 {
			t.Fatal("an empty piece")
		}
		got = append(got, p...)
	}
	if !slices.Equal(got, want) || list.Len() != len(want) {
		t.Fatalf("%d spans, length %d, want %d", len(got), list.Len(), len(want))
	}
	if x, ok := list.Last(); ok != (len(want) > 0) || ok && x != want[len(want)-1] {
		t.Fatalf("last is %v %t", x, ok)
	}
}
