package ingest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tidemark/model"
)

// TestNumbersOfAShape: a number in a line of a known shape is the float nearest to it, however
// many digits stand before and behind the point, in the middle of the line and at its end.
func TestNumbersOfAShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	number := func() string {
		s := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
		if n := rng.IntN(20); n > 0 {
			s += "." + fmt.Sprintf("%020d", rng.Uint64())[:n]
		}
		return s
	}
	var text strings.Builder
	var want []float64
	for i := range 4000 {
		a, b := number(), number()
		fmt.Fprintf(&text, "2026-11-29 08:%02d:%02d step=%d grad=%s scale=%s\n", i/60%60, i%60, i, a, b)
		for _, s := range []string{a, b} {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
	}
	n := 0
	for _, b := range parseWhole(TrainLog, []byte(text.String())).Metrics.Batches {
		for r := range b.Rows() {
			if v, ok := b.Float(model.MetricValue, r); !ok || n == len(want) || v != want[n] {
				t.Fatalf("line %d: %v, want number %d of %d", b.Line(r), v, n, len(want))
			}
			n++
		}
	}
	if n != len(want) {
		t.Errorf("%d numbers, want %d", n, len(want))
	}
}

// TestMarkedLines: escapes, backspaces and carriage returns in some lines change nothing in
// what they and the lines around them say.
func TestMarkedLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	marks := []string{"\x1b[32m", "\x1b[0m", "x\b", ""}
	var plain, marked strings.Builder
	for i := range 500 {
		line := fmt.Sprintf("2026-11-29 08:%02d:%02d [INFO] step=%d loss=%.3f", i/60, i%60, i, rng.Float64())
		fmt.Fprintln(&plain, line)
		if rng.IntN(3) == 0 {
			at := strings.Index(line, "loss")
			line = line[:at] + marks[rng.IntN(len(marks))] + line[at:] + marks[rng.IntN(2)]
		}
		fmt.Fprintln(&marked, line)
	}
	a, b := parseWhole(TrainLog, []byte(plain.String())), parseWhole(TrainLog, []byte(marked.String()))
	if a.Metrics.Rows() < 500 || a.Metrics.Rows() != b.Metrics.Rows() {
		t.Fatalf("%d rows of plain lines, %d of marked ones, want as many, at least 500", a.Metrics.Rows(), b.Metrics.Rows())
	}
	for i, x := range a.Metrics.Batches {
		for r := range x.Rows() {
			v, _ := x.Float(model.MetricValue, r)
			if w, _ := b.Metrics.Batches[i].Float(model.MetricValue, r); v != w || x.Line(r) != b.Metrics.Batches[i].Line(r) {
				t.Fatalf("line %d: %v, marked %v", x.Line(r), v, w)
			}
		}
	}
}
