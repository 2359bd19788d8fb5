package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// TestQueuePlain: a line that is read in one pass is read as cell by cell, and one
// that is not leaves nothing behind.
func TestQueuePlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	cells := []string{
		"0", "7", "60", "1795939200.100", "1795939200", "2026-11-29 08:00:00.5", "0.329", "12.", ".5", "1e3", "-1", "+2", " 4", "5 ", "", "N/A", "nan", "hs", "hs ", "[60]",
		"123456789012345", "1234567890123456", "0.000000000000001", "0x10", "007", "1,5", "\xff",
	}
	headers := []string{
		"timestamp,queue,depth,capacity,min_ready,puts_total,gets_total,put_wait_seconds_total,get_wait_ms_total",
		"depth;timestamp;capacity;timestamp;note", "time,queue,depth",
	}
	plain := 0
	for range 6000 {
		header := headers[rng.IntN(len(headers))]
		sep := header[strings.IndexAny(header, ",;\t")]
		var line []string
		for k := range strings.Count(header, string(sep)) + 1 + rng.IntN(8)/7 {
			cell := cells[rng.IntN(7)]
			if strings.HasPrefix(strings.Split(header+",", string(sep))[min(k, strings.Count(header, string(sep)))], "time") && rng.IntN(9) > 0 {
				cell = cells[3+rng.IntN(3)]
			}
			if rng.IntN(12) == 0 {
				cell = cells[rng.IntN(len(cells))]
			}
			line = append(line, cell)
		}
		text := strings.Join(line, string(sep))
		one, took := readQueueLine(t, header, text, (*queueParser).plain)
		each, _ := readQueueLine(t, header, text, func(q *queueParser, line []byte) bool { q.row(line); return true })
		if !took {
			each = ""
		} else {
			plain++
		}
		if diff := cmp.Diff(each, one); diff != "" {
			t.Fatalf("%q under %q (-cell by cell +in one pass):\n%s", text, header, diff)
		}
	}
	if plain < 800 {
		t.Errorf("%d lines are plain, want thousands", plain)
	}
}

func readQueueLine(t *testing.T, header, line string, read func(*queueParser, []byte) bool) (dump string, ok bool) {
	t.Helper()
	out := model.NewRunBuilder(&model.File{Path: "q"})
	src := newSource(QueueCSV, out, "q", strings.NewReader(header+"\n"+line+"\n"), 0)
	q := &queueParser{src: src, out: out, clock: -1}
	first, _ := src.Next()
	if !q.header(bytes.Clone(first)) {
		t.Fatalf("%q is no header", header)
	}
	b, _ := src.Next()
	ok = read(q, b)
	q.flush()
	for _, batch := range out.Queue.Batches {
		for r := range batch.Rows() {
			dump += fmt.Sprint(batch.Line(r), batch.Byte(r))
			for k, c := range model.Queue.Columns {
				switch c.Kind {
				case model.Int:
					v, ok := batch.Int(k, r)
					dump += fmt.Sprint(" ", v, ok)
				case model.Float:
					v, ok := batch.Float(k, r)
					dump += fmt.Sprint(" ", v, ok)
				default:
					v, ok := batch.Text(k, r)
					dump += fmt.Sprint(" ", out.Strings.At(v), ok)
				}
			}
		}
	}
	return dump, ok
}

// TestQueueBeforeHeader: a line before the header is no row.
func TestQueueBeforeHeader(t *testing.T) {
	out := model.NewRunBuilder(&model.File{Path: "q"})
	src := newSource(QueueCSV, out, "q", strings.NewReader("\r\r\ntimestamp,depth\n1795939200,1\n"), 0)
	if err := parseQueueCSV(src, out); err != nil {
		t.Fatal(err)
	}
	if n := out.Queue.Rows(); n != 1 || out.File.Claimed != 1 || out.File.Rejected != 1 {
		t.Errorf("%d rows, %d claimed, %d rejected, want one each", n, out.File.Claimed, out.File.Rejected)
	}
}
