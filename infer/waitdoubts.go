package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// polled reports a wait counter that is reset by whoever reads it: it falls
// often, or at even distances. period is the median distance of its falls in s.
func polled(counter Points) (falls int, period float64, ok bool) {
	var at []int64
	for i := 1; i < len(counter.V); i++ {
		if counter.V[i] < counter.V[i-1] {
			at = append(at, counter.T[i])
		}
	}
	if len(at) < resetMost {
		return len(at), 0, false
	}
	var gaps []float64
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, float64(at[i]-at[i-1])/1e9)
	}
	period = stats.Median(gaps)
	often := float64(len(at)) >= resetRows*float64(len(counter.V))
	return len(at), period, often || stats.MAD(gaps) <= resetEven*period
}

// findPolled reports such a counter, which is then set aside.
func findPolled(p *Pass, name string, falls int, period float64, rows int, at []model.Pos) {
	n := float64(falls)
	p.Check(model.Check{
		Name: "wait." + name, Value: &n, Limit: new(0.0),
		Text: fmt.Sprintf("the %s wait counter falls %d times in %d rows, every %.3g s: set aside", name, falls, rows, period),
	})
	p.Find(model.Finding{
		ID:    "waits.poll_reset",
		Claim: fmt.Sprintf("The %s wait counter is no running total: it falls %d times, every %.3g s, as if a poll reset it, so no wait longer than that shows.", name, falls, period),
		Evidence: []model.Evidence{
			{What: "falls of the counter", Value: n, Unit: "falls", At: at},
			{What: "median distance of falls", Value: period, Unit: "s", At: at},
		},
		Advice: "Export the wait as a total that only grows, and add it while a wait goes on, not when it ends.",
	})
}

// saturated reports a wait that is one number in every block, though no whole
// number of workers waits all the time.
func (w *Wait) saturated(workers int) bool {
	var v []float64
	for _, b := range w.Blocks {
		if !math.IsNaN(b) {
			v = append(v, b)
		}
	}
	if len(v) < 10 || w.Share.Mid < 0.02 || w.Share.Mid > 1-wholeWorkers {
		return false
	}
	whole := w.Share.Mid * float64(workers)
	if math.Abs(whole-math.Round(whole)) < wholeWorkers && math.Round(whole) > 0 {
		return false
	}
	return stats.Quantile(v, 1)-stats.Quantile(v, 0) <= constantSpread*w.Share.Mid
}

func findSaturated(p *Pass, name string, w *Wait) {
	p.Find(model.Finding{
		ID:       "waits.saturate",
		Claim:    fmt.Sprintf("The %s wait is %s of the workers' time in each of %d blocks: a measured wait scatters, so this is a cap or a constant, and the wait may be longer.", name, say.Percent(w.Share.Mid), len(w.Blocks)),
		Evidence: []model.Evidence{{What: name + " wait", Value: w.Share.Mid, Unit: "share", At: w.At}},
		Advice:   "Look at how the counter is booked: a time-out of the wait, or the interval of the poll, limits it.",
	})
}

// WaitFindings holds waits against what else shows them.
var WaitFindings = &Analyzer{
	Name: "wait-findings",
	Doc: `Waits of one kind that are waits of another: a peer's wait at the gate seen as a collective.

With several drafters in step, one that stands at the min_ready gate holds up the others, whose wait then is an all-reduce: at 100 % GPU utilisation. Starvation is gate wait plus collective wait while a peer stands at the gate; the sum is an upper bound, since collectives cost time of their own.`,
	Requires: []*Analyzer{Waits, Stacks, Roles, StackActivity, Topology},
	Run: func(p *Pass) (any, error) {
		classes, ok := Result[*StackClasses](p, Stacks)
		roles, ok2 := Result[*RoleMap](p, Roles)
		use, ok3 := Result[*StackUse](p, StackActivity)
		if !ok || !ok2 || !ok3 {
			return nil, &SkipError{Needs: "sampled stacks of the drafter threads", Record: StackRecord}
		}
		waits, _ := Result[*WaitUse](p, Waits)
		topo, _ := Result[*model.Topology](p, Topology)
		peerWait(p, classes, roles, use, waits, topo)
		return nil, nil
	},
}

// peerWait reports collectives of the drafters beside waits at the gate.
func peerWait(p *Pass, classes *StackClasses, roles *RoleMap, use *StackUse, waits *WaitUse, topo *model.Topology) {
	r := use.Roles[model.Drafter]
	if r == nil || max(r.Seen, stated(topo, model.Drafter)) < 2 {
		return
	}
	var n, all float64
	var at []model.Pos
	for _, s := range p.Run.Stacks.Samples {
		if roles.Of(s) != model.Drafter {
			continue
		}
		all += weight(s)
		if classes.Of(s.Stack).Mechanism == "comm.collective" {
			n += weight(s)
			if len(at) < 5 {
				at = append(at, p.Run.SamplePos(s))
			}
		}
	}
	gate, from := gateWait(r, waits)
	if all < minThread || n < peerShare*all || gate < peerShare {
		return
	}
	share := n / all
	p.Find(model.Finding{
		ID: "drafters.peer_wait",
		Claim: fmt.Sprintf("Drafter threads spend %s of their samples in collectives while the drafters wait at the gate for %s of their time: a peer's gate wait is the others' all-reduce wait, so up to %s of drafter time is starvation.",
			say.Percent(share), say.Percent(gate), say.Percent(min(share+gate, 1))),
		Evidence: []model.Evidence{
			{What: "drafter samples in collectives", Value: share, Unit: "share", At: at},
			{What: "drafters at the gate", Value: gate, Unit: "share", At: from},
		},
		Advice: "Read the drafters' GPU utilisation as waiting too: count the collective's wait by rank; the rank with the shortest one stood at the gate.",
	})
}

// gateWait is the drafters' wait at the gate as counted, else as sampled.
func gateWait(r *RoleUse, w *WaitUse) (float64, []model.Pos) {
	switch {
	case w != nil && w.Gate != nil:
		return w.Gate.Share.Mid, w.Gate.At
	case r.All() > 0:
		return r.QueueWait / r.All(), r.At
	}
	return 0, nil
}
