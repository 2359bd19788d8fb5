package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tidemark/compare"
	"tidemark/model"
)

// A world is a pipeline whose runs are drawn as blocks: correlated noise, a
// drift, pauses, and a speed of its own for each run.
type world struct {
	rng     *rand.Rand
	phi     float64 // lag-1 correlation of blocks
	noise   float64 // relative standard deviation of a block
	drift   float64 // largest relative drift over a run
	between float64 // relative standard deviation of a run
	pauses  float64 // expected pauses in a run
	blocks  int     // of 20 s
}

func draw(seed uint64) world {
	rng := rand.New(rand.NewPCG(seed, 7))
	u := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	return world{rng, u(0, 0.8), u(0.01, 0.05), u(0, 0.03), u(0, 0.02), u(0, 4), 30}
}

// run draws one run of 5 targets and 3 drafters that the targets limit, with
// the speeds of both sides and the length of items scaled.
func (w world) run(target, drafter, length float64) *compare.Run {
	speed := math.Exp(w.between * w.rng.NormFloat64())
	slope := w.drift * (2*w.rng.Float64() - 1)
	r := &model.Report{Schema: model.Schema}
	r.Run.Name, r.Throughput.Unit = fmt.Sprint("run ", w.rng.IntN(1000)), "tok/s"
	r.Run.Topology = model.Topology{TargetGPUs: []int{0, 1, 2, 3, 4}, DrafterGPUs: []int{5, 6, 7}, TargetWorkers: new(5), DrafterWorkers: new(3), QueueCapacity: new(60.0), MinReady: new(10.0)}
	r.Limiter.Side, r.Limiter.Probabilities.Target, r.Steady.Found = model.Target, 0.99, true
	x, at := 0.0, 0.0
	var items, gate float64
	for i := range w.blocks {
		x = w.phi*x + math.Sqrt(1-w.phi*w.phi)*w.noise*w.rng.NormFloat64()
		if w.rng.Float64() < w.pauses/float64(w.blocks) {
			r.Phases = append(r.Phases, model.Phase{Kind: "checkpoint", FromS: at, ToS: at + 15})
			at += 15
		}
		rate := 4 * speed * target / length * math.Exp(x) * (1 + slope*(float64(i)/float64(w.blocks)-0.5))
		capacity := 5 * drafter / length
		wait := max(1-rate/capacity, 0)
		r.Blocks = append(r.Blocks, model.Block{
			FromS: at, ToS: at + 20, Items: new(20 * rate), Tokens: new(20 * rate * 2900 * length),
			Busy: model.Sides[float64]{Target: new(1.0), Drafter: new(1 - wait)}, Wait: model.Sides[float64]{Target: new(0.0), Drafter: &wait},
		})
		items, gate = items+20*rate, gate+wait/float64(w.blocks)
		at += 20
	}
	point := func(v float64) *model.Interval { return &model.Interval{Lo: v, Mid: v, Hi: v} }
	r.Limiter.Wait = model.Waits{TargetPut: point(0), DrafterGate: point(gate), TargetInput: point(0)}
	r.Limiter.Busy = model.Sides[model.Interval]{Target: point(1), Drafter: point(1 - gate)}
	rate := items / (20 * float64(w.blocks))
	r.Throughput.Items, r.Throughput.Steady = point(rate), point(rate*2900*length)
	r.Limiter.CapacityTokensS = model.Sides[model.Interval]{Target: point(rate * 2900 * length), Drafter: point(rate * 2900 * length / (1 - gate))}
	return compare.From(r)
}

func (w world) runs(n int, target, drafter, length float64) []*compare.Run {
	out := make([]*compare.Run, n)
	for i := range out {
		out[i] = w.run(target, drafter, length)
	}
	return out
}
