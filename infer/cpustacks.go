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
	var order []int32
	for stack := range t.stacks {
		if familyOf(c.classes.Of(stack), c.main.Native) == family {
			order = append(order, stack)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.stacks[b], t.stacks[a]), cmp.Compare(a, b))
	})
	list := make([]model.HeavyStack, 0, heavyStacks)
	for _, stack := range order[:min(len(order), heavyStacks)] {
		list = append(list, c.heavyStack(stack, t))
	}
	return list
}

func (c *costs) heavyStack(stack int32, t *tally) model.HeavyStack {
	k := c.classes.Of(stack)
	h := model.HeavyStack{
		Frames: []string{}, Rule: k.Rule, Mechanism: k.Mechanism, Cause: k.Cause, State: string(k.State),
		Samples: t.stacks[stack], Share: min(1, t.stacks[stack]/t.active), At: c.firstSample(stack),
	}
	path := c.run.Stacks.Set.Path(stack, nil)
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

// firstSample returns where a stack was first seen in the chosen captures.
func (c *costs) firstSample(stack int32) *model.Pos {
	for _, s := range c.run.Stacks.Samples {
		if s.Stack == stack && slices.Contains(c.list, c.run.Stacks.Threads[s.Thread].Capture) {
			pos := c.run.SamplePos(s)
			return &pos
		}
	}
	return nil
}
