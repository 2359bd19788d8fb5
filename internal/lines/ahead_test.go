package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A copier finds the line itself.
type copier struct{}

func (copier) Begin()                  {}
func (copier) Look(line []byte) string { return string(line) }

func newCopier() Looker[string] { return copier{} }

// listAhead is list of an Ahead with blocks of so many bytes, which passes over
// the lines that pass names among those that were looked at.
func listAhead(t *testing.T, at io.ReaderAt, size int64, limit, step int, pass string) (out []string, err error) {
	t.Helper()
	a := NewAhead(at, size, limit, step, newCopier)
	defer a.Close()
	for {
		from := a.Line()
		var passed []string
		if n := a.Pass(func(note *string) bool {
			is := pass != "" && pass == *note
			if is {
				passed = append(passed, *note)
			}
			return is
		}); n != len(passed) || a.Line() != from+n {
			t.Errorf("%d lines passed over, to line %d; want %d from line %d", n, a.Line(), len(passed), from)
		}
		out = append(out, passed...)
		s, ok := a.Next()
		if !ok {
			if len(out) > 0 && pass == "" && strings.HasSuffix(out[len(out)-1], "ended=true") != a.Ended() {
				t.Errorf("at the end: ended %t, want as after %s", a.Ended(), out[len(out)-1])
			}
			return out, a.Err()
		}
		if note := a.Note(); note != "" && note != string(s) && a.TooLong() == 0 {
			t.Errorf("found %q in %q", note, s)
		}
		if pass != "" {
			out = append(out, string(s))
			continue
		}
		out = append(out, fmt.Sprintf("%d@%d %q long=%d ended=%t", a.Line(), a.Offset(), s, a.TooLong(), a.Ended()))
	}
}

// TestAhead: whatever the size of the blocks, the lines are those of a Reader.
func TestAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range 400 {
		runtime.GOMAXPROCS(1 + i/100)
		text := make([]byte, rng.IntN(300))
		for i := range text {
			text[i] = "ab\n\n\r\x00"[rng.IntN(6)]
		}
		limit, step := 1+rng.IntN(12), 1+rng.IntN(40)
		want := list(NewReader(bytes.NewReader(text), limit, 0))
		got, err := listAhead(t, bytes.NewReader(text), int64(len(text)), limit, step, "")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%q in blocks of %d bytes, lines of at most %d: %v (-want +got):\n%s", text, step, limit, err, diff)
		}
	}
}

// TestAheadPass: lines that are passed over and lines that are returned are all
// there are, in order.
func TestAheadPass(t *testing.T) {
	text := strings.Repeat("known\nother\nknown\r\nknown\n\nlast\n", 50)
	var want []string
	for line := range strings.Lines(text) {
		want = append(want, strings.TrimRight(line, "\r\n"))
	}
	for step := 1; step < 100; step++ {
		got, err := listAhead(t, strings.NewReader(text), int64(len(text)), 100, step, "known")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("blocks of %d bytes: %v (-want +got):\n%s", step, err, diff)
		}
	}
}

// A brokenAt fails from a place on.
type brokenAt struct {
	io.ReaderAt
	from int64
	err  error
}

func (b brokenAt) ReadAt(p []byte, off int64) (int, error) {
	if n := b.from - off; n < int64(len(p)) {
		k, _ := b.ReaderAt.ReadAt(p[:max(n, 0)], off)
		return k, b.err
	}
	return b.ReaderAt.ReadAt(p, off)
}

// TestAheadBroken: what stands before a fault is returned, and the fault is
// told; a file that has become shorter ends where it ends.
func TestAheadBroken(t *testing.T) {
	broken := errors.New("broken")
	text := strings.Repeat("a line\n", 40)
	for from := range len(text) {
		for _, fault := range []error{broken, io.EOF} {
			at := brokenAt{strings.NewReader(text), int64(from), fault}
			got, err := listAhead(t, at, int64(len(text)), 100, 16, "")
			if diff := cmp.Diff(list(NewReader(strings.NewReader(text[:from]), 100, 0)), got); diff != "" {
				t.Fatalf("%v at %d (-want +got):\n%s", fault, from, diff)
			}
			if errors.Is(err, broken) != (fault == broken) {
				t.Errorf("%v at %d: error %v", fault, from, err)
			}
		}
	}
}

// A failing panics.
type failing struct{ copier }

func (failing) Look([]byte) string { panic("at a line") }

// TestAheadPanic: a panic of another processor is the caller's.
func TestAheadPanic(t *testing.T) {
	a := NewAhead(strings.NewReader("a\nb\nc\n"), 6, 100, 64, func() Looker[string] { return failing{} })
	defer a.Close()
	defer func() {
		if p := recover(); p != "at a line" {
			t.Errorf("panic %v", p)
		}
	}()
	a.Next()
	t.Error("no panic")
}

// TestAheadClose: a reader may be closed before its end.
func TestAheadClose(t *testing.T) {
	text := strings.Repeat("line\n", 1000)
	for n := range 20 {
		a := NewAhead(strings.NewReader(text), int64(len(text)), 100, 64, newCopier)
		for range n * 10 {
			if s, ok := a.Next(); string(s) != "line" || !ok {
				t.Fatalf("%q, %t", s, ok)
			}
		}
		a.Close()
	}
}
