package model

import (
	"math/rand/v2"
	"testing"
)

// TestAnyOf: a batch is known to have a code wherever one stands, in whatever form its codes
// are packed: all the same, rising or falling by one step, or any.
func TestAnyOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 3000 {
		x := NewTable(Events)
		n, base, step, any := 1+rng.IntN(6), 20+rng.Int32N(400), rng.Int32N(7)-3, rng.IntN(3) == 0
		var codes []int32
		for r := range n {
			code := base + step*int32(r)
			if any {
				code = 1 + rng.Int32N(600)
			}
			b := x.Add(r+1, int64(r))
			if b.SetInt(EventT, int64(r)); rng.IntN(8) > 0 {
				b.SetText(EventKind, code)
				codes = append(codes, code)
			}
		}
		x.Pack()
		for range 8 {
			list, want := make([]bool, 601), false
			for range 1 + rng.IntN(3) {
				list[1+rng.IntN(600)] = true
			}
			if len(codes) > 0 && rng.IntN(2) == 0 {
				list[codes[rng.IntN(len(codes))]] = true
			}
			for _, code := range codes {
				want = want || list[code]
			}
			if got := x.Batches[0].anyOf(EventKind, list); got != want {
				t.Fatalf("codes %v: %t, want %t", codes, got, want)
			}
		}
	}
}
