package infer

import (
	"cmp"
	"slices"

	"tidemark/model"
)

const (
	// heavyStacks stand behind a dominant cost.
	heavyStacks = 3
	// heavyFrames: of a deeper stack the innermost are shown.
	heavyFrames = 40
)

// heavy returns the heaviest stacks of a family, with the rule that named each.
func (c *costs) heavy(t *tally, family string) []model.HeavyStack {
	var order []stackWeight // heaviest first, at most heavyStacks
	heavier := func(a, b stackWeight) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.stack, b.stack)) }
	for _, s := range t.stacks.list {
		if len(order) == heavyStacks && heavier(order[heavyStacks-1], s) < 0 || c.kindOf(s.stack).family != family {
			continue
		}
		i, _ := slices.BinarySearchFunc(order, s, heavier)
		order = slices.Insert(order, i, s)
		order = order[:min(len(order), heavyStacks)]
	}
	list := make([]model.HeavyStack, 0, heavyStacks)
	for _, s := range order {
		list = append(list, c.heavyStack(s, t))
	}
	return list
}

func (c *costs) heavyStack(s stackWeight, t *tally) model.HeavyStack {
	k, pos := c.classes.Of(s.stack), c.run.SamplePos(c.run.Stacks.Samples[s.first])
	h := model.HeavyStack{
		Frames: []string{}, Rule: k.Rule, Mechanism: k.Mechanism, Cause: k.Cause, State: string(k.State),
		Samples: s.n, Share: min(1, s.n/t.active), At: &pos,
	}
	path := c.run.Stacks.Set.Path(s.stack, nil)
	if k.Frame >= 0 {
		h.Matched = c.place(path[k.Frame])
	}
	for len(path) > 0 && c.classes.classer.Plumbing(path[0]) {
		path = path[1:]
	}
	if len(path) > heavyFrames {
		h.Frames = append(h.Frames, "…")
		path = path[len(path)-heavyFrames:]
	}
	for _, code := range path {
		h.Frames = append(h.Frames, c.place(code))
	}
	return h
}
