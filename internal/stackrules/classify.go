package stackrules

import "tidemark/internal/shard"

// A State says whether a thread worked, waited, or spun for the GPU.
type State string

// The states. Spin uses a core and does no work: it waits for the GPU.
const (
	CPU     State = "cpu"
	Spin    State = "spin"
	Wait    State = "wait"
	Unknown State = "unknown"
)

// Ids that the code gives where no rule of rules.json matched.
const (
	NoFrames    = "capture.no_frames"
	Unresolved  = "python.unresolved_builtin_line"
	PythonOther = "python.other"
	NativeOther = "native.other"
	GILWait     = "gil.wait"
	WaitQueue   = "wait.queue"
	WaitLock    = "wait.lock"
	WaitIdle    = "wait.idle_loop"
	Other       = "other"
)

// An Op is what a thread does with a queue.
type Op uint8

// The operations; a stack without a queue frame has NoOp.
const (
	NoOp Op = iota
	Put
	Get
)

// A Class is what the rules say of one stack.
type Class struct {
	Mechanism, Cause string
	State            State
	Rule             string // rule that matched
	Frame            int    // index of the frame that matched, root is 0; -1 for none
	Leaf             int    // innermost frame that is no bare system call, -1 for none
	Op               Op     // innermost queue operation, where the thread waits or its code runs
	Own              bool   // the leaf is a Python line of neither torch nor a library of models
}

// A Classifier applies rules to stacks of coded frames. Several goroutines may
// use it.
type Classifier struct {
	rules   *Rules
	passed  []bits // by code: the tests that the frame passes
	natives []bool // by code
}

// NewClassifier returns a classifier of stacks of n frames, whose codes count
// from 0; look gives the frame behind a code. Frames that differ by their line
// alone pass the same tests, and are tested once.
func NewClassifier(r *Rules, n int, look func(code int32) Frame) *Classifier {
	c := &Classifier{r, make([]bits, n), make([]bool, n)}
	first := make([]int32, n)
	codes := map[Frame]int32{}
	var distinct []Frame
	for code := range first {
		f := look(int32(code))
		k, ok := codes[f]
		if !ok {
			k = int32(len(distinct))
			codes[f], distinct = k, append(distinct, f)
		}
		first[code], c.natives[code] = k, f.Native
	}
	passed := make([]bits, len(distinct))
	shard.Do(len(distinct), 16, func(from, to int) {
		for i := from; i < to; i++ {
			passed[i] = r.bits(distinct[i])
		}
	})
	for code, k := range first {
		c.passed[code] = passed[k]
	}
	return c
}

func (c *Classifier) frame(code int32) bits { return c.passed[code] }

func (c *Classifier) native(code int32) bool { return c.natives[code] }

func (c *Classifier) is(code int32, kind int) bool { return c.frame(code).meets(c.rules.kinds[kind]) }

// Library reports whether a frame is code of torch or a package like it.
func (c *Classifier) Library(code int32) bool { return c.is(code, library) }

// Plumbing reports whether a frame only leads from one part to the next:
// thread start, runpy, queue and lock classes of the standard library.
func (c *Classifier) Plumbing(code int32) bool { return c.is(code, plumbing) }

// Classify says what a stack does. path are its frames, root first.
func (c *Classifier) Classify(path []int32) Class {
	if len(path) == 0 {
		return Class{Mechanism: NoFrames, Cause: Other, State: Unknown, Rule: NoFrames, Frame: -1, Leaf: -1}
	}
	s := c.scan(path)
	k := c.mechanism(path, s)
	k.Leaf = s.leaf
	k.Op = c.op(path, s)
	k.Cause = c.cause(s, k)
	if k.Op != NoOp && k.Mechanism != WaitQueue && k.Cause != "queue" {
		k.Op = NoOp
	}
	k.Own = s.leaf >= 0 && !c.native(path[s.leaf]) && !c.is(path[s.leaf], library) && !c.is(path[s.leaf], models) && !c.is(path[s.leaf], plumbing)
	return k
}

// A view is a stack as the scopes see it.
type view struct {
	leaf              int // innermost frame that is no bare system call or unresolved address, -1 for none
	waits, sleeps     bool
	hidden            bool // C code without a name lies below the leaf
	leafBits          bits // with those of the objects below it
	top, tail, all    bits
	from8, fromNative int
}

