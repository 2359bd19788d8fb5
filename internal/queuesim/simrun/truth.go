package simrun

import (
	"math"

	"tidemark/internal/queuesim"
	"tidemark/model"
)

// Replicas and items of each simulation behind a truth: the standard error of
// an elasticity is then about 0.01, in balance with a large buffer 0.03.
const (
	replicas   = 4
	truthItems = 30000
)

// faster are the what-ifs whose gains are simulated.
var faster = []float64{1.1, 1.25, 1.5}

// A Truth is what a reader of the run should conclude.
type Truth struct {
	Side       string
	Elasticity [2]float64 // target, drafter
	SE         [2]float64
	Capacity   [2]float64    // items/s by the utilisation law in a long run
	Busy       [2]float64    // 1 - queue wait, in this run's own last 70 %
	LongBusy   [2]float64    // the same in a long run
	Gains      [2][3]float64 // of a side 10, 25, 50 % faster
	Class      string        // over the last 70 % of the run
	Rate       float64
}

// Find works out the truth by simulating again, with one side faster.
func Find(c Case) Truth {
	var t Truth
	paused := c.Pipe.Pause.Every > 0
	c.Pipe.Pause = queuesim.Pause{} // the verdict is about the steady state
	base := t.runs(c, queuesim.Target, 1)
	n := float64(len(base))
	for _, r := range base {
		t.Rate += r.Rate / n
		t.LongBusy[0] += (1 - r.Put) / n
		t.LongBusy[1] += (1 - r.Gate) / n
	}
	for side := range 2 {
		t.Capacity[side] = t.Rate / t.LongBusy[side]
		for i, by := range faster {
			gain, se := gain(base, t.runs(c, side, by))
			t.Gains[side][i] = gain
			if i == 0 {
				t.Elasticity[side], t.SE[side] = math.Log1p(gain)/math.Log(by), se/math.Log(by)
			}
		}
	}
	own := c.Pipe
	own.Warm = 0.3 * own.Horizon
	r := queuesim.Run(&own, nil)
	t.Busy = [2]float64{1 - r.Put, 1 - r.Gate}
	if paused {
		t.Busy = t.LongBusy
	}
	t.Class = class(r.Depth, float64(own.Capacity), float64(own.MinReady))
	t.Side = side(t.Elasticity[0], t.Elasticity[1], t.loader(c, base))
	return t
}

// ClassWithin is the queue class of the run's exact depth from one time to
// another, s. Pauses stay in it.
func ClassWithin(c Case, from, to float64) string {
	p := c.Pipe
	p.Warm, p.Horizon = from, to
	return class(queuesim.Run(&p, nil).Depth, float64(p.Capacity), float64(p.MinReady))
}

// loader is the elasticity of the prompts' rate.
func (t *Truth) loader(c Case, base []queuesim.Result) float64 {
	if c.Pipe.LoaderRate == 0 {
		return 0
	}
	c.Pipe.LoaderRate *= faster[0]
	g, _ := gain(base, t.runs(c, queuesim.Target, 1))
	return math.Log1p(g) / math.Log(faster[0])
}

// runs simulates replicas with one side faster. A drift belongs to the run's
// own length, so then it is simulated at that length, more often.
func (t *Truth) runs(c Case, side int, by float64) []queuesim.Result {
	n := replicas
	p := c.Pipe
	if p.Target.Drift != 0 {
		p.Warm = 0.3 * p.Horizon
		n = int(min(max(replicas*truthItems/t.items(p), 4), 16))
	} else {
		p.Horizon, p.Items, p.WarmItems = 0, truthItems, truthItems/10
	}
	if side == queuesim.Target {
		p.Target = p.Target.Faster(by, p.Targets)
	} else {
		p.Drafter = p.Drafter.Faster(by, p.Drafters)
	}
	var out []queuesim.Result
	for k := range n {
		p.Seed = c.Seed<<8 + uint64(k) + 1
		out = append(out, queuesim.Run(&p, nil))
	}
	return out
}

// items is about how many items a run has.
func (t *Truth) items(p queuesim.Config) float64 {
	a, b := p.Capacities()
	return min(a, b) * p.Horizon
}

// gain is the mean relative gain of paired runs with its standard error.
func gain(base, quick []queuesim.Result) (mean, se float64) {
	n := float64(len(base))
	var sum, square float64
	for i := range base {
		g := quick[i].Rate/base[i].Rate - 1
		sum, square = sum+g, square+g*g
	}
	mean = sum / n
	return mean, math.Sqrt(max(square/n-mean*mean, 0) / (n - 1))
}

// side is the definition of the limiter.
func side(target, drafter, loader float64) string {
	switch {
	case target >= 0.6 && drafter < 0.4:
		return model.Target
	case drafter >= 0.6 && target < 0.4:
		return model.Drafter
	case target < 0.4 && drafter < 0.4 && loader >= 0.4:
		return model.Upstream
	}
	return model.Both
}

// class is the rule for the queue class, applied to a histogram of the depth.
func class(share []float64, capacity, ready float64) string {
	w := max(1, 0.1*(capacity-ready))
	var full, starved float64
	for d, v := range share {
		switch d := float64(d); {
		case d >= capacity-w:
			full += v
		case d < ready-w:
			starved += v
		}
	}
	switch {
	case full > 0.6:
		return model.TargetBound
	case starved > 0.6:
		return model.DrafterBound
	case 1-full-starved > 0.6:
		return model.Balanced
	}
	return model.Unsettled
}
