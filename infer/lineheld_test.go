package infer_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/config"
	"tidemark/model"
)

// itemLog is the log of a drafter that takes four items a step, 1 s in all: it
// waits 0.2 s before the first one and never else.
func itemLog(steps int, counted bool) []byte {
	var b bytes.Buffer
	b.WriteString("2026-11-29 08:00:00,000 config: target_workers=1 drafter_workers=1 hs_queue_depth=60 min_ready=10\n")
	ms := 0
	for i := range steps {
		for item := range 4 {
			wait := 0
			if item == 0 {
				wait = 200
			}
			ms += wait + 200
			step := ""
			if counted {
				step = fmt.Sprintf("step=%d ", i)
			}
			fmt.Fprintf(&b, "2026-11-29 %02d:%02d:%02d,%03d drafter-0: %squeue_get_ms=%d fwd_bwd_ms=%d\n", 8+ms/3600000, ms/60000%60, ms/1000%60, ms%1000, step, wait, 190+i%7)
		}
	}
	return b.Bytes()
}

// Where one in four records is held, whichever of them, the wait is that of all:
// 0.2 of 1 s, whether or not a step is printed with each of its four items.
func TestWaitsOfLogHeldInPart(t *testing.T) {
	for _, counted := range []bool{false, true} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "train.log"), itemLog(4000, counted), 0o666); err != nil {
			t.Fatal(err)
		}
		run, err := ingest.Read(context.Background(), []string{dir}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		ingest.Align(run, &config.Config{})
		thin(run)
		var waits *infer.WaitUse
		probe := &infer.Analyzer{Name: "probe", Requires: []*infer.Analyzer{infer.Waits}, Run: func(p *infer.Pass) (any, error) {
			waits, _ = infer.Result[*infer.WaitUse](p, infer.Waits)
			return nil, nil
		}}
		if _, _, err := infer.Analyze(context.Background(), run, &config.Config{}, []*infer.Analyzer{probe}); err != nil {
			t.Fatal(err)
		}
		if waits == nil || waits.Gate == nil || math.Abs(waits.Gate.Share.Mid-0.2) > 0.02 {
			t.Errorf("step printed %v: waits %+v, want 0.2 at the gate", counted, waits)
		}
	}
}

// thin holds the second of the first four records, the third of the next, and so on.
func thin(run *model.Run) {
	line, n := int32(-1), -1
	var kind model.Held
	run.Metrics.Keep(func(b *model.Batch, r int) bool {
		if b.Line(r) != line {
			line, n = b.Line(r), n+1
		}
		template, _ := b.Text(model.MetricTemplate, r)
		source, _ := b.Text(model.MetricSource, r)
		kind = model.Held{File: b.File, Template: template, Source: source, Every: 4}
		return n%4 == (n/4+1)%4
	})
	run.Held = []model.Held{kind}
}
