package infer

import (
	"strings"
	"testing"

	"tidemark/model"
)

// TestGPUNames: an index that stands for another device for some rows in the
// middle of a recording is seen, wherever they lie.
func TestGPUNames(t *testing.T) {
	for from, want := range map[int]bool{7: true, 4001: true, 20_000: true, -1: false} {
		out := model.NewRunBuilder(&model.File{Path: "gpu.csv"})
		one, other := out.Strings.Code("GPU-1"), out.Strings.Code("GPU-2")
		for r := range 30_000 {
			b := out.GPU.Add(r+2, int64(r))
			b.SetInt(model.GPUIndex, 0)
			code := one
			if from >= 0 && r >= from && r < from+40 {
				code = other
			}
			b.SetText(model.GPUUUID, code)
		}
		run := model.NewRun()
		run.Files = append(run.Files, out.File)
		run.Join(out, 0)
		p := &Pass{Run: run}
		gpuNames(p)
		if got := len(p.checks) == 1; got != want || want && !strings.Contains(p.checks[0].Text, "GPU-2 (gpu.csv:") {
			t.Errorf("from row %d on: checks %+v, want one: %v", from, p.checks, want)
		}
	}
}
