package infer

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// topCode is how many functions, lines and files a role's report lists.
const topCode = 20

// A codeIndex numbers frames that are one function, one line or one file.
type codeIndex struct {
	number []int32 // by frame code
	keys   []model.Frame
	lined  bool // the entries are functions, and show their heaviest line
}

func newCodeIndex(set *model.StackSet, key func(model.Frame) model.Frame) *codeIndex {
	x := &codeIndex{number: make([]int32, set.Frames())}
	known := make(map[model.Frame]int32, set.Frames())
	for code := range x.number {
		k := key(set.At(int32(code)))
		n, ok := known[k]
		if !ok {
			n = int32(len(x.keys))
			known[k] = n
			x.keys = append(x.keys, k)
		}
		x.number[code] = n
	}
	return x
}

// The three ways in which the frames of a run are one piece of code.
func lineOf(f model.Frame) model.Frame     { return f }
func functionOf(f model.Frame) model.Frame { f.Line = 0; return f }
func fileOf(f model.Frame) model.Frame     { return model.Frame{File: f.File, Native: f.Native} }

// code lists the functions, lines and files of one role by their own samples.
func (c *costs) code(t *tally, r *model.RoleCPU) {
	if c.indices == nil {
		set := c.run.Stacks.Set
		c.indices = []*codeIndex{newCodeIndex(set, functionOf), newCodeIndex(set, lineOf), newCodeIndex(set, fileOf)}
		c.indices[0].lined = true
	}
	r.Functions, r.Lines, r.Files = c.top(c.indices[0], t), c.top(c.indices[1], t), c.top(c.indices[2], t)
}

// top returns the entries of an index with the most samples of their own.
func (c *costs) top(x *codeIndex, t *tally) []model.CodeUse {
	use := make([]model.CodeUse, len(x.keys))
	seen := make([]int32, len(x.keys)) // the stack that was counted last
	own := make([]*shareByID, len(x.keys))
	lines := make([]float64, len(x.number)) // own samples by frame
	for n, stack := range sortedInts(t.stacks) {
		w := t.stacks[stack]
		c.path = c.run.Stacks.Set.Path(stack, c.path[:0])
		for _, code := range c.path {
			if i := x.number[code]; seen[i] != int32(n)+1 {
				seen[i] = int32(n) + 1
				use[i].Total += w
			}
		}
		if len(c.path) == 0 {
			continue
		}
		k := c.classes.Of(stack)
		leaf := k.Leaf
		if leaf < 0 {
			leaf = len(c.path) - 1
		}
		i := x.number[c.path[leaf]]
		use[i].Self += w
		lines[c.path[leaf]] += w
		if own[i] == nil {
			own[i] = &shareByID{}
		}
		own[i].add(k.Mechanism, w)
	}
	if x.lined {
		c.heaviestLines(x, use, lines)
	}
	return c.heaviest(x, use, own)
}

// heaviestLines gives every function the line that has most of its own samples.
func (c *costs) heaviestLines(x *codeIndex, use []model.CodeUse, lines []float64) {
	best := make([]float64, len(use))
	for code, n := range lines {
		if i := x.number[code]; n > best[i] {
			best[i] = n
			use[i].Line = int(c.run.Stacks.Set.At(int32(code)).Line)
		}
	}
}

// A shareByID is samples by a few ids.
type shareByID struct {
	ids []string
	n   []float64
}

func (s *shareByID) add(id string, n float64) {
	i := slices.Index(s.ids, id)
	if i < 0 {
		i = len(s.ids)
		s.ids, s.n = append(s.ids, id), append(s.n, 0)
	}
	s.n[i] += n
}

func (s *shareByID) most() string {
	best := 0
	for i := range s.n {
		if s.n[i] > s.n[best] {
			best = i
		}
	}
	return s.ids[best]
}

func (c *costs) heaviest(x *codeIndex, use []model.CodeUse, own []*shareByID) []model.CodeUse {
	order := make([]int32, 0, len(use))
	for i := range use {
		if use[i].Total > 0 && x.keys[i] != (model.Frame{Native: x.keys[i].Native}) {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(use[b].Self, use[a].Self), cmp.Compare(use[b].Total, use[a].Total), cmp.Compare(a, b))
	})
	list := make([]model.CodeUse, 0, topCode)
	for _, i := range order[:min(len(order), topCode)] {
		u, k := use[i], x.keys[i]
		u.Function, u.File, u.Line, u.Native = c.run.Text(k.Function), c.run.Text(k.File), max(u.Line, int(k.Line)), k.Native
		if own[i] != nil {
			u.Mechanism = own[i].most()
		}
		list = append(list, u)
	}
	return list
}
