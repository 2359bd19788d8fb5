package compare_test

import (
	"reflect"
	"strings"
	"testing"

	"tidemark/compare"
)

// TestRows: a table of runs holds what tells a pipeline and its metrics apart,
// and says no more when it is read again.
func TestRows(t *testing.T) {
	w := calm(4)
	runs := w.runs(3, 1, 1, 1)
	runs[0].Start, runs[0].Limiter = "2026-05-07T21:27:51Z", "target"
	runs[0].Pipeline.GPUs, runs[0].Pipeline.GPUSizes = []string{"NVIDIA H200", "NVIDIA L40S"}, []string{"140 GiB, 700 W"}
	rows := compare.Rows(runs)
	again, err := compare.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got := compare.Rows(again); !reflect.DeepEqual(got, rows) {
		t.Errorf("%v\nand then %v", rows, got)
	}
	c := mustCompare(t, runs, again, compare.Options{})
	if m := metricOf(t, c, "throughput"); len(c.Void) > 0 || m.Change == nil || m.Change.Mid > 1e-9 || m.Change.Mid < -1e-9 {
		t.Errorf("runs against their own rows: void %v, %+v", c.Void, m)
	}
	if _, ok := rows[1]["gpu"]; ok || rows[1]["capacity"] != 60.0 {
		t.Errorf("%v, want no gpu and a capacity of 60", rows[1])
	}
}

// TestRowsOfOthers: what a table must have, and how times may be written.
func TestRowsOfOthers(t *testing.T) {
	good := func(name string, v any) []map[string]any {
		return []map[string]any{{"name": "a", "throughput": 11900.0, name: v}}
	}
	for want, rows := range map[string][]map[string]any{
		"no rows": nil,
		`no column "throughput", want one row a run with name, start and throughput; the nearest column is "thruput"`: {{"name": "a", "thruput": 1.0}},
		"row 1: neither name nor start":                                  {{"throughput": 1.0}},
		`row 1: start: "noon", want a time such as 2026-05-07T21:27:51Z`: good("start", "noon"),
		`row 1: capacity: "sixty", want a number`:                        good("capacity", "sixty"),
		`row 1: target_gpus: 2.5, want a count`:                          good("target_gpus", 2.5),
		`row 2: throughput: "fast", want a number`:                       {{"name": "a", "throughput": 1.0}, {"name": "b", "throughput": "fast"}},
	} {
		if _, err := compare.FromRows(rows); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", rows, err, want)
		}
	}
	for _, start := range []any{"2026-05-07T21:27:51Z", "2026-05-07 21:27:51", "2026-05-07T23:27:51+02:00", "2026-05-07 21:27:51+00:00", int64(1778189271e9)} {
		runs, err := compare.FromRows(good("start", start))
		if err != nil || !strings.HasPrefix(runs[0].Start, "2026-05-07T21:27:51") {
			t.Errorf("start %v: %v, %v", start, runs, err)
		}
	}
}
