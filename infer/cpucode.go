package infer

import (
	"cmp"
	"slices"

	"tidemark/internal/shard"
	"tidemark/model"
)

// topCode is how many functions, lines and files a role's report lists.
const topCode = 20

// A codeIndex numbers frames that are one function, one line or one file.
type codeIndex struct {
	number []int32 // by frame code
	keys   []model.Frame
}

// lineIndex numbers every frame, for no two are one line.
func lineIndex(set *model.StackSet) *codeIndex {
	x := &codeIndex{make([]int32, set.Frames()), make([]model.Frame, set.Frames())}
	for code := range x.number {
		x.number[code], x.keys[code] = int32(code), set.At(int32(code))
	}
	return x
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

// Two ways in which the frames of a run are one piece of code.
func functionOf(f model.Frame) model.Frame { f.Line = 0; return f }
func fileOf(f model.Frame) model.Frame     { return model.Frame{File: f.File, Native: f.Native} }

// code lists the functions, lines and files of one role by their own samples.
func (c *costs) code(t *tally, r *model.RoleCPU) {
	u := c.usesOf(t)
	u[0].heaviestLines(c, u[1])
	r.Functions, r.Lines, r.Files = u[0].heaviest(c), u[1].heaviest(c), u[2].heaviest(c)
}

// usesOf are the functions, lines and files of a role. Those of all roles are
// added up from each one's.
func (c *costs) usesOf(t *tally) []*codeUses {
	if t.uses != nil {
		return t.uses
	}
	if c.indices == nil {
		set := c.run.Stacks.Set
		c.indices = []*codeIndex{newCodeIndex(set, functionOf), lineIndex(set), newCodeIndex(set, fileOf)}
	}
	for _, x := range c.indices {
		t.uses = append(t.uses, &codeUses{x, make([]codeUse, len(x.keys)), make([]int32, len(x.keys)), make([]*shareByID, len(x.keys))})
	}
	if t == c.all {
		for _, role := range sortedKeys(c.tallies) {
			for i, o := range c.usesOf(c.tallies[role]) {
				t.uses[i].join(o)
			}
		}
		return t.uses
	}
	shard.All(
		func() { t.uses[0].count(c, t) },
		func() { t.uses[1].count(c, t) },
		func() { t.uses[2].count(c, t) },
	)
	return t.uses
}

// A codeUse is the samples of one entry, and of a function its heaviest line.
type codeUse struct {
	self, total float64
	line        int32
}

// codeUses sums samples up by the entries of an index.
type codeUses struct {
	*codeIndex
	use  []codeUse
	seen []int32 // the stack that was counted last, from 1
	own  []*shareByID
}

// count adds the stacks of a role.
func (u *codeUses) count(c *costs, t *tally) {
	var path []int32
	for n, s := range t.stacks.list {
		path = c.run.Stacks.Set.Path(s.stack, path[:0])
		if len(path) == 0 {
			continue
		}
		k := c.classes.Of(s.stack)
		leaf := path[len(path)-1]
		if k.Leaf >= 0 {
			leaf = path[k.Leaf]
		}
		u.add(path, leaf, s.n, int32(n)+1, k.Mechanism)
	}
}

func (u *codeUses) add(path []int32, leaf int32, w float64, stack int32, mechanism string) {
	for _, code := range path {
		if i := u.number[code]; u.seen[i] != stack {
			u.seen[i] = stack
			u.use[i].total += w
		}
	}
	i := u.number[leaf]
	u.use[i].self += w
	u.owned(i).add(mechanism, w)
}

func (u *codeUses) owned(i int32) *shareByID {
	if u.own[i] == nil {
		u.own[i] = &shareByID{}
	}
	return u.own[i]
}

func (u *codeUses) join(o *codeUses) {
	for i := range o.use {
		u.use[i].self += o.use[i].self
		u.use[i].total += o.use[i].total
		if own := o.own[i]; own != nil {
			for k, id := range own.ids {
				u.owned(int32(i)).add(id, own.n[k])
			}
		}
	}
}

// heaviestLines gives every function the line that has most of its own samples.
func (u *codeUses) heaviestLines(c *costs, lines *codeUses) {
	best := make([]float64, len(u.use))
	for code, i := range u.number {
		if n := lines.use[lines.number[code]].self; n > best[i] {
			best[i] = n
			u.use[i].line = c.run.Stacks.Set.At(int32(code)).Line
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

// heaviest returns the entries with the most samples of their own.
func (u *codeUses) heaviest(c *costs) []model.CodeUse {
	var order []int32
	first := func(a, b int32) int {
		return cmp.Or(cmp.Compare(u.use[b].self, u.use[a].self), cmp.Compare(u.use[b].total, u.use[a].total), cmp.Compare(a, b))
	}
	for i := range u.use {
		if k := u.keys[i]; u.use[i].total > 0 && k != (model.Frame{Native: k.Native}) {
			if len(order) == topCode && first(order[topCode-1], int32(i)) < 0 {
				continue
			}
			at, _ := slices.BinarySearchFunc(order, int32(i), first)
			order = slices.Insert(order, at, int32(i))
			order = order[:min(len(order), topCode)]
		}
	}
	list := make([]model.CodeUse, 0, len(order))
	for _, i := range order {
		n, k := u.use[i], u.keys[i]
		e := model.CodeUse{
			Function: c.run.Text(k.Function), File: c.run.Text(k.File), Line: int(max(n.line, k.Line)), Native: k.Native, Self: n.self, Total: n.total,
		}
		if u.own[i] != nil {
			e.Mechanism = u.own[i].most()
		}
		list = append(list, e)
	}
	return list
}
