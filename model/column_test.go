package model

import (
	"slices"
	"testing"
)

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

// TestClearText: Texts has 0 where a cell was cleared, also after Keep has moved
// the rows.
func TestClearText(t *testing.T) {
	out := NewRunBuilder(&File{Path: "f"})
	for i := range 4 {
		out.Metrics.Add(i+1, int64(i)).SetText(MetricKey, int32(10+i))
	}
	b := out.Metrics.Batches[0]
	b.Clear(MetricKey, 1)
	if got, want := textsOf(b, MetricKey), []int32{10, 0, 12, 13}; !slices.Equal(got, want) {
		t.Errorf("codes %d, want %d", got, want)
	}
	out.Metrics.Keep(func(_ *Batch, row int) bool { return row > 0 })
	if got, want := textsOf(b, MetricKey), []int32{0, 12, 13}; !slices.Equal(got, want) {
		t.Errorf("codes after Keep %d, want %d", got, want)
	}
	if _, ok := b.Text(MetricKey, 0); ok {
		t.Error("the cleared cell has a value after Keep")
	}
}

func textsOf(b *Batch, col int) []int32 {
	rows := NewReader(b.spec, col)
	rows.Read(b)
	return rows.Texts(col)
}
