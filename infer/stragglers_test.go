package infer

import "testing"

// TestLifted checks the factor of a side whose slow workers are brought to the
// median, by arithmetic done by hand.
func TestLifted(t *testing.T) {
	for _, c := range []struct {
		name        string
		speeds      []float64
		sd          float64
		mid, lo, hi float64
	}{
		{"alike, without an error", []float64{2, 2, 2}, 0, 1, 1, 1},
		{"one slow", []float64{10, 10, 10, 10, 6}, 0, 50.0 / 46, 50.0 / 46, 50.0 / 46},
		{"a fast one stays", []float64{10, 10, 14}, 0, 1, 1, 1},
		{"slow within the error", []float64{10, 10, 9}, 2, 1, 1, 30.0 / 29},
		{"two of three are slow: they are the median", []float64{10, 6, 6}, 0, 1, 1, 1},
	} {
		var list []workerSpeed
		for _, v := range c.speeds {
			list = append(list, workerSpeed{v, c.sd})
		}
		got := lifted(list)
		for _, x := range []struct{ got, want float64 }{{got.Lo, c.lo}, {got.Mid, c.mid}, {got.Hi, c.hi}} {
			if d := x.got - x.want; d > 1e-9 || d < -1e-9 {
				t.Errorf("%s: %+v, want %.4f (%.4f to %.4f)", c.name, got, c.mid, c.lo, c.hi)
			}
		}
	}
}
