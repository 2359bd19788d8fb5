package compare

import (
	"math"

	"tidemark/model"
)

// Ids of the parts of a waterfall.
const (
	targetService  = "target_service"
	drafterService = "drafter_service"
	service        = "service" // of either side, where busy shares are not known
	putBlock       = "put_block"
	gateWait       = "gate_wait"
	inputWait      = "input_wait"
	itemMix        = "item_mix"
	pausePart      = "pauses"
	queueCause     = "queue"
	noCause        = "none"
)

// shares of one run, and the rates that its parts are made of.
type flow struct {
	items          float64 // items/s of the steady state
	perItem        float64 // tokens, 0 unknown
	put, in, gate  float64
	busy           bool // put, in and gate are known
	pauses         float64
	itemsSE, mixSE float64
	gateSE, putSE  float64
	pauseSE        float64
}

func flowOf(r *Run) (f flow, ok bool) {
	x, ok := read(metric(itemsID), r)
	if !ok {
		return f, false
	}
	f.items, f.itemsSE = math.Exp(x.v), x.se
	if l, ok := read(metric(perItemID), r); ok {
		f.perItem, f.mixSE = math.Exp(l.v), l.se
	}
	if v, ok := r.Values[pausesID]; ok {
		f.pauses, f.pauseSE = min(v.Mid, 0.99), (v.Hi-v.Lo)/2/z95
	}
	f.waits(r)
	return f, true
}

// waits takes counters of waiting, else what the limiter's model says of busy shares.
func (f *flow) waits(r *Run) {
	target, ok := r.Values[targetBusyID]
	drafter, ok2 := r.Values[drafterBusyID]
	if !ok || !ok2 {
		return
	}
	f.busy = true
	idle := 1 - clip(target.Mid)
	if v, ok := r.Values[inputID]; ok {
		f.in = min(clip(v.Mid), idle)
	}
	f.put, f.putSE = idle-f.in, (target.Hi-target.Lo)/2/z95
	f.gate, f.gateSE = 1-clip(drafter.Mid), (drafter.Hi-drafter.Lo)/2/z95
	f.put, f.gate = min(f.put, 0.98), min(f.gate, 0.98)
	f.in = min(f.in, 0.99-f.put)
}

func clip(v float64) float64 { return min(max(v, 0), 1) }

// weight is how much the targets' side of the identity explains: near 1 where
// drafters wait, near 0 where targets are blocked. Both sides give the same
// rate, items/s = workers·busy/service, so any weight adds up; this one follows
// the side that limits.
func (f flow) weight() float64 {
	const even = 0.005 // of waits too small to tell
	return (f.gate + f.in + even) / (f.gate + f.in + f.put + 2*even)
}

// A term is one part as a value per run.
type term struct {
	id, label string
	of        func(f flow, w float64) (v, se float64)
	stated    float64
	host      bool
}

// terms add up to ln of items/s, pauses included.
var terms = []term{
	{targetService, "target service", func(f flow, w float64) (float64, float64) {
		return w * (math.Log(f.items) - math.Log(1-f.put-f.in) + f.length()), w * math.Hypot(f.itemsSE, f.putSE)
	}, betweenRate, true},
	{drafterService, "drafter service", func(f flow, w float64) (float64, float64) {
		return (1 - w) * (math.Log(f.items) - math.Log(1-f.gate) + f.length()), (1 - w) * math.Hypot(f.itemsSE, f.gateSE)
	}, betweenRate, true},
	{putBlock, "targets blocked at put", func(f flow, w float64) (float64, float64) {
		return w * math.Log(1-f.put), w * f.putSE / (1 - f.put)
	}, betweenWait, false},
	{gateWait, "drafters wait at the gate", func(f flow, w float64) (float64, float64) {
		return (1 - w) * math.Log(1-f.gate), (1 - w) * f.gateSE / (1 - f.gate)
	}, betweenWait, false},
	{inputWait, "targets wait for prompts", func(f flow, w float64) (float64, float64) {
		return w * (math.Log(1-f.put-f.in) - math.Log(1-f.put)), w * f.putSE
	}, betweenWait, false},
	{itemMix, "tokens per item", func(f flow, _ float64) (float64, float64) { return -f.length(), f.mixSE }, betweenItem, false},
	{pausePart, "pauses", func(f flow, _ float64) (float64, float64) {
		return math.Log(1 - f.pauses), f.pauseSE / (1 - f.pauses)
	}, 0.001, false},
}

// services stands for both sides where busy shares are not known.
var services = term{service, "service of the limiting side", func(f flow, _ float64) (float64, float64) {
	return math.Log(f.items) + f.length(), f.itemsSE
}, betweenRate, true}

// whole is what the terms add up to.
var whole = term{"total", "all together", func(f flow, _ float64) (float64, float64) {
	return math.Log(f.items) + math.Log(1-f.pauses), math.Hypot(f.itemsSE, f.pauseSE/(1-f.pauses))
}, betweenRate, true}

