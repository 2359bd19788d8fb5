package ingest

import (
	"testing"

	"tidemark/model"
)

// TestQueueClockOfAll: the clock of a queue file is that of all its rows, not
// of the one read last, so that parts read side by side agree on it.
func TestQueueClockOfAll(t *testing.T) {
	const head = "timestamp,depth\n"
	zoned, bare := "2026-11-29T08:00:01Z,3\n", "2026-11-29 08:00:02,4\n"
	for _, csv := range []string{head + zoned + bare, head + bare + zoned} {
		if got := parseWhole(QueueCSV, []byte(csv)).File.Clock.Kind; got != model.ClockUTC {
			t.Errorf("%q: clock %v, want %v", csv, got, model.ClockUTC)
		}
	}
}
