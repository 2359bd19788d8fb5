package infer

import (
	"cmp"
	"slices"
	"strconv"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// A frameKey is a leaf and the line that leads to it, as frame codes; -1 for none.
type frameKey struct{ leaf, from int32 }

// topFrames is how many frames a role's report lists, ownFrames how many stand
// behind a dominant cost.
const (
	topFrames = 20
	ownFrames = 3
)

// frame adds a sample to the frames of its role.
func (t *tally) frame(c *costs, s model.Sample, k *stackrules.Class, fam string, n float64) {
	at := k.Frame
	if at < 0 {
		at = k.Leaf
	}
	key := frameKey{-1, -1}
	c.path = c.run.Stacks.Set.Path(s.Stack, c.path[:0])
	path := c.path
	if at >= 0 {
		key = frameKey{path[at], c.from(path[:at])}
	}
	f := t.frames[key]
	if f == nil {
		f = c.topFrame(key, k)
		pos := c.run.SamplePos(s)
		f.At = &pos
		t.frames[key], t.fits[key] = f, fam
	}
	f.Samples += n
}

// from is the nearest frame above a leaf that is the program's own: neither
// native, nor torch's, nor what only starts threads. Where there is none, it
// is the nearest Python frame.
func (c *costs) from(path []int32) int32 {
	python := int32(-1)
	for i := len(path) - 1; i >= 0; i-- {
		if c.run.Stacks.Set.At(path[i]).Native || c.classes.classer.Plumbing(path[i]) {
			continue
		}
		if !c.classes.classer.Library(path[i]) {
			return path[i]
		}
		if python < 0 {
			python = path[i]
		}
	}
	return python
}

func (c *costs) topFrame(key frameKey, k *stackrules.Class) *model.TopFrame {
	f := &model.TopFrame{Function: "no Python frame", Mechanism: k.Mechanism, Cause: k.Cause, Rule: k.Rule}
	if key.leaf >= 0 {
		fr := c.run.Stacks.Set.At(key.leaf)
		f.Function, f.File, f.Line = c.run.Text(fr.Function), c.run.Text(fr.File), int(fr.Line)
	}
	if key.from >= 0 {
		f.From = c.place(key.from)
	}
	return f
}

// place is a frame as function, file and line.
func (c *costs) place(code int32) string {
	fr := c.run.Stacks.Set.At(code)
	s := c.run.Text(fr.Function)
	if file := c.run.Text(fr.File); file != "" {
		s += " " + file
		if fr.Line > 0 {
			s += ":" + strconv.Itoa(int(fr.Line))
		}
	}
	return s
}

// heaviest lists the n heaviest frames that keep lets through.
func (t *tally) heaviest(role string, n int, keep func(k frameKey) bool) []model.TopFrame {
	var order []*model.TopFrame
	first := func(a, b *model.TopFrame) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Function, b.Function), cmp.Compare(a.From, b.From))
	}
	for k, f := range t.frames {
		if len(order) == n && first(order[n-1], f) < 0 || !keep(k) {
			continue
		}
		i, _ := slices.BinarySearchFunc(order, f, first)
		order = slices.Insert(order, i, f)
		order = order[:min(len(order), n)]
	}
	list := make([]model.TopFrame, 0, len(order))
	for _, f := range order {
		g := *f
		g.Role, g.Share = role, g.Samples/t.active
		list = append(list, g)
	}
	return list
}

// top lists the role's heaviest frames.
func (t *tally) top(role string) []model.TopFrame {
	return t.heaviest(role, topFrames, func(frameKey) bool { return true })
}

// topOf lists the heaviest frames of one family.
func (t *tally) topOf(family, role string) []model.TopFrame {
	return t.heaviest(role, ownFrames, func(k frameKey) bool { return t.fits[k] == family })
}
