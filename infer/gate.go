package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/model"
)

// Gate looks at the min_ready gate and at when the depth was read.
var Gate = &Analyzer{
	Name: "gate",
	Doc: `Items left under min_ready at the end of the data, and depths that are read always at the same moment of a step.

A level gate never opens for fewer than min_ready items, so the last ones of a run can wait for ever: that is no limit of the targets. Readings that are locked to steps alias: a depth printed when a step takes its items never shows what lies between. Steps without fractions of a second are not held against readings.`,
	Requires: []*Analyzer{ReadingsOf, Topology},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		if !ok || r.Queue == nil {
			return nil, &SkipError{Needs: "the depth of the queue over time", Record: QueueRecord}
		}
		topo, _ := Result[*model.Topology](p, Topology)
		tailDeadlock(p, r.Queue, topo)
		samplingLocked(p, r)
		return nil, nil
	},
}

// tailDeadlock: no put and no get to the end, with items under the gate.
func tailDeadlock(p *Pass, q *QueueReadings, topo *model.Topology) {
	n := len(q.Depth.V)
	if topo.MinReady == nil || n < 3 || len(q.Gets.V) != n || len(q.Puts.V) != n {
		return
	}
	left := q.Depth.V[n-1]
	if left <= 0 || left >= *topo.MinReady || q.Gets.V[n-1] == q.Gets.V[0] {
		return
	}
	i := n - 1
	for i > 0 && q.Gets.V[i-1] == q.Gets.V[n-1] && q.Puts.V[i-1] == q.Puts.V[n-1] {
		i--
	}
	idle := float64(q.Depth.T[n-1]-q.Depth.T[i]) / 1e9
	worked := float64(q.Depth.T[i]-q.Depth.T[0]) / 1e9 / (q.Gets.V[n-1] - q.Gets.V[0]) // s an item
	if idle < deadSeconds || idle < 10*worked {
		return
	}
	at := []model.Pos{posAt(p.Run, q, q.Depth.T[i]), posAt(p.Run, q, q.Depth.T[n-1])}
	p.Find(model.Finding{
		ID: "gate.tail_deadlock",
		Claim: fmt.Sprintf("The last %.0f items stand in the queue for %.0f s to the end of the record, without a put or a get: fewer than min_ready (%.0f), so the gate never opens for them. That is no limit of the targets.",
			left, idle, *topo.MinReady),
		Evidence: []model.Evidence{
			{What: "items left", Value: left, Unit: "items", At: at},
			{What: "time without a put or a get", Value: idle, Unit: "s", At: at},
		},
		Advice: "Open the gate when the targets have no more input: close the queue, and let the drafters drain it.",
	})
}

// posAt is the row of a queue's source at a time, its first row where there is none.
func posAt(run *model.Run, q *QueueReadings, t int64) model.Pos {
	for _, b := range run.Queue.Batches {
		if run.Recorder(b.File) != q.File {
			continue
		}
		for r := range b.Rows() {
			if v, ok := b.Int(model.QueueT, r); ok && v == t {
				return run.Pos(b, r)
			}
		}
	}
	return q.First
}

// leastPhases is how many readings show that their phases are one.
const leastPhases = 30

// samplingLocked tests the phases of readings within steps by their mean
// resultant (Rayleigh's test of directions).
func samplingLocked(p *Pass, r *Readings) {
	if r.Log == nil || len(r.Log.Steps.T) < leastPhases || wholeSeconds(r.Log.Steps.T) || !even(r.Log.Steps.V) {
		return
	}
	steps := r.Log.Steps.T
	var x, y, n float64
	k := 0
	for _, t := range r.Queue.Depth.T {
		for k+1 < len(steps) && steps[k+1] <= t {
			k++
		}
		if t < steps[k] || k+1 >= len(steps) || steps[k+1] == steps[k] {
			continue
		}
		angle := 2 * math.Pi * float64(t-steps[k]) / float64(steps[k+1]-steps[k])
		x, y, n = x+math.Cos(angle), y+math.Sin(angle), n+1
	}
	if n < leastPhases || math.Hypot(x, y)/n < lockedPhase {
		return
	}
	locked := math.Hypot(x, y) / n
	phase := math.Mod(math.Atan2(y, x)/(2*math.Pi)+1, 1)
	if phase > 0.995 {
		phase = 0
	}
	if r.Queue.FromLog || r.Queue.File == r.Log.File { // by construction: a check, no finding
		p.Check(model.Check{Name: "sampling.locked", Value: &locked, Limit: new(lockedPhase), Text: "the depth is that of the log's lines, one moment of a step: what lies between is not seen"})
		return
	}
	p.Find(model.Finding{
		ID: "queue.sampling_locked",
		Claim: fmt.Sprintf("The depth is read in step with the steps: %s readings lie at %s of a step (resultant %.2f of 1), so what the depth does between is not seen, and its zones are those of that moment.",
			say.Count(n), say.Percent(phase), locked),
		Evidence: []model.Evidence{
			{What: "mean resultant of the phases", Value: locked, Unit: "of 1", At: []model.Pos{r.Queue.First}},
			{What: "readings", Value: n, Unit: "readings", At: []model.Pos{r.Queue.First}},
		},
		Advice: "Read the depth by a clock of its own, with some jitter; better, export totals: depth over time, seconds under min_ready, waits.",
	})
}

// wholeSeconds reports times without fractions, whose phases are the clock's.
func wholeSeconds(t []int64) bool {
	for _, v := range t {
		if v%1e9 != 0 {
			return false
		}
	}
	return true
}

// even reports lines that stand for equal numbers of steps: lines printed by a
// timer do not, and say nothing of when a step takes its items.
func even(steps []float64) bool {
	d := make([]float64, 0, len(steps))
	for i := 1; i < len(steps); i++ {
		d = append(d, steps[i]-steps[i-1])
	}
	typical, n := median(d), 0
	for _, v := range d {
		if v == typical {
			n++
		}
	}
	return typical > 0 && float64(n) >= 0.9*float64(len(d))
}
