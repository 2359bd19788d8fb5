package model

import (
	"slices"
	"testing"
)

// TestSumTable: all numbers with a sum are found, also where the table has grown
// since and where sums differ in their low half alone, which is not kept.
func TestSumTable(t *testing.T) {
	table, want := newSumTable(0), map[uint64][]int32{}
	for i := range int32(3000) {
		sum := uint64(i%700)<<32 | uint64(i)
		table.put(sum, i)
		want[sum>>32] = append(want[sum>>32], i)
	}
	for high := range uint64(1000) {
		var got []int32
		for slot, n := table.first(high << 32); n >= 0; slot, n = table.next(high<<32, slot) {
			got = append(got, n)
		}
		slices.Sort(got)
		if !slices.Equal(got, want[high]) {
			t.Errorf("sum %d: %d, want %d", high, got, want[high])
		}
	}
}
