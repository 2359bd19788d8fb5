package infer

import (
	"fmt"
	"math"
	"slices"

	"tidemark/internal/say"
	"tidemark/model"
)

// An evidence is what the sources say about waiting, as terms of the queue
// model, and the ledger that lists them.
type evidence struct {
	terms  []term
	ledger []model.Entry
	counts bool // measured waits of both sides
	active bool // some sign of the targets' own activity
	// unbound is the part of the time in which the queue filled or drained.
	unbound float64
}

// enter adds a reading to the ledger, and its term.
func (e *evidence) enter(t term, reading string, busy *model.Interval, at []model.Pos) {
	if t.power == 0 {
		t.power = 1
	}
	e.terms = append(e.terms, t)
	e.ledger = append(e.ledger, model.Entry{Source: t.source, Side: t.side, Reading: reading, Busy: busy, Weight: t.power, At: at})
}

// seesTargets reports whether anything shows what the targets do.
func (e *evidence) seesTargets() bool {
	return slices.ContainsFunc(e.terms, func(t term) bool { return t.what == "active" || t.what == "input" })
}

// waits enters what counters or log fields measured.
func (e *evidence) waits(u *WaitUse) {
	if u == nil {
		return
	}
	source := "wait counters"
	if u.FromLog {
		source = "wait fields"
	}
	if w := u.Put; w != nil {
		e.wait(source, model.Target, "put", w, "targets blocked on put")
	}
	if w := u.Gate; w != nil {
		e.wait(source, model.Drafter, "gate", w, "drafters wait at the gate")
	}
	if w := u.Input; w != nil {
		e.wait(source, model.Target, "input", w, "targets wait for prompts")
		e.active = true
	}
	if w := u.Rest; w != nil && u.Input == nil {
		e.enter(term{source: source, side: model.Target, what: "input", value: w.Share.Mid, sd: math.Hypot(w.SD, modelError), bound: -1, power: boundPower},
			fmt.Sprintf("the targets' records leave %s of their time open: they wait for prompts in it at most", say.Percent(w.Share.Mid)), nil, w.At)
		e.active = true
	}
	e.counts = u.Put != nil && u.Gate != nil && u.Put.Bound == 0 && u.Gate.Bound == 0
}

// untouched: with both waits under it, a queue was at neither of its ends, and
// the model's stationary waits say little of it.
const untouched = 0.005

func (e *evidence) wait(source, side, what string, w *Wait, words string) {
	t := term{source: source, side: side, what: what, value: w.Share.Mid, sd: math.Hypot(w.SD, modelError), bound: w.Bound}
	switch w.Bound {
	case -1:
		t.power = boundPower
		words += ", at most, as helper threads do the waiting:"
	case 1:
		t.power = boundPower
		words += ", at least, as the counter never varies:"
	}
	var busy *model.Interval
	if what != "input" {
		busy = &model.Interval{Lo: 1 - w.Share.Hi, Mid: 1 - w.Share.Mid, Hi: 1 - w.Share.Lo}
	}
	e.enter(t, fmt.Sprintf("%s %s of their time", words, share(w.Share)), busy, w.At)
}

// ratio replaces both waits by the ratio of capacities where both are measured,
// by conservation of items and the utilisation law: it holds whether or not the
// queue has come to its stationary state. The smaller wait stays, and tells how
// much the noise couples the sides.
func (e *evidence) ratio(w *WaitUse, u *DepthUse, pace *Pace, s *SteadyState, n noise) {
	if !e.counts {
		return
	}
	put, gate := w.Put.Share.Mid, w.Gate.Share.Mid
	r := math.Log(max(1-gate, 0.01)) - math.Log(max(1-put, 0.01))
	sd := math.Hypot(w.Gate.SD/max(1-gate, 0.01), w.Put.SD/max(1-put, 0.01))
	switch {
	case pace != nil && pace.ItemsS != nil && pace.ItemsS.Mid*s.Seconds() >= 1:
		items := pace.ItemsS.Mid * s.Seconds()
		sd = max(sd, math.Sqrt(n.sum/items))
		if u != nil {
			r += math.Log1p(max(u.Moved/items, -0.9))
		}
	case put < untouched && gate < untouched:
		sd = math.Hypot(sd, unseenTrend)
	default:
		sd = math.Hypot(sd, unseenNoise)
	}
	e.terms = slices.DeleteFunc(e.terms, func(t term) bool { return t.what == "put" || t.what == "gate" })
	source := "wait counters"
	if w.FromLog {
		source = "wait fields"
	}
	e.terms = append(
		e.terms,
		term{source: source, what: "ratio", value: r, sd: math.Hypot(sd, ratioError), power: 1},
		term{source: source, what: "coupling", value: min(put, gate), sd: math.Hypot(max(w.Put.SD, w.Gate.SD), modelError), power: 1},
	)
}

