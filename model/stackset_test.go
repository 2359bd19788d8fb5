package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStackSet compares the set with plain slices: equal stacks have one
// number, however they were made, and their frames come back; also over Map.
func TestStackSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, other := NewStackSet(), NewStackSet()
	text := []int32{0, 1, 2, 3, 4}
	for _, set := range []*StackSet{s, other} {
		for i := range int32(4) {
			set.Frame(Frame{Function: (i + int32(len(set.frames))) % 5, Line: i})
		}
	}
	var stacks [][]int32
	for range 500 {
		stack := make([]int32, rng.IntN(3*chunk))
		if len(stacks) > 0 && rng.IntN(2) == 0 {
			stack = slices.Clone(stacks[rng.IntN(len(stacks))])
		}
		for i := range stack {
			if rng.IntN(50) == 0 {
				stack[i] = rng.Int32N(4)
			}
		}
		stacks = append(stacks, stack)
	}
	number := map[int32][]int32{}
	for _, stack := range stacks {
		n, pushed := s.Stack(stack), int32(0)
		for _, f := range stack {
			pushed = s.Push(pushed, f)
		}
		if n != pushed {
			t.Fatalf("Stack gives %d, Push %d", n, pushed)
		}
		if was, ok := number[n]; ok && !slices.Equal(was, stack) {
			t.Fatalf("two stacks have the number %d", n)
		}
		number[n] = stack
		if got := s.Path(n, nil); !slices.Equal(got, stack) {
			t.Fatalf("stack %v comes back as %v", stack, got)
		}
	}
	other.Stack([]int32{1, 2})
	moved := other.Map(s, text)
	for n, stack := range number {
		for i, code := range other.Path(moved[n], nil) {
			if other.At(code) != s.At(stack[i]) {
				t.Fatalf("frame %d of stack %d changed by Map", i, n)
			}
		}
	}
	if empty := NewStackSet(); empty.Map(other, text) != nil || empty.Stack([]int32{1, 2}) != 1 {
		t.Error("an empty set does not take over another's stacks")
	}
}
