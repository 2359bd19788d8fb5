package infer

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// TestDeviceGroups: the groups of a batch are its rows by device, whether devices take
// turns, are late, or stand twice in a turn, and whatever the batch before was.
func TestDeviceGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	groups, rows := &deviceGroups{}, model.NewReader(model.GPU, model.GPUT, model.GPUIndex)
	for round := range 300 {
		x := model.NewTable(model.GPU)
		devices := 1 + rng.IntN(70)
		odd, lacks := rng.IntN(3) == 0, rng.IntN(5) == 0
		var order []int64
		want := map[int64][]int32{}
		for r := range 1 + rng.IntN(900) {
			gpu := int64(r % devices)
			if gpu > 2 && round%7 == 0 {
				gpu = 2 // again and again in a turn
			}
			if odd && rng.IntN(200) == 0 {
				gpu = rng.Int64N(100)
			}
			b := x.Add(r, int64(r))
			b.SetInt(model.GPUIndex, gpu)
			if lacks && rng.IntN(9) == 0 {
				continue
			}
			b.SetInt(model.GPUT, int64(r))
			if want[gpu] == nil {
				order = append(order, gpu)
			}
			want[gpu] = append(want[gpu], int32(r))
		}
		x.Pack()
		rows.Read(x.Batches[0])
		var seen []int64
		for _, g := range groups.of(rows) {
			seen = append(seen, g.gpu)
			if diff := cmp.Diff(want[g.gpu], g.rows); diff != "" {
				t.Fatalf("round %d, GPU %d (-want +got):\n%s", round, g.gpu, diff)
			}
		}
		if diff := cmp.Diff(order, seen); diff != "" {
			t.Fatalf("round %d, devices (-want +got):\n%s", round, diff)
		}
	}
}
