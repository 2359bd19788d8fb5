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

// TestRawStacks compares the stacks read from random lines, in which much
// repeats, with the lines cut at every semicolon.
func TestRawStacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	frames := []string{"f (a.py:1)", "f (a.py:12)", "g (b.py:3)", "ns::h (libx.so)", "<module> (a.py:9)", "k (a.py:1)"}
	want := map[string]float64{}
	var in bytes.Buffer
	for range 5000 {
		rows := [...]string{"", "thread (1): a;", "thread (12);", `process 3:"x;y";thread (1): a;`}[rng.IntN(4)]
		var stack []string
		for range rng.IntN(100) >> rng.IntN(6) {
			stack = append(stack, frames[rng.IntN(1+rng.IntN(len(frames)))])
		}
		line := rows + strings.Join(stack, ";")
		if len(stack) == 0 {
			line = strings.TrimSuffix(rows, ";")
		}
		n := 1 + rng.IntN(9)
		fmt.Fprintf(&in, "%s %d\n", line, n)
		want[line] += float64(n)
	}
	out := parseWhole(PySpyRaw, in.Bytes())
	got := map[string]float64{}
	for _, s := range out.Stacks.Samples {
		got[rawLine(out, s)] += s.N
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stacks (-want +got):\n%s", diff)
	}
	conserved(t, out.File)
}

// rawLine writes a sample as py-spy would.
func rawLine(out *model.RunBuilder, s model.Sample) string {
	var parts []string
	th := out.Stacks.Threads[s.Thread]
	if th.PID > 0 {
		parts = append(parts, fmt.Sprintf("process %d:%q", th.PID, th.Process))
	}
	if th.TID != "" {
		row := "thread (" + th.TID + ")"
		if th.Name != "" {
			row += ": " + th.Name
		}
		parts = append(parts, row)
	}
	for _, code := range out.Stacks.Set.Path(s.Stack, nil) {
		f := out.Stacks.Set.At(code)
		where := out.Strings.At(f.File)
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, f.Line)
		}
		parts = append(parts, out.Strings.At(f.Function)+" ("+where+")")
	}
	return strings.Join(parts, ";")
}

// TestRawAddresses checks that addresses seen nowhere else do not make stacks.
func TestRawAddresses(t *testing.T) {
	var in bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&in, "<module> (a.py:%d);launch (libx.so);0x%x (libcuda.so.1) 1\n", 1+i%3, 0x7f0000000000+i*4096)
		fmt.Fprintf(&in, "0x%x (libc.so.6);<module> (a.py:1) 1\n", 0x7f0000000000+i*16)
	}
	out := parseWhole(PySpyRaw, in.Bytes())
	if n := len(out.Stacks.Samples); n != 4 {
		t.Errorf("%d samples, want 4", n)
	}
	if n := out.Stacks.Set.Frames(); n != 6 {
		t.Errorf("%d frames, want 6", n)
	}
}

// TestRawLongLine checks the limits on one line: its length and its depth.
func TestRawLongLine(t *testing.T) {
	in := strings.Repeat("f (a.py:1);", model.MaxDepth) + "f (a.py:1) 1\n" + "a;b 2\n" +
		strings.Repeat("x;", model.MaxStackLine/2) + "y 3\n" + "a;c 4\n"
	out := parseWhole(PySpyRaw, []byte(in))
	if out.File.Claimed != 2 || out.File.Rejected != 2 {
		t.Errorf("%d claimed and %d rejected, want 2 and 2; %v", out.File.Claimed, out.File.Rejected, out.File.Warnings)
	}
}

// TestSamplerLine holds lines of a training log against the sampler's words.
func TestSamplerLine(t *testing.T) {
	for _, tc := range []struct {
		line string
		is   bool
		want model.SamplerNote
	}{
		{"py-spy> Sampling process 99 times a second for 24 seconds. Press Control-C to exit.", true, model.SamplerNote{Rate: 99, Duration: 24}},
		{"Sampling process 100 times a second. Press Control-C to exit.", true, model.SamplerNote{Rate: 100}},
		{"Sampling process is slow", false, model.SamplerNote{}},
		{"\x1b[33mpy-spy> 12.50s behind in sampling, results may be inaccurate.\x1b[0m", true, model.SamplerNote{Lag: 12.5, LagLines: []int32{7}}},
		{"12.50s behind schedule", false, model.SamplerNote{}},
		{"Collected 12 samples (3 errors)", true, model.SamplerNote{Samples: 12, Errors: 3}},
		{"Collected 12 prompts", false, model.SamplerNote{}},
		{"Wrote chrome trace to 'a b.json'. Samples: 9 Errors: 1", true, model.SamplerNote{Done: true, Output: "a b.json", Samples: 9, Errors: 1}},
		{"Wrote flamegraph data to 'x.svg'. Samples: 9", true, model.SamplerNote{Done: true, Output: "x.svg", Samples: 9}},
		{"Wrote checkpoint to 'x.pt'", false, model.SamplerNote{}},
		{"Error: CUDA out of memory", false, model.SamplerNote{}},
		{"Failed to merge native and python frames (Have 3 native and 8 python)", true, model.SamplerNote{}},
		{"Error: Permission denied (os error 13)", true, model.SamplerNote{Failed: "Permission denied (os error 13)"}},
		{"py-spy> Error: process gone", true, model.SamplerNote{Failed: "process gone"}},
		{"Stopped sampling because Control-C pressed", true, model.SamplerNote{}},
		{"step=12 loss=2.1", false, model.SamplerNote{}},
		{"", false, model.SamplerNote{}},
	} {
		n := model.SamplerNote{Line: 7}
		is := samplerLine([]byte(tc.line), &n)
		tc.want.Line = 7
		if diff := cmp.Diff(tc.want, n); is != tc.is || diff != "" {
			t.Errorf("%q: is a message: %t, want %t (-want +got):\n%s", tc.line, is, tc.is, diff)
		}
	}
}
