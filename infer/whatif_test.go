package infer

import (
	"fmt"
	"math"
	"testing"

	"tidemark/internal/queuesim"
	"tidemark/model"
)

// TestGainsAgainstSimulation holds the closed form against the simulator: with
// waits that are known, gains of 10, 25 and 50 % come within 3 points of
// simulating again with that side faster (6 for gates that take batches).
func TestGainsAgainstSimulation(t *testing.T) {
	base := queuesim.Config{Targets: 5, Drafters: 3, Capacity: 60, MinReady: 10, Items: 20000, WarmItems: 2000, Seed: 7}
	for _, c := range []struct {
		name  string
		slack float64
		ratio float64
		cv    float64
		set   func(*queuesim.Config)
	}{
		{"level, targets behind", 0.03, 0.8, 0.4, func(*queuesim.Config) {}},
		{"level, near balance", 0.03, 0.97, 0.4, func(*queuesim.Config) {}},
		{"level, noisy", 0.03, 1.1, 1, func(*queuesim.Config) {}},
		{"hysteresis", 0.03, 0.9, 0.4, func(c *queuesim.Config) { c.Gate = queuesim.Hysteresis }},
		{"start", 0.03, 1.15, 0.4, func(c *queuesim.Config) { c.Gate = queuesim.Start }},
		{"batch", 0.06, 0.9, 0.4, func(c *queuesim.Config) { c.Pop = c.MinReady }},
		{"lock", 0.03, 0.9, 0.4, func(c *queuesim.Config) {
			c.Target.Lock, c.Drafter.Lock, c.Target.Hold, c.Drafter.Hold = 0.11, 0.11, 0.02, 0.02
		}},
		{"loader", 0.03, 0.8, 0.4, func(c *queuesim.Config) { c.LoaderRate, c.LoaderCV = 0.62, 0.4 }},
		{"loader, two targets", 0.03, 0.8, 0.4, func(c *queuesim.Config) { c.Targets, c.Target.Mean, c.LoaderRate, c.LoaderCV = 2, 2.5, 0.65, 0.4 }},
	} {
		p := base
		p.Target = queuesim.Service{Mean: 5 / c.ratio, CV: c.cv}
		p.Drafter = queuesim.Service{Mean: 3, CV: c.cv}
		c.set(&p)
		p.Drafter.Mean *= float64(max(p.Pop, 1))
		s, use, rate := simulatedState(p)
		for _, f := range []float64{1.1, 1.25, 1.5} {
			for side, by := range [2][2]float64{{f, 1}, {1, f}} {
				q := p
				q.Target, q.Drafter = p.Target.Faster(by[0], p.Targets), p.Drafter.Faster(by[1], p.Drafters)
				want := queuesim.Run(&q, nil).Rate/rate - 1
				if got := s.gainLocked(by[0], by[1], use); math.Abs(got-want) > c.slack {
					t.Errorf("%s, %s %.2f times faster: %+.3f, simulated %+.3f", c.name, [2]string{"targets", "drafters"}[side], f, got, want)
				}
			}
		}
	}
}

// simulatedState is the model's state of a simulated pipeline, from its waits.
func simulatedState(p queuesim.Config) (s state, use model.Sides[float64], rate float64) {
	r := queuesim.Run(&p, nil)
	noise := p.Target.CV*p.Target.CV + p.Drafter.CV*p.Drafter.CV*float64(max(p.Pop, 1))
	k := 2 * buffer(float64(p.Capacity), float64(p.MinReady), p.Gate.String()) / noise
	t, d := float64(p.Targets)*(1-r.Put-r.Input), float64(p.Drafters)*(1-r.Gate)
	s = state{r: math.Log((1 - r.Gate) / (1 - r.Put)), k: k, input: r.Input, feed: loaderMany + loaderFew/float64(p.Targets)}
	s.lock = (float64(p.Targets)*r.Lock[0] + float64(p.Drafters)*r.Lock[1]) / (t + d)
	return s, model.Sides[float64]{Target: new(t / (t + d)), Drafter: new(d / (t + d))}, r.Rate
}

// TestOwn: prompts let no more through than there is, more of a smaller step
// than of a larger one, and all of it where nobody waits for them.
func TestOwn(t *testing.T) {
	for _, input := range []float64{0, 0.05, 0.2, 0.5, 0.9} {
		s := state{r: -0.5, k: 100, input: input}
		last := math.Inf(1)
		for _, f := range []float64{0.5, 0.8, 1.05, 1.1, 1.25, 1.5, 3} {
			share := s.own(f) / math.Log(f)
			what := fmt.Sprintf("input wait %g, %g times faster", input, f)
			if share < 0 || share > 1+1e-12 || share > last+1e-12 {
				t.Errorf("%s: %.4f of it comes through, before %.4f", what, share, last)
			}
			if input == 0 && math.Abs(share-1) > 1e-12 {
				t.Errorf("%s: %.4f comes through, want all", what, share)
			}
			last = share
		}
	}
}
