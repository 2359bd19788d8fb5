package infer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// TestDevices: each device has its own readings in the order of time, whether devices are
// read at the same times or not, times fall, or readings are missing.
func TestDevices(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 300 {
		n := 1 + rng.IntN(5)
		apart, falls, lacks, late := rng.IntN(3) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0
		var sided []int
		if rng.IntN(2) == 0 {
			sided = []int{0, n - 1}
		}
		run := model.NewRun()
		run.Files = []*model.File{{Path: "gpu.csv", Clock: model.Clock{Placed: true}}}
		util, memory := make([]Points, n), make([]Points, n)
		now := int64(1e15)
		for line := range 2 + rng.IntN(3000) {
			gpu := line % n
			if late && line < 500 && gpu == 0 {
				continue // joins the others later
			}
			if gpu == 0 || apart && rng.IntN(9) == 0 {
				now += 200e6
			}
			if falls && gpu == 0 && rng.IntN(60) == 0 {
				now -= 3e9
			}
			at := now
			if falls && rng.IntN(300) == 0 {
				at -= 3e9
			}
			b := run.GPU.Add(line, int64(line))
			b.SetInt(model.GPUT, at)
			b.SetInt(model.GPUIndex, int64(gpu))
			if !lacks || rng.IntN(40) > 0 {
				v := float64(rng.IntN(101)) / 100
				b.SetFloat(model.GPUSMUtil, v)
				util[gpu].add(at, v)
			}
			if !lacks || rng.IntN(40) > 0 {
				v := float64(rng.IntN(1 << 20))
				b.SetFloat(model.GPUMemUsed, v)
				memory[gpu].add(at, v)
			}
		}
		run.GPU.Pack()
		got, _ := devices(run, sided)
		for _, d := range got {
			util[d.Index].sorted()
			memory[d.Index].sorted()
			if diff := cmp.Diff(util[d.Index], d.Util); diff != "" {
				t.Fatalf("round %d, GPU %d (-want +got):\n%s", round, d.Index, diff)
			}
			want := memory[d.Index]
			if !slices.Contains(sided, d.Index) {
				want = Points{T: []int64{}, V: []float64{}}
			}
			if diff := cmp.Diff(want.T, append([]int64{}, d.Memory.T...)); diff != "" {
				t.Fatalf("round %d, times of the memory of GPU %d (-want +got):\n%s", round, d.Index, diff)
			}
			if diff := cmp.Diff(want.V, append([]float64{}, d.Memory.V...)); diff != "" {
				t.Fatalf("round %d, memory of GPU %d (-want +got):\n%s", round, d.Index, diff)
			}
		}
		for gpu := range util {
			if len(util[gpu].T) > 1 && !slices.ContainsFunc(got, func(d *Device) bool { return d.Index == gpu }) {
				t.Fatalf("round %d: GPU %d is missing", round, gpu)
			}
		}
	}
}
