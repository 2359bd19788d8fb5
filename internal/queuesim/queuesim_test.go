package queuesim

import (
	"math"
	"reflect"
	"testing"
)

// story is the pipeline of the project's first page: 5 targets, 3 drafters,
// capacity 60, min_ready 10, drafters at 1 item/s together.
func story(ratio, cv float64) Config {
	return Config{
		Targets: 5, Drafters: 3, Capacity: 60, MinReady: 10,
		Target: Service{Mean: 5 / ratio, CV: cv}, Drafter: Service{Mean: 3, CV: cv},
		Items: 40000, WarmItems: 4000, Seed: 1,
	}
}

func near(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if !(math.Abs(got-want) <= slack) {
		t.Errorf("%s: %.4f, want %.4f +- %.4f", what, got, want, slack)
	}
}

// TestLevelGateTable holds the level gate against a published table (CV 0.4):
// drafter wait, target block, the gain of each side 10 % faster, and the
// depth's quantiles. The slack is the table's own noise: 36,000 items, and one
// seed near balance, where the depth has few independent stretches.
func TestLevelGateTable(t *testing.T) {
	for _, c := range []struct{ ratio, p10, p50, p90, gate, put, targets, drafters, slack float64 }{
		{0.50, 9, 9, 9, 0.500, 0, 0.102, 0, 0.006},
		{0.80, 9, 9, 11, 0.198, 0, 0.102, 0, 0.006},
		{0.90, 9, 10, 12, 0.096, 0, 0.100, 0, 0.006},
		{0.95, 9, 11, 16, 0.046, 0, 0.048, 0, 0.008},
		{1.00, math.NaN(), math.NaN(), math.NaN(), 0.001, 0.006, 0.002, 0.007, 0.010},
		{1.05, 54, 59, 60, 0, 0.053, 0, 0.055, 0.008},
		{1.10, 57, 60, 60, 0, 0.096, 0, 0.099, 0.006},
		{1.25, 59, 60, 60, 0, 0.204, 0, 0.101, 0.006},
	} {
		cfg := story(c.ratio, 0.4)
		r := Run(&cfg, nil)
		near(t, "drafter wait", r.Gate, c.gate, c.slack)
		near(t, "target block", r.Put, c.put, c.slack)
		near(t, "targets faster", gain(cfg, 1.1, 1), c.targets, c.slack)
		near(t, "drafters faster", gain(cfg, 1, 1.1), c.drafters, c.slack)
		if !math.IsNaN(c.p50) {
			for _, q := range [][2]float64{{0.1, c.p10}, {0.5, c.p50}, {0.9, c.p90}} {
				near(t, "depth quantile", float64(quantile(r.Depth, q[0])), q[1], 2)
			}
		}
		if t.Failed() {
			t.Fatalf("at ratio %.2f: %+v", c.ratio, r)
		}
	}
}

func gain(c Config, target, drafter float64) float64 {
	base := Run(&c, nil).Rate
	c.Target, c.Drafter = c.Target.Faster(target, c.Targets), c.Drafter.Faster(drafter, c.Drafters)
	return Run(&c, nil).Rate/base - 1
}

func quantile(share []float64, q float64) int {
	sum := 0.0
	for d, v := range share {
		if sum += v; sum >= q {
			return d
		}
	}
	return len(share) - 1
}

// TestGates: whatever the gate, the drafters' wait at ratio 0.8 is the same,
// while the depth looks different (same table): a level gate sits at 9, the
// others saw below it, a gate that opens once stays at 0.
func TestGates(t *testing.T) {
	for _, c := range []struct {
		gate Gate
		pop  int
		p50  int
	}{{Level, 1, 9}, {Hysteresis, 1, 5}, {Level, 10, 6}, {Start, 1, 0}} {
		cfg := story(0.8, 0.4)
		cfg.Gate, cfg.Pop = c.gate, c.pop
		cfg.Drafter.Mean *= float64(max(c.pop, 1))
		r := Run(&cfg, nil)
		near(t, c.gate.String()+" wait", r.Gate, 0.198, 0.006)
		near(t, c.gate.String()+" p50", float64(quantile(r.Depth, 0.5)), float64(c.p50), 1)
	}
}

