package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// told is all that a reader says of a line.
func told(l *Reader, s []byte) string {
	return fmt.Sprintf("%d@%d %q long=%d ended=%t", l.Line(), l.Offset(), s, l.TooLong(), l.Ended())
}

// list is what is told of each line.
func list(l *Reader) []string {
	var out []string
	for {
		s, ok := l.Next()
		if !ok {
			return out
		}
		out = append(out, told(l, s))
	}
}

// listBegun is list of a reader with all text held, by lines that it begins and ends itself where it can.
func listBegun(l *Reader) []string {
	var out []string
	for {
		s := l.BeginLine()
		if n := bytes.IndexByte(s, '\n'); n >= 0 {
			s, end := s[:n], 1
			if n > 0 && s[n-1] == '\r' {
				s, end = s[:n-1], 2
			}
			l.EndLine(len(s), end)
			out = append(out, told(l, s))
			continue
		}
		l.UndoLine()
		s, ok := l.Next()
		if !ok {
			return out
		}
		out = append(out, told(l, s))
	}
}

// split is the same, said plainly.
func split(data []byte, limit int, off int64) []string {
	var out []string
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte{'\n'})
		size, long := len(line), 0
		switch {
		case size > limit:
			long, line = size, line[:limit]
		case ended:
			line = bytes.TrimSuffix(line, []byte{'\r'})
		}
		out = append(out, fmt.Sprintf("%d@%d %q long=%d ended=%t", n, off, line, long, ended))
		off += int64(len(data) - len(rest))
		data = rest
	}
	return out
}

func TestReader(t *testing.T) {
	big := strings.Repeat("x", 3*BlockSize)
	for _, s := range []string{
		"", "\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "\r\n\r\n", "a\rb\n", "a\r", "\n\n\n", "12345678\n", "123456789\nb\n", "123456789", "12345678\r\n", "1234567\r\n",
		big, big + "\n", big + "\nafter\n", "before\n" + big + "\r\nafter", strings.Repeat("ab\n", BlockSize),
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(s), "halves": iotest.HalfReader(strings.NewReader(s)),
			"with the end": iotest.DataErrReader(strings.NewReader(s)),
		} {
			if diff := cmp.Diff(split([]byte(s), 8, 100), list(NewReader(r, 8, 100))); diff != "" {
				t.Errorf("%.20q of %d bytes, %s (-want +got):\n%.2000s", s, len(s), name, diff)
			}
		}
		held := NewReader(nil, 8, 100)
		held.Hold([]byte(s), nil)
		if diff := cmp.Diff(split([]byte(s), 8, 100), list(held)); diff != "" {
			t.Errorf("%.20q of %d bytes, held (-want +got):\n%.2000s", s, len(s), diff)
		}
		held = NewReader(nil, 8, 100)
		held.Hold([]byte(s), nil)
		if diff := cmp.Diff(split([]byte(s), 8, 100), listBegun(held)); diff != "" {
			t.Errorf("%.20q of %d bytes, begun (-want +got):\n%.2000s", s, len(s), diff)
		}
	}
}

func TestErr(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{broken, io.ErrUnexpectedEOF} {
		l := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(want)), 8, 0)
		if got := list(l); len(got) != 2 || !errors.Is(l.Err(), want) {
			t.Errorf("%q, %v; want both lines and %v", got, l.Err(), want)
		}
	}
	once := iotest.DataErrReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	l := NewReader(once, 8, 0)
	if got := list(l); len(got) != 2 || !errors.Is(l.Err(), broken) {
		t.Errorf("an error beside bytes: %q, %v; want both lines and %v", got, l.Err(), broken)
	}
	l = NewReader(iotest.ErrReader(nil), 8, 0)
	if list(l); !errors.Is(l.Err(), io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", l.Err())
	}
	l = NewReader(nil, 8, 0)
	l.Hold([]byte("a\nb"), broken)
	if got := list(l); len(got) != 2 || !errors.Is(l.Err(), broken) {
		t.Errorf("a text that was cut short: %q, %v; want both lines and %v", got, l.Err(), broken)
	}
	l = NewReader(strings.NewReader("a\nb"), 8, 0)
	if list(l); l.Err() != nil {
		t.Errorf("at the plain end: %v", l.Err())
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\nb\n\n123456789\nlast"), byte(3))
	f.Fuzz(func(t *testing.T, data []byte, limit byte) {
		max := int(limit) + 1
		got := list(NewReader(iotest.OneByteReader(bytes.NewReader(data)), max, 0))
		if diff := cmp.Diff(split(data, max, 0), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		held := NewReader(nil, max, 0)
		held.Hold(data, nil)
		if diff := cmp.Diff(split(data, max, 0), listBegun(held)); diff != "" {
			t.Errorf("begun (-want +got):\n%s", diff)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data := []byte(strings.Repeat("2026-05-07 21:27:51 step=1 loss=2.5 q_hs=9/60\n", 1<<17))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		l := NewReader(bytes.NewReader(data), 1<<20, 0)
		for {
			if _, ok := l.Next(); !ok {
				break
			}
		}
	}
}
