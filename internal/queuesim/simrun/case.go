// Package simrun makes runs as they would be read from files, from a
// simulation whose truth is known. Tests and the calibration use it.
package simrun

import (
	"math"
	"math/rand/v2"

	"tidemark/internal/queuesim"
)

// What is recorded of a queue, and of sampled stacks.
const (
	Nothing  = "none"
	Counters = "counters" // depth, puts, gets and waits
	Puts     = "puts"     // depth, puts and gets
	Depth    = "depth"    // depth alone

	Stacks  = "stacks"  // active threads, all in one
	Threads = "threads" // active threads, by thread
	Idle    = "idle"    // waiting threads as well, by thread
)

// An Evidence is what a run directory would hold.
type Evidence struct {
	Queue    string  // Counters, Puts, Depth or Nothing
	Hz       float64 // of the queue's readings
	Ended    bool    // counters add a wait when it ends; else while it lasts
	LogEvery float64 // s between log lines
	LogDepth bool    // they print the depth
	LogWaits bool    // they print wait shares
	GPU      bool    // one reading a second of each device
	Stack    string  // Stacks, Threads, Idle or Nothing
	Threads  bool    // CPU use by thread, every 2 s
	Named    bool    // the threads have names there
}

// Strongest names the best source, for tables: counters, wait fields, stacks,
// threads, devices, depth.
func (e Evidence) Strongest() string {
	switch {
	case e.Queue == Counters:
		return "wait counters"
	case e.LogWaits:
		return "wait fields"
	case e.Stack != Nothing:
		return "stacks"
	case e.Threads:
		return "threads"
	case e.GPU:
		return "devices"
	case e.Queue != Nothing || e.LogDepth:
		return "depth"
	}
	return "throughput"
}

// SeesTargets reports whether anything shows what the targets do.
func (e Evidence) SeesTargets() bool {
	return e.GPU || e.Threads || e.Stack != Nothing || e.LogWaits
}

// A Case is one run: a pipeline, and what is recorded of it.
type Case struct {
	Seed     uint64
	Pipe     queuesim.Config
	Evidence Evidence
	GPU      [2]float64 // share of the time at work that a kernel is resident, by side
	Tokens   float64    // mean tokens of an item
}

// rooms are capacities with their min_ready.
var rooms = [][2]int{
	{60, 10},
	{60, 10},
	{60, 10},
	{20, 10},
	{48, 8},
	{30, 10},
	{40, 10},
	{160, 20},
	{12, 4},
	{40, 20},
	{96, 16},
	{80, 10},
	{64, 8},
	{64, 16},
	{8, 1},
	{128, 16},
	{8, 4},
	{16, 8},
	{80, 20},
	{60, 20},
}

var horizons = []float64{60, 120, 240, 240, 240, 240, 240, 400, 400, 400, 400, 600, 600, 600, 600, 600, 900, 900, 900, 900, 1800, 1800}

// Draw draws a case. Equal seeds give equal cases.
func Draw(seed uint64) Case {
	d := drawer{rand.New(rand.NewPCG(seed, 0x7469646d))}
	c := Case{Seed: seed, Evidence: d.evidence(), GPU: [2]float64{d.between(0.3, 1), d.between(0.3, 1)}, Tokens: d.between(800, 6000)}
	c.Pipe = d.pipe()
	c.Pipe.Seed = seed
	return c
}

type drawer struct{ *rand.Rand }

func (d drawer) between(lo, hi float64) float64 { return lo + (hi-lo)*d.Float64() }

func (d drawer) chance(p float64) bool { return d.Float64() < p }

func pick[T any](d drawer, list ...T) T { return list[d.IntN(len(list))] }

