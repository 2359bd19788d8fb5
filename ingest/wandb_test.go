package ingest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// A wandbFile writes records in chunks.
type wandbFile struct{ b []byte }

func (w *wandbFile) record(m *protoText) {
	if len(w.b) == 0 {
		w.b = []byte(":W&B\xe1\xbe\x00")
	}
	for rest, first := m.b, true; ; first = false {
		left := wandbBlock - len(w.b)%wandbBlock
		if left < wandbHeader {
			w.b = append(w.b, make([]byte, left)...)
			left = wandbBlock
		}
		n := min(len(rest), left-wandbHeader)
		kind := byte(wandbMiddle)
		switch {
		case first && n == len(rest):
			kind = wandbFull
		case first:
			kind = wandbFirst
		case n == len(rest):
			kind = wandbLast
		}
		typed := append([]byte{kind}, rest[:n]...)
		w.b = binary.LittleEndian.AppendUint32(w.b, crc32.ChecksumIEEE(typed))
		w.b = binary.LittleEndian.AppendUint16(w.b, uint16(n))
		w.b = append(w.b, typed...)
		if rest = rest[n:]; len(rest) == 0 {
			return
		}
	}
}

func wandbItem(value string, path ...string) *protoText {
	m := message()
	if len(path) == 1 {
		m.text(1, path[0])
	} else {
		for _, p := range path {
			m.text(2, p)
		}
	}
	return m.text(16, value)
}

func wandbHistory(step uint64, items ...*protoText) *protoText {
	h := message()
	for _, i := range items {
		h.message(1, i)
	}
	return message().message(2, h.message(2, message().number(1, step)))
}

const wandbWant = `f: , 0 lines: 0 claimed, 0 skipped, 0 rejected; UTC
  note: system metrics are inside, one look every 2 to 30 s: too slow to be held against the depth of a queue
  metrics 0: t=1795939200250000000 session=0 step=0 key="loss" value=2.5 unit=""
  metrics 0: t=1795939200250000000 session=0 step=0 key="tok_s" value=14500 unit="tokens/s"
  metrics 0: t=1795939201000000000 session=0 step=500 key="loss" value=2 unit=""
  metrics 0: t=1795939201500000000 source="telemetry" key="host.cpu" value=0.125 unit="ratio"
  metrics 0: t=1795939202000000000 session=0 step=2 key="loss" value=NaN unit=""
  gpu 0: t=1795939201500000000 gpu=0 sm_util=0.87 power=650.5
  fact 0: lr = 0.0001
  fact 0: data/name = corpus
  fact 0: data/n/a = 1
`

func wandbStream() []byte {
	w := &wandbFile{}
	w.record(message().number(21, 0))
	config := message().message(1, wandbItem("0.0001", "lr")).message(1, wandbItem(`{"name": "corpus", "n": {"a": 1}}`, "data")).message(1, wandbItem(`{"x": 1}`, "_wandb"))
	w.record(message().message(17, message().text(1, "abc").message(4, config)))
	w.record(wandbHistory(0, wandbItem("2.5", "loss"), wandbItem("14500", "perf", "tokens_per_second"), wandbItem("1795939200.25", "_timestamp"), wandbItem("0", "_step")))
	w.record(message().message(13, message().text(3, strings.Repeat("console ", 9000)))) // over two blocks
	w.record(wandbHistory(1, wandbItem("2.0", "train/loss"), wandbItem("500", "train/global_step"), wandbItem(`{"_type": "image-file"}`, "image"), wandbItem("1795939201", "_timestamp")))
	stamp := message().number(1, 1795939201).number(2, 500_000_000)
	w.record(message().message(7, message().message(2, stamp).message(3, wandbItem("87.0", "gpu.0.gpu")).message(3, wandbItem("650.5", "gpu.0.powerWatts")).message(3, wandbItem("12.5", "cpu"))))
	w.record(wandbHistory(2, wandbItem(`"NaN"`, "loss"), wandbItem("1795939202", "_timestamp")))
	return w.b
}

