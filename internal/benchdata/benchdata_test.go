package benchdata_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tidemark"
	"tidemark/internal/benchdata"
	"tidemark/model"
)

func write(t *testing.T, seed uint64, size int64, kinds ...*benchdata.Kind) string {
	t.Helper()
	dir := t.TempDir()
	if err := benchdata.Write(dir, seed, size, kinds...); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir string, k *benchdata.Kind) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, k.File))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRun checks that a run of any size is read without loss, and that the
// report says what the package means by it.
func TestRun(t *testing.T) {
	for _, size := range []int64{4e6, 24e6} {
		dir := write(t, 1, size)
		r, err := tidemark.Analyze(context.Background(), []string{dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		inputs(t, r, size)
		checkVerdict(t, r)
	}
}

func inputs(t *testing.T, r *model.Report, size int64) {
	t.Helper()
	for _, k := range benchdata.Kinds {
		in := input(r, k.File)
		if in == nil || in.Format != k.Format || in.Rejected != 0 || in.Claimed == 0 {
			t.Errorf("%d bytes: %s: %+v, want format %s, no line rejected", size, k.File, in, k.Format)
			continue
		}
		if want := k.Share * float64(size); math.Abs(float64(in.Bytes)-want) > 0.1*want {
			t.Errorf("%d bytes: %s has %d, want %.0f within 10 %%", size, k.File, in.Bytes, want)
		}
	}
}

func input(r *model.Report, path string) *model.Input {
	for i := range r.Inputs {
		if r.Inputs[i].Path == path {
			return &r.Inputs[i]
		}
	}
	return nil
}

// checkVerdict holds a report against the pipeline of the package's doc.
func checkVerdict(t *testing.T, r *model.Report) {
	t.Helper()
	if l := r.Limiter; l.Side != "target" || l.Probabilities.Target < 0.9 || math.Abs(l.Wait.DrafterGate.Mid-0.23) > 0.03 {
		t.Errorf("limiter %s %v, gate wait %v; want target over 0.9, wait 0.23", l.Side, l.Probabilities, l.Wait.DrafterGate)
	}
	if r.Queue.Class != "balanced" {
		t.Errorf("queue class %s, want balanced", r.Queue.Class)
	}
	if x := r.Throughput.Steady.Mid; math.Abs(x/(7*2048)-1) > 0.02 {
		t.Errorf("%.0f tok/s, want 7 items of 2048 tokens/s", x)
	}
	for role, family := range map[string]string{"target": "sync", "drafter": "mask"} {
		if d := r.CPU.Roles[role].Dominant; d == nil || d.Family != family {
			t.Errorf("%s: dominant %+v, want family %s", role, d, family)
		}
	}
	for _, c := range r.Checks {
		if !c.OK && c.Name != "sampling" { // 10 Hz is less than twice 7 items/s
			t.Errorf("check %s: %s", c.Name, c.Text)
		}
	}
}

// TestSame checks that a seed stands for its bytes, and for nothing else's.
func TestSame(t *testing.T) {
	a, b, c := write(t, 1, 2e6), write(t, 1, 2e6), write(t, 2, 2e6)
	for _, k := range benchdata.Kinds {
		x := read(t, a, k)
		if !bytes.Equal(x, read(t, b, k)) {
			t.Errorf("%s: one seed gives different bytes", k.File)
		}
		if bytes.Equal(x, read(t, c, k)) {
			t.Errorf("%s: two seeds give the same bytes", k.File)
		}
	}
}

// TestKindsAlone checks that a file of one kind takes the whole size.
func TestKindsAlone(t *testing.T) {
	for _, k := range benchdata.Kinds {
		const size = 3e6
		if n := len(read(t, write(t, 1, size, k), k)); math.Abs(float64(n)-size) > 0.05*size {
			t.Errorf("%s alone: %d bytes, want %.0f within 5 %%", k.File, n, size)
		}
	}
}

// TestTrace checks the trace by another reader: a document of events in which
// each arrow from a launch ends at the kernel with its number.
func TestTrace(t *testing.T) {
	k := benchdata.Named("trace")
	var doc struct {
		TraceEvents []struct {
			Ph, Cat string
			ID      int
			Ts      float64
			Args    struct{ Correlation int }
		}
	}
	if err := json.Unmarshal(read(t, write(t, 1, 1e6, k), k), &doc); err != nil {
		t.Fatal(err)
	}
	starts, kernels, ends := map[int]float64{}, map[int]float64{}, 0
	for _, e := range doc.TraceEvents {
		switch {
		case e.Cat == "kernel":
			kernels[e.Args.Correlation] = e.Ts
		case e.Ph == "s":
			starts[e.ID] = e.Ts
		case e.Ph == "f":
			ends++
			if from, ok := starts[e.ID]; !ok || from >= e.Ts || kernels[e.ID] != e.Ts {
				t.Errorf("arrow %d: starts at %v, ends at %v, kernel at %v", e.ID, from, e.Ts, kernels[e.ID])
			}
		}
	}
	if ends == 0 || ends != len(starts) || ends != len(kernels) {
		t.Errorf("%d launches, %d kernels, %d arrows", len(starts), len(kernels), ends)
	}
}
