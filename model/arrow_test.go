package model

import (
	"strconv"
	"testing"
)

// TestLargeBatch: a part that the first one lets expect has full batches, with
// columns that hold nothing, one value, or a value in some rows.
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
	if n := len(b.Metrics.Batches); n != (rows+BatchRows-1)/BatchRows {
		t.Fatalf("%d batches, want full ones", n)
	}
	b.Pack()
	for _, batch := range b.Metrics.Batches {
		batch.FillInt(MetricSession, 0, batch.Rows(), 7)
	}
	run := NewRun()
	run.Files = append(run.Files, b.File)
	run.Join(b, 0)
	table, err := run.Arrow(run.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for rec := range table.Records() {
		n := int(rec.NumRows())
		for col, nulls := range map[int]int{MetricT: 0, MetricSession: 0, MetricValue: n / 2, MetricStep: n, MetricUnit: n} {
			if got := rec.Column(col).NullN(); got != nulls || rec.Column(col).Len() != n {
				t.Errorf("column %d: %d of %d cells missing, want %d of %d", col, got, rec.Column(col).Len(), nulls, n)
			}
		}
		if got := rec.Column(MetricSession).ValueStr(n - 1); got != "7" {
			t.Errorf("session %s, want 7", got)
		}
		if got, want := rec.Column(MetricValue).ValueStr(n-2), strconv.Itoa(at+n-2); got != want {
			t.Errorf("value %s, want %s", got, want)
		}
		at += n
	}
	if at != rows {
		t.Errorf("%d rows, want %d", at, rows)
	}
}
