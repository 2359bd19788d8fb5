package infer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/config"
	"tidemark/model"
)

// starving writes a run in which the queue is starved in every other second.
// Of the samples of a target, 100 a second, the share low stands in tokenising
// while it is starved, and high while it is not; the rest in a forward.
func starving(t *testing.T, low, high int) *model.Run {
	t.Helper()
	dir := t.TempDir()
	const start = 1767225600
	var queue, trace strings.Builder
	queue.WriteString("timestamp,queue,depth,capacity,min_ready\n")
	for i := range 400 {
		depth := 30
		if i/10%2 == 1 {
			depth = 4
		}
		fmt.Fprintf(&queue, "%d.%d,hs,%d,60,10\n", start+i/10, i%10, depth)
	}
	sep := "["
	frame := func(ph, name, file string, line, ts int) {
		fmt.Fprintf(&trace, `%s{"args":{"filename":"%s","line":%d},"cat":"py-spy","name":"%s","ph":"%s","pid":1,"tid":7,"ts":%d}`, sep, file, line, name, ph, ts)
		sep = ","
	}
	for i := range 4000 {
		share := high
		if i/100%2 == 1 {
			share = low
		}
		name, file := "forward", "/venv/torch/nn/modules/linear.py"
		if i%10 < share {
			name, file = "encode_batch", "/venv/tokenizers/implementations/base_tokenizer.py"
		}
		frame("B", "target_worker", "/w/train.py", 5, i*10000)
		frame("B", name, file, 100+i%2, i*10000) // the line changes, so every tick does
		frame("E", name, file, 100+i%2, i*10000+10000)
		frame("E", "target_worker", "/w/train.py", 5, i*10000+10000)
	}
	trace.WriteString("]")
	for name, text := range map[string]string{"queue.csv": queue.String(), "profile.json": trace.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run, err := ingest.Read(context.Background(), []string{dir}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func conditionalOf(t *testing.T, run *model.Run, offset map[string]float64) *model.Report {
	t.Helper()
	cfg := &config.Config{ClockOffset: offset}
	ingest.Align(run, cfg)
	r, _, err := infer.Analyze(context.Background(), run, cfg, []*infer.Analyzer{infer.Conditional})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestConditional checks that what the targets do more of while the queue is
// starved is named, that equal shares are called equal, and that a trace whose
// start is not known is asked for it.
func TestConditional(t *testing.T) {
	at := map[string]float64{"profile.json": 1767225600}
	r := conditionalOf(t, starving(t, 6, 2), at)
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Claim, "While the queue is starved, ") || !strings.Contains(r.Findings[0].Claim, "(20 and 20 thread-seconds)") {
		t.Errorf("findings %+v, want a difference over 20 and 20 s", r.Findings)
	}
	if v := r.Findings[0].Evidence[0].Value; v < 0.39 && v > -0.39 {
		t.Errorf("difference %v, want 0.4", v)
	}
	f := r.Flames[0]
	if n := f.Nodes[0]; f.Unit != "seconds" || n.Value < 19.9 || n.Value > 20.1 || n.Value2 == nil || *n.Value2 < 19.9 {
		t.Errorf("flame of %s, root %+v; want 20 and 20 seconds", f.Unit, n)
	}
	if r := conditionalOf(t, starving(t, 4, 4), at); len(r.Findings) != 1 || !strings.HasPrefix(r.Findings[0].Claim, "The targets do the same") {
		t.Errorf("findings %+v, want none that differs", r.Findings)
	}
	r = conditionalOf(t, starving(t, 6, 2), nil)
	if len(r.Findings) != 0 || !strings.Contains(fmt.Sprint(r.Skipped), "when profile.json began") {
		t.Errorf("findings %+v, skipped %+v; want to be asked for the start", r.Findings, r.Skipped)
	}
}
