package ingest

import (
	"fmt"
	"strings"
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

// TestZoneInDoubt: a recording that lies within another fits several zones. UTC
// is taken where it is among them, never a zone that no place has, and the
// doubt is said; ends that lie a few minutes apart do not make another zone.
func TestZoneInDoubt(t *testing.T) {
	const start = 1795960800 // 14:00 UTC
	for _, tc := range []struct {
		name           string
		hours          int           // that the queue is recorded
		from, to, zone time.Duration // of the GPUs' recording, and its clock
		want           string
		shift          time.Duration
	}{
		{"inside", 2, 55 * time.Minute, 65 * time.Minute, 0, "local time taken as UTC, though 3 zones from UTC-01:00 to UTC+01:00 fit", 0},
		{"around", 2, -3 * time.Hour, 5 * time.Hour, 0, "local time taken as UTC, though 8 zones from UTC-03:00 to UTC+03:00 fit", 0},
		{"early", 2, -2 * time.Minute, 20 * time.Minute, 0, "local time taken as UTC, though UTC-01:00 fits", 0},
		{"alike", 2, 3 * time.Minute, 121 * time.Minute, 5*time.Hour + 30*time.Minute, "local time taken as UTC+05:30, inferred", -5*time.Hour - 30*time.Minute},
		{"apart", 2, 10 * time.Minute, 100 * time.Minute, -8 * time.Hour, "local time taken as UTC-08:00, inferred", 8 * time.Hour},
	} {
		var queue, gpu strings.Builder
		queue.WriteString("timestamp,depth,capacity\n")
		for s := 0; s <= tc.hours*3600; s += 60 {
			fmt.Fprintf(&queue, "%d,3,60\n", start+s)
		}
		gpu.WriteString("timestamp, index, utilization.gpu [%]\n")
		for at := tc.from; at <= tc.to; at += time.Minute {
			fmt.Fprintf(&gpu, "%s, 0, 50 %%\n", time.Unix(start, 0).UTC().Add(at+tc.zone).Format("2006/01/02 15:04:05.000"))
		}
		run := readDir(t, map[string]string{"queue.csv": queue.String(), "gpu.csv": gpu.String()})
		f := run.Files[0]
		if f.Path != "gpu.csv" || !strings.HasPrefix(f.Clock.How, tc.want) || f.Clock.Shift != int64(tc.shift) {
			t.Errorf("%s: %s shifted by %s, %q, want %s and %q", tc.name, f.Path, time.Duration(f.Clock.Shift), f.Clock.How, tc.shift, tc.want)
		}
		if doubt := f.Clock.Error > 0; doubt != strings.Contains(f.Clock.How, "as well") {
			t.Errorf("%s: error %g of %q", tc.name, f.Clock.Error, f.Clock.How)
		}
	}
}

// TestSummerTime: local times of a zone that is given are moved by the offset
// that it has at each of them. The hour that comes twice is the first one where
// the clock falls back in the file, and the second where the file goes on
// beyond it without.
func TestSummerTime(t *testing.T) {
	for _, tc := range []struct {
		name, start string // in UTC
		minutes     []int  // of the rows after it
		want        string // minutes that the rows are off
	}{
		{"begins", "2026-03-29T00:58:00Z", []int{0, 1, 2, 3}, "0 0 0 0"},
		{"ends", "2026-10-25T00:58:00Z", []int{0, 1, 2, 3, 4}, "0 0 0 0 0"},
		{"second hour", "2026-10-25T01:58:00Z", []int{0, 1, 2, 3}, "0 0 0 0"},
		{"first hour alone", "2026-10-25T00:10:00Z", []int{0, 1, 2, 3}, "0 0 0 0"},
		{"winter and summer", "2026-03-28T12:00:00Z", []int{0, 60, 1440, 1500}, "0 0 0 0"},
	} {
		start, err := time.Parse(time.RFC3339, tc.start)
		if err != nil {
			t.Fatal(err)
		}
		paris, err := time.LoadLocation("Europe/Paris")
		if err != nil {
			t.Skip("no zones on this machine: ", err)
		}
		gpu := "timestamp, index, utilization.gpu [%]\n"
		for _, m := range tc.minutes {
			gpu += start.Add(time.Duration(m)*time.Minute).In(paris).Format("2006/01/02 15:04:05.000") + ", 0, 50 %\n"
		}
		run := readDir(t, map[string]string{"gpu.csv": gpu})
		Align(run, &config.Config{TZ: "Europe/Paris"})
		var got []string
		for r, m := range tc.minutes {
			v, _ := run.GPU.Batches[0].Int(model.GPUT, r)
			got = append(got, fmt.Sprint(time.Duration(v-start.UnixNano()).Minutes()-float64(m)))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: off by %s minutes, want %s", tc.name, s, tc.want)
		}
	}
}

// TestTimeOfDayInZone: times of day of a zone that is given are placed by it,
// also where no file has local times with a date.
func TestTimeOfDayInZone(t *testing.T) {
	run := readDir(t, map[string]string{
		"dmon.log":  "#Time        gpu     sm\n#HH:MM:SS    Idx      %\n 15:03:00       0     97\n 15:04:00       0     98\n",
		"queue.csv": "timestamp,depth,capacity\n1795960980,3,60\n1795961100,4,60\n", // 14:03 and 14:05 UTC
	})
	how := run.Files[0].Clock.How
	if want := "time of day that, taken as UTC, fits no date of the run: --tz says in which zone it is"; how != want {
		t.Errorf("without a zone: %q, want %q", how, want)
	}
	Align(run, &config.Config{TZ: "+01:00"})
	v, ok := run.GPU.Batches[0].Int(model.GPUT, 0)
	if how = run.Files[0].Clock.How; !ok || v != 1795960980e9 || how != "time of day taken as UTC+01:00, date from the overlap with dated sources" {
		t.Errorf("with a zone: %d, %q", v, how)
	}
}

// TestUndated: where no source tells the date, times of day are placed beside
// each other, and so is a single recording's time since its start; two such
// recordings may have begun at any time.
func TestUndated(t *testing.T) {
	day := func(rank int) string {
		return strings.ReplaceAll("[23:59:58] step=1 loss=2.0\n[23:59:59] step=2 loss=1.9\n[00:00:01] step=3 loss=1.8\n", "step", fmt.Sprintf("rank=%d step", rank))
	}
	elapsed := "[12.5s] step=1 loss=2.0\n[14.5s] step=2 loss=1.9\n[16.5s] step=3 loss=1.8\n"
	dated := "timestamp,depth,capacity\n1795996798,3,60\n1795996799,4,60\n1795996801,5,60\n" // 2026-11-29 23:59:58 UTC
	for _, tc := range []struct {
		name    string
		files   map[string]string
		undated bool
		placed  int
		seconds float64 // from the first to the last row of all
	}{
		{"one of day", map[string]string{"a.log": day(0)}, true, 1, 3},
		{"two of day", map[string]string{"a.log": day(0), "b.log": day(1)}, true, 2, 3},
		{"one elapsed", map[string]string{"a.log": elapsed}, true, 1, 4},
		{"two elapsed", map[string]string{"a.log": elapsed, "b.log": elapsed}, false, 0, 0},
		{"elapsed beside day", map[string]string{"a.log": day(0), "b.log": elapsed}, true, 1, 3},
		{"day beside a date", map[string]string{"a.log": day(0), "queue.csv": dated}, false, 2, 3},
	} {
		run := readDir(t, tc.files)
		Align(run, &config.Config{})
		placed, first, last := 0, int64(0), int64(0)
		for _, f := range run.Files {
			if !f.Clock.Placed {
				continue
			}
			if placed++; first == 0 || f.First < first {
				first = f.First
			}
			last = max(last, f.Last)
		}
		if got := float64(last-first) / 1e9; run.Undated != tc.undated || placed != tc.placed || got != tc.seconds {
			t.Errorf("%s: undated %v, %d placed over %v s, want %v, %d over %v s", tc.name, run.Undated, placed, got, tc.undated, tc.placed, tc.seconds)
		}
	}
}
