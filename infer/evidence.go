package infer

import (
	"fmt"
	"math"

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
}

// enter adds a reading to the ledger, and its term.
func (e *evidence) enter(t term, reading string, busy *model.Interval, at []model.Pos) {
	if t.power == 0 {
		t.power = 1
	}
	e.terms = append(e.terms, t)
	e.ledger = append(e.ledger, model.Entry{Source: t.source, Side: t.side, Reading: reading, Busy: busy, Weight: t.power, At: at})
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
	e.counts = u.Put != nil && u.Gate != nil
}

func (e *evidence) wait(source, side, what string, w *Wait, words string) {
	t := term{source: source, side: side, what: what, value: w.Share.Mid, sd: math.Hypot(w.SD, modelError)}
	var busy *model.Interval
	if what != "input" {
		busy = &model.Interval{Lo: 1 - w.Share.Hi, Mid: 1 - w.Share.Mid, Hi: 1 - w.Share.Lo}
	}
	e.enter(t, fmt.Sprintf("%s %s of their time", words, share(w.Share)), busy, w.At)
}

// depth enters what the depth says about the ratio of capacities.
func (e *evidence) depth(u *DepthUse, counted bool) {
	if u == nil || u.Capacity <= u.MinReady {
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
		power = 0.25 // the depth adds little to waits measured on the same queue
	}
	sd := math.Hypot(math.Sqrt(h*(1-h)/max(u.Effective, 1)), 0.03)
	e.enter(term{source: "depth", what: "height", value: h, sd: sd, power: power},
		fmt.Sprintf("mean depth %.0f %% of the way from min_ready to capacity, worth %.3g independent readings", 100*h, max(u.Effective, 1)), nil, u.At)
	e.cap("put", model.Target, u.AtCap, u, counted)
	if u.Gate == "level" {
		e.cap("gate", model.Drafter, u.BelowGate, u, counted)
	}
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
// interpreter lock or the GPU as well as one for the queue. Where the drafters'
// share falls short of what the counters measured, the capture misses such
// waits, and its shares are lower bounds.
func (e *evidence) stacks(u *StackUse, w *WaitUse) {
	if u == nil {
		return
	}
	bound := e.misses(u, w)
	for _, side := range []string{model.Target, model.Drafter} {
		r := u.Roles[side]
		if r == nil || r.Activity == nil {
			continue
		}
		a := *r.Activity
		t := term{source: "stacks", side: side, what: "busy", value: a.Mid, sd: math.Hypot((a.Hi-a.Lo)/3.92, windowError)}
		if side == model.Target {
			t.what = "active"
			e.active = e.active || bound == 0
		}
		words := "%s threads active in %s of their samples"
		if r.Idle != Yes {
			t.bound = bound
			if bound > 0 {
				words += ", a lower bound: waits outside the queue are not sampled"
			}
		}
		e.enter(t, fmt.Sprintf(words, side, share(a)), r.Busy, r.At)
		if r.Input != nil && side == model.Target {
			e.enter(term{source: "stacks", side: side, what: "input", value: r.Input.Mid, sd: math.Hypot((r.Input.Hi-r.Input.Lo)/3.92, windowError), power: 0.5},
				fmt.Sprintf("target threads wait for prompts in %s of their samples", share(*r.Input)), nil, r.At)
			e.active = true
		}
	}
}

// misses tells whether the capture misses waits outside the queue: 1 where the
// measured waits show it, 0 where they agree or are not there.
func (e *evidence) misses(u *StackUse, w *WaitUse) int {
	if w == nil {
		return 0
	}
	for _, x := range []struct {
		r    *RoleUse
		wait *Wait
	}{{u.Roles[model.Drafter], w.Gate}, {u.Roles[model.Target], w.Put}} {
		if x.r == nil || x.r.Activity == nil || x.wait == nil || x.r == u.Roles[model.Target] && w.Gate != nil {
			continue
		}
		if 1-x.wait.Share.Mid-x.r.Activity.Hi > 2*windowError {
			return 1
		}
	}
	return 0
}

// devices enters GPU activity over its level: one-sided where a kernel may spin.
func (e *evidence) devices(u *GPUUse) {
	if u == nil || u.Shared {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		g := u.Sides[side]
		if g == nil || g.SD == 0 {
			continue
		}
		t := term{source: "GPU activity", side: side, what: "busy", value: g.Share.Mid, sd: g.SD, power: 0.5}
		if side == model.Target {
			t.what, e.active = "active", true
		}
		e.enter(t, fmt.Sprintf("%s GPUs active %s of the time, %s of their level while active", side, share(g.Active), share(g.Share)), &g.Share, g.At)
	}
}

// threads enters the CPU use of the sides' threads.
func (e *evidence) threads(u *ThreadUse) {
	if u == nil {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		r := u.Sides[side]
		if r == nil {
			continue
		}
		t := term{source: "thread CPU", side: side, what: "busy", value: r.Share, sd: threadError, power: 0.5}
		if side == model.Target {
			t.what, e.active = "active", true
		}
		e.enter(t, fmt.Sprintf("%s threads use %.2g of a core each", side, r.CPU), &model.Interval{Lo: r.Share, Mid: r.Share, Hi: r.Share}, r.At)
	}
}

// trend enters the drift of the depth where neither watermark was touched:
// then the ratio of capacities is the ratio of items put to items taken.
func (e *evidence) trend(u *DepthUse, pace *Pace, s *SteadyState) {
	if u == nil || pace == nil || pace.ItemsS == nil || u.AtCap > 0.01 || u.BelowGate > 0.02 {
		return
	}
	items := pace.ItemsS.Mid * s.Seconds()
	if items < 50 {
		return
	}
	change := u.Last - u.First
	r := math.Log1p(max(change/items, -0.9))
	sd := math.Hypot(math.Sqrt(2*serviceNoise/items), 0.005)
	e.enter(term{source: "depth trend", what: "ratio", value: r, sd: sd},
		fmt.Sprintf("the depth moved by %+.0f over %.0f items and touched neither watermark", change, items), nil, u.At)
}

// share words a share with its interval: 18.7 % (17.7–19.6).
func share(v model.Interval) string {
	if v.Hi-v.Lo < 0.0005 {
		return say.Percent(v.Mid)
	}
	return say.Percent(v.Mid) + " (" + say.PercentRange(v) + ")"
}
