// Package stackrules says of a sampled stack what its thread does (the
// mechanism: a kernel launch, a scalar read, a wait for the queue) and which
// part of training it serves (the cause: forward, backward, mask build). The
// rules are data, in rules.json; this package compiles and applies them.
package stackrules

import (
	"fmt"
	"regexp"
	"strings"
)

// A spec is rules.json, which is in the program as ruleSpec.
type spec struct {
	About      string          `json:"about"`
	Skip       []string        `json:"skip"`
	WaitLeaf   []string        `json:"wait_leaf"`
	WaitLine   []string        `json:"wait_line"`
	SleepLeaf  []string        `json:"sleep_leaf"`
	SleepLine  []string        `json:"sleep_line"`
	TimedWait  []string        `json:"timed_wait"`
	GILCaller  []string        `json:"gil_caller"`
	QueuePut   []string        `json:"queue_put"`
	QueueGet   []string        `json:"queue_get"`
	QueueCode  []string        `json:"queue_code"`
	Library    []string        `json:"library"`
	Models     []string        `json:"model_library"`
	Plumbing   []string        `json:"plumbing"`
	Python     []string        `json:"interpreter"`
	Mechanisms []mechanismSpec `json:"mechanisms"`
	Causes     []causeSpec     `json:"causes"`
}

type mechanismSpec struct {
	ID    string `json:"id"`
	Rule  string `json:"rule"`  // "" is the id
	Scope string `json:"scope"` // gil, leaf, top8, tail, any
	Wait  bool   `json:"wait"`  // only where the leaf waits
	RE    string `json:"re"`
	Not   string `json:"not"` // frames that do not count though they match
	State string `json:"state"`
}

type causeSpec struct {
	ID        string `json:"id"`
	Mechanism string `json:"mechanism"` // or where the mechanism is this
	Wait      bool   `json:"wait"`      // only where the thread waits
	RE        string `json:"re"`
}

// A bits is a set of tests; every test of the rules has a number.
type bits [2]uint64

func (b *bits) set(i int)        { b[i>>6] |= 1 << (i & 63) }
func (b bits) has(i int) bool    { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bits) or(o bits) bits    { return bits{b[0] | o[0], b[1] | o[1]} }
func (b bits) meets(o bits) bool { return b[0]&o[0]|b[1]&o[1] != 0 }

// A test is one pattern over the text of a frame.
type test struct {
	re, not pattern // not: frames that do not count though they match
}

type mechanism struct {
	id, rule, state string
	scope           scope
	wait            bool
	test            int
	pattern         string
}

type cause struct {
	id         string
	mechanisms map[string]bool // ids that stand for it by themselves
	wait       bool
	test       int // -1: by the mechanism alone
	pattern    string
}

type scope uint8

const (
	leaf scope = iota
	top8
	tail
	whole
	gil
)

var scopes = map[string]scope{"leaf": leaf, "top8": top8, "tail": tail, "any": whole, "gil": gil}

// Rules are the compiled rules. They do not change, and may be shared.
type Rules struct {
	tests      []test
	mechanisms []mechanism
	causes     []cause
	kinds      [kinds]bits
	gil, data  bits // tests of scope gil; of the causes data and data_wait
	native     bits // tests that a line of Python never passes, whatever its function is called
}

// The kinds of frames that the code asks for by name.
const (
	skip = iota
	waitLeaf
	sleepLeaf
	timedWait
	gilCaller
	queuePut
	queueGet
	queueCode
	library
	models
	plumbing
	interpreter
	kinds
)

// Load compiles the rules of this package.
func Load() (*Rules, error) { return build(&ruleSpec, "", nil) }

// build compiles rules, those of the user's file name in front.
func build(s *spec, name string, own *userSpec) (*Rules, error) {
	r := &Rules{}
	if own != nil {
		if err := r.compile(name, own.Mechanisms, own.Causes); err != nil {
			return nil, err
		}
	}
	for _, f := range s.frames() {
		n, err := r.add(strings.Join(f.list, "|"), "")
		if err != nil {
			return nil, fmt.Errorf("rules.json: frame kind %d: %w", f.kind, err)
		}
		r.kinds[f.kind].set(n)
		if f.native {
			r.native.set(n)
		}
	}
	return r, r.compile("rules.json", s.Mechanisms, s.Causes)
}

// compile adds rules of one file behind those that are there.
func (r *Rules) compile(name string, mechanisms []mechanismSpec, causes []causeSpec) error {
	for _, m := range mechanisms {
		if err := r.mechanism(m); err != nil {
			return fmt.Errorf("%s: mechanism %s: %w", name, m.ID, err)
		}
	}
	for _, c := range causes {
		if err := r.cause(c); err != nil {
			return fmt.Errorf("%s: cause %s: %w", name, c.ID, err)
		}
	}
	return nil
}

// A frameKind is the patterns of frames of one kind.
type frameKind struct {
	kind   int
	native bool // of native frames alone
	list   []string
}

func (s *spec) frames() []frameKind {
	return []frameKind{
		{skip, true, s.Skip},
		{waitLeaf, true, s.WaitLeaf},
		{waitLeaf, false, s.WaitLine},
		{sleepLeaf, true, s.SleepLeaf},
		{sleepLeaf, false, s.SleepLine},
		{timedWait, true, s.TimedWait},
		{gilCaller, false, s.GILCaller},
		{queuePut, false, s.QueuePut},
		{queueGet, false, s.QueueGet},
		{queueCode, false, s.QueueCode},
		{library, false, s.Library},
		{models, false, s.Models},
		{plumbing, false, s.Plumbing},
		{interpreter, false, s.Python},
	}
}

func (r *Rules) add(re, not string) (int, error) {
	var t test
	var err error
	if t.re, err = newPattern(re); err != nil {
		return 0, err
	}
	if not != "" {
		if t.not, err = newPattern(not); err != nil {
			return 0, err
		}
	}
	if len(r.tests) == 128 {
		return 0, fmt.Errorf("more than 128 patterns")
	}
	r.tests = append(r.tests, t)
	return len(r.tests) - 1, nil
}

func (r *Rules) mechanism(m mechanismSpec) error {
	sc, ok := scopes[m.Scope]
	if !ok {
		return fmt.Errorf("scope %q: want gil, leaf, top8, tail or any", m.Scope)
	}
	switch State(m.State) {
	case CPU, Spin, Wait, Unknown:
	default:
		return fmt.Errorf("state %q: want cpu, spin, wait or unknown", m.State)
	}
	n, err := r.add(m.RE, m.Not)
	if err != nil {
		return err
	}
	rule := m.Rule
	if rule == "" {
		rule = m.ID
	}
	if sc == gil {
		r.gil.set(n)
	}
	r.mechanisms = append(r.mechanisms, mechanism{id: m.ID, rule: rule, state: m.State, scope: sc, wait: m.Wait, test: n, pattern: m.RE})
	return nil
}

func (r *Rules) cause(s causeSpec) error {
	c := cause{id: s.ID, wait: s.Wait, test: -1, mechanisms: map[string]bool{}, pattern: s.RE}
	if s.Mechanism != "" {
		re, err := regexp.Compile(s.Mechanism)
		if err != nil {
			return err
		}
		for _, m := range r.mechanisms {
			c.mechanisms[m.id] = re.MatchString(m.id)
		}
	}
	if s.RE != "" {
		var err error
		if c.test, err = r.add(s.RE, ""); err != nil {
			return err
		}
	}
	if (s.ID == "data" || s.ID == "data_wait") && c.test >= 0 {
		r.data.set(c.test)
	}
	r.causes = append(r.causes, c)
	return nil
}
