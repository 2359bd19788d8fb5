package ingest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/model"
)

// queueText is queue counters that no compressor makes very small.
func queueText(rows int) string {
	var sb strings.Builder
	sb.WriteString("timestamp,queue,depth,capacity,min_ready\n")
	for i := range rows {
		fmt.Fprintf(&sb, "%d.%d,hs,%d,60,10\n", 1767225600+i, i*7919%997, i*i%61)
	}
	return sb.String()
}

func gz(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

func zipOf(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(data)
	w.Close()
	return b.Bytes()
}

// readOne writes data to a file and reads what is in it.
func readOne(t *testing.T, name string, data []byte) *model.RunBuilder {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	r := &reader{ctx: context.Background(), slots: make(chan struct{}, 2)}
	if err := r.all([]string{path}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if len(r.files) != 1 {
		t.Fatalf("%s: %d members, want 1", name, len(r.files))
	}
	conserved(t, r.files[0].File)
	return r.files[0]
}

// TestPacked reads one file in every packing: the rows are the same.
func TestPacked(t *testing.T) {
	text := queueText(3000)
	for name, data := range map[string][]byte{
		"queue.csv": []byte(text), "queue.csv.gz": gz(text), "queue.csv.gz.gz": gz(string(gz(text))),
		"run.zip": zipOf(t, "queue.csv", []byte(text)), "gz-in.zip": zipOf(t, "queue.csv.gz", gz(text)),
	} {
		b := readOne(t, name, data)
		if b.File.Format != "queue-csv" || b.Queue.Rows() != 3000 || b.File.Reason != "" {
			t.Errorf("%s: %s, %d rows, reason %q", name, b.File.Format, b.Queue.Rows(), b.File.Reason)
		}
	}
}

// TestWide reads one file in UTF-16 of both orders, with a byte-order mark and
// without: the rows are the same. Numbers of two bytes are no text.
func TestWide(t *testing.T) {
	text := queueText(300)
	for name, enc := range map[string]struct {
		mark string
		put  func(b []byte, c byte) []byte
	}{
		"little": {"", func(b []byte, c byte) []byte { return append(b, c, 0) }},
		"big":    {"", func(b []byte, c byte) []byte { return append(b, 0, c) }},
		"marked": {"\xff\xfe", func(b []byte, c byte) []byte { return append(b, c, 0) }},
	} {
		data := []byte(enc.mark)
		for i := range len(text) {
			data = enc.put(data, text[i])
		}
		b := readOne(t, "queue.csv", data)
		if b.File.Format != "queue-csv" || b.Queue.Rows() != 300 || b.File.Reason != "" {
			t.Errorf("%s: %s, %d rows, reason %q", name, b.File.Format, b.Queue.Rows(), b.File.Reason)
		}
	}
	if b := readOne(t, "numbers.bin", bytes.Repeat([]byte{7, 0, 200, 0}, 100)); b.File.Reason != binaryReason {
		t.Errorf("numbers of two bytes: %q", b.File.Reason)
	}
}

// TestPackedDamage checks that what stands before the damage is kept, and
// that the damage is said.
func TestPackedDamage(t *testing.T) {
	text := queueText(30_000)
	packed := gz(text)
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for _, c := range []struct {
		name, reason string
		data         []byte
		rows         int // at least
	}{
		{"cut.csv.gz", "unexpected EOF", packed[:len(packed)/2], 5000},
		{"tail.csv.gz", "unexpected EOF", packed[:len(packed)-1], 29_000},
		{"sum.csv.gz", "checksum", flipped, 29_000},
		{"cut-in.zip", "unexpected EOF", zipOf(t, "cut.csv.gz", packed[:len(packed)/2]), 5000},
		{"zip-in.zip", "unexpected EOF", zipOf(t, "run.zip", zipOf(t, "cut.csv.gz", packed[:len(packed)/2])), 5000},
		{"deep.zip", "an archive inside an archive, want it unpacked", zipOf(t, "a.zip", zipOf(t, "b.zip", zipOf(t, "x", nil))), 0},
		{"thrice.csv.gz", "packed three times, want it unpacked once", gz(string(gz(string(packed)))), 0},
		{"cut-twice.csv.gz", "unexpected EOF", gz(string(packed[:len(packed)/2])), 5000},
		{"cut.pb.gz", "binary content that no format claims; unexpected EOF", gz("\x0a\x04\x08\x01\x10\x02\x00\x01\x00\x01")[:16], 0},
		{"empty.csv.gz", "empty file", gz(""), 0},
		{"head.csv.gz", "unexpected EOF", packed[:5], 0},
	} {
		b := readOne(t, c.name, c.data)
		if !strings.Contains(b.File.Reason, c.reason) || b.Queue.Rows() < c.rows {
			t.Errorf("%s: %d rows, reason %q; want at least %d and %q", c.name, b.Queue.Rows(), b.File.Reason, c.rows, c.reason)
		}
	}
}

// TestCancel stops in the middle of files that are read whole and in parts.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	text := queueText(1 << 20) // over two parts
	if err := os.WriteFile(dir+"/a.csv", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/b.csv.gz", gz(text[:1<<20]), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := Read(ctx, []string{dir}, nil, nil, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v, want the context's error", after, err)
		}
	}
}
