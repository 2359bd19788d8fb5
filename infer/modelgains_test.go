package infer

import (
	"math"
	"testing"

	"tidemark/internal/queuesim"
	"tidemark/internal/queuesim/simrun"
)

// A gainTally counts gains that are within 3 points of simulating again.
type gainTally struct {
	n, held  int
	lockless int     // held by the model without the lock
	worst10  float64 // worst error of a gain of 10 %
}

func (g *gainTally) share() float64 { return float64(g.held) / float64(g.n) }

// TestDrawnGains draws pipelines as the calibration does and holds the closed
// form, with waits that are known, against simulating again with either side
// 10, 25 and 50 % faster. What the method's page and the comments of the model
// say of its error is asserted here.
func TestDrawnGains(t *testing.T) {
	seeds, slack := uint64(250), 0.0
	if testing.Short() {
		seeds, slack = 60, 0.05
	}
	got := map[string]*gainTally{"plain": {}, "batches": {}, "loader": {}, "lock": {}}
	for seed := uint64(1); seed <= seeds; seed++ {
		if p, kind := drawnPipe(seed); kind != "" {
			got[kind].add(p)
		}
	}
	for _, c := range []struct {
		kind    string
		share   float64 // within 3 points, at least
		worst10 float64
	}{
		{"plain", 1, 0.01},
		{"batches", 0.98, 0.015},
		{"loader", 0.97, 0.03},
		{"lock", 0.98, 0.015},
	} {
		g := got[c.kind]
		t.Logf("%s: %d of %d gains within 3 points (%.1f %%), %.1f %% without the lock; gains of 10 %% within %.3f",
			c.kind, g.held, g.n, 100*g.share(), 100*float64(g.lockless)/float64(g.n), g.worst10)
		if g.n < 6*int(seeds)/20 || g.share() < c.share-slack || g.worst10 > c.worst10 {
			t.Errorf("%s: %.3f of %d gains within 3 points, want %.3f; gains of 10 %% off by up to %.3f, want %.3f", c.kind, g.share(), g.n, c.share, g.worst10, c.worst10)
		}
	}
	if g := got["lock"]; g.held-g.lockless < g.n/100 {
		t.Errorf("lock: %d of %d gains within 3 points, %d without the lock in the model: want 1 %% more", g.held, g.n, g.lockless)
	}
}

// drawnPipe is a long stationary run of a drawn pipeline and what it has beside
// two services and a queue; "" where that are several things.
func drawnPipe(seed uint64) (p queuesim.Config, kind string) {
	p = simrun.Draw(seed).Pipe
	p.Horizon, p.Pause, p.Target.Drift, p.Target.Speed = 0, queuesim.Pause{}, 0, nil
	p.Items, p.WarmItems = 20000, 2000
	kinds := []string{}
	for _, k := range []struct {
		name string
		has  bool
	}{{"batches", p.Pop > 1}, {"loader", p.LoaderRate > 0}, {"lock", p.Target.Lock > 0}, {"", p.Barrier}} {
		if k.has {
			kinds = append(kinds, k.name)
		}
	}
	switch len(kinds) {
	case 0:
		return p, "plain"
	case 1:
		return p, kinds[0]
	}
	return p, ""
}

// add tallies the gains of one pipeline.
func (g *gainTally) add(p queuesim.Config) {
	s, use, rate := simulatedState(p)
	for _, f := range []float64{1.1, 1.25, 1.5} {
		for _, by := range [2][2]float64{{f, 1}, {1, f}} {
			q := p
			q.Target, q.Drafter = p.Target.Faster(by[0], p.Targets), p.Drafter.Faster(by[1], p.Drafters)
			want := queuesim.Run(&q, nil).Rate/rate - 1
			off := math.Abs(s.gainLocked(by[0], by[1], use) - want)
			g.n++
			if off <= 0.03 {
				g.held++
			}
			if math.Abs(s.gain(by[0], by[1])-want) <= 0.03 {
				g.lockless++
			}
			if f == 1.1 {
				g.worst10 = max(g.worst10, off)
			}
		}
	}
}
