package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/model"
)

const (
	// flameNodes is the most nodes of a flame graph; more cannot be told apart on a page.
	flameNodes = 400
	// flameTint: a parent shows the mechanism that this share of it holds.
	flameTint = 0.95
)

// A flameTree is one role's active stacks as a tree, node 0 is the root. A
// node's parent has the smaller number.
type flameTree struct {
	parent, frame []int32
	value         []float64
	mechanism     []int32   // index in ids of the largest one
	most          []float64 // its weight; exact where it is over half
	ids           []string
}

// Flames draws the stacks of either side as trees.
var Flames = &Analyzer{
	Name: "flames",
	Doc: `The active stacks of either side as a tree: width is samples, colour mechanism.

At most 400 nodes a side; what is left of a parent is one node below it. Right as far as the capture is; the order of stacks is not that of time.`,
	Requires: []*Analyzer{CPUCost},
	Run: func(p *Pass) (any, error) {
		c, ok := Result[*costs](p, CPUCost)
		if !ok {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		for _, side := range []string{model.Drafter, model.Target} {
			if t := c.tallies[side]; t != nil && t.active > 0 {
				p.Draw(c.flameOf(side, flameNodes))
			}
		}
		return nil, nil
	},
}

// ProfileFlames draws every role's stacks, in more detail.
var ProfileFlames = &Analyzer{
	Name: "profile-flames",
	Doc: `The active stacks of every role of a profile as trees.

At most 4,000 nodes together, shared among the roles by their samples; roles under 0.2 % of the samples have none. Right as far as the capture is; the order of stacks is not that of time.`,
	Requires: []*Analyzer{CPUCost},
	Run: func(p *Pass) (any, error) {
		c, ok := Result[*costs](p, CPUCost)
		if !ok {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		for _, role := range RolesBySamples(p.Out.CPU) {
			if t := c.tallies[role]; t != nil && t.active >= smallRole*c.all.active {
				p.Draw(c.flameOf(role, max(100, int(profileNodes*t.active/c.all.active))))
			}
		}
		return nil, nil
	},
}

// flameOf draws the stacks of a role with at most so many nodes.
func (c *costs) flameOf(role string, limit int) model.Flame {
	t := c.tallies[role]
	return model.Flame{Name: role, Unit: "samples", Total: t.active, Nodes: c.nodes(c.tree(t), role, limit)}
}

// A weighed stack, without the frames that only start its thread.
type weighed struct {
	path      []int32
	n         float64
	mechanism int32
}

func (c *costs) tree(t *tally) *flameTree {
	tree := &flameTree{parent: []int32{-1}, frame: []int32{-1}, value: []float64{0}}
	list := make([]weighed, 0, len(t.stacks.list))
	index := map[string]int32{}
	for _, s := range t.stacks.list {
		id := c.classes.Of(s.stack).Mechanism
		m, ok := index[id]
		if !ok {
			m = int32(len(tree.ids))
			index[id] = m
			tree.ids = append(tree.ids, id)
		}
		path := c.run.Stacks.Set.Path(s.stack, nil)
		for len(path) > 0 && c.classes.classer.Plumbing(path[0]) {
			path = path[1:]
		}
		list = append(list, weighed{path, s.n, m})
	}
	slices.SortFunc(list, func(a, b weighed) int { return slices.Compare(a.path, b.path) })
	tree.build(list)
	return tree
}

// build makes nodes of sorted stacks: each shares its beginning with the one before.
func (t *flameTree) build(list []weighed) {
	var open []int32 // nodes of the stack before, by depth
	var last []int32
	own := []map[int32]float64{{}}
	for _, w := range list {
		same := 0
		for same < len(w.path) && same < len(last) && w.path[same] == last[same] {
			same++
		}
		open = open[:same]
		for _, f := range w.path[same:] {
			p := int32(0)
			if len(open) > 0 {
				p = open[len(open)-1]
			}
			open = append(open, int32(len(t.parent)))
			t.parent, t.frame, t.value = append(t.parent, p), append(t.frame, f), append(t.value, 0)
			own = append(own, nil)
		}
		leaf := int32(0)
		if len(open) > 0 {
			leaf = open[len(open)-1]
		}
		if own[leaf] == nil {
			own[leaf] = map[int32]float64{}
		}
		own[leaf][w.mechanism] += w.n
		t.value[leaf] += w.n
		last = w.path
	}
	t.sum(own)
}

// sum adds every node to its parent, values and mechanisms, in the order of the
// nodes: durations do not add up to the same bits in another.
func (t *flameTree) sum(own []map[int32]float64) {
	n := len(t.parent)
	t.mechanism, t.most = make([]int32, n), make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		for m, v := range own[i] {
			if v > t.most[i] || v == t.most[i] && m < t.mechanism[i] {
				t.most[i], t.mechanism[i] = v, m
			}
		}
		p := t.parent[i]
		if p < 0 {
			continue
		}
		t.value[p] += t.value[i]
		if own[p] == nil {
			own[p] = own[i]
		} else {
			for m, v := range own[i] {
				own[p][m] += v
			}
		}
		own[i] = nil
	}
}

// nodes keeps the heaviest nodes; what is left of a parent becomes one node below it.
func (c *costs) nodes(t *flameTree, role string, limit int) []model.FlameNode {
	order := make([]int32, len(t.parent))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(t.value[b], t.value[a]), cmp.Compare(a, b)) })
	keep := min(len(order), limit)
	for keep > 1 && keep+t.rests(order[:keep]) > limit {
		keep -= max(1, keep/16)
	}
	kept := slices.Clone(order[:keep])
	slices.Sort(kept)
	return c.emit(t, kept, role)
}

// rests counts the parents that lose children, beside those without any.
func (t *flameTree) rests(kept []int32) int {
	n := 0
	for _, v := range t.left(kept) {
		if v > 1e-9 {
			n++
		}
	}
	return n
}

// left returns what each kept node holds beyond its kept children, where it
// lost some of them; 0 for all others.
func (t *flameTree) left(kept []int32) []float64 {
	in := make([]bool, len(t.parent))
	for _, i := range kept {
		in[i] = true
	}
	left := make([]float64, len(t.parent))
	for i := 1; i < len(t.parent); i++ {
		if p := t.parent[i]; !in[i] && in[p] {
			left[p] += t.value[i]
		}
	}
	return left
}

func (c *costs) emit(t *flameTree, kept []int32, role string) []model.FlameNode {
	left := t.left(kept)
	index := map[int32]int{}
	var out []model.FlameNode
	for _, i := range kept {
		node := model.FlameNode{Parent: -1, Name: role, Value: t.value[i], Role: role}
		if t.most[i] >= flameTint*t.value[i] && len(t.ids) > 0 {
			node.Mechanism = t.ids[t.mechanism[i]]
		}
		if i > 0 {
			fr := c.run.Stacks.Set.At(t.frame[i])
			node.Parent = index[t.parent[i]]
			node.Name, node.File, node.Line = c.run.Text(fr.Function), c.run.Text(fr.File), int(fr.Line)
		}
		index[i] = len(out)
		out = append(out, node)
	}
	for _, i := range kept {
		if v := left[i]; v > 1e-9 {
			out = append(out, model.FlameNode{Parent: index[i], Name: "…", Value: math.Round(v*1e6) / 1e6, Role: role})
		}
	}
	return out
}
