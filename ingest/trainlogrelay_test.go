package ingest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// relays put something around each line of a log, as the programs named do.
// %[1]s is the line, %[2]s the same in JSON's quotes, %02[3]d a second.
var relays = map[string]string{
	"docker":             `{"log":%[2]s,"stream":"stderr","time":"2026-11-30T01:55:%02[3]d.5Z"}`,
	"kubernetes":         `2026-11-30T01:55:%02[3]d.500000000Z stderr F %[1]s`,
	"kubectl prefix":     `[pod/train-0/main] 2026-11-30T01:55:%02[3]d.5Z %[1]s`,
	"compose":            "\x1b[36mtrainer-1  |\x1b[0m 2026-11-30T01:55:%02[3]d.5Z %[1]s",
	"journald iso":       `2026-11-30T01:55:%02[3]d.5+0000 host train[123]: %[1]s`,
	"ts":                 `[2026-11-30 01:55:%02[3]d.5] %[1]s`,
	"torchrun":           `[default0]:2026-11-30T01:55:%02[3]d.5Z %[1]s`,
	"loguru serialize":   `{"text": "x", "record": {"elapsed": {"repr": "0:00:01", "seconds": 1.5}, "level": {"icon": "i", "name": "INFO", "no": 20}, "message": %[2]s, "time": {"repr": "2026-11-30 01:55:%02[3]d.500000+00:00", "timestamp": 1796003700.5}}}`,
	"python-json-logger": `{"asctime": "2026-11-30 01:55:%02[3]d,500", "levelname": "INFO", "message": %[2]s}`,
}

// TestRelays: what a container, a service manager or a formatter puts around
// the lines of a log changes no value and no step, and gives the lines its time.
func TestRelays(t *testing.T) {
	lines := map[string]string{
		"pairs":       "step=%d loss=%.3f hs_queue=%d/60 put_wait=0.5s",
		"basicConfig": "INFO:train.loop:step=%d loss=%.3f hs_queue=%d/60 put_wait=0.5s",
		"own time":    "2026-11-30 07:08:09,768 INFO train.loop: step=%d loss=%.3f hs_queue=%d/60 put_wait=0.5s",
		"level":       "[INFO] step %d | loss: %.3f | hs_queue: %d/60 | put_wait: 0.5s",
	}
	for style, format := range lines {
		for by, relay := range relays {
			var plain, relayed strings.Builder
			for i := range 25 {
				line := fmt.Sprintf(format, i+1, 4-float64(i)/16, i)
				fmt.Fprintln(&plain, line)
				fmt.Fprintf(&relayed, relay+"\n", line, strconv.Quote(line+"\n"), i)
			}
			b := readBytes(t, "train.log", []byte(relayed.String()))
			conserved(t, b.File)
			if diff := cmp.Diff(steppedValues(readBytes(t, "train.log", []byte(plain.String()))), steppedValues(b)); diff != "" {
				t.Errorf("%s by %s (-plain +relayed):\n%s", style, by, diff)
			}
			if first, ok := b.Metrics.Batches[0].Int(model.MetricT, 0); !ok || first != 1796003700_500000000 {
				t.Errorf("%s by %s: first time %d, want that of the relay", style, by, first)
			}
		}
	}
}

// steppedValues are the metrics of a log: lines of a step, a key and a value.
func steppedValues(out *model.RunBuilder) (list []string) {
	for _, b := range out.Metrics.Batches {
		for r := range b.Rows() {
			step, _ := b.Int(model.MetricStep, r)
			key, _ := b.Text(model.MetricKey, r)
			v, _ := b.Float(model.MetricValue, r)
			list = append(list, fmt.Sprint(step, out.Strings.At(key), v))
		}
	}
	return list
}

// TestRelayedTraceback: a traceback in one record of JSON is an event, as one
// over several lines is.
func TestRelayedTraceback(t *testing.T) {
	var sb strings.Builder
	for i := range 4 {
		fmt.Fprintf(&sb, `{"message": "step=%d loss=2.5", "level": "info", "ts": 179600370%d.25}`+"\n", i, i)
	}
	sb.WriteString(`{"message": "failed\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    run()\nValueError: no samples", "level": "error", "ts": 1796003704.25}` + "\n")
	got := dumped(readBytes(t, "train.log", []byte(sb.String())))
	for _, want := range []string{`events 5: t=1796003704250000000 kind="error" text="failed"`, "ValueError: no samples", `metrics 4: t=1796003703250000000`} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

// TestRelayedBar: of bars drawn over each other behind one stamp, which is that
// of the last, each has its own time.
func TestRelayedBar(t *testing.T) {
	const bars = `train:  2%|▏ | 1/60 [00:10<09:50, 10.0s/it, loss=4.5]\rtrain:  3%|▎ | 2/60 [00:20<09:40, 10.0s/it, loss=4.0]\rtrain:  5%|▌ | 3/60 [00:30<09:30, 10.0s/it, loss=3.5]\rtrain:  7%|▌ | 4/60 [00:40<09:20, 10.0s/it, loss=3.0]\rtrain:  8%|▌ | 5/60 [00:5`
	for by, text := range map[string]string{
		"docker":         `{"log":"` + bars + `","stream":"stderr","time":"2026-11-30T01:55:40.5Z"}` + "\n",
		"docker logs -t": "2026-11-30T01:55:40.5Z " + strings.ReplaceAll(bars, `\r`, "\r") + "\n",
	} {
		b := readBytes(t, "train.log", []byte(text))
		var got []string
		for _, batch := range b.Metrics.Batches {
			for r := range batch.Rows() {
				if key, _ := batch.Text(model.MetricKey, r); b.Strings.At(key) == "loss" {
					at, _ := batch.Int(model.MetricT, r)
					v, _ := batch.Float(model.MetricValue, r)
					got = append(got, fmt.Sprint(v, " at ", (at-1796003700_000000000)/1e6))
				}
			}
		}
		if diff := cmp.Diff([]string{"4.5 at 10500", "4 at 20500", "3.5 at 30500", "3 at 40500"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", by, diff)
		}
	}
}

// TestServiceLog: a service's log in records of JSON holds no numbers of a
// training, and is none.
func TestServiceLog(t *testing.T) {
	text := strings.Repeat(`{"time":"2026-11-30T01:55:19.6Z","level":"INFO","msg":"server: accepting connections","addr":"unix"}`+"\n", 30)
	if b := readBytes(t, "service.log", []byte(text)); b.File.Format != "" || !strings.HasPrefix(b.File.Reason, "JSON of which no format knows the keys") {
		t.Errorf("read as %q, %s", b.File.Format, b.File.Reason)
	}
}
