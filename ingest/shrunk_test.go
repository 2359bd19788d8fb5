package ingest

import (
	"strings"
	"testing"
)

// TestCutShorter checks that a file which has become shorter since its size was read
// ends where it does.
func TestCutShorter(t *testing.T) {
	const size = 4 << 20
	at := strings.NewReader(strings.Repeat("a line\n", 100_000))
	cuts, err := cut(&Format{}, at, size)
	if err != nil || cuts[0] != 0 || cuts[len(cuts)-1] != size {
		t.Fatal(cuts, err)
	}
	for _, at := range cuts[1 : len(cuts)-1] {
		if at > 700_000 {
			t.Error("a part at", at, "of 700000 bytes")
		}
	}
}
