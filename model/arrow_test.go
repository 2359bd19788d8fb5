package model

import "testing"

// TestLargeBatch: a part that the first one lets expect has batches of its own
// size, with columns that hold nothing, one value, or a value in some rows.
func TestLargeBatch(t *testing.T) {
	first := NewRunBuilder(&File{Path: "f"})
	first.Metrics.Add(1, 0)
	const rows = 40_000
	b := first.Seed().NewPart(&File{Path: "f"}, rows)
	for i := range rows {
		r := b.Metrics.Add(i+1, int64(i))
		r.SetInt(MetricT, int64(i))
		if i%2 == 0 {
			r.SetFloat(MetricValue, float64(i))
		}
	}
	if n := len(b.Metrics.Batches); n != 1 {
		t.Fatalf("%d batches, want one", n)
	}
	b.Metrics.Batches[0].FillInt(MetricSession, 0, rows, 7)
	run := NewRun()
	run.Files = append(run.Files, b.File)
	run.Join(b, 0)
	table, err := run.Arrow(run.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	for rec := range table.Records() {
		for col, nulls := range map[int]int{MetricT: 0, MetricSession: 0, MetricValue: rows / 2, MetricStep: rows, MetricUnit: rows} {
			if got := rec.Column(col).NullN(); got != nulls || rec.Column(col).Len() != rows {
				t.Errorf("column %d: %d of %d cells missing, want %d of %d", col, got, rec.Column(col).Len(), nulls, rows)
			}
		}
		if got := rec.Column(MetricSession).ValueStr(rows - 1); got != "7" {
			t.Errorf("session %s, want 7", got)
		}
	}
}
