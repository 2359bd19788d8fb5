package infer

import (
	"fmt"

	"tidemark/internal/lazy"
	"tidemark/internal/say"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// A WaitCaller is who waits at one end of the queue, by sampled stacks.
type WaitCaller struct {
	Op      string  // put, get
	Helper  float64 // samples of prefetch, copy, pin-memory and async threads
	Worker  float64 // samples of the side's own threads
	Threads []string
	At      []model.Pos
}

// Overlaps reports whether the waits at this end are spent by helpers, while
// the side's own threads may compute.
func (c *WaitCaller) Overlaps() bool {
	return c != nil && c.Helper >= minHelper && c.Helper >= helperShare*(c.Helper+c.Worker)
}

// WaitUsers is who calls put and get of the queue of hidden states.
type WaitUsers struct{ Put, Get *WaitCaller }

// WaitCallers finds the threads that wait at put and get.
var WaitCallers = &Analyzer{
	Name: "wait-callers",
	Doc: `Whether the waits at the queue are those of the threads that compute, or of prefetch, copy, pin-memory and async-put threads beside them.

A helper is known by its thread's name or by the functions at the root of its stacks; threads that name prompts, a data set or a loader serve another queue. A wait of helpers overlaps compute: 1 - wait is then a lower bound of the side's busy share, and the capacity from it an upper bound. Needs waiting threads in the capture (--idle, or dumps).`,
	Requires: []*Analyzer{Stacks, Roles},
	Run: func(p *Pass) (any, error) {
		classes, ok := Result[*StackClasses](p, Stacks)
		roles, ok2 := Result[*RoleMap](p, Roles)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		f := &callerFinder{run: p.Run, classes: classes, roles: roles, put: &WaitCaller{Op: "put"}, get: &WaitCaller{Op: "get"}}
		for _, s := range p.Run.Stacks.Samples {
			f.sample(s)
		}
		u := &WaitUsers{Put: f.put, Get: f.get}
		for _, c := range []*WaitCaller{u.Put, u.Get} {
			if c.Overlaps() {
				p.Find(c.finding())
			}
		}
		return u, nil
	},
}

var (
	helperName = lazy.Regexp(`(?i)prefetch|pin_?mem|(?:^|[^a-z])cop(?:y|ier)(?:$|[^a-z])|copy_?(?:thread|worker|loop|stream)|async_?(?:put|push|send|writ|get|copy)|(?:put|push|send|writ|get)_?async|stag(?:er|ing)|uploader|downloader|h2d|d2h|transfer|background`)
	loaderName = lazy.Regexp(`(?i)loader|reader|feeder`)
	hiddenName = lazy.Regexp(`(?i)hidden|(?:^|_)hs(?:$|_)|feature|activation|draft|student|trainer|consumer`)
	promptName = lazy.Regexp(`(?i)prompt|data_?set|data_?loader|tokeni[sz]|batch_?sampler`)
)

type callerFinder struct {
	run      *model.Run
	classes  *StackClasses
	roles    *RoleMap
	put, get *WaitCaller
	path     []int32
}

// sample counts one sample that waits at the queue.
func (f *callerFinder) sample(s model.Sample) {
	k := f.classes.Of(s.Stack)
	c := f.put
	switch {
	case isActive(k) || k.Mechanism != stackrules.WaitQueue || k.Cause == "data_wait":
		return
	case k.Op == stackrules.Get:
		c = f.get
	case k.Op != stackrules.Put:
		return
	}
	name := f.run.Stacks.Threads[s.Thread].Name
	helper, prompts := f.root(s.Stack)
	prompts = prompts || otherQueue(name)
	role := f.roles.Of(s)
	side := model.Target
	if c == f.get {
		side = model.Drafter
	}
	switch {
	case prompts:
	case helper || helperName().MatchString(name):
		c.helper(name, weight(s), f.run.SamplePos(s))
	case role == side:
		c.Worker += weight(s)
	}
}

// otherQueue reports a name that serves the queue of prompts: by their name, or
// a loader that nothing ties to hidden states.
func otherQueue(name string) bool {
	return promptName().MatchString(name) || loaderName().MatchString(name) && !hiddenName().MatchString(name)
}

// root reports whether the functions at the root of a stack name a helper, and
// whether one of them serves prompts.
func (f *callerFinder) root(stack int32) (helper, prompts bool) {
	f.path = f.run.Stacks.Set.Path(stack, f.path[:0])
	n := 0
	for _, code := range f.path {
		fr := f.classes.frames(code)
		if fr.Native || f.classes.classer.Plumbing(code) {
			continue
		}
		if n++; n > rootFrames {
			break
		}
		helper = helper || helperName().MatchString(fr.Function)
		prompts = prompts || otherQueue(fr.Function)
	}
	return helper, prompts
}

func (c *WaitCaller) helper(name string, n float64, at model.Pos) {
	c.Helper += n
	if name == "" {
		name = "without a name"
	}
	for _, t := range c.Threads {
		if t == name {
			return
		}
	}
	if len(c.Threads) < 4 {
		c.Threads, c.At = append(c.Threads, name), append(c.At, at)
	}
}

func (c *WaitCaller) finding() model.Finding {
	side := map[string]string{"put": "targets", "get": "drafters"}[c.Op]
	share := c.Helper / (c.Helper + c.Worker)
	return model.Finding{
		ID: "waits.overlap",
		Claim: fmt.Sprintf("%s of the samples that wait in %s are those of helper threads (%s), so the %s wait overlaps the %s' work: their capacity from that wait is an upper bound.",
			say.Percent(share), c.Op, joined(c.Threads), c.Op, side),
		Evidence: []model.Evidence{
			{What: "samples of helper threads waiting in " + c.Op, Value: c.Helper, Unit: "samples", At: c.At},
			{What: "samples of the side's own threads waiting in " + c.Op, Value: c.Worker, Unit: "samples", At: c.At[:1]},
		},
		Advice: "Count the time that the computing thread waits for its helper, and record that beside the wait at the queue.",
	}
}

// joined lists names as in a sentence.
func joined(list []string) string {
	out := ""
	for i, s := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			out += " and "
		default:
			out += ", "
		}
		out += s
	}
	return out
}
