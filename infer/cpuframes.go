package infer

import (
	"strconv"

	"tidemark/internal/shard"
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

// keyFrames finds the key of every stack that has a class.
func (c *costs) keyFrames() {
	set := c.run.Stacks.Set
	c.keys = make([]frameKey, set.Stacks())
	shard.Do(len(c.keys), 256, func(from, to int) {
		var path []int32
		for stack := int32(from); stack < int32(to); stack++ {
			if c.classes.of[stack] > 0 {
				path = set.Path(stack, path[:0])
				c.keys[stack] = c.keyOf(path, c.classes.Of(stack))
			}
		}
	})
}

func (c *costs) keyOf(path []int32, k *stackrules.Class) frameKey {
	at := k.Frame
	if at < 0 {
		at = k.Leaf
	}
	if at < 0 {
		return frameKey{-1, -1}
	}
	return frameKey{path[at], c.from(path[:at])}
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

func (c *costs) topFrame(key frameKey, use *frameUse) model.TopFrame {
	k, pos := c.classes.Of(use.stack), c.run.SamplePos(c.run.Stacks.Samples[use.first])
	f := model.TopFrame{Function: "no Python frame", Mechanism: k.Mechanism, Cause: k.Cause, Rule: k.Rule, Samples: use.n, At: &pos}
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
