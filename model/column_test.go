package model

import "testing"

// TestFillAgain: a column of which every cell was cleared is filled anew, with
// one value or with the values of some rows.
func TestFillAgain(t *testing.T) {
	out := NewRunBuilder(&File{Path: "f"})
	for i := range 3 {
		out.Metrics.Add(i+1, int64(i)).SetInt(MetricStep, int64(10+i))
	}
	b := out.Metrics.Batches[0]
	for i := range 3 {
		b.Clear(MetricStep, i)
	}
	b.FillInt(MetricStep, 0, 3, 7)
	for i := range 3 {
		if v, ok := b.Int(MetricStep, i); v != 7 || !ok {
			t.Errorf("row %d: %d, %v, want 7", i, v, ok)
		}
	}
}