func (f flow) length() float64 {
	if f.perItem <= 0 {
		return 0
	}
	return math.Log(f.perItem)
}

func flows(runs []*Run) []flow {
	var out []flow
	for _, r := range runs {
		if f, ok := flowOf(r); ok {
			out = append(out, f)
		}
	}
	return out
}

// waterfall takes the change of items/s apart.
func (p *pair) waterfall() {
	base, fresh := flows(p.base), flows(p.fresh)
	if len(base) == 0 || len(fresh) == 0 || len(p.out.Void) > 0 && p.void("topology") {
		return
	}
	known, lengths := true, true
	var w float64
	for _, side := range [][]flow{base, fresh} {
		for _, f := range side {
			known, lengths = known && f.busy, lengths && f.perItem > 0
			w += f.weight() / float64(2*len(side))
		}
	}
	if !lengths {
		drop(base)
		drop(fresh)
	}
	out := &model.Waterfall{Unit: "items/s", Base: geometric(base), New: geometric(fresh)}
	for _, t := range partsOf(known) {
		if t.id == itemMix && !lengths {
			continue
		}
		e := p.part(t, base, fresh, w)
		out.Parts = append(out.Parts, model.Part{ID: t.id, Label: t.label, Ln: model.Interval{Lo: e.lo, Mid: e.mid, Hi: e.hi}})
	}
	e := p.part(whole, base, fresh, 1)
	out.Total = model.Interval{Lo: e.lo, Mid: e.mid, Hi: e.hi}
	deltas(out)
	p.cause(out)
	p.out.Waterfall = out
}

// drop forgets lengths that one side does not know.
func drop(list []flow) {
	for i := range list {
		list[i].perItem = 0
	}
}

func partsOf(known bool) []term {
	if known {
		return terms
	}
	return []term{services, terms[5], terms[6]}
}

func (p *pair) void(trait string) bool {
	for _, t := range Traits {
		if t.Name == trait {
			d, differs, _ := differ(t, p.base, p.fresh)
			return differs && len(d.base) > 0
		}
	}
	return false
}

func (p *pair) part(t term, base, fresh []flow, w float64) estimate {
	list := func(side []flow) []reading {
		out := make([]reading, len(side))
		for i, f := range side {
			v, se := t.of(f, w)
			out[i] = reading{v: v, se: se, df: math.Inf(1)}
		}
		return out
	}
	scale, extra := 1.0, 0.0
	switch t.id {
	case targetService, putBlock, inputWait:
		scale = w
	case drafterService, gateWait:
		scale = 1 - w
	}
	if t.host {
		extra = p.extra * scale
	}
	if t.host && t.id != whole.id {
		extra = math.Hypot(p.extra, mixError*math.Abs(p.mix())) * scale
	}
	a, b := list(base), list(fresh)
	stated := t.stated * scale
	if t.stated == betweenWait {
		stated *= levelled(a, b)
	}
	return change(a, b, stated, extra, p.opt.confidence())
}

// geometric is the mean of items/s over runs, pauses included.
func geometric(list []flow) float64 {
	sum := 0.0
	for _, f := range list {
		sum += math.Log(f.items) + math.Log(1-f.pauses)
	}
	return math.Exp(sum / float64(len(list)))
}

// deltas share the difference out in the proportions of the logarithms.
func deltas(w *model.Waterfall) {
	for i := range w.Parts {
		if math.Abs(w.Total.Mid) < 1e-9 {
			w.Parts[i].Delta = w.Base * w.Parts[i].Ln.Mid
			continue
		}
		w.Parts[i].Delta = (w.New - w.Base) * w.Parts[i].Ln.Mid / w.Total.Mid
	}
}

// cause names the part that moved most in the direction of the change, and is
// itself beyond its noise. Waits at the two ends of the queue count together.
func (p *pair) cause(w *model.Waterfall) {
	type group struct {
		id      string
		mid, sd float64
	}
	sums := map[string]*group{}
	var order []*group
	for _, part := range w.Parts {
		id := part.ID
		if id == putBlock || id == gateWait {
			id = queueCause
		}
		g := sums[id]
		if g == nil {
			g = &group{id: id}
			sums[id], order = g, append(order, g)
		}
		g.mid += part.Ln.Mid
		g.sd = math.Hypot(g.sd, (part.Ln.Hi-part.Ln.Lo)/2)
	}
	best := &group{id: noCause}
	sign := math.Copysign(1, w.Total.Mid)
	for _, g := range order {
		if v := sign * g.mid; v >= leastRelative && v > g.sd && v > sign*best.mid {
			best = g
		}
	}
	w.Cause = best.id
	w.Text = causeWords(best.id, best.mid, p)
	if best.id == noCause {
		w.Text = "No part is beyond its noise."
	}
}
