package model

import (
	"math/rand/v2"
	"testing"
)

// TestRecordOfRow: the record of a row is found wherever records are longer or shorter than
// others.
func TestRecordOfRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 200 {
		m, want := &recordMap{}, []int(nil)
		long := 1 + rng.IntN(40)
		for range 1 + rng.IntN(300) {
			if rng.IntN(50) == 0 {
				long = 1 + rng.IntN(200)
			}
			m.from = append(m.from, uint16(len(want)))
			for range 1 + rng.IntN(long) {
				want = append(want, len(m.from)-1)
			}
		}
		got := make([]int, len(want))
		cells := make([]int, len(m.from))
		for k := range cells {
			cells[k] = k
		}
		gather(got, cells, m)
		for r, k := range want {
			if m.of(r) != k || got[r] != k {
				t.Fatalf("row %d of %d is of record %d, gathered %d, want %d", r, len(want), m.of(r), got[r], k)
			}
		}
	}
}
