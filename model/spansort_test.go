package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A list in pieces is sorted as a slice is, whatever is in order already.
func TestSpanSort(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	shapes := map[string]func(i, n int) int64{
		"sorted":   func(i, n int) int64 { return int64(i) },
		"reversed": func(i, n int) int64 { return int64(-i) },
		"shuffled": func(i, n int) int64 { return r.Int64N(int64(n)) },
		"alike":    func(i, n int) int64 { return r.Int64N(5) },
		"runs":     func(i, n int) int64 { return int64(i % (n/3 + 1)) },
		"late":     func(i, n int) int64 { return int64(i) - r.Int64N(9) },
		"few late": func(i, n int) int64 { return int64(i) - r.Int64N(3000)*(r.Int64N(1000)/999) },
		"stairs":   func(i, n int) int64 { return int64(i%5000 + i/10000) },
	}
	for name, at := range shapes {
		t.Run(name, func(t *testing.T) {
			for range 8 {
				var list SpanList
				var want []TraceSpan
				n := r.IntN(40000)
				for i := range n {
					x := NewTraceSpan(SpanKind(r.IntN(2)), at(i, n), r.Int64N(2), int32(i), 0)
					list.Add(x)
					want = append(want, x)
				}
				slices.SortStableFunc(want, TraceSpan.Compare)
				list.Sort()
				checkSpans(t, &list, want)
				list.Sort()
				checkSpans(t, &list, want)
				if pieces := len(list.pieces); pieces > 2*n/movedPiece+8 {
					t.Errorf("%d spans in %d pieces", n, pieces)
				}
			}
		})
	}
}
