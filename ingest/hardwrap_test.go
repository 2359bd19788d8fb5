package ingest

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/model"
)

// terminal cuts lines at a width, as a terminal does.
func terminal(text string, width int) string {
	var sb strings.Builder
	for line := range strings.Lines(text) {
		r := []rune(strings.TrimSuffix(line, "\n"))
		for len(r) > width {
			sb.WriteString(string(r[:width]) + "\n")
			r = r[width:]
		}
		sb.WriteString(string(r) + "\n")
	}
	return sb.String()
}

// atWords wraps lines at blanks, as textwrap and rich do, with an indent
// before what goes on.
func atWords(text string, width int, indent string) string {
	var sb strings.Builder
	for line := range strings.Lines(text) {
		n := 0
		for i, w := range strings.Fields(line) {
			switch {
			case i == 0:
			case n+1+len(w) > width:
				sb.WriteString("\n" + indent)
				n = len(indent)
			default:
				sb.WriteByte(' ')
				n++
			}
			sb.WriteString(w)
			n += len(w)
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

// longLog is a log of records of about 130 columns, with other lines between.
func longLog() string {
	var sb strings.Builder
	for i := range 60 {
		fmt.Fprintf(&sb, "2026-05-07 21:28:%02d,046 [INFO] step=%d loss=%.4f grad_norm=%.3f lr=6e-04 tok/s=%.1fK q_hs=%d/60 min_ready=10 é put_wait=%d.%ds gate_wait=%ds\n",
			i, 8+i*i, 7.9-float64(i)/40, 1.0/float64(i+1), 12+float64(i%7)/10, 9+i%2, i, i%10, i*i)
		if i%10 == 9 {
			fmt.Fprintf(&sb, "2026-05-07 21:28:%02d,900 [INFO] saved checkpoint step_%d\n", i, 8+i*i)
		}
	}
	return sb.String()
}

// TestHardWrap joins what a terminal has cut: the text is the log as it was, and
// its rows are the same. At a few widths all cuts fall at like places, which
// shows too little.
func TestHardWrap(t *testing.T) {
	log := longLog()
	want := readOne(t, "train.log", []byte(log))
	missed := 0
	for width := 60; width <= 120; width++ {
		text := terminal(log, width)
		w, ok := findHardWrap([]byte(text))
		if !ok && width != 80 && width != 100 && width != 120 {
			missed++
			continue
		}
		if !ok || w.width != width {
			t.Fatalf("width %d: found %t, %d", width, ok, w.width)
		}
		if got := string(w.join([]byte(text))); got != log {
			t.Fatalf("width %d: joined text differs", width)
		}
		b := readOne(t, "train.log", []byte(text))
		if b.Metrics.Rows() != want.Metrics.Rows() || b.Queue.Rows() != want.Queue.Rows() || b.Events.Rows() != want.Events.Rows() || b.File.Lines != strings.Count(text, "\n") {
			t.Errorf("width %d: %d, %d and %d rows of %d lines, want %d, %d and %d", width, b.Metrics.Rows(), b.Queue.Rows(), b.Events.Rows(), b.File.Lines,
				want.Metrics.Rows(), want.Queue.Rows(), want.Events.Rows())
		}
		if !strings.Contains(strings.Join(b.File.Notes, "\n"), fmt.Sprintf("a terminal of %d columns", width)) {
			t.Errorf("width %d: notes %q, want the width", width, b.File.Notes)
		}
	}
	if missed > 6 {
		t.Errorf("not found at %d of 61 widths", missed)
	}
}

// TestNoHardWrap leaves logs alone that a terminal has not cut.
func TestNoHardWrap(t *testing.T) {
	log := longLog()
	var cutOff, columns, padded, pairs strings.Builder
	for line := range strings.Lines(log) {
		cutOff.WriteString(line[:min(len(line)-1, 80)] + "\n")
	}
	for i := range 60 {
		fmt.Fprintf(&columns, "step %06d loss %08.4f tokens per second %08.1f queue depth %03d of 060\n", i, 7.9, 12e3, i)
		fmt.Fprintf(&pairs, "epoch=0 step=%d loss=%.4f lr=2.0e-05\ndrafter: base_loss=%.4f selector_loss=%.4f base_acc=%.4f accept_len=%.3f candidate_recall=0.3387\n", 100+i, 7.9, 7.1, 2.5, 0.1, 1.1)
		fmt.Fprintf(&padded, "[21:28:%02d] INFO     %-50s train.py:12\n                    and %d goes on\n", i, "a message whose line ends in the file's name", i)
	}
	for name, text := range map[string]string{
		"long lines": log, "cut off": cutOff.String(), "fixed columns": columns.String(), "wrapped at words": atWords(log, 80, ""),
		"wrapped at words, indented": atWords(log, 80, "    "), "a file's name on the right": padded.String(), "records of two lines": pairs.String(), "short": "step=1 loss=2\n",
		"a few long ones": strings.Repeat("step=1 loss=2\n", 40) + terminal(log[:500], 80),
	} {
		if w, ok := findHardWrap([]byte(text)); ok {
			t.Errorf("%s: taken for cut at %d columns", name, w.width)
		}
	}
}

// TestHardWrapLongLine: of a line over the limit in such a log that line is
// rejected, at its place, and neither the full one before it nor the next.
func TestHardWrapLongLine(t *testing.T) {
	const width = 90
	before := terminal(strings.Repeat(longLog(), 10), width)
	full := "2026-05-07 22:00:00,046 [INFO] step=9000 loss=7.9 tok/s=12.3K q_hs=9/60 min_ready=10 note="
	after := "2026-05-07 22:00:01,046 [INFO] step=9001 loss=7.9 tok/s=12.3K q_hs=9/60 min_ready=10\n"
	if len(full) != width || len(before) < model.HeadSize {
		t.Fatalf("a line of %d columns after %d bytes, want %d after the head", len(full), len(before), width)
	}
	b := readOne(t, "train.log", []byte(before+full+"\n"+strings.Repeat("x", 2<<20)+"\n"+after))
	at := strings.Count(before, "\n") + 2
	if b.File.Rejected != 1 || len(b.File.Warnings) != 1 || b.File.Warnings[0].Pos.Line != at {
		t.Errorf("%d lines rejected, %v; want one, line %d", b.File.Rejected, b.File.Warnings, at)
	}
	if b.File.Lines != at+1 || b.File.Claimed+b.File.Skipped+b.File.Rejected != b.File.Lines {
		t.Errorf("%d lines: %d claimed, %d skipped, %d rejected", b.File.Lines, b.File.Claimed, b.File.Skipped, b.File.Rejected)
	}
	if want := readOne(t, "train.log", []byte(before)).File.Claimed + 2; b.File.Claimed != want {
		t.Errorf("%d lines claimed, want %d: the one before the long one, or the one after it, is lost", b.File.Claimed, want)
	}
}
