package infer

import (
	"cmp"
	"slices"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// A tally is the active samples of one role. While samples are counted it
// holds what differs by sample, by thread and by stack; settle works out the
// rest.
type tally struct {
	active float64
	states map[string]float64 // all samples
	named  bool               // thread rows tell threads apart
	cells  map[costCell]float64
	stacks stackWeights

	byThread   map[int32]float64
	mechanisms map[string]*shareOf
	causes     map[string]*shareOf
	families   map[string]*shareOf
	kinds      map[costKind]float64
	unresolved shareOf
	frames     map[frameKey]*frameUse
	uses       []*codeUses
}

// A costKind is what one class of stacks costs.
type costKind struct{ family, mechanism, cause string }

// A costCell is the samples of one thread in stacks of one kind, which is an index
// in costs.kinds.
type costCell struct{ thread, kind int32 }

// A stackWeight is the samples of one stack, and the first of them.
type stackWeight struct {
	stack int32
	n     float64
	first int32 // index in Profile.Samples
}

// stackWeights is samples by stack.
type stackWeights struct {
	list []stackWeight // in the order in which stacks were met, or of their numbers
	at   []int32       // by stack: index in list plus 1
}

func newStackWeights(stacks int) stackWeights { return stackWeights{at: make([]int32, stacks)} }

// room makes room for n stacks.
func (w *stackWeights) room(n int) { w.list = slices.Grow(w.list, n) }

func (w *stackWeights) add(stack int32, n float64, first int32) {
	i := w.at[stack]
	if i == 0 {
		w.list = append(w.list, stackWeight{stack: stack, first: first})
		i = int32(len(w.list))
		w.at[stack] = i
	}
	w.list[i-1].n += n
	w.list[i-1].first = min(w.list[i-1].first, first)
}

// sort puts the stacks in the order of their numbers; nothing is added after it.
func (w *stackWeights) sort() {
	slices.SortFunc(w.list, func(a, b stackWeight) int { return cmp.Compare(a.stack, b.stack) })
	w.at = nil
}

// A shareOf is samples in total and by thread.
type shareOf struct {
	n        float64
	byThread map[int32]float64
}

func (s *shareOf) add(thread int32, n float64) {
	if s.byThread == nil {
		s.byThread = map[int32]float64{}
	}
	s.n += n
	s.byThread[thread] += n
}

func into(m map[string]*shareOf, id string) *shareOf {
	s := m[id]
	if s == nil {
		s = &shareOf{}
		m[id] = s
	}
	return s
}

func newTally(stacks int) *tally {
	return &tally{
		states: map[string]float64{}, byThread: map[int32]float64{}, mechanisms: map[string]*shareOf{}, causes: map[string]*shareOf{}, families: map[string]*shareOf{},
		kinds: map[costKind]float64{}, frames: map[frameKey]*frameUse{}, cells: map[costCell]float64{}, stacks: newStackWeights(stacks),
	}
}

// join adds another role's samples.
func (t *tally) join(o *tally) {
	t.active += o.active
	t.named = t.named || o.named
	for _, state := range sortedKeys(o.states) {
		t.states[state] += o.states[state]
	}
	for k, n := range o.cells {
		t.cells[k] += n
	}
	for _, s := range o.stacks.list {
		t.stacks.add(s.stack, s.n, s.first)
	}
}

// settle works out the shares and the frames.
func (t *tally) settle(c *costs) {
	keys := make([]costCell, 0, len(t.cells))
	for k := range t.cells {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b costCell) int { return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.kind, b.kind)) })
	for _, k := range keys {
		n, kind := t.cells[k], c.kinds[k.kind]
		t.byThread[k.thread] += n
		into(t.mechanisms, kind.mechanism).add(k.thread, n)
		into(t.causes, kind.cause).add(k.thread, n)
		into(t.families, kind.family).add(k.thread, n)
		t.kinds[kind] += n
		if kind.mechanism == stackrules.Unresolved {
			t.unresolved.add(k.thread, n)
		}
	}
	t.stacks.sort()
	for i := range t.stacks.list {
		t.frame(c, &t.stacks.list[i])
	}
}

// A frameUse is the samples of one leaf, and what is known of the first of them.
type frameUse struct {
	n      float64
	first  int32 // index in Profile.Samples
	stack  int32
	family string
}

func (t *tally) frame(c *costs, s *stackWeight) {
	key := c.keys[s.stack]
	f := t.frames[key]
	if f == nil {
		f = &frameUse{first: s.first, stack: s.stack, family: c.kindOf(s.stack).family}
		t.frames[key] = f
	}
	if s.first < f.first {
		f.first, f.stack, f.family = s.first, s.stack, c.kindOf(s.stack).family
	}
	f.n += s.n
}

// heaviest lists the n heaviest frames that keep lets through.
func (t *tally) heaviest(c *costs, role string, n int, keep func(f *frameUse) bool) []model.TopFrame {
	var order []model.TopFrame
	least := 0.0 // of the last one in a full order
	for key, f := range t.frames {
		if len(order) == n && f.n < least || !keep(f) {
			continue
		}
		top := c.topFrame(key, f)
		i, _ := slices.BinarySearchFunc(order, top, func(a, b model.TopFrame) int {
			return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
				cmp.Compare(a.Function, b.Function), cmp.Compare(a.From, b.From))
		})
		order = slices.Insert(order, i, top)
		order = order[:min(len(order), n)]
		least = order[len(order)-1].Samples
	}
	for i := range order {
		order[i].Role, order[i].Share = role, order[i].Samples/t.active
	}
	return order
}

// top lists the role's heaviest frames.
func (t *tally) top(c *costs, role string) []model.TopFrame {
	return t.heaviest(c, role, topFrames, func(*frameUse) bool { return true })
}

// topOf lists the heaviest frames of one family.
func (t *tally) topOf(c *costs, family, role string) []model.TopFrame {
	return t.heaviest(c, role, ownFrames, func(f *frameUse) bool { return f.family == family })
}