// exponential is a list with the quantiles of an exponential time of mean 1.
func exponential() []float64 {
	list := make([]float64, 1<<14)
	for i := range list {
		list[i] = -math.Log1p(-(float64(i) + 0.5) / float64(len(list)))
	}
	return list
}

// TestOneServerEachSide: with exponential services and one worker a side the
// items in and before the drafter, a blocked one included, are M/M/1/K with
// K = capacity + 2: p(n) ~ ρ^n, the targets blocked p(K), the drafters idle p(0).
func TestOneServerEachSide(t *testing.T) {
	for _, rho := range []float64{0.6, 0.9, 1, 1.3} {
		const capacity = 6
		c := Config{
			Targets: 1, Drafters: 1, Capacity: capacity, Gate: None, Items: 400000, WarmItems: 2000, Seed: 3,
			Target: Service{Mean: 1 / rho, List: exponential()}, Drafter: Service{List: exponential()},
		}
		c.Target.Speed = []float64{rho}
		p := make([]float64, capacity+3)
		sum := 0.0
		for n := range p {
			p[n] = math.Pow(rho, float64(n))
			sum += p[n]
		}
		r := Run(&c, nil)
		near(t, "blocked", r.Put, p[capacity+2]/sum, 0.006)
		near(t, "idle", r.Gate, p[0]/sum, 0.006)
		near(t, "throughput", r.Rate, 1-p[0]/sum, 0.008)
	}
}

// TestLaws: the utilisation law on either side, Little's law in the queue,
// conservation of items, shares of depth that sum to 1.
func TestLaws(t *testing.T) {
	for _, c := range cases() {
		rec := &Recorder{Every: 3}
		r := Run(&c, rec)
		var sum float64
		for _, v := range r.Depth {
			sum += v
		}
		near(t, "depth shares", sum, 1, 1e-9)
		near(t, "Little", r.Queued, r.Rate*r.Residence, 0.02*r.Queued+0.05)
		for _, s := range rec.Samples {
			if s.Puts-s.Gets != s.Depth || s.Depth < 0 || s.Depth > c.Capacity {
				t.Fatalf("%+v: puts - gets is not the depth, or it is out of bounds", s)
			}
		}
		if c.Target.Lock > 0 || c.Pause.Every > 0 || c.Target.Drift != 0 || c.Barrier || len(c.Target.Speed) > 0 {
			continue
		}
		target, drafter := c.Capacities()
		near(t, "target utilisation", r.Rate/target, 1-r.Put-r.Input, 0.02)
		near(t, "drafter utilisation", r.Rate/drafter, 1-r.Gate, 0.02)
	}
}

// cases is one of every feature.
func cases() []Config {
	base := story(0.9, 0.5)
	base.Items, base.WarmItems = 20000, 2000
	list := []Config{base}
	for _, f := range []func(*Config){
		func(c *Config) { c.Gate = Hysteresis },
		func(c *Config) { c.Pop, c.Drafter.Mean = 4, 12 },
		func(c *Config) { c.LoaderRate, c.LoaderCV = 0.7, 0.4 },
		func(c *Config) { c.LengthCV = 0.5 },
		func(c *Config) { c.Target.Lock, c.Drafter.Lock = 0.1, 0.1 },
		func(c *Config) { c.Barrier = true },
		func(c *Config) { c.Pause = Pause{Every: 1000, Length: 60} },
		func(c *Config) { c.Target.Speed = []float64{1, 1, 1, 1, 0.5} },
		func(c *Config) { c.Items, c.Horizon, c.Target.Drift = 0, 20000, 0.2 },
	} {
		c := base
		f(&c)
		list = append(list, c)
	}
	return list
}