// depth enters what the depth says about the ratio of capacities.
func (e *evidence) depth(u *DepthUse, counted bool) {
	if u == nil || u.Capacity <= u.MinReady || u.Pinned {
		return
	}
	room := u.Capacity - u.MinReady
	var above, n float64
	for _, v := range u.Depth.V {
		above += min(max(v-u.MinReady, 0), room) / room
		n++
	}
	h := above / n
	power := 1.0
	if counted {
		power = 0.1 // the depth adds little to waits measured on the same queue
	}
	sd := math.Hypot(math.Hypot(math.Sqrt(h*(1-h)/max(u.Effective, 1)), 0.03), u.saw()/room/2)
	e.enter(term{source: "depth", what: "height", value: h, sd: sd, power: power},
		fmt.Sprintf("mean depth %.0f %% of the way from min_ready to capacity, worth %.3g independent readings", 100*h, max(u.Effective, 1)), nil, u.At)
	e.cap("put", model.Target, u.AtCap, u, counted)
	if u.Gate == "level" {
		e.cap("gate", model.Drafter, u.BelowGate, u, counted)
	}
}

// saw is how far the depth falls at once in a queue that is mostly full: batches
// keep one that drafters limit under its capacity by half of them.
func (u *DepthUse) saw() float64 {
	low, middle := 0, (u.MinReady+u.Capacity)/2
	for _, v := range u.Depth.V {
		if v <= middle {
			low++
		}
	}
	if 2*low >= len(u.Depth.V) { // the median is
		return 0
	}
	return drops(u.Depth.V)
}

// cap bounds a wait by the share of time in which it can happen: a put blocks
// only at capacity, a level gate only under min_ready.
func (e *evidence) cap(what, side string, share float64, u *DepthUse, counted bool) {
	if counted {
		return
	}
	sd := 0.02 + math.Sqrt(max(share*(1-share), 0.01)/max(u.Effective, 1))
	e.terms = append(e.terms, term{source: "depth", side: side, what: what, value: share, sd: sd, bound: -1, power: 1})
}

// stacks enters the active shares that sampled stacks give. A capture without
// waiting threads shows every wait as a missing sample: a wait for the
// interpreter's lock as well as one for the queue.
func (e *evidence) stacks(u *StackUse, s *SteadyState) {
	if u == nil {
		return
	}
	window := math.Hypot(windowError, pausedError*math.Sqrt(s.cutIn(u.seconds())))
	for _, side := range []string{model.Target, model.Drafter} {
		r := u.Roles[side]
		if r == nil || r.Activity == nil {
			continue
		}
		a := *r.Activity
		t := term{source: "stacks", side: side, what: "busy", value: a.Mid, sd: math.Hypot((a.Hi-a.Lo)/3.92, window), locks: r.Idle != Yes}
		words := "%s threads active in %s of their samples"
		if side == model.Target {
			t.what, e.active = "active", true
		}
		if r.LowerBound { // what was sampled; the lock's part is the model's
			e.looks(t, r)
			t.value, t.sd = a.Lo, window
			words += ", a lower bound: waits outside the queue are not sampled"
		}
		e.enter(t, fmt.Sprintf(words, side, share(a)), r.Busy, r.At)
		if r.Input != nil && side == model.Target {
			e.enter(term{source: "stacks", side: side, what: "input", value: r.Input.Mid, sd: math.Hypot((r.Input.Hi-r.Input.Lo)/3.92, window), power: 0.5},
				fmt.Sprintf("target threads wait for prompts in %s of their samples", share(*r.Input)), nil, r.At)
		}
	}
}

