package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// Soundness tests the data itself.
var Soundness = &Analyzer{
	Name: "soundness",
	Doc: `Named tests of the data: conservation, depth within bounds, log against counters, sampling rate against item rate, drift, coverage of the GPUs, a time in common.

A failed test names what is wrong with a source; the sources it concerns are weakened or set aside where they are used.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady, Throughput, QueueClass, GPUActivity, Limiter, Segments},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		s, ok2 := Result[*SteadyState](p, Steady)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "a steady state"}
		}
		topo, _ := Result[*model.Topology](p, Topology)
		pace, _ := Result[*Pace](p, Throughput)
		gpus, _ := Result[*GPUUse](p, GPUActivity)
		if r.Queue != nil {
			conservation(p, r.Queue)
			summed(p, r.Queue)
			restarts(p, r.Queue)
			oddCells(p, r.Queue)
			within(p, r.Queue, topo)
			agreement(p, r)
			aliasing(p, r.Queue, pace)
		}
		if r.Log != nil {
			oddReadings(p, r.Log)
		}
		noCommonTime(p)
		utilisation(p)
		drift(p, s)
		if gpus != nil && len(gpus.Unseen) > 0 {
			p.Check(model.Check{Name: "gpu.coverage", Value: new(float64(len(gpus.Unseen))), Limit: new(0.0), Text: "GPU " + say.Indices(gpus.Unseen) + " not observed"})
		}
		return nil, nil
	},
}

// conservation: puts − gets = depth, up to a constant, in every row. A reading
// taken between a put and its count may be one off a worker.
func conservation(p *Pass, q *QueueReadings) {
	n := min(len(q.Depth.V), len(q.Puts.V), len(q.Gets.V))
	if n < 3 || len(q.Puts.V) != len(q.Depth.V) || len(q.Gets.V) != len(q.Depth.V) {
		return
	}
	ok, slack := 0, conservationSlack
	if len(q.summed) > 0 {
		slack = apartSlack(q.Puts, q.Gets, len(q.summed))
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && q.Puts.V[to] >= q.Puts.V[to-1] && q.Gets.V[to] >= q.Gets.V[to-1] {
			to++
		}
		ok += conserved(q, from, to, slack)
		from = to
	}
	share := float64(ok) / float64(n)
	p.Check(model.Check{
		Name: "conservation", OK: share >= 0.99, Value: &share, Limit: new(0.99),
		Text: fmt.Sprintf("puts − gets = depth in %s of %s rows", say.Count(ok), say.Count(n)),
	})
}

// conserved counts the rows of one life of the counters, between restarts,
// that agree with its typical difference.
func conserved(q *QueueReadings, from, to int, slack float64) int {
	puts, gets, depth := q.Puts.V[from:to], q.Gets.V[from:to], q.Depth.V[from:to]
	// mostly any difference is the median: that is seen without sorting
	base, ok, under, same := puts[0]-gets[0]-depth[0], 0, 0, 0
	for i := range puts {
		switch off := puts[i] - gets[i] - depth[i] - base; {
		case off == 0:
			same++
		case off < 0:
			under++
		}
	}
	if half := (len(puts) + 1) / 2; under >= half || under+same < half {
		off := make([]float64, len(puts))
		for i := range off {
			off[i] = puts[i] - gets[i] - depth[i]
		}
		base = stats.Select(off, 0.5)
	}
	for i := range puts {
		if math.Abs(puts[i]-gets[i]-depth[i]-base) <= slack {
			ok++
		}
	}
	return ok
}

// restarts names the places where a counter falls.
func restarts(p *Pass, q *QueueReadings) {
	if len(q.Resets) == 0 {
		return
	}
	n := float64(len(q.Resets))
	p.Check(model.Check{
		Name: "counter.restart", Value: &n, Limit: new(0.0),
		Text: fmt.Sprintf("counters restart %s, first at %s: counted on from there", times(len(q.Resets)), q.Resets[0]),
	})
	p.Find(model.Finding{
		ID: "queue.counter_restart", Claim: "Counters of the queue fall: a process restarted, or another one writes into the same file.",
		Evidence: []model.Evidence{{What: "falls of a counter", Value: n, Unit: "falls", At: q.Resets[:min(len(q.Resets), 5)]}},
	})
}

// oddCells says how many cells of the queue's counters are no count: the reader
// has left out those that are no number.
func oddCells(p *Pass, q *QueueReadings) {
	odd := q.allNoCounts()
	n, first := odd.N, odd.First
	for i, f := range p.Run.Files {
		if p.Run.Recorder(int32(i)) != q.File || q.FromLog || f.OddCells.N == 0 {
			continue
		}
		if n == 0 || f.Path == first.Pos.File && f.OddCells.First.Pos.Line < first.Pos.Line {
			first = f.OddCells.First
		}
		n += f.OddCells.N
	}
	if n == 0 {
		return
	}
	p.Check(model.Check{
		Name: "queue.cells", Value: new(float64(n)), Limit: new(0.0),
		Text: fmt.Sprintf("%s cells of the queue's counters left out, the first at %s", say.Count(n), first.Error()),
	})
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func within(p *Pass, q *QueueReadings, t *model.Topology) {
	if t.QueueCapacity == nil || len(q.Depth.V) == 0 {
		return
	}
	top := stats.Quantile(q.Depth.V, 1)
	p.Check(model.Check{
		Name: "depth.bounds", OK: top <= *t.QueueCapacity && stats.Quantile(q.Depth.V, 0) >= 0, Value: &top, Limit: t.QueueCapacity,
		Text: fmt.Sprintf("largest depth %.0f, capacity %.0f", top, *t.QueueCapacity),
	})
}

// agreement compares the depth that the log prints with the counters' at that
// time: a clock that is off, or another queue, shows here.
func agreement(p *Pass, r *Readings) {
	if r.Log == nil || r.Queue.FromLog {
		return
	}
	d := r.Log.Keys[keyDepth]
	if len(d.T) < 10 {
		return
	}
	slack := int64(max(2*r.Queue.Depth.step(), 0.2) * 1e9)
	n, ok := 0, 0
	for i, t := range d.T {
		near := r.Queue.Depth.between(t-slack, t+slack)
		if len(near.V) == 0 {
			continue
		}
		n++
		if d.V[i] >= stats.Quantile(near.V, 0)-1 && d.V[i] <= stats.Quantile(near.V, 1)+1 {
			ok++
		}
	}
	if n < 10 {
		return
	}
	share := float64(ok) / float64(n)
	p.Check(model.Check{
		Name: "log.counters", OK: share >= 0.9, Value: &share, Limit: new(0.9),
		Text: fmt.Sprintf("log and counter depth within 1 of each other in %s of %s lines", say.Count(ok), say.Count(n)),
	})
}

// aliasing: single puts and gets show only where the depth is read at twice
// the item rate or more (Nyquist).
func aliasing(p *Pass, q *QueueReadings, pace *Pace) {
	step := q.Depth.step()
	if pace == nil || pace.ItemsS == nil || !(step > 0) {
		return
	}
	hz, x := 1/step, pace.ItemsS.Mid
	text := fmt.Sprintf("%s Hz sees each item (%s items/s)", say.SI(hz), say.SI(x))
	if hz < 2*x {
		text = fmt.Sprintf("%s Hz is too slow for single items (%s items/s): quantiles only", say.SI(hz), say.SI(x))
	}
	p.Check(model.Check{Name: "sampling", OK: hz >= 2*x, Value: &hz, Limit: new(2 * x), Text: text})
}

// utilisation: both waits cannot be large at once in a steady state with gets
// taken one at a time (largest seen in simulation: 0.014).
func utilisation(p *Pass) {
	w := p.Out.Limiter.Wait
	if w.TargetPut == nil || w.DrafterGate == nil {
		return
	}
	both := min(w.TargetPut.Mid, w.DrafterGate.Mid)
	if both > bothWaits {
		p.Check(model.Check{
			Name: "both.waits", Value: &both, Limit: new(bothWaits),
			Text: fmt.Sprintf("both sides wait (%s and %s): phases, a common stall or a broken counter", say.Percent(w.TargetPut.Mid), say.Percent(w.DrafterGate.Mid)),
		})
	}
}

// oddReadings: what a log prints as a rate, a wait or a depth is one. That a
// loss is no number is a finding of its own.
func oddReadings(p *Pass, l *LogReadings) {
	for _, u := range l.odd {
		if u.key == keyLoss {
			continue
		}
		p.Check(model.Check{
			Name: "log." + u.key, Value: new(float64(u.n)), Limit: new(0.0),
			Text: fmt.Sprintf("%s of %s readings of %s left out, the first at %s: %v, want a number of 0 or more", say.Count(u.n), say.Count(u.n+len(l.Keys[u.key].T)+l.others[u.key]), u.key, u.at, u.value),
		})
	}
}

func drift(p *Pass, s *SteadyState) {
	if s.drift == nil || math.IsNaN(*s.drift) {
		return
	}
	d := *s.drift
	over := "the steady state"
	if !s.Found {
		over = "the time judged"
	}
	p.Check(model.Check{
		Name: "drift", OK: math.Abs(d) < 0.03, Value: &d, Limit: new(0.03),
		Text: "drift " + say.Gain(d) + " over " + over,
	})
}
