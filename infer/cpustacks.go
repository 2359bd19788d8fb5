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
	var order []int32 // heaviest first, at most heavyStacks
	heavier := func(a, b int32) int { return cmp.Or(cmp.Compare(t.stacks[b], t.stacks[a]), cmp.Compare(a, b)) }
	for stack := range t.stacks {
		if len(order) == heavyStacks && heavier(order[heavyStacks-1], stack) < 0 || c.familyOf(stack) != family {
			continue
		}
		i, _ := slices.BinarySearchFunc(order, stack, heavier)
		order = slices.Insert(order, i, stack)
		order = order[:min(len(order), heavyStacks)]
	}
	list := make([]model.HeavyStack, 0, heavyStacks)
	for _, stack := range order {
		list = append(list, c.heavyStack(stack, t))
	}
	return list
}

// familyOf returns the family of a stack; each class is looked at once.
func (c *costs) familyOf(stack int32) string {
	if c.families == nil {
		c.families = make([]string, len(c.classes.list))
		for i := range c.classes.list {
			c.families[i] = familyOf(&c.classes.list[i], c.main.Native)
		}
	}
	return c.families[c.classes.of[stack]-1]
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