// looks enters what dumps show beside a capture: threads that wait for a lock
// stand in the work that wants it.
func (e *evidence) looks(t term, r *RoleUse) {
	if r.Looks == 0 {
		return
	}
	p := (r.Working + 0.5) / (r.Looks + 1)
	t.value, t.sd, t.locks, t.power = p, math.Sqrt(p*(1-p)/(r.Looks+1)), false, 1
	e.terms = append(e.terms, t)
}

// devices enters GPU activity over its level. It is a bound from above where a
// kernel may spin or a meter's window blurs short items: where the idle time it
// shows is not in readings that are idle.
func (e *evidence) devices(u *GPUUse, pace *Pace, topo *model.Topology, s *SteadyState) {
	if u == nil || u.Shared {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		g := u.Sides[side]
		if g == nil || g.SD == 0 {
			continue
		}
		t := term{source: "GPU activity", side: side, what: "busy", value: g.Share.Mid, sd: g.SD, locks: true}
		if side == model.Target {
			t.what, e.active = "active", true
		}
		words := "%s GPUs active %s of the time, %s of their level while active"
		if short(pace, topo, side) || g.Share.Mid < idleFrom && u.idle(side, s) < idleShown*(1-g.Share.Mid) {
			t.bound = -1
			words += ", at most: the meter blurs items"
		}
		e.enter(t, fmt.Sprintf(words, side, share(g.Active), share(g.Share)), &g.Share, g.At)
	}
}

// short reports whether items take a side less than a meter's window.
func short(pace *Pace, topo *model.Topology, side string) bool {
	if pace == nil || pace.ItemsS == nil || pace.ItemsS.Mid <= 0 {
		return false
	}
	n := stated(topo, side)
	return n > 0 && float64(n)/pace.ItemsS.Mid < meterWindow
}

// idle is the share of a side's readings under half of the level while active.
func (u *GPUUse) idle(side string, s *SteadyState) float64 {
	var low, n float64
	for _, d := range u.Devices {
		if d.Side != side {
			continue
		}
		for _, x := range s.Spans {
			for _, v := range d.Util.between(x.from, x.to).V {
				n++
				if v < max(gpuIdle, d.Level/2) {
					low++
				}
			}
		}
	}
	return low / max(n, 1)
}

// threads enters the CPU use of the sides' threads.
func (e *evidence) threads(u *ThreadUse, w *WaitUse) {
	if u == nil {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		r := u.Sides[side]
		if r == nil {
			continue
		}
		v := r.Share
		if v == 0 && side == model.Target {
			v = u.byWaits(w)
		}
		if v == 0 {
			continue
		}
		t := term{source: "thread CPU", side: side, what: "busy", value: v, sd: threadError, locks: true}
		if side == model.Target {
			t.what, e.active = "active", true
		}
		e.enter(t, fmt.Sprintf("%s threads use %.2g of a core each", side, r.CPU), &model.Interval{Lo: v, Mid: v, Hi: v}, r.At)
	}
}

// byWaits is the targets' active share where no side's threads use a whole core,
// but measured waits say that the drafters' do while they work; 0 where not.
func (u *ThreadUse) byWaits(w *WaitUse) float64 {
	t, d := u.Sides[model.Target], u.Sides[model.Drafter]
	if t == nil || d == nil || w == nil || w.Gate == nil || w.Gate.Share.Mid > 0.8 {
		return 0
	}
	if d.CPU/(1-w.Gate.Share.Mid) < fullCore {
		return 0
	}
	return min(t.CPU/activeLevel, 1)
}

// share words a share with its interval: 18.7 % (17.7–19.6).
func share(v model.Interval) string {
	if v.Hi-v.Lo < 0.0005 {
		return say.Percent(v.Mid)
	}
	return say.Percent(v.Mid) + " (" + say.PercentRange(v) + ")"
}
