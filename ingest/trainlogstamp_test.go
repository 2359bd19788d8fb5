package ingest

import (
	"strings"
	"testing"
)

// TestDamagedStamps: a damaged time is no time, and costs no line beside it.
func TestDamagedStamps(t *testing.T) {
	for _, damaged := range []string{"11/-0/26 01:55:17", "11/30/26 01:5", "99/99/2026 01:55:17 PM", "11/30/2026, -1:55:17 AM"} {
		log := strings.Join([]string{
			"11/30/26 01:55:16 - INFO - step=1 loss=2.0",
			damaged + " - INFO - step=2 loss=1.9",
			"11/30/26 01:55:18 - INFO - step=3 loss=1.8",
			"11/30/26 01:55:19 - INFO - step=4 loss=1.7", "",
		}, "\n")
		out := parseWhole(TrainLog, []byte(log))
		if out.File.Reason != "" || out.Metrics.Rows() < 3 {
			t.Errorf("%s: %d rows, want those of the three whole lines at least (%v)", damaged, out.Metrics.Rows(), out.File)
		}
	}
}

// TestCutTrainLog: a part of a log begins with a whole dated line only.
func TestCutTrainLog(t *testing.T) {
	for line, want := range map[string]bool{
		"2026-11-29 08:00:01,000 step=1 loss=2.0":         true,
		"[2026-11-29 08:00:01,000] step=1 loss=2.0":       true,
		"  loss=2.0 of the record before":                 false,
		"2026-11-29 08:00:01,000 step=1 loss=2.0\x00\x00": false,
	} {
		if got := cutTrainLog([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
