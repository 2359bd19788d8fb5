package ingest

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestStacksInLogs puts stacks in text beside lines of a training log, before
// and after, in several proportions: one format claims each mixture.
func TestStacksInLogs(t *testing.T) {
	for _, p := range []string{
		"gdb/threads", "eu-stack/process", "faulthandler/timeout", "perf-script/threads", "py-spy-top/screens",
		"austin/wall", "py-spy-dump/mixed-with-log", "py-spy-log/two-recordings",
	} {
		a, err := txtar.ParseFile("testdata/" + p + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		stacks := string(a.Files[0].Data)
		for _, line := range []string{"2026-11-29 08:00:01,000 [INFO] step=1 loss=2.0 lr=1e-4\n", "step 10 loss 2.0 lr 1e-4\n"} {
			for _, n := range []int{2, 6, 12, 40, 200} {
				log := strings.Repeat(line, n)
				for _, text := range []string{log + stacks, stacks + log} {
					if f, err := Detect("x", []byte(text)); err != nil {
						t.Errorf("%s with %d lines %q: %v, %v", p, n, line, f, err)
					}
				}
			}
		}
	}
}
