package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpan: the span of a batch is that of its times, also after rows were dropped, moved
// or given another time, and it is known without a look at all of them where they rise.
func TestSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	known := 0
	for round := range 300 {
		x := NewTable(GPU)
		falls, lacks := rng.IntN(2) == 0, rng.IntN(4) == 0
		now := int64(1795939205e9)
		for line := range 1 + rng.IntN(3*firstBatch) {
			b := x.Add(line, int64(line))
			if now += rng.Int64N(3) * 1e6; falls && rng.IntN(50) == 0 {
				now -= 1e9
			}
			if !lacks || rng.IntN(9) > 0 {
				b.SetInt(GPUT, now)
			}
		}
		x.Pack()
		if !falls && !lacks {
			for _, b := range x.Batches {
				if _, _, ok := b.Rising(); !ok {
					t.Fatalf("round %d: times that rise are not known to", round)
				}
				known++
			}
		}
		switch round % 4 {
		case 1:
			x.Batches[0].Shift(GPUT, -3600e9)
		case 2:
			x.Batches[0].PutInt(GPUT, x.Batches[0].Rows()/2, now-7e9)
		case 3:
			x.Keep(func(*Batch, int) bool { return rng.IntN(3) > 0 })
		}
		for _, b := range x.Batches {
			sameSpan(t, b)
		}
	}
	if known == 0 {
		t.Error("no round had times that rise")
	}
}

// sameSpan holds the span of a batch against its times.
func sameSpan(t *testing.T, b *Batch) {
	t.Helper()
	times := slices.Collect(b.Times())
	first, last, ok := b.Span()
	if ok != (len(times) > 0) || ok && (first != slices.Min(times) || last != slices.Max(times)) {
		t.Errorf("times from %d to %d, %t; want those of %d times", first, last, ok, len(times))
	}
	if _, _, rising := b.Rising(); rising && !slices.IsSorted(times) {
		t.Error("times that fall are said to rise")
	}
}
