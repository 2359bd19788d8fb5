package calibration

import (
	"cmp"
	"fmt"
	"slices"
)

// A Grouping sorts outcomes by one thing that may matter.
type Grouping struct {
	Name string
	Key  func(Outcome) string
}

// Groupings are the breakdowns of a calibration.
var Groupings = []Grouping{
	{"strongest evidence", func(o Outcome) string { return o.Case.Evidence.Strongest() }},
	{"target side's activity", func(o Outcome) string {
		if o.Case.Evidence.SeesTargets() {
			return "seen"
		}
		return "not seen"
	}},
	{"gate", gate},
	{"horizon", func(o Outcome) string { return fmt.Sprintf("%4.0f s", o.Case.Pipe.Horizon) }},
	{"truth", func(o Outcome) string { return o.Truth.Side }},
	{"trouble", trouble},
}

func gate(o Outcome) string {
	p := o.Case.Pipe
	if p.Pop > 1 {
		if batch(p) {
			return "batch"
		}
		return fmt.Sprintf("%s, %d at once", p.Gate, p.Pop)
	}
	return p.Gate.String()
}

func trouble(o Outcome) string {
	p := o.Case.Pipe
	switch {
	case p.LoaderRate > 0:
		return "limited loader"
	case p.Target.Lock > 0:
		return "shared lock"
	case p.Target.Drift != 0:
		return "drift"
	case len(p.Target.Speed) > 0:
		return "straggler"
	case p.Pause.Every > 0:
		return "pauses"
	case p.Barrier:
		return "barrier"
	}
	return "none"
}

// A Group is the outcomes with one key.
type Group struct {
	Key string
	*Summary
}

// By splits outcomes.
func (g Grouping) By(list []Outcome) []Group {
	m := map[string][]Outcome{}
	for _, o := range list {
		k := g.Key(o)
		m[k] = append(m[k], o)
	}
	var out []Group
	for k, v := range m {
		out = append(out, Group{k, Score(v)})
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Compare(a.Key, b.Key) })
	return out
}
