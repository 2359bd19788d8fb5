package tidemark_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tidemark"
	"tidemark/internal/tablefile"
)

// TestWriteTables: every table is written twice, has the run's rows, and says
// whose device, thread and sample each row is.
func TestWriteTables(t *testing.T) {
	a, err := tidemark.Run(t.Context(), []string{"testdata/runs/story-depth60"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tables")
	if err := a.WriteTables(dir); err != nil {
		t.Fatal(err)
	}
	gpu, threads, stacks := tableRows(t, dir, "gpu"), tableRows(t, dir, "threads"), tableRows(t, dir, "stacks")
	if len(gpu) != a.Run.GPU.Rows() || len(threads) != a.Run.Threads.Rows() || len(stacks) != len(a.Run.Stacks.Samples) {
		t.Errorf("%d gpu, %d threads, %d stacks; want %d, %d, %d", len(gpu), len(threads), len(stacks), a.Run.GPU.Rows(), a.Run.Threads.Rows(), len(a.Run.Stacks.Samples))
	}
	for _, r := range gpu {
		want := "target"
		if r["gpu"].(int64) >= 5 {
			want = "drafter"
		}
		if r["side"] != want {
			t.Fatalf("gpu row %v: want side %s", r, want)
		}
	}
	hot := []int64{4200, 4201, 4202, 4203, 4204} // the targets, as README.md shows them
	for _, r := range threads {
		if tid, _ := r["tid"].(int64); (r["role"] == "target") != slices.Contains(hot, tid) {
			t.Fatalf("thread row %v: want role target of %v alone", r, hot)
		}
	}
	launch, active := 0.0, 0.0
	for _, r := range stacks {
		if r["role"] == "target" && r["state"] != "wait" {
			active += r["samples"].(float64)
			if r["mechanism"] == "gpu.launch" {
				launch += r["samples"].(float64)
			}
		}
	}
	if share := launch / active; share < 0.40 || share > 0.42 {
		t.Errorf("%.3f of the targets' samples launch kernels, want the 0.41 of README.md", share)
	}
}

// tableRows reads the Parquet file of a table, beside which the Arrow file lies.
func tableRows(t *testing.T, dir, name string) []map[string]any {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, name+".arrow")); err != nil {
		t.Error(err)
	}
	f, err := os.Open(filepath.Join(dir, name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := tablefile.ReadRows(f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