func (c *Classifier) scan(path []int32) view {
	s := view{leaf: -1}
	for i := len(path) - 1; i >= 0; i-- {
		b := c.frame(path[i])
		s.waits = s.waits || b.meets(c.rules.kinds[waitLeaf])
		s.sleeps = s.sleeps || b.meets(c.rules.kinds[sleepLeaf])
		if !b.meets(c.rules.kinds[skip]) {
			s.leaf, s.leafBits = i, s.leafBits.or(b)
			break
		}
		s.leafBits = s.leafBits.or(b)
		s.hidden = s.hidden || !b.meets(c.rules.kinds[interpreter])
	}
	s.from8, s.fromNative, s.tail = max(0, s.leaf-7), s.leaf+1, s.leafBits
	if s.leaf >= 0 && !c.native(path[s.leaf]) {
		s.tail = c.below(path[s.leaf+1:])
	}
	run := true
	for i := s.leaf; i >= 0; i-- {
		b := c.frame(path[i])
		s.all = s.all.or(b)
		if i >= s.from8 {
			s.top = s.top.or(b)
		}
		if run = run && c.native(path[i]); run {
			s.tail, s.fromNative = s.tail.or(b), i
		}
	}
	return s
}

// below returns the tests that frames pass, taken together.
func (c *Classifier) below(path []int32) (b bits) {
	for _, code := range path {
		b = b.or(c.frame(code))
	}
	return b
}

// mechanism applies the rules in their order.
func (c *Classifier) mechanism(path []int32, s view) Class {
	if k, ok := c.gil(path); ok {
		return k
	}
	for i := range c.rules.mechanisms {
		m := &c.rules.mechanisms[i]
		if m.wait && !s.waits {
			continue
		}
		from := 0
		switch m.scope {
		case leaf:
			if !s.leafBits.has(m.test) {
				continue
			}
			from = s.leaf
		case top8:
			if !s.top.has(m.test) {
				continue
			}
			from = s.from8
		case tail:
			if !s.tail.has(m.test) {
				continue
			}
			from = s.fromNative
		case whole:
			if !s.all.has(m.test) {
				continue
			}
		default:
			continue
		}
		return Class{Mechanism: m.id, State: State(m.state), Rule: m.rule, Frame: c.find(path, from, m.test)}
	}
	return c.rest(path, s)
}

// gil looks for a wait for the interpreter lock in the 8 innermost frames. A
// sampler drops the interpreter's own frames, and leaves only the timed wait
// of take_gil right below a Python frame: nothing else in CPython waits so.
func (c *Classifier) gil(path []int32) (Class, bool) {
	for i := len(path) - 1; i >= max(0, len(path)-8); i-- {
		b := c.frame(path[i])
		if b.meets(c.rules.gil) {
			return Class{Mechanism: GILWait, State: Wait, Rule: GILWait, Frame: i}, true
		}
		if b.meets(c.rules.kinds[timedWait]) && i > 0 && (!c.native(path[i-1]) || c.is(path[i-1], gilCaller)) {
			return Class{Mechanism: GILWait, State: Wait, Rule: "gil.wait.timed", Frame: i}, true
		}
	}
	return Class{}, false
}

// rest names what no rule matched.
func (c *Classifier) rest(path []int32, s view) Class {
	named := func(id string, st State) Class { return Class{Mechanism: id, State: st, Rule: id, Frame: s.leaf} }
	switch {
	case s.leaf < 0 && s.sleeps:
		return named(WaitIdle, Wait)
	case s.leaf < 0 && s.waits:
		return named(WaitLock, Wait)
	case s.leaf < 0:
		return named(NativeOther, Unknown)
	case c.native(path[s.leaf]) && !s.waits:
		return named(NativeOther, CPU)
	case s.waits && s.sleeps:
		return named(WaitIdle, Wait)
	case s.waits:
		return named(WaitLock, Wait)
	case s.hidden:
		return named(NativeOther, CPU)
	// torch's own loader is Python code that works itself
	case c.is(path[s.leaf], library) && !s.leafBits.meets(c.rules.data), c.is(path[s.leaf], models):
		return named(Unresolved, Unknown)
	}
	return named(PythonOther, CPU)
}

func (c *Classifier) find(path []int32, from, test int) int {
	for i := len(path) - 1; i >= from; i-- {
		if c.frame(path[i]).has(test) {
			return i
		}
	}
	return -1
}

// op returns the innermost operation on a queue.
func (c *Classifier) op(path []int32, s view) Op {
	for i := s.leaf; i >= s.from8; i-- {
		switch {
		case c.is(path[i], queuePut):
			return Put
		case c.is(path[i], queueGet):
			return Get
		}
	}
	return NoOp
}

// cause returns the first cause that any frame, or the mechanism, stands for.
func (c *Classifier) cause(s view, k Class) string {
	for i := range c.rules.causes {
		r := &c.rules.causes[i]
		if r.wait && k.State != Wait {
			continue
		}
		if r.mechanisms[k.Mechanism] || r.test >= 0 && s.all.has(r.test) {
			return r.id
		}
	}
	return Other
}
