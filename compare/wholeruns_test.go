package compare_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"tidemark/compare"
	"tidemark/infer"
	"tidemark/internal/config"
	"tidemark/internal/queuesim"
	"tidemark/internal/queuesim/simrun"
	"tidemark/model"
)

// Who limits a pipeline that is drawn.
type limited uint8

const (
	byAny limited = iota
	byTargets
	byDrafters
	byBoth
)

// A pipeline is what runs of ten minutes are simulated of: one set of service
// times, queue, pauses and recordings, with what differs from run to run.
type pipeline struct {
	c       simrun.Case
	rng     *rand.Rand
	drift   float64 // largest ln of a run's drift
	between float64 // standard deviation of ln of a run's speed
}

var rooms = [][2]int{{60, 10}, {60, 10}, {60, 10}, {20, 10}, {160, 20}, {40, 10}}

// drawPipeline draws a pipeline and what is recorded of it.
func drawPipeline(seed uint64, by limited) *pipeline {
	p := &pipeline{rng: rand.New(rand.NewPCG(seed, 8))}
	u := func(lo, hi float64) float64 { return lo + (hi-lo)*p.rng.Float64() }
	p.drift, p.between = u(0, 0.03), u(0, 0.02)
	room := rooms[p.rng.IntN(len(rooms))]
	c := queuesim.Config{Targets: 5, Drafters: 3, Capacity: room[0], MinReady: room[1], Horizon: 600, LengthCV: u(0, 0.3)}
	rate, ratio := math.Exp(u(math.Log(2), math.Log(8))), u(0.6, 0.9)
	if by == byAny {
		by = []limited{byTargets, byTargets, byDrafters, byBoth}[p.rng.IntN(4)]
	}
	switch by {
	case byDrafters:
		ratio = 1 / ratio
	case byBoth:
		ratio = math.Exp(0.05 * p.rng.NormFloat64())
	}
	c.Drafter = queuesim.Service{Mean: float64(c.Drafters) / rate, CV: u(0.1, 0.6), Wander: queuesim.Wander{SD: u(0, 0.04), Time: u(5, 60)}}
	c.Target = queuesim.Service{Mean: float64(c.Targets) / (rate * ratio), CV: u(0.1, 0.6), Wander: queuesim.Wander{SD: u(0, 0.04), Time: u(5, 60)}}
	if p.rng.Float64() < 0.5 {
		c.Pause = queuesim.Pause{Every: u(120, 300), Length: u(8, 25)}
	}
	p.c = simrun.Case{Pipe: c, Evidence: simrun.Draw(seed).Evidence, GPU: [2]float64{u(0.3, 1), u(0.3, 1)}, Tokens: u(800, 6000)}
	return p
}

// run simulates one run and analyses it as if it were read from files. change
// may be nil.
func (p *pipeline) run(t *testing.T, change func(*simrun.Case)) *compare.Run {
	c := p.c
	c.Seed = p.rng.Uint64()
	c.Pipe.Seed = c.Seed
	speed := math.Exp(p.between * p.rng.NormFloat64())
	for _, s := range []*queuesim.Service{&c.Pipe.Target, &c.Pipe.Drafter} {
		s.Drift = p.drift * (2*p.rng.Float64() - 1)
		s.Mean *= math.Exp(-s.Drift/2) / speed // the mean over the run stays
	}
	if change != nil {
		change(&c)
	}
	r, _, err := infer.Analyze(context.Background(), simrun.Run(c), &config.Config{}, infer.Analyzers)
	if err != nil {
		t.Error(err)
		return compare.From(&model.Report{})
	}
	r.Run.Name = fmt.Sprintf("run %d", c.Seed%1e6)
	return compare.From(r)
}

func (p *pipeline) runs(t *testing.T, n int, change func(*simrun.Case)) []*compare.Run {
	out := make([]*compare.Run, n)
	for i := range out {
		out[i] = p.run(t, change)
	}
	return out
}

func slowTargets(speed float64) func(*simrun.Case) {
	return func(c *simrun.Case) { c.Pipe.Target = c.Pipe.Target.Faster(speed, c.Pipe.Targets) }
}

// wholeSizes are runs on either side, the most of each last.
var wholeSizes = [][2]int{{1, 1}, {3, 1}, {5, 3}}

var wholeSpeeds = []float64{1, 0.95, 0.92, 0.90}

// wholeRuns simulates pairs of whole runs. Without a change any side may limit;
// where the targets are slower they do, so that throughput falls by as much.
func wholeRuns(t *testing.T, first uint64, pairs int) table {
	out := table{}
	for _, size := range wholeSizes {
		out[size] = map[float64]tally{}
	}
	var mu sync.Mutex
	spread(pairs, func(k int) {
		same, slower := drawPipeline(first+uint64(k), byAny), drawPipeline(first+uint64(k), byTargets)
		most := wholeSizes[len(wholeSizes)-1]
		bases := map[*pipeline][]*compare.Run{same: same.runs(t, most[0], nil), slower: slower.runs(t, most[0], nil)}
		for _, speed := range wholeSpeeds {
			p := slower
			if speed == 1 {
				p = same
			}
			fresh := p.runs(t, most[1], slowTargets(speed))
			for _, size := range wholeSizes {
				res, cmp, err := compare.Check(compare.Default(true), bases[p][:size[0]], fresh[:size[1]])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				c := out[size][speed]
				c.add(res, cmp)
				out[size][speed] = c
				mu.Unlock()
			}
		}
	})
	return out
}

// spread calls work with 0 to n-1 on all processors.
func spread(n int, work func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for k := range next {
				work(k)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	wg.Wait()
}