func (d drawer) evidence() Evidence {
	e := Evidence{Queue: Nothing, Stack: Nothing, LogEvery: pick(d, 2.0, 3, 5, 10), LogDepth: true}
	switch p := d.Float64(); {
	case p < 0.36:
		e.Queue = Counters
	case p < 0.42:
		e.Queue = Puts
	case p < 0.62:
		e.Queue = Depth
	}
	e.Hz, e.Ended = pick(d, 1.0, 2, 5, 10), d.chance(0.5)
	e.LogWaits = d.chance(0.12)
	switch p := d.Float64(); {
	case p < 0.30:
		e.Stack = Stacks
	case p < 0.58:
		e.Stack = Threads
	case p < 0.73:
		e.Stack = Idle
	}
	e.GPU = d.chance(0.65)
	e.Threads, e.Named = d.chance(0.36), d.chance(0.5)
	return e
}

// pipe draws a pipeline. A third of the ratios of capacities lies near 1, where
// pipelines are tuned to, the rest anywhere from 0.4 to 2.5.
func (d drawer) pipe() queuesim.Config {
	c := queuesim.Config{Targets: 2 + d.IntN(6), Drafters: 1 + d.IntN(4), Horizon: pick(d, horizons...)}
	room := pick(d, rooms...)
	c.Capacity, c.MinReady = room[0], room[1]
	c.Target.CV, c.Drafter.CV = d.between(0.1, 0.8), d.between(0.1, 0.6)
	if d.chance(0.1) {
		c.Target.CV, c.Drafter.CV = d.between(0.6, 1), d.between(0.6, 1)
	}
	rate := math.Exp(d.between(math.Log(1.5), math.Log(20))) // items/s of the drafters
	ratio := math.Exp(d.between(math.Log(0.4), math.Log(2.5)))
	if d.chance(0.35) {
		ratio = math.Exp(d.NormFloat64() * 0.15)
	}
	d.gate(&c)
	c.Drafter.Mean = float64(c.Drafters*max(c.Pop, 1)) / rate
	c.Target.Mean = float64(c.Targets) / (rate * ratio)
	d.trouble(&c, min(rate, rate*ratio))
	return c
}

func (d drawer) gate(c *queuesim.Config) {
	switch p := d.Float64(); {
	case p < 0.14:
		c.Gate = queuesim.Hysteresis
	case p < 0.20:
		c.Gate = queuesim.Start
	case p < 0.23:
		c.Gate = queuesim.None
	case p < 0.28 && c.Capacity >= 2*c.MinReady:
		c.Pop = c.MinReady
	case p < 0.43 && c.Capacity >= 8:
		c.Pop = 4
	}
	c.Barrier = c.Drafters > 1 && d.chance(0.06)
}

// trouble adds what real runs have beside two services and a queue.
func (d drawer) trouble(c *queuesim.Config, rate float64) {
	if d.chance(0.22) {
		c.LoaderRate, c.LoaderCV = rate*d.between(0.4, 0.9), d.between(0.1, 0.7)
	}
	if d.chance(0.3) {
		lock := d.between(0.15, 0.65) // of the time the lock is held, were all at work
		if d.chance(0.15) {
			lock = d.between(0.7, 1.2)
		}
		lock /= float64(c.Targets + c.Drafters)
		c.Target.Lock, c.Drafter.Lock = lock, lock
		c.Target.Hold, c.Drafter.Hold = gilHold, gilHold
	}
	if d.chance(0.25) {
		c.LengthCV = d.between(0.1, 0.31)
	}
	if d.chance(0.10) {
		c.Target.Drift = d.between(-0.2, 0.2)
	}
	if d.chance(0.10) {
		c.Target.Speed = straggle(c.Targets, d.between(0.6, 0.85))
	}
	if d.chance(0.06) && c.Horizon >= 400 {
		c.Pause = queuesim.Pause{Every: c.Horizon / pick(d, 2.5, 3.5), Length: d.between(8, 25)}
	}
}

// gilHold is how long the lock is held at once, s. CPython's interpreter lock is
// held for 5 ms at most where others want it (sys.setswitchinterval); the waits
// for holds of 20, 50 and 300 ms differ by less than 0.01, and longer ones are
// simulated sooner.
const gilHold = 0.02

// straggle slows the last worker.
func straggle(n int, speed float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = 1
	}
	s[n-1] = speed
	return s
}
