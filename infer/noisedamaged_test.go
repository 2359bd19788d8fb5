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

// TestDispersionOfDamage: one damaged cell of a counter, among readings at one time,
// makes no window so short that a run has no end of them.
func TestDispersionOfDamage(t *testing.T) {
	var count Points
	for i := range 2400 {
		v := float64(i)
		if i >= 2000 {
			v += 4503599627370497
		}
		count.add(int64(i/2)*1e9+int64(i%2), v)
	}
	s := &SteadyState{Spans: []span{{count.T[0], count.T[len(count.T)-1]}}}
	if v, ok := dispersion(count, s); ok && !(v >= 0) {
		t.Errorf("dispersion %v", v)
	}
}
