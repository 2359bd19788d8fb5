package compare_test

import (
	"sync"
	"testing"

	"tidemark/compare"
	"tidemark/internal/queuesim"
	"tidemark/internal/queuesim/simrun"
	"tidemark/model"
)

// A cause is one change of the pipeline and what the waterfall must name.
type cause struct {
	name, want string
	by         limited
	change     func(*simrun.Case)
}

var allCauses = []cause{
	{"targets 15 % slower", "target_service", byTargets, slowTargets(0.85)},
	{"drafters 15 % slower", "drafter_service", byDrafters, func(c *simrun.Case) { c.Pipe.Drafter = c.Pipe.Drafter.Faster(0.85, c.Pipe.Drafters) }},
	{"items 25 % longer", "item_mix", byAny, func(c *simrun.Case) {
		c.Pipe.Target, c.Pipe.Drafter = c.Pipe.Target.Faster(0.8, c.Pipe.Targets), c.Pipe.Drafter.Faster(0.8, c.Pipe.Drafters)
		c.Tokens *= 1.25
	}},
	{"pauses of 30 s every 100 s", "pauses", byAny, func(c *simrun.Case) { c.Pipe.Pause = queuesim.Pause{Every: 100, Length: 30} }},
	{"queue cut to a fifth", "queue", byBoth, func(c *simrun.Case) { c.Pipe.Capacity = max(c.Pipe.Capacity/5, c.Pipe.MinReady+2) }},
}

type namedCause struct {
	cause
	n, right, adds int // adds: the parts add up to the change within its interval
	said           map[string]int
}

// causesNamed simulates each change and counts how often it is named, with
// three runs against three of ten minutes, read as if from files.
func causesNamed(t *testing.T, first uint64, pairs int) []namedCause {
	out := make([]namedCause, len(allCauses))
	for i, c := range allCauses {
		out[i] = namedCause{cause: c, said: map[string]int{}}
	}
	var mu sync.Mutex
	spread(len(out)*pairs, func(k int) {
		r := &out[k%len(out)]
		w := waterfallOf(t, r.cause, first+uint64(k/len(out)))
		mu.Lock()
		defer mu.Unlock()
		r.n++
		r.said[w.Cause]++
		if w.Cause == r.want {
			r.right++
		}
		sum := 0.0
		for _, part := range w.Parts {
			sum += part.Ln.Mid
		}
		if sum >= w.Total.Lo && sum <= w.Total.Hi {
			r.adds++
		}
	})
	return out
}

// waterfallOf compares three runs with three after a change. The recordings
// are those that docs/recording.md asks for.
func waterfallOf(t *testing.T, c cause, seed uint64) model.Waterfall {
	p := drawPipeline(seed, c.by)
	p.c.Evidence = simrun.Evidence{Queue: simrun.Counters, Hz: 2, LogEvery: 5, LogDepth: true, GPU: true, Stack: simrun.Nothing}
	if c.want == "queue" { // of services that scatter, else a small queue is enough
		p.c.Pipe.Target.CV, p.c.Pipe.Drafter.CV = 0.8, 0.6
	}
	out, err := compare.Compare(p.runs(t, 3, nil), p.runs(t, 3, c.change), compare.Options{QueueAsked: true, About: []string{"capacity"}})
	if err != nil {
		t.Error(err)
		return model.Waterfall{}
	}
	if out.Waterfall == nil {
		return model.Waterfall{Cause: "nothing: " + out.Headline}
	}
	return *out.Waterfall
}