// TestFixedTimes: without noise a pipeline runs at the slower side's capacity.
func TestFixedTimes(t *testing.T) {
	for _, ratio := range []float64{0.5, 0.8, 1.25, 2} {
		c := story(ratio, 0)
		r := Run(&c, nil)
		near(t, "throughput", r.Rate, min(ratio, 1), 0.001)
		near(t, "gate", r.Gate, max(1-ratio, 0), 0.001)
		near(t, "put", r.Put, max(1-1/ratio, 0), 0.001)
	}
}

// TestFasterIsNotSlower: a faster side never lowers throughput beyond noise.
func TestFasterIsNotSlower(t *testing.T) {
	for i, c := range cases() {
		for _, g := range []float64{gain(c, 1.1, 1), gain(c, 1, 1.1)} {
			if g < -0.01 || g > 0.12 {
				t.Errorf("case %d: a side 10 %% faster gives %+.3f", i, g)
			}
		}
	}
}

// TestFeatures: a loader, a lock, a straggler and pauses each cost what they must.
func TestFeatures(t *testing.T) {
	c := cases()
	near(t, "loader", Run(&c[3], nil).Rate, 0.67, 0.03) // under its 0.7: it makes one prompt ahead only
	if r := Run(&c[3], nil); r.Input < 0.15 {
		t.Errorf("targets wait %.3f for prompts, want over 0.15 at 0.7 of 0.9", r.Input)
	}
	if r := Run(&c[5], nil); r.Lock[Target] <= 0 || r.Lock[Drafter] <= 0 {
		t.Errorf("waits for the lock %v, want some on either side", r.Lock)
	}
	near(t, "straggler", Run(&c[8], nil).Rate, 0.9*4.5/5, 0.015)
	if a, b := Run(&c[0], nil).Rate, Run(&c[7], nil).Rate; b > a {
		t.Errorf("pauses raise throughput from %.3f to %.3f", a, b)
	}
}

// TestSameSeed: a run is a pure function of its configuration, and a recorder
// changes nothing.
func TestSameSeed(t *testing.T) {
	for _, c := range cases() {
		a := Run(&c, nil)
		b := Run(&c, &Recorder{Every: 7, States: true, Steps: true})
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v and then %+v", a, b)
		}
	}
}

// TestWaitCounters: what the counters say at the end is what has ended of the waits.
func TestWaitCounters(t *testing.T) {
	c := story(0.8, 0.4)
	c.WarmItems = 0
	rec := &Recorder{Every: 10}
	r := Run(&c, rec)
	last := rec.Samples[len(rec.Samples)-1]
	near(t, "gate wait", last.GateWait/(3*last.T), r.Gate, 0.002)
}

// TestWander: a side's speed scatters by SD, and at a distance of Time it has a
// correlation of 1/e with itself; a faster side keeps the path.
func TestWander(t *testing.T) {
	p := newPath(Wander{SD: 0.05, Time: 30}, 1, 5)
	var x []float64
	for s := 0.0; s < 3e5; s += 30 {
		x = append(x, math.Log(p.until(s)))
	}
	var square, lagged float64
	for i := range x[1:] {
		square, lagged = square+x[i]*x[i], lagged+x[i]*x[i+1]
	}
	near(t, "standard deviation", math.Sqrt(square/float64(len(x)-1)), 0.05, 0.002)
	near(t, "correlation", lagged/square, math.Exp(-1), 0.03)
	c := story(0.5, 0)
	c.Target.Wander = Wander{SD: 0.05, Time: 600}
	near(t, "throughput", Run(&c, nil).Rate, 0.5, 0.01)
	near(t, "gain", gain(c, 1.1, 1), 0.1, 0.002)
}

// TestStuck: a queue that can never serve a get ends at its horizon.
func TestStuck(t *testing.T) {
	c := story(1, 0.4)
	c.MinReady, c.Items, c.WarmItems, c.Horizon = 61, 0, 0, 500
	if r := Run(&c, nil); r.Seconds != 500 || r.Items != 0 || r.Gate != 1 {
		t.Errorf("%+v, want 500 s without an item", r)
	}
}

func BenchmarkRun(b *testing.B) {
	c := story(0.95, 0.4)
	b.ReportAllocs()
	for b.Loop() {
		Run(&c, nil)
	}
}
