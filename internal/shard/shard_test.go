package shard

import (
	"fmt"
	"slices"
	"testing"
)

func TestDo(t *testing.T) {
	const least = 256
	for _, n := range []int{0, 1, least, 2*least + 1, 100_003} {
		seen := make([]int, n)
		Do(n, least, func(from, to int) {
			for i := from; i < to; i++ {
				seen[i]++
			}
		})
		if i := slices.IndexFunc(seen, func(k int) bool { return k != 1 }); i >= 0 {
			t.Errorf("Do(%d) came to entry %d %d times", n, i, seen[i])
		}
	}
}

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		seen := make([]int, n)
		Each(n, func(i int) { seen[i]++ })
		if i := slices.IndexFunc(seen, func(k int) bool { return k != 1 }); i >= 0 {
			t.Errorf("Each(%d) came to %d %d times", n, i, seen[i])
		}
	}
}

func TestPanic(t *testing.T) {
	done := false
	defer func() {
		if got := fmt.Sprint(recover()); got != "the second" || !done {
			t.Errorf("recovered %q, the others done: %t", got, done)
		}
	}()
	All(func() {}, func() { panic("the second") }, func() { done = true })
}
