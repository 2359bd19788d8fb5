package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLargeRawStacks reads stacks of 5 MiB, for which room is made ahead:
// they are those of the lines cut at the last blank, and the same, in the same
// order, as of a reader that grows as it goes.
func TestLargeRawStacks(t *testing.T) {
	text, want := manyStacks(5 << 20)
	out := readBytes(t, "pyspy.raw.txt", text)
	got := map[string]float64{}
	for _, s := range out.Stacks.Samples {
		got[rawLine(out, s)] += s.N
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stacks (-want +got):\n%s", diff)
	}
	if out.File.Claimed != bytes.Count(text, []byte("\n")) {
		t.Errorf("%d lines claimed of %d, with %v", out.File.Claimed, bytes.Count(text, []byte("\n")), out.File.Warnings)
	}
	grown := parseWhole(PySpyRaw, text) // of unknown size
	if diff := cmp.Diff(grown.Stacks.Samples, out.Stacks.Samples); diff != "" {
		t.Errorf("samples (-without room +with room):\n%s", diff)
	}
	if a, b := grown.Stacks.Set.Stacks(), out.Stacks.Set.Stacks(); a != b {
		t.Errorf("%d stacks without room, %d with it", a, b)
	}
}

// manyStacks are lines of so many bytes, a quarter of which repeats, and the
// weight of each stack.
func manyStacks(size int) (text []byte, want map[string]float64) {
	rng := rand.New(rand.NewPCG(3, 5))
	want = map[string]float64{}
	var seen []string
	for len(text) < size {
		stack := ""
		if len(seen) > 0 && rng.IntN(4) == 0 {
			stack = seen[rng.IntN(len(seen))]
		} else {
			stack = fmt.Sprintf("thread (%d): worker-%d", 1+rng.IntN(7), rng.IntN(3))
			for range 1 + rng.IntN(90) {
				stack += fmt.Sprintf(";f%d (app/m%d.py:%d)", rng.IntN(40), rng.IntN(5), 1+rng.IntN(300))
			}
			seen = append(seen, stack)
		}
		n := 1 + rng.IntN(9)
		text = append(append(append(text, stack...), ' '), strconv.Itoa(n)...)
		text = append(text, '\n')
		want[stack] += float64(n)
	}
	return text, want
}
