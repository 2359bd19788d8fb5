package ingest

import (
	"testing"
	"time"

	"tidemark/internal/config"
	"tidemark/model"
)

// TestZoneAsGiven: local times are those of the zone that is given, by the
// offset that it has on that day, whatever the other sources would say.
func TestZoneAsGiven(t *testing.T) {
	for _, tc := range []struct{ tz, day, want string }{
		{"Europe/Paris", "2026-07-01", "2026-07-01T06:00:01Z"},
		{"Europe/Paris", "2026-11-29", "2026-11-29T07:00:01Z"},
		{"-03:30", "2026-11-29", "2026-11-29T11:30:01Z"},
	} {
		run := readDir(t, map[string]string{
			"train.log":   tc.day + " 08:00:01,000 [INFO] step=1 loss=2.0\n" + tc.day + " 08:00:02,000 [INFO] step=2 loss=1.9\n" + tc.day + " 08:00:03,000 [INFO] step=3 loss=1.8\n",
			"queue.jsonl": `{"time": 1795939201, "depth": 3, "capacity": 60}` + "\n" + `{"time": 1795939202, "depth": 4, "capacity": 60}` + "\n",
		})
		Align(run, &config.Config{TZ: tc.tz})
		v, ok := run.Metrics.Batches[0].Int(model.MetricT, 0)
		if got := time.Unix(0, v).UTC().Format(time.RFC3339); !ok || got != tc.want {
			t.Errorf("%s: %s, want %s", tc.tz, got, tc.want)
		}
		for _, f := range run.Files {
			if f.Path == "train.log" && f.Clock.How != "zone "+tc.tz+" as given" {
				t.Errorf("%s: clock %q", tc.tz, f.Clock.How)
			}
		}
	}
}
