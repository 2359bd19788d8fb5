package infer

import (
	"strconv"
	"strings"

	"tidemark/internal/config"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// RoleMap says whose every sampled and every measured thread is.
type RoleMap struct {
	Thread   []string              // by thread of the profile; "" where each stack decides
	Inferred []bool                // by thread: from what it does, not from a name
	Counted  map[string]int        // threads of the profile by role
	Usage    map[ThreadKey]*Thread // threads of the telemetry
	sample   map[int32]string      // by stack, in threads whose stacks decide
	run      *model.Run
}

// A ThreadKey names a thread of the telemetry. PID is 0 where its rows have none.
type ThreadKey struct {
	Host     string
	PID, TID int64
}

// Of returns the role of a sample.
func (m *RoleMap) Of(s model.Sample) string {
	if r := m.Thread[s.Thread]; r != "" {
		return r
	}
	return m.sample[s.Stack]
}

// Roles finds the role of each thread.
var Roles = &Analyzer{
	Name: "roles",
	Doc: `Whose each thread is: target, drafter, a pool (autograd, loader, collective, compile), or nobody's.

Taken from the configuration, then the thread's name, the worker function at the root of its stacks, the command line of its process, and what it does (who puts is a target, who runs backward a drafter). Telemetry threads without names take the role of the sampled thread with their TID. A role guessed from load or from the numbering of threads is called inferred, and is wrong where the sides have equal numbers.`,
	Requires: []*Analyzer{Stacks, Topology},
	Run: func(p *Pass) (any, error) {
		if err := CheckRoles(p.Config); err != nil {
			return nil, &config.Error{Err: err}
		}
		m := &RoleMap{run: p.Run, sample: map[int32]string{}, Counted: map[string]int{}, Usage: usage(p.Run)}
		classes, _ := Result[*StackClasses](p, Stacks)
		r := &roleReader{RoleMap: m, classes: classes, patterns: rolePatterns(p.Config.Roles)}
		r.profile()
		topo, _ := Result[*model.Topology](p, Topology)
		r.telemetry(topo)
		if len(m.Thread) == 0 && len(m.Usage) == 0 {
			return nil, &SkipError{Needs: "sampled stacks or thread telemetry", Record: StackRecord}
		}
		return m, nil
	},
}

type roleReader struct {
	*RoleMap
	classes  *StackClasses
	patterns []rolePattern
	path     []int32
	said     []frameRole // by frame, of those that were asked for
}

// A frameRole is what one frame says of the thread below it.
type frameRole struct {
	known, silent, ends bool // silent: says nothing and does not count; ends: nobody names workers below
	role                string
}

// A vote is what the stacks of one thread say, by weight.
type vote struct {
	worker            map[string]float64 // by role of the worker function
	put, get          float64
	forward, backward float64
	engine, empty     float64
	works             float64 // not asleep elsewhere than at the queue
	total             float64
}

// profile finds the roles of the sampled threads.
func (r *roleReader) profile() {
	p := r.run.Stacks
	r.Thread = make([]string, len(p.Threads))
	r.Inferred = make([]bool, len(p.Threads))
	votes := make([]vote, len(p.Threads))
	for _, s := range p.Samples {
		r.count(&votes[s.Thread], s)
	}
	backward := false
	for i := range votes {
		backward = backward || votes[i].backward > 0
	}
	for i, t := range p.Threads {
		r.Thread[i], r.Inferred[i] = r.thread(t, &votes[i], backward)
	}
	r.join()
	for i, t := range p.Threads {
		if anonymous(t) && r.Thread[i] == RoleOther {
			r.Thread[i] = ""
		}
	}
	r.stacks()
	for i, t := range p.Threads {
		if role := r.Thread[i]; role != "" && !anonymous(t) {
			r.Counted[role]++
		}
	}
}

// anonymous reports whether a thread is all threads of a capture without thread rows.
func anonymous(t model.StackThread) bool { return t.TID == "" && t.Name == "" && t.Process == "" }

func (r *roleReader) count(v *vote, s model.Sample) {
	n := weight(s)
	v.total += n
	k := r.classes.Of(s.Stack)
	if k.Mechanism == stackrules.NoFrames {
		v.empty += n
		return
	}
	if isActive(k) || k.Cause == "queue" {
		v.works += n
	}
	r.path = r.run.Stacks.Set.Path(s.Stack, r.path[:0])
	if role := r.worker(r.path); role != "" {
		if v.worker == nil {
			v.worker = map[string]float64{}
		}
		v.worker[role] += n
	}
	switch {
	case k.Op == stackrules.Put && k.Cause == "queue":
		v.put += n
	case k.Op == stackrules.Get && k.Cause == "queue":
		v.get += n
	}
	switch k.Cause {
	case "backward", "optimizer":
		v.backward += n
		if r.engine(r.path) {
			v.engine += n
		}
	case "forward":
		v.forward += n
	}
}

// weight is what a sample counts: samples, or 1 where only time is known.
func weight(s model.Sample) float64 {
	if s.N > 0 {
		return s.N
	}
	if s.Seconds > 0 {
		return s.Seconds
	}
	return 0
}

// rootFrames is how many frames from the root on may name the worker: the
// worker function stands right above the plumbing that starts a thread.
const rootFrames = 6

// worker reads the role out of the outermost functions of a stack.
func (r *roleReader) worker(path []int32) string {
	n := 0
	for _, code := range path {
		f := r.frame(code)
		if f.silent {
			continue
		}
		if n++; n > rootFrames || f.ends {
			return ""
		}
		if f.role != "" {
			return f.role
		}
	}
	return ""
}

// frame looks at each frame once.
func (r *roleReader) frame(code int32) *frameRole {
	for int(code) >= len(r.said) {
		r.said = append(r.said, frameRole{})
	}
	s := &r.said[code]
	if s.known {
		return s
	}
	s.known = true
	f := r.classes.frames(code)
	switch {
	case f.Native || r.classes.classer.Plumbing(code):
		s.silent = true
	case r.classes.classer.Library(code):
		s.ends = true
	default:
		s.role = r.functionRole(f)
	}
	return s
}

// functionRole reads a role out of a function's name, the configuration first.
func (r *roleReader) functionRole(f stackrules.Frame) string {
	if role := configured(r.patterns, f.Function, f.Last()); role != "" {
		return role
	}
	name := strings.ReplaceAll(f.Function, "<locals>", "")
	for part := range strings.SplitSeq(name, ".") {
		if role := wordRole(part); role != "" && !strings.HasPrefix(part, "__") {
			return role
		}
	}
	return ""
}

// engine reports whether a stack stands on the native thread of the autograd engine.
func (r *roleReader) engine(path []int32) bool {
	for _, code := range path {
		f := r.classes.frames(code)
		if !f.Native {
			return false
		}
		if strings.HasPrefix(f.Function, "torch::autograd::") {
			return true
		}
	}
	return false
}

// thread decides the role of one thread.
func (r *roleReader) thread(t model.StackThread, v *vote, backward bool) (role string, inferred bool) {
	if role = configured(r.patterns, t.Name, t.TID, t.Process, strconv.FormatInt(t.PID, 10)); role != "" {
		return role, false
	}
	if role = nameRole(t.Name); role != "" {
		return role, false
	}
	if anonymous(t) { // many threads in one: each stack decides
		return RoleOther, false
	}
	if role, n := most(v.worker); n > v.total/2 {
		return role, false
	}
	if role = commandRole(t.Process); role != "" && v.works > 0 { // a process has threads that only wait beside its worker
		return role, false
	}
	role = does(v, backward)
	return role, role != RoleOther
}

// does infers a role from what a thread does; backward says that some thread
// of the run trains.
func does(v *vote, backward bool) string {
	switch {
	case v.total == 0:
		return RoleOther
	case v.engine > v.total/2:
		return RoleAutograd
	case v.empty > 0.99*v.total:
		if backward {
			return RoleAutograd
		}
		return RoleOther
	case v.backward > 0.02*v.total:
		return model.Drafter
	case v.put > 0 && v.put >= v.get:
		return model.Target
	case v.get > 0 && v.forward > 0 && backward:
		return model.Drafter
	case v.forward > v.total/2 && backward:
		return model.Target
	}
	return RoleOther
}

func most(m map[string]float64) (key string, n float64) {
	for _, k := range sortedKeys(m) {
		if m[k] > n {
			key, n = k, m[k]
		}
	}
	return key, n
}

// join gives threads that nothing named the role of the same thread in
// another capture.
func (r *roleReader) join() {
	known := map[string]string{}
	for i, t := range r.run.Stacks.Threads {
		if t.TID != "" && r.Thread[i] != RoleOther && !r.Inferred[i] {
			known[t.TID] = r.Thread[i]
		}
	}
	for i, t := range r.run.Stacks.Threads {
		if role := known[t.TID]; t.TID != "" && role != "" && (r.Thread[i] == RoleOther || r.Inferred[i]) {
			r.Thread[i], r.Inferred[i] = role, false
		}
	}
}

// stacks decides, in captures without thread rows, by each stack.
func (r *roleReader) stacks() {
	for _, s := range r.run.Stacks.Samples {
		if r.Thread[s.Thread] != "" || r.sample[s.Stack] != "" {
			continue
		}
		r.path = r.run.Stacks.Set.Path(s.Stack, r.path[:0])
		role := r.worker(r.path)
		if role == "" {
			var v vote
			r.count(&v, s)
			role = does(&v, false)
		}
		if role == RoleAutograd && r.classes.Of(s.Stack).Mechanism == stackrules.NoFrames {
			role = RoleOther
		}
		r.sample[s.Stack] = role
	}
}
