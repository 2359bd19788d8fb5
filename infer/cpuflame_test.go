package infer

import (
	"slices"
	"testing"
)

// TestFlameTreeSums adds durations that round differently in another order.
func TestFlameTreeSums(t *testing.T) {
	build := func() *flameTree {
		tree := &flameTree{parent: []int32{-1}, frame: []int32{-1}, value: []float64{0}}
		var list []weighed
		for i := range int32(40) {
			list = append(list, weighed{path: []int32{1, 2 + i}, n: 0.1 * float64(1+i%7), mechanism: i % 11})
		}
		tree.build(list)
		return tree
	}
	want := build()
	if len(want.value) != 42 || want.value[0] != want.value[1] {
		t.Fatalf("%d nodes, root %v, its only child %v; want 42 nodes and equal values", len(want.value), want.value[0], want.value[1])
	}
	for range 50 {
		if got := build(); !slices.Equal(got.value, want.value) || !slices.Equal(got.mechanism, want.mechanism) {
			t.Fatalf("root %v, then %v, of the same stacks", want.value[0], got.value[0])
		}
	}
}
