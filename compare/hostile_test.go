package compare_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"tidemark/compare"
	"tidemark/model"
)

// wild is a run with values that no run has: a baseline file may hold any.
func wild(rng *rand.Rand) *compare.Run {
	pick := func() float64 {
		return []float64{0, -1, 1, 1e-300, 1e300, -1e300, 0.5, 20, rng.NormFloat64()}[rng.IntN(9)]
	}
	maybe := func() *float64 {
		if rng.IntN(4) == 0 {
			return nil
		}
		return new(pick())
	}
	r := &compare.Run{Name: "wild", Steady: true, SteadyS: pick(), PauseS: pick(), Pauses: rng.IntN(4) - 1, PauseCV: pick(), AtCapacity: maybe(), Values: map[string]model.Interval{}}
	for _, id := range compare.MetricIDs() {
		if rng.IntN(3) > 0 {
			r.Values[id] = model.Interval{Lo: pick(), Mid: pick(), Hi: pick()}
		}
	}
	for range rng.IntN(12) {
		r.Blocks = append(r.Blocks, model.Block{FromS: pick(), ToS: pick(), Items: maybe(), Tokens: maybe(), Loss: maybe(), Step: maybe(), Gone: maybe(), Wait: model.Sides[float64]{Drafter: maybe()}})
	}
	for range rng.IntN(4) {
		r.Shares = append(r.Shares, compare.Share{Role: model.Target, ID: "gpu.launch", Share: model.Interval{Lo: pick(), Mid: pick(), Hi: pick()}})
	}
	r.Pipeline.TargetWorkers = new(rng.IntN(3) - 1)
	if rng.IntN(2) > 0 {
		r.Pipeline.Unit = "tok/s"
	}
	return r
}

// TestWild: whatever runs hold, a comparison is made of numbers that JSON can
// hold, a check has an outcome for each rule, and nothing panics.
func TestWild(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		side := func() []*compare.Run {
			var out []*compare.Run
			for range 1 + rng.IntN(6) {
				out = append(out, wild(rng))
			}
			return out
		}
		base, fresh := side(), side()
		res, c, err := compare.Check(compare.Default(true), base, fresh)
		if err != nil || len(res.Rules) == 0 {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, v := range []any{res, c} {
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if _, err := compare.History(base, fresh, "throughput"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