// TestWandB reads a file whose records go over blocks.
func TestWandB(t *testing.T) {
	data := wandbStream()
	if f, err := Detect("run-abc.wandb", data[:64]); err != nil || f != WandB {
		t.Fatal(f, err)
	}
	if diff := cmp.Diff(wandbWant, dumped(parseWhole(WandB, data))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWandBDamage: a damaged chunk costs the rest of its block, a cut tail its
// record.
func TestWandBDamage(t *testing.T) {
	data := wandbStream()
	for _, tc := range []struct {
		at, rows int
		note     string
	}{{wandbBlock + 20, 5, "damaged in 1 places"}, {40, 3, "damaged in 1 places"}, {-5, 4, "ends in the middle of a record after 6 whole ones"}} {
		b := append([]byte(nil), data...)
		if tc.at < 0 {
			b = b[:len(b)+tc.at]
		} else {
			b[tc.at] ^= 0xff
		}
		out := parseWhole(WandB, b)
		if got := fmt.Sprint(out.File.Notes); out.Metrics.Rows() != tc.rows || !strings.Contains(got, tc.note) {
			t.Errorf("at %d: %d rows, notes %s; want %d rows and %q", tc.at, out.Metrics.Rows(), got, tc.rows, tc.note)
		}
	}
}

// wandbConsoleStream is a run that logs its loss, and prints lines in pieces
// that end in the middle of lines, on both streams at once.
func wandbConsoleStream() (data []byte, pieces []int64) {
	w := &wandbFile{}
	w.record(wandbHistory(0, wandbItem("2.5", "loss"), wandbItem("1795939200", "_timestamp")))
	second := uint64(1795939200)
	raw := func(stream uint64, text string) {
		stamp := message().number(1, second).number(2, 250_000_000)
		pieces = append(pieces, int64(len(w.b)))
		w.record(message().message(13, message().number(1, stream).message(2, stamp).text(3, text)))
		second++
	}
	raw(1, "step=10 loss=2.5 put_wait=1.5s q_hs=9/60\nstep=20 lo")
	raw(0, "resuming from checkpoint step_20\nUserWarning: 1 fa")
	raw(1, "ss=2.25 put_wait=2.5s q_hs=10/60\n")
	raw(0, "ilure\n")
	raw(1, "step=30 loss=2.0 put_wait=3.5s q_hs=11/60\n")
	w.record(message().message(4, message().number(1, 1).text(3, "step=40 loss=1.0 put_wait=4.5s q_hs=12/60\n"))) // another form of the same
	raw(1, "step=40 loss=1.5 put_wait=4.5s q_hs=12/60")                                                           // no end
	return w.b, pieces
}

// wandbConsoleWant by the pieces above: a line has the time of the piece that it
// begins in. The loss was logged, and is not taken from the text again.
const wandbConsoleWant = `run-abc.wandb: wandb, 0 lines: 0 claimed, 0 skipped, 0 rejected; UTC
  note: console text: 6 lines read as a log, 6 of them gave rows
  metrics 0: t=1795939200000000000 session=0 step=0 key="loss" value=2.5 unit=""
  queue 0: t=1795939200250000000 queue="hs" depth=9 capacity=60
  queue 0: t=1795939200250000000 queue="hs" depth=10 capacity=60
  queue 0: t=1795939204250000000 queue="hs" depth=11 capacity=60
  queue 0: t=1795939205250000000 queue="hs" depth=12 capacity=60
  events 0: t=1795939201250000000 kind="restart" text="resuming from checkpoint step_20"
  events 0: t=1795939201250000000 kind="error" text="UserWarning: 1 failure"
`

// TestWandBConsole reads console text as the log that it is, unless that lies
// beside it.
func TestWandBConsole(t *testing.T) {
	data, pieces := wandbConsoleStream()
	b := readOne(t, "run-abc.wandb", data)
	got := regexp.MustCompile(`(?m)^  metrics .*template=.*\n`).ReplaceAllString(dumped(b), "")
	if diff := cmp.Diff(wandbConsoleWant, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []int64{pieces[0], pieces[0], pieces[4], pieces[5]}
	if at := offsets(b.Queue.Batches[0]); !slices.Equal(at, want) {
		t.Errorf("places %d, want those of the records, %d", at, want)
	}
}

// TestWandBConsoleOnce: the text that W&B also keeps as files/output.log is
// read once, from where it has times. The file may go on after a kill.
func TestWandBConsoleOnce(t *testing.T) {
	var plain, timed strings.Builder
	for i := range 8 {
		line := fmt.Sprintf("step=%d loss=2.5 put_wait=1.5s q_hs=%d/60\n", i, i)
		plain.WriteString(line)
		fmt.Fprintf(&timed, "2026-11-29 09:20:%02d %s", i, line)
	}
	for _, tc := range []struct {
		text, note string
		noted      int
		lines      []int32 // of the rows of the queue
	}{
		{plain.String(), "the first 6 lines stand in run-abc.wandb with times: their rows are taken from there", 0, []int32{7, 8, 0, 0, 0, 0}},
		{timed.String(), "console text is not read twice: it is in files/output.log", 1, []int32{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		data, _ := wandbConsoleStream()
		dir := t.TempDir()
		writeMember(t, filepath.Join(dir, "run-abc.wandb"), data)
		writeMember(t, filepath.Join(dir, "files/output.log"), []byte(tc.text))
		run, err := Read(t.Context(), []string{dir}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var lines []int32
		for _, b := range run.Queue.Batches {
			for r := range b.Rows() {
				lines = append(lines, b.Line(r))
			}
		}
		if f := run.Files[tc.noted]; !slices.Equal(lines, tc.lines) || !slices.Contains(f.Notes, tc.note) {
			t.Errorf("rows of the queue at lines %d, notes %q; want %d and %q", lines, f.Notes, tc.lines, tc.note)
		}
	}
}

// TestWandBMedia: a newer writer takes a histogram apart into items; none of
// its numbers is a metric.
func TestWandBMedia(t *testing.T) {
	w := &wandbFile{}
	w.record(wandbHistory(3, wandbItem("[1,0,2]", "grads", "layer", "values"), wandbItem(`"histogram"`, "grads", "layer", "_type"), wandbItem("[0,0.5,1,2]", "grads", "layer", "bins"),
		wandbItem("0.5", "grads", "norm"), wandbItem("1795939200", "_timestamp")))
	const want = `f: , 0 lines: 0 claimed, 0 skipped, 0 rejected; UTC
  metrics 0: t=1795939200000000000 session=0 step=3 key="grads/norm" value=0.5 unit=""
`
	if diff := cmp.Diff(want, dumped(parseWhole(WandB, w.b))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWandBConsolePlaces: what the text says once, and a sampler's messages in
// it, stand where their records do and at no line.
func TestWandBConsolePlaces(t *testing.T) {
	w := &wandbFile{}
	w.record(wandbHistory(0, wandbItem("0.5", "lr"), wandbItem("1795939199", "_timestamp")))
	var at []int64
	for i, text := range []string{
		"hs_queue_depth=60 min_ready=10\n", "py-spy> Sampling process 20 times a second for 5 seconds. Press Control-C to exit.\n",
		"step=10 loss=2.5\n", "py-spy> 1.50s behind in sampling, results may be inaccurate.\nstep=20 loss=2.25\n", "step=30 loss=2.0\n",
	} {
		at = append(at, int64(len(w.b)))
		stamp := message().number(1, uint64(1795939200+i))
		w.record(message().message(13, message().number(1, 1).message(2, stamp).text(3, text)))
	}
	b := readOne(t, "run-abc.wandb", w.b)
	facts := map[string]string{}
	for _, f := range b.Facts {
		if f.Line != 0 || f.Byte != at[0] {
			t.Errorf("%s = %s at line %d, byte %d; want 0 and %d", f.Key, f.Value, f.Line, f.Byte, at[0])
		}
		facts[f.Key] = f.Value
	}
	if diff := cmp.Diff(map[string]string{"hs_queue_depth": "60", "min_ready": "10"}, facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if n := b.Stacks.Notes; len(n) != 1 || n[0].Rate != 20 || n[0].Duration != 5 || n[0].Lag != 1.5 || n[0].Line != 0 || n[0].LagLines != nil {
		t.Errorf("notes %+v, want one of 20 Hz for 5 s, 1.5 s behind, at no line", n)
	}
	if got := offsets(b.Metrics.Batches[1]); !slices.Equal(got, at[2:]) {
		t.Errorf("metrics of the text at %d, want %d", got, at[2:])
	}
}

// offsets are where the rows of a batch stand in their file.
func offsets(b *model.Batch) []int64 {
	var list []int64
	for r := range b.Rows() {
		list = append(list, b.Byte(r))
	}
	return list
}
