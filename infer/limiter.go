package infer

import (
	"fmt"
	"math"

	"tidemark/model"
)

// A LimitUse is the limiter with what later analyzers compute from it.
type LimitUse struct {
	States  []state
	Top     state // the likeliest
	Side    string
	Shared  model.Shared
	Busy    model.Sides[model.Interval]
	Work    model.Sides[model.Interval] // busy without the measured wait for prompts
	ItemsS  model.Sides[model.Interval] // capacities
	PerItem float64                     // tokens an item, 0 unknown
	X       float64                     // items/s now, 0 unknown
	Use     model.Sides[float64]        // part of each side in all samples at work
	noise   noise
	// Measured: both sides' waits at the queue are, so both capacities hold
	// whoever limits.
	Measured bool
}

// Limiter decides whose speed-up would raise throughput.
var Limiter = &Analyzer{
	Name: "limiter",
	Doc: `Which side limits, with probabilities from every source that tells of waiting.

Each source is a term of one queue model (a bounded queue between two stations, with the targets' wait for prompts): wait counters, wait fields, sampled stacks, thread CPU, GPU activity, depth. Correlated sources are tempered; readings that disagree beyond their errors move probability to unknown. Where both sides are threads of one interpreter and nothing shows that it does not limit, waits alone are at most "probably".`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady, Throughput, QueueClass, Waits, GPUActivity, StackActivity, ThreadActivity, Doubts},
	Run:      runLimiter,
}

func runLimiter(p *Pass) (any, error) {
	readings, _ := Result[*Readings](p, ReadingsOf)
	waits, _ := Result[*WaitUse](p, Waits)
	depth, _ := Result[*DepthUse](p, QueueClass)
	gpus, _ := Result[*GPUUse](p, GPUActivity)
	stacks, _ := Result[*StackUse](p, StackActivity)
	threads, _ := Result[*ThreadUse](p, ThreadActivity)
	pace, _ := Result[*Pace](p, Throughput)
	topo, _ := Result[*model.Topology](p, Topology)
	steady, ok := Result[*SteadyState](p, Steady)
	l := &p.Out.Limiter
	l.Side, l.Strength, l.Probabilities.Unknown = model.Unknown, "cannot tell", 1
	l.Shared.Resource, l.Ledger = "none", []model.Entry{}
	if !ok {
		return nil, &SkipError{Needs: "a steady state"}
	}
	e := &evidence{}
	noise := noiseOf(readings, steady)
	e.waits(waits)
	e.ratio(waits, depth, pace, steady, noise)
	e.depth(depth, e.counts)
	e.stacks(stacks, steady)
	e.devices(gpus, pace, topo, steady)
	e.threads(threads, waits)
	e.trend(readings, depth, pace, steady, noise)
	l.Ledger = append(l.Ledger, e.ledger...)
	if len(e.terms) == 0 {
		return nil, &SkipError{Needs: "anything that tells who waits: queue counters, depth, stacks, GPU activity", Record: QueueRecord}
	}
	known := priorOf(topo, depth, noise, guess(waits))
	known.locked = stacks == nil || stacks.OneProcess && stacks.GILCleared == "" || !stacks.sides()
	u := &LimitUse{Shared: shared(stacks, gpus), Use: lockUse(stacks), Measured: e.counts, noise: noise}
	if n := stated(topo, model.Target); n > 0 {
		known.feed = loaderMany + loaderFew/float64(n)
	}
	u.States, u.Top = posterior(e.terms, known)
	doubts, _ := Result[*Doubt](p, Doubts)
	u.decide(l, e, doubts)
	u.measure(l, waits, pace, steady, readings, noise)
	u.soFar(l, waits, e.unbound)
	return u, nil
}

// priorOf is the prior of the buffer, in units of the service noise, by gate:
// one that opens at min_ready every time leaves what is above it, one that
// opens once leaves all, one that closes when drained about the half between.
func priorOf(t *model.Topology, depth *DepthUse, n noise, centre float64) prior {
	room, ready := 50.0, 0.0
	if t.QueueCapacity != nil {
		room = *t.QueueCapacity
		if t.MinReady != nil {
			ready = *t.MinReady
		}
	}
	gate := ""
	if depth != nil {
		gate = depth.Gate
	}
	return prior{places: max(2*buffer(room, ready, gate)/n.sum, 1), spread: n.spread, centre: centre}
}

// buffer is how many items lie between the sides' waits.
func buffer(capacity, ready float64, gate string) float64 {
	switch gate {
	case "start", "none":
		ready = 0
	case "hysteresis":
		ready /= 2
	}
	return max(capacity-ready, 0) + heldItems
}

// heldItems: items in the workers' hands at either end count as room as well.
const heldItems = 2

