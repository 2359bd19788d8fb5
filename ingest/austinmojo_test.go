package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// A mojoText writes a MOJO stream.
type mojoText struct{ b []byte }

func (m *mojoText) number(v int64) *mojoText {
	neg := byte(0)
	if v < 0 {
		neg, v = 0x40, -v
	}
	c := byte(v&0x3f) | neg
	for v >>= 6; v > 0; v >>= 7 {
		m.b = append(m.b, c|0x80)
		c = byte(v & 0x7f)
	}
	m.b = append(m.b, c)
	return m
}

func (m *mojoText) event(kind byte, numbers ...int64) *mojoText {
	m.b = append(m.b, kind)
	for _, n := range numbers {
		m.number(n)
	}
	return m
}

func (m *mojoText) text(s string) *mojoText {
	m.b = append(append(m.b, s...), 0)
	return m
}

func newMOJO(version int64) *mojoText {
	m := &mojoText{b: []byte("MOJ")}
	m.number(version)
	m.event(mojoMeta).text("mode").text("wall")
	m.event(mojoMeta).text("interval").text("10000")
	return m
}

// stack begins a sample; v3 and later name the interpreter.
func (m *mojoText) stack(version, pid int64, tid string) *mojoText {
	m.event(mojoStack, pid)
	if version >= 3 {
		m.number(0)
	}
	return m.text(tid)
}

// frame defines frame key at a line; from version 2 on its end and columns follow.
func (m *mojoText) frame(version, key, file, scope, line int64) *mojoText {
	m.event(mojoFrame, key, file, scope, line)
	if version >= 2 {
		m.number(line).number(1).number(-9)
	}
	return m
}

// stream is three samples of one thread and one of another process, whose
// numbers stand for other frames.
func stream(version int64) []byte {
	m := newMOJO(version).stack(version, 4100, "104b")
	m.event(mojoString, 10).text("/opt/train/train.py").event(mojoString, 11).text("main")
	m.event(mojoString, 12).text("forward").event(mojoString, 13).text("libcudart.so.12").event(mojoString, 14).text("cudaLaunchKernel")
	m.frame(version, 1, 10, 11, 310).frame(version, 2, 10, 12, 189).frame(version, 3, 13, 14, 0)
	m.event(mojoRef, 1).event(mojoRef, 2).event(mojoRef, 3).event(mojoTime, 10000)
	m.stack(version, 4100, "104b")
	if version >= 4 {
		m.event(mojoRef, 3).event(mojoRepeat)
	} else {
		m.event(mojoRef, 1).event(mojoRef, 2).event(mojoRef, 3)
	}
	m.event(mojoTime, 20000)
	m.stack(version, 4100, "104b").event(mojoRef, 1).event(mojoInvalid).event(mojoKernel).text("do_syscall_64").event(mojoGC).event(mojoIdle).event(mojoTime, 1_000_000)
	m.stack(version, 5000, "5").event(mojoString, 10).text("b.py").event(mojoString, 11).text("g").frame(version, 1, 10, 1, 7)
	m.event(mojoRef, 1).event(mojoRef, 99).event(mojoTime, 10000)
	return m.b
}

const mojoWant = `  capture: austin rate=100 threads=true native=true totals=false errors=0 args=""
  sample 0: pid=4100 tid="4171" name="" hint=0 n=3 s=0.03; main (/opt/train/train.py:310); forward (/opt/train/train.py:189); cudaLaunchKernel (libcudart.so.12:0) native
  sample 0: pid=4100 tid="4171" name="" hint=2 n=100 s=1; main (/opt/train/train.py:310); :INVALID: (:0); do_syscall_64 (kernel:0) native; :GC: (:0)
  sample 0: pid=5000 tid="5" name="" hint=0 n=1 s=0.01; <unknown> (b.py:7); :INVALID: (:0)
`

// TestMOJO reads streams of all versions, which say the same.
func TestMOJO(t *testing.T) {
	for version := int64(1); version <= maxMOJO; version++ {
		data := stream(version)
		if f, err := Detect("x.mojo", data); err != nil || f != AustinMOJO {
			t.Fatalf("version %d: %v, %v", version, f, err)
		}
		out := parseWhole(AustinMOJO, data)
		if out.File.Reason != "" {
			t.Errorf("version %d: %s", version, out.File.Reason)
		}
		if diff := cmp.Diff(mojoWant, mojoStacks(out)); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
}

// TestMOJOCut cuts a stream after every byte: what was read before stays, and
// nothing is read that is not there.
func TestMOJOCut(t *testing.T) {
	data := stream(4)
	whole := parseWhole(AustinMOJO, data)
	for n := range data {
		out := parseWhole(AustinMOJO, data[:n])
		if len(out.Stacks.Samples) > len(whole.Stacks.Samples) {
			t.Fatalf("cut at %d: %d samples", n, len(out.Stacks.Samples))
		}
		for i, s := range out.Stacks.Samples {
			if w := whole.Stacks.Samples[i]; s.Seconds > w.Seconds {
				t.Fatalf("cut at %d: sample %d of %g s, want at most %g", n, i, s.Seconds, w.Seconds)
			}
		}
	}
}

// TestMOJODamage: an unknown event and a number without an end are errors with
// their place.
func TestMOJODamage(t *testing.T) {
	for tail, want := range map[string]string{
		"\x63":                                  "event 99",
		"\x09\x80" + strings.Repeat("\xff", 12): "62 bits",
		"\x06" + strings.Repeat("x", maxMOJOText+2): "a string of more than",
	} {
		out := parseWhole(AustinMOJO, append(stream(3), tail...))
		if !strings.Contains(out.File.Reason, want) {
			t.Errorf("%q, want %q in it", out.File.Reason, want)
		}
		if len(out.Stacks.Samples) != 3 {
			t.Errorf("%d samples before the damage, want 3", len(out.Stacks.Samples))
		}
	}
}

func mojoStacks(out *model.RunBuilder) string {
	var sb strings.Builder
	dumpStacks(&sb, out)
	return sb.String()
}
