package report

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// sides is the table of both sides.
func (t *text) sides() {
	l := t.r.Limiter
	if l.Busy.Target == nil && l.Busy.Drafter == nil {
		return
	}
	head := func(name string, n *int) string {
		if n == nil {
			return name
		}
		return fmt.Sprintf("%s × %d", name, *n)
	}
	t.add("%-20s%s  %s", "", t.paint(targetColor, pad(head("targets", t.r.Run.Topology.TargetWorkers), 25)), t.paint(drafterColor, head("drafters", t.r.Run.Topology.DrafterWorkers)))
	if c, unit := capacities(l); c.Target != nil || c.Drafter != nil {
		note := ""
		if l.Starved(model.Target) && c.Target != nil {
			note = "≥: with the prompts they get"
		}
		t.add("%s%s  %s  %s", pad("capacity, "+unit, 20), pad(capacityOf(l, c, model.Target), 25), pad(capacityOf(l, c, model.Drafter), 25), note)
	}
	t.bars("busy", l.Busy.Target, l.Busy.Drafter, waits(l.Wait))
	in := t.r.Inside
	t.bars("GPU active", active(in.Target), active(in.Drafter), boundBy(in))
	t.row("10 % faster gives", gainOf(t.r, model.Target, 10), gainOf(t.r, model.Drafter, 10))
	t.row("all at median speed", leveled(t.r, model.Target), leveled(t.r, model.Drafter))
	t.row("room", room(l.Headroom.Target), room(l.Headroom.Drafter))
	t.blank()
}

// capacities are in items where those are known, else in tokens.
func capacities(l model.Limiter) (model.Sides[model.Interval], string) {
	if c := l.CapacityItemsS; c.Target != nil || c.Drafter != nil {
		return c, "items/s"
	}
	return l.CapacityTokensS, "tok/s"
}

// capacityOf prints a side's capacity, "≥" where it starves for input.
func capacityOf(l model.Limiter, c model.Sides[model.Interval], side string) string {
	s := amount(c.Of(side))
	if s != "" && l.Starved(side) {
		return "≥ " + s
	}
	return s
}

// boundBy words what each side is bound by, in few columns.
func boundBy(in model.Sides[model.Inside]) string {
	known := func(i *model.Inside) bool { return i != nil && i.Bound != model.Unknown }
	switch {
	case known(in.Target) && known(in.Drafter) && in.Target.Bound == in.Drafter.Bound:
		return fmt.Sprintf("both sides %s-bound", in.Target.Bound)
	case known(in.Target) && known(in.Drafter):
		return fmt.Sprintf("targets %s-, drafters %s-bound", in.Target.Bound, in.Drafter.Bound)
	case known(in.Target):
		return fmt.Sprintf("targets %s-bound", in.Target.Bound)
	case known(in.Drafter):
		return fmt.Sprintf("drafters %s-bound", in.Drafter.Bound)
	}
	return ""
}

func (t *text) row(name, target, drafter string) {
	if target+drafter != "" {
		t.add("%s%s  %s", pad(name, 20), pad(target, 25), drafter)
	}
}

// barCells is the length of a bar that is full.
const barCells = 18

// bars draws two shares on one scale.
func (t *text) bars(name string, target, drafter *model.Interval, note string) {
	if target == nil && drafter == nil {
		return
	}
	t.add("%s%s  %s  %s", pad(name, 20), t.paint(targetColor, pad(bar(target), 25)), t.paint(drafterColor, pad(bar(drafter), 25)), note)
}

func bar(v *model.Interval) string {
	if v == nil {
		return "not recorded"
	}
	n := int(math.Round(barCells * min(max(v.Mid, 0), 1)))
	return strings.Repeat("█", n) + strings.Repeat("░", barCells-n) + fmt.Sprintf("  %s", say.Round(v.Mid))
}

func active(in *model.Inside) *model.Interval {
	if in == nil {
		return nil
	}
	return in.GPUActive
}

func amount(v *model.Interval) string {
	if v == nil {
		return ""
	}
	return say.SI(v.Mid) + " (" + say.Range(*v) + ")"
}

// waits words the waits of both sides in the columns beside the bars: one has
// its interval, several have none.
func waits(w model.Waits) string {
	var notes []string
	var only *model.Interval
	for _, n := range []struct {
		name  string
		v     *model.Interval
		least float64
	}{{"gate wait", w.DrafterGate, 0.005}, {"blocked", w.TargetPut, 0.005}, {"prompts", w.TargetInput, 0.02}} {
		if n.v != nil && n.v.Mid >= n.least {
			notes, only = append(notes, n.name+" "+say.Percent(n.v.Mid)), n.v
		}
	}
	if len(notes) == 1 {
		return notes[0] + " (" + say.PercentRange(*only) + ")"
	}
	return strings.Join(notes, ", ")
}

// gainOf is the printed gain of a side made so many percent faster.
func gainOf(r *model.Report, side string, pct float64) string {
	want := fmt.Sprintf("%ss %.0f %% faster", side, pct)
	for _, w := range r.WhatIf {
		if w.Change == want && w.Gain != nil {
			return say.Gain(w.Gain.Mid)
		}
	}
	return ""
}

// gainShown is the least gain without stragglers that takes a line: less is
// within the scatter of workers that are alike.
const gainShown = 0.03

// leveled is the gain of a side whose workers all have the median's speed, ""
// where it hardly matters.
func leveled(r *model.Report, side string) string {
	for _, w := range r.WhatIf {
		if w.Kind == "stragglers" && strings.Contains(w.Change, side) && w.Gain != nil && math.Abs(w.Gain.Mid) > gainShown {
			return say.Gain(w.Gain.Mid) + " (" + say.RoundRange(*w.Gain) + ")"
		}
	}
	return ""
}

func room(v *model.Interval) string {
	switch {
	case v == nil:
		return ""
	case v.Mid < 0.005:
		return "none"
	}
	return say.Gain(v.Mid) + " (" + say.RoundRange(*v) + ")"
}
