package ingest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
  note: console text is inside as well: give files/output.log, or the training log itself
  note: system metrics are inside, one look every 2 to 30 s: too slow to be held against the depth of a queue
  metrics 0: t=1795939200250000000 session=0 step=0 key="loss" value=2.5 unit=""
  metrics 0: t=1795939200250000000 session=0 step=0 key="tok_s" value=14500 unit="tokens/s"
  metrics 0: t=1795939201000000000 session=0 step=500 key="loss" value=2 unit=""
  metrics 0: t=1795939201500000000 source="telemetry" key="host.cpu" value=0.125 unit="ratio"
  metrics 0: t=1795939202000000000 session=0 step=2 key="loss" value=NaN unit=""
  gpu 0: t=1795939201500000000 gpu=0 sm_util=0.87 power=650.5
  fact 0: lr = 0.0001
  fact 0: data/name = corpus
`

func wandbStream() []byte {
	w := &wandbFile{}
	w.record(message().number(21, 0))
	config := message().message(1, wandbItem("0.0001", "lr")).message(1, wandbItem(`"corpus"`, "data", "name")).message(1, wandbItem(`{"x": 1}`, "_wandb"))
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
