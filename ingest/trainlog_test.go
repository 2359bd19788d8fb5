package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidemark/model"
)

// TestTrainLogCut: the last number of a log that ends in the middle of a line
// may be short, so it is left out.
func TestTrainLogCut(t *testing.T) {
	log := "2026-11-29 08:00:01,000 step=1 loss=2.0 lr=1e-4\n" +
		"2026-11-29 08:00:02,000 step=2 loss=1.9 lr=1e-4\n" +
		"2026-11-29 08:00:03,000 step=3 loss=1.8 lr=1e-4\n" +
		"2026-11-29 08:00:04,000 step=4 loss=1.7 lr=1"
	out := parseWhole(TrainLog, []byte(log))
	var last []string
	for _, b := range out.Metrics.Batches {
		for r := range b.Rows() {
			if k, _ := b.Text(model.MetricKey, r); b.Line(r) == 4 {
				last = append(last, out.Strings.At(k))
			}
		}
	}
	if got := strings.Join(last, " "); got != "loss" {
		t.Errorf("the last line gives %q, want loss alone", got)
	}
	if !out.File.Truncated {
		t.Error("not truncated")
	}
}

// TestTrainLogAllocs: lines of a known shape cost no allocation.
func TestTrainLogAllocs(t *testing.T) {
	count := func(n int) float64 {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, "2026-11-29 08:%02d:%02d,%03d [INFO] target-%d: step=%d loss=%.4f lr=%.2e tok/s=%.1fK q_hs=%d/60 n=%d,%03d\n",
				i/60%60, i%60, i%1000, i%5, i, 1+1/float64(1+i), 1e-4*float64(1+i%7), 12.3, i%61, 1+i%9, i%1000)
		}
		data := []byte(sb.String())
		return testing.AllocsPerRun(1, func() { parseWhole(TrainLog, data) })
	}
	if few, many := count(2000), count(20000); (many-few)/18000 > 0.02 {
		t.Errorf("%.0f allocations for 2,000 lines, %.0f for 20,000", few, many)
	}
}

// TestTrainLogHostile: lines made to be searched again and again take time by
// their length, not by its square.
func TestTrainLogHostile(t *testing.T) {
	for _, piece := range []string{"a=[", "a='", "(", "[", "{'a':", "a:", "1,", "1/", "x y z ", "=", ": ", "1:", "%|", "a (", "loss "} {
		line := []byte(strings.Repeat(piece, (64<<10)/len(piece)))
		data := bytes.Repeat(append(line, '\n'), 4)
		start := time.Now()
		out := parseWhole(TrainLog, data)
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%q takes %v for %d bytes", piece, d, len(data))
		}
		conserved(t, out.File)
	}
}

// TestUnescape drops what a terminal acts on and keeps what it shows.
func TestUnescape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\x1b[1;32mloss\x1b[0m=2", "loss=2"},
		{"10%\b\b\b20%", "20%"},
		{"\b\bx", "x"},
		{"\x1b]0;a title\x07step=1", "step=1"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ end", "link end"},
		{"\x1b(Bstep=2", "step=2"},
		{"\x1b=step=3", "step=3"},
		{"cut\x1b", "cut"},
		{"cut\x1b[31", "cut"},
		{"cut\x1b]0;title", "cut"},
		{"cut\x1b(", "cut"},
	} {
		if got := string(unescape(nil, []byte(c.in))); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
