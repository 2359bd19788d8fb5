package infer

import "testing"

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