// lockUse is each side's part of all samples at work: about its part of the
// time that an interpreter's lock is held.
func lockUse(u *StackUse) model.Sides[float64] {
	var out model.Sides[float64]
	if u == nil || !u.sides() {
		half := 0.5
		return model.Sides[float64]{Target: &half, Drafter: &half}
	}
	t, d := u.Roles[model.Target].Active, u.Roles[model.Drafter].Active
	out.Set(model.Target, new(t/(t+d)))
	out.Set(model.Drafter, new(d/(t+d)))
	return out
}

// sides reports whether both sides were seen at work.
func (u *StackUse) sides() bool {
	t, d := u.Roles[model.Target], u.Roles[model.Drafter]
	return t != nil && d != nil && t.Active > 0 && d.Active > 0
}

// guess is ln(target capacity / drafter capacity) as measured waits give it.
func guess(w *WaitUse) float64 {
	r := 0.0
	if w != nil && w.Gate != nil {
		r += math.Log(max(1-w.Gate.Share.Mid, 0.01))
	}
	if w != nil && w.Put != nil {
		r -= math.Log(max(1-w.Put.Share.Mid, 0.01))
	}
	return r
}

// decide turns the posterior into probabilities, a side and a strength.
func (u *LimitUse) decide(l *model.Limiter, e *evidence, d *Doubt) {
	p := labels(u.States, u.Use)
	unknown := unknownWithout
	if e.counts {
		unknown = unknownFloor
	}
	unknown += disagreement(e, u.Top)
	if d != nil {
		unknown += d.Mass
	}
	unknown = min(unknown, 0.9)
	limit := 1.0
	if u.Shared.Resource != "none" && u.Shared.Probability >= 0.5 {
		limit = sharedLimit
		if locked(u.States) < lockRefuted { // the samples say that nobody waits for it
			limit = refutedLimit
		}
	}
	for _, side := range []string{model.Target, model.Drafter} {
		if over := p[side] - limit; over > 0 {
			p[side] -= over
			p[model.Both] += over
		}
	}
	q := &l.Probabilities
	q.Target, q.Drafter = (1-unknown)*p[model.Target], (1-unknown)*p[model.Drafter]
	q.Both, q.Upstream = (1-unknown)*p[model.Both], (1-unknown)*p[model.Upstream]
	q.Unknown = 1 - q.Target - q.Drafter - q.Both - q.Upstream
	l.Shared = u.Shared
	l.Side, l.Strength = verdictOf(*q)
	if l.Side == model.Upstream && !e.seesTargets() {
		l.Side, l.Strength = model.Unknown, "cannot tell" // nothing but the prior tells prompts from slow targets
	}
	u.Side = l.Side
}

// locked is the probability that a shared lock costs a tenth of busy time or more.
func locked(states []state) (p float64) {
	for _, s := range states {
		if s.lock > 0.1 {
			p += s.weight
		}
	}
	return p
}

// verdictOf names the most probable side if it has at least half.
func verdictOf(q model.Probabilities) (side, strength string) {
	best := 0.0
	for _, x := range []struct {
		side string
		p    float64
	}{{model.Target, q.Target}, {model.Drafter, q.Drafter}, {model.Both, q.Both}, {model.Upstream, q.Upstream}} {
		if x.p > best {
			side, best = x.side, x.p
		}
	}
	switch {
	case best < sideFrom || q.Unknown > best:
		return model.Unknown, "cannot tell"
	case best >= strengthLimits:
		return side, "limits"
	case best >= strengthProbably:
		return side, "probably limits"
	}
	return side, "leans"
}

// disagreement is the probability moved to unknown by readings that no state
// explains: none within three standard errors, a half at nine.
func disagreement(e *evidence, s state) float64 {
	full, empty := pFull(s.r, s.k), pEmpty(s.r, s.k)
	worst := 0.0
	for _, t := range e.terms {
		worst = max(worst, t.power*math.Abs(t.z(s, full, empty)))
	}
	return 0.8 * -math.Expm1(-max(worst-contradiction, 0)/6)
}

// shared says what both sides need at once, and whether anything clears it.
func shared(stacks *StackUse, gpus *GPUUse) model.Shared {
	if gpus != nil && gpus.Shared {
		return model.Shared{Resource: "gpu", Probability: 0.5, Note: gpus.sharedWords()}
	}
	if stacks == nil || !stacks.OneProcess {
		return model.Shared{Resource: "none", Probability: 0.5, Note: "no source shows both sides in one process"}
	}
	if stacks.GILCleared != "" {
		return model.Shared{Resource: "none", Probability: 0.9, Note: stacks.GILCleared}
	}
	return model.Shared{Resource: "gil", Probability: 0.5, Note: fmt.Sprintf("both sides are threads of one process (%s), and no capture shows who holds the GIL", stacks.Where)}
}
