package infer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tidemark/model"
)

// A Thread is one thread of the telemetry over the run.
type Thread struct {
	ThreadKey
	Name     string
	Role     string
	Inferred bool    // role guessed from load or numbering
	Stack    int32   // thread of the profile with the same TID, -1 for none
	CPU      float64 // mean share of a core over its time
	Wait     float64 // mean share of time runnable but not running, 0 where not read
	Seconds  float64 // time covered by its rows
	Total    bool    // row shows the whole process, so it is no thread's own
	Rows     int
	First    model.Pos
	points   []usePoint
}

type usePoint struct {
	t       int64
	seconds float64
	cpu     float64
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Sorted returns the threads of the telemetry, busiest first.
func (m *RoleMap) Sorted() []*Thread {
	list := slices.Collect(maps.Values(m.Usage))
	slices.SortFunc(list, func(a, b *Thread) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Host, b.Host), cmp.Compare(a.TID, b.TID), cmp.Compare(a.PID, b.PID))
	})
	return list
}

// telemetry finds the roles of the measured threads.
func (r *roleReader) telemetry(topo *model.Topology) {
	r.joinStacks()
	var open []*Thread
	for _, t := range r.Sorted() {
		switch {
		case configured(r.patterns, t.Name, strconv.FormatInt(t.TID, 10)) != "":
			t.Role, t.Inferred = configured(r.patterns, t.Name, strconv.FormatInt(t.TID, 10)), false
		case t.Role != "":
		case nameRole(t.Name) != "":
			t.Role = nameRole(t.Name)
		case t.Stack >= 0 && r.Thread[t.Stack] != "":
			t.Role, t.Inferred = r.Thread[t.Stack], r.Inferred[t.Stack]
		default:
			t.Role = RoleOther
			if !t.Total && t.CPU > idleThread {
				open = append(open, t)
			}
		}
	}
	if topo != nil && topo.TargetWorkers != nil && topo.DrafterWorkers != nil {
		r.numbered(open, *topo.TargetWorkers, *topo.DrafterWorkers)
	}
}

// joinStacks finds the sampled thread of each measured one: by TID; where no
// TID is in both, as across containers or with pthread addresses, by a name
// that one thread of either has alone.
func (r *roleReader) joinStacks() {
	stacks, mains := r.byTID(), r.mains()
	joined := false
	for _, t := range r.Usage {
		if i, ok := stacks[t.TID]; ok {
			t.Stack, joined = i, true
		} else if i, ok := mains[t.TID]; ok && (t.PID == t.TID || t.PID == 0) {
			t.Stack = i
		}
	}
	if joined {
		return
	}
	sampled, measured := r.byName(), map[string]int{}
	for _, t := range r.Usage {
		measured[comm(t.Name)]++
	}
	for _, t := range r.Usage {
		if i, ok := sampled[comm(t.Name)]; ok && i >= 0 && t.Stack < 0 && measured[comm(t.Name)] == 1 {
			t.Stack = i
		}
	}
}

// comm is a thread's name as the kernel keeps it, 15 bytes.
func comm(name string) string { return name[:min(len(name), 15)] }

// byName returns the sampled thread with each name, -1 where several have it.
func (r *roleReader) byName() map[string]int32 {
	m := map[string]int32{}
	for i, t := range r.run.Stacks.Threads {
		name := comm(t.Name)
		if name == "" || name == "MainThread" {
			continue
		}
		old, ok := m[name]
		switch {
		case !ok:
			m[name] = int32(i)
		case old >= 0 && r.run.Stacks.Threads[old].Capture == t.Capture && r.run.Stacks.Threads[old].TID != t.TID:
			m[name] = -1
		case old >= 0 && r.worth(int32(i)) > r.worth(old):
			m[name] = int32(i)
		}
	}
	return m
}

// byTID returns the sampled thread with each TID, decimal or hexadecimal. A
// hexadecimal one may be a pthread address: then no row has it.
func (r *roleReader) byTID() map[int64]int32 {
	m := map[int64]int32{}
	for i, t := range r.run.Stacks.Threads {
		text, base := t.TID, 10
		if h, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
			text, base = h, 16
		}
		id, err := strconv.ParseInt(text, base, 64)
		if err != nil {
			continue
		}
		if old, ok := m[id]; !ok || r.worth(int32(i)) > r.worth(old) {
			m[id] = int32(i)
		}
	}
	return m
}

// mains returns the sampled main thread of each process: its id is that of the
// process, whatever address the sampler printed for the thread.
func (r *roleReader) mains() map[int64]int32 {
	m := map[int64]int32{}
	for i, t := range r.run.Stacks.Threads {
		if t.PID == 0 || t.Name != "MainThread" {
			continue
		}
		if old, ok := m[t.PID]; !ok || r.worth(int32(i)) > r.worth(old) {
			m[t.PID] = int32(i)
		}
	}
	return m
}

// worth ranks threads of one TID in several captures: a recording before a
// dump, a role before none.
func (r *roleReader) worth(thread int32) int {
	n := 0
	if role := r.Thread[thread]; role != "" && role != RoleOther {
		n++
	}
	if c := r.run.Stacks.Captures[r.run.Stacks.Threads[thread].Capture]; !strings.Contains(c.Writer, "dump") {
		n += 2
	}
	return n
}

// numbered guesses sides from thread ids: workers of a pool start one after
// the other, so their ids follow each other. Where the working threads without
// a role fall into just two such groups of the sides' sizes, those are the
// sides. Equal sizes say nothing.
func (r *roleReader) numbered(open []*Thread, targets, drafters int) {
	for _, t := range open {
		if t.Role != RoleOther {
			return
		}
	}
	slices.SortFunc(open, func(a, b *Thread) int { return cmp.Compare(a.TID, b.TID) })
	var groups [][]*Thread
	for i, t := range open {
		if i == 0 || t.Host != open[i-1].Host || t.TID-open[i-1].TID > 1 {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], t)
	}
	if len(groups) != 2 || targets == drafters {
		r.loaded(open, targets, drafters)
		return
	}
	for i, g := range groups {
		other := groups[1-i]
		if len(g) == targets && len(other) == drafters {
			infer(g, model.Target)
			infer(other, model.Drafter)
		}
	}
}

func infer(list []*Thread, role string) {
	for _, t := range list {
		t.Role, t.Inferred = role, true
	}
}

// loaded guesses sides from load, where the sampled stacks say how busy each
// side's threads are, and differently: the busiest threads are the busier side's, if a gap in
// the load stands just where its number of threads ends.
func (r *roleReader) loaded(open []*Thread, targets, drafters int) {
	if len(open) != targets+drafters || len(r.Thread) == 0 {
		return
	}
	load := map[string]float64{}
	for _, s := range r.run.Stacks.Samples {
		if k := r.classes.Of(s.Stack); k.State != "wait" {
			load[r.Of(s)] += weight(s)
		}
	}
	t, d := load[model.Target]/float64(targets), load[model.Drafter]/float64(drafters)
	if t == 0 || d == 0 || math.Abs(t-d) < loadApart*max(t, d) {
		return
	}
	first, second, n := model.Target, model.Drafter, targets
	if d > t {
		first, second, n = model.Drafter, model.Target, drafters
	}
	slices.SortFunc(open, func(a, b *Thread) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.TID, b.TID)) })
	if open[n-1].CPU-open[n].CPU > loadGap {
		infer(open[:n], first)
		infer(open[n:], second)
	}
}
