package ingest

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"
)

// laidEvents are events as Kineto writes them, and some that it does not write.
const laidEvents = `
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4600, "tid": 4600,
    "ts": 2000600123110.125, "dur": 177.656,
    "args": {
      "External id": 10004, "Input Dims": [[4, 2028], [], [1]], "Ev Idx": 10004
    }
  },
  {
    "ph": "X", "cat": "kernel", "name": "f::{lambda(int)#1}<4, \"a\">", "pid": "Spans", "tid": 7,
    "ts": 12345678.000, "dur": 0.999,
    "args": {
      "stream": 7, "correlation": 10005,
      "grid": [3778, 1, 1]
    }
  },
  {
    "ph": "s", "id": 10005, "pid": 4600, "tid": 4600, "ts": 2000600123127.766,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "X", "cat": "", "name": "", "pid": -1, "tid": ,
    "ts": -3.5, "dur": 1e3,
    "args": {
    }
  },
  {
    "name": "process_name", "ph": "M", "ts": 2000600000000.000, "pid": 5, "tid": 0,
    "args": {
      "name": "python3"
    }
  },
`

// garble changes some bytes of a text, to others that it has or by moving a piece.
func garble(r *rand.Rand, text string) []byte {
	b := []byte(text)
	for range r.IntN(4) {
		switch i := r.IntN(len(b)); r.IntN(3) {
		case 0:
			b[i] = text[r.IntN(len(text))]
		case 1:
			b = append(b[:i], b[min(i+1+r.IntN(30), len(b)):]...)
		default:
			k := r.IntN(len(text))
			b = append(b[:i], append([]byte(text[k:min(k+1+r.IntN(40), len(text))]), b[i:]...)...)
		}
	}
	return b
}

// What is taken for an event of Kineto's layout has the fields that it has as
// any other event.
func TestParseLaid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	taken := 0
	for range 20000 {
		text := garble(r, laidEvents)
		for at := bytes.Index(text, []byte("\n  {\n")); at >= 0; {
			b := text[at+3:]
			next := bytes.Index(b, []byte("\n  {\n"))
			if next < 0 {
				break
			}
			var got, want traceEvent
			if got.parseLaid(b[:next]) {
				taken++
				if !want.parseMembers(b[:next], true) || !sameEvent(&got, &want) {
					t.Fatalf("%q:\n%+v\nwant\n%+v", b[:next], got, want)
				}
			}
			at += 3 + next
		}
	}
	if taken < 20000 {
		t.Errorf("%d events were of Kineto's layout", taken)
	}
}

func sameEvent(a, b *traceEvent) bool {
	return a.phase == b.phase && a.passed == b.passed && a.broken == b.broken && a.ts == b.ts && a.dur == b.dur && a.hasTS == b.hasTS && a.hasDur == b.hasDur &&
		bytes.Equal(a.cat, b.cat) && bytes.Equal(a.name, b.name) && bytes.Equal(a.pid, b.pid) && bytes.Equal(a.tid, b.tid) && bytes.Equal(a.args, b.args)
}

// The end of an event is the first line of two blanks and a brace.
func TestLaidEnd(t *testing.T) {
	plain := func(b []byte, eof bool) int {
		for i := 1; i+3 < len(b); i++ {
			line := string(b[i : i+4])
			whole := i+4 < len(b)
			if line == "\n  }" && (whole || eof) {
				return i + 4
			}
			if line == "\n  {" && whole {
				return -i
			}
		}
		return 0
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		text := garble(r, laidEvents)
		b := append([]byte("{\n"), text[r.IntN(len(text)):]...)
		b = b[:2+r.IntN(len(b)-1)]
		eof := r.IntN(2) == 0
		if got, want := laidEnd(b, eof), plain(b, eof); got != want {
			t.Fatalf("%d, want %d, at the end %t, of %q", got, want, eof, b)
		}
	}
}

func TestEightDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20000 {
		b := []byte(strconv.Itoa(1e8 + r.IntN(1e8))[1:])
		if r.IntN(2) == 0 {
			b[r.IntN(8)] = byte(r.IntN(256))
		}
		want, err := strconv.ParseUint(string(b), 10, 64)
		if got, ok := eightDigits(b); ok != (err == nil) || ok && got != int64(want) {
			t.Fatalf("%q is %d %t, want %d", b, got, ok, want)
		}
	}
}
