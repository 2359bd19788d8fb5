package infer

import "testing"

// TestStepOfPairs: readings that stand twice each lie as far apart as if they stood
// once, however many are looked at.
func TestStepOfPairs(t *testing.T) {
	for _, n := range []int{3, 999, 1200, 5000} {
		var p Points
		for i := range n {
			p.add(int64(i)*1e9, 0)
			p.add(int64(i)*1e9, 0)
		}
		if got := p.step(); got != 1 {
			t.Errorf("%d pairs: step %v s, want 1", n, got)
		}
	}
	if got := (Points{T: make([]int64, 5000), V: make([]float64, 5000)}).step(); got != 0 {
		t.Errorf("all at one time: step %v s, want 0", got)
	}
}
