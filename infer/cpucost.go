package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/internal/stackrules"
	"tidemark/internal/stats"
	"tidemark/model"
)

// CPUCost says what each role's threads spend their active time on.
var CPUCost = &Analyzer{
	Name: "cpu",
	Doc: `Mechanism x cause of each role's active samples, with intervals; families ranked by what one remedy serves.

A share is of active samples: waits for the queue, for input and of idle threads are left out, waits for the interpreter lock are not. Intervals hold the spread between the threads of a role (Student's t, three threads or more), else as many independent samples as the capture lasted fifths of a second per thread, since neighbouring samples are alike. They do not hold what the capture missed. Where only dumps are there, each is one look at every thread: few samples, taken as such. Wrong where the profiled window is not typical. From under 100 active samples no cost is named.`,
	Requires: []*Analyzer{Stacks, Roles, StackActivity},
	Run: func(p *Pass) (any, error) {
		classes, ok := Result[*StackClasses](p, Stacks)
		roles, ok2 := Result[*RoleMap](p, Roles)
		use, ok3 := Result[*StackUse](p, StackActivity)
		if !ok || !ok2 || !ok3 {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		out := cpuOf(p)
		list := choose(p.Run, use.Captures, roles, (*CaptureUse).Shares)
		if list == nil {
			list = dumpsOf(use.Captures)
		}
		if list == nil {
			out.Capture = captureInfo(use.Captures, nil, nil)
			return nil, &SkipError{Needs: "a recording of sampled stacks (" + unfit(use.Captures) + ")", Record: StackRecord}
		}
		c := &costs{run: p.Run, classes: classes, roles: roles, list: list, main: asOne(use.Captures, list), tallies: map[string]*tally{}}
		c.count()
		for _, role := range sortedKeys(c.tallies) {
			t := c.tallies[role]
			out.Roles[role] = t.report(c, role)
			out.Samples += t.active
		}
		all := c.all.report(c, "")
		out.All = &all
		out.Capture = captureInfo(use.Captures, c.main, out)
		c.find(p, out)
		c.missing(p, use)
		return c, nil
	},
}

// cpuOf returns the report's section on processors, made on first use.
func cpuOf(p *Pass) *model.CPU {
	if p.Out.CPU == nil {
		p.Out.CPU = &model.CPU{Roles: map[string]model.RoleCPU{}, HotThreads: []model.HotThread{}, Busiest: []model.HotThread{}}
	}
	return p.Out.CPU
}

func unfit(list []*CaptureUse) string {
	for _, c := range list {
		switch {
		case c.Totals:
			return c.File + " gives totals by function, without stacks"
		case c.GIL != No:
			return c.File + " shows only who held the interpreter lock"
		}
	}
	return "no stacks of threads"
}

// dumpsOf returns all captures that are dumps: each is a few looks more.
func dumpsOf(list []*CaptureUse) (dumps []int32) {
	for _, c := range list {
		if c.Looked() {
			dumps = append(dumps, c.Index)
		}
	}
	return dumps
}

// asOne is the capture that speaks for all that are used: the first; of dumps,
// one with the looks of all.
func asOne(all []*CaptureUse, list []int32) *CaptureUse {
	first := all[list[0]]
	if !first.Dump {
		return first
	}
	sum := *first
	for _, i := range list[1:] {
		sum.max += all[i].max
		sum.Samples += all[i].Samples
	}
	return &sum
}

// costs are the active samples of the chosen captures.
type costs struct {
	run     *model.Run
	classes *StackClasses
	roles   *RoleMap
	list    []int32
	main    *CaptureUse
	tallies map[string]*tally
	all     *tally // of all roles
	indices []*codeIndex
	kinds   []costKind
	kind    []int32    // by class: index in kinds
	keys    []frameKey // by stack
	path    []int32
}

func (c *costs) count() {
	c.sort()
	c.keyFrames()
	for i, s := range c.run.Stacks.Samples {
		th := c.run.Stacks.Threads[s.Thread]
		if !slices.Contains(c.list, th.Capture) {
			continue
		}
		role := c.roles.Of(s)
		t := c.tallies[role]
		if t == nil {
			t = newTally(c.run.Stacks.Set.Stacks())
			t.stacks.room(min(len(c.run.Stacks.Samples)-i, len(c.classes.list)))
			c.tallies[role] = t
		}
		k := c.classes.Of(s.Stack)
		asleep := s.Hint&model.HintIdle != 0 // for the interpreter lock, or in backward
		n := weight(s)
		t.states[stateOf(k, asleep)] += n
		if isActive(k) && !asleep {
			t.named = t.named || !anonymous(th)
			t.active += n
			t.cells[costCell{s.Thread, c.kind[c.classes.of[s.Stack]-1]}] += n
			t.stacks.add(s.Stack, n, int32(i))
		}
	}
	c.all = newTally(c.run.Stacks.Set.Stacks())
	c.all.stacks.room(len(c.classes.list))
	for _, role := range sortedKeys(c.tallies) {
		t := c.tallies[role]
		c.all.join(t)
		t.settle(c)
		if t.active == 0 { // a role that only waits has no costs
			delete(c.tallies, role)
		}
	}
	c.all.settle(c)
}

// sort finds the kind of every class.
func (c *costs) sort() {
	known := map[costKind]int32{}
	c.kind = make([]int32, len(c.classes.list))
	for i := range c.classes.list {
		k := &c.classes.list[i]
		kind := costKind{familyOf(k, c.main.Native), k.Mechanism, k.Cause}
		n, ok := known[kind]
		if !ok {
			n = int32(len(c.kinds))
			known[kind] = n
			c.kinds = append(c.kinds, kind)
		}
		c.kind[i] = n
	}
}

// kindOf is the kind of a stack.
func (c *costs) kindOf(stack int32) *costKind { return &c.kinds[c.kind[c.classes.of[stack]-1]] }

// stateOf is the state of a sample. A sampler that saw the thread asleep is right
// whatever its frames do.
func stateOf(k *stackrules.Class, asleep bool) string {
	if asleep {
		return string(stackrules.Wait)
	}
	return string(k.State)
}

// interval is the share of active samples, with what is known of its error.
func (t *tally) interval(c *costs, s *shareOf) model.Interval {
	mid := s.n / t.active
	var shares []float64
	for th, n := range t.byThread {
		if n >= minThread {
			shares = append(shares, s.byThread[th]/n)
		}
	}
	if t.named && len(shares) >= 3 {
		slices.Sort(shares)
		i := stats.Mean(shares)
		half := (i.Hi - i.Lo) / 2
		return model.Interval{Lo: math.Max(0, mid-half), Mid: mid, Hi: math.Min(1, mid+half)}
	}
	return wilson(mid, t.effective(c))
}

// effective is how many independent samples the role's are worth. Dumps lie
// far enough apart to be that.
func (t *tally) effective(c *costs) float64 {
	if c.main.Dump {
		return t.active
	}
	rate := c.main.Rate
	if rate <= 0 {
		rate = 100 // py-spy's own
	}
	return t.active * math.Min(1, independent/rate)
}

// wilson is the score interval of a share from n independent samples.
func wilson(p, n float64) model.Interval {
	const z = 1.96
	n = math.Max(n, 1)
	d := 1 + z*z/n
	mid := (p + z*z/(2*n)) / d
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / d
	return model.Interval{Lo: math.Max(0, math.Min(p, mid-half)), Mid: p, Hi: math.Min(1, math.Max(p, mid+half))}
}

// report sums a role up.
func (t *tally) report(c *costs, role string) model.RoleCPU {
	r := model.RoleCPU{
		Samples: t.active, Threads: t.threads(c), Mechanisms: t.list(c, t.mechanisms), Causes: t.list(c, t.causes),
		Families: []model.FamilyOf{}, Frames: t.top(c, role), States: t.states,
	}
	if !t.named {
		r.Threads = 0
	}
	if t.active <= 0 {
		return r
	}
	u := t.interval(c, &t.unresolved)
	r.Unresolved = &u
	for _, id := range sortedKeys(t.families) {
		r.Families = append(r.Families, t.family(c, id))
	}
	slices.SortStableFunc(r.Families, func(a, b model.FamilyOf) int { return cmp.Compare(b.Samples, a.Samples) })
	r.Dominant = t.dominant(c, r, role)
	if role == "" || role == model.Target || role == model.Drafter || role == RoleOther {
		c.code(t, &r)
	}
	return r
}

// threads counts the threads of a role; one in two dumps is one.
func (t *tally) threads(c *costs) int {
	ids := map[string]bool{}
	for i := range t.byThread {
		ids[threadID(c.run.Stacks.Threads[i])] = true
	}
	return len(ids)
}

func (t *tally) list(c *costs, m map[string]*shareOf) []model.ShareOf {
	list := make([]model.ShareOf, 0, len(m))
	for _, id := range sortedKeys(m) {
		list = append(list, model.ShareOf{ID: id, Share: t.interval(c, m[id])})
	}
	slices.SortStableFunc(list, func(a, b model.ShareOf) int { return cmp.Compare(b.Share.Mid, a.Share.Mid) })
	return list
}

// family names the largest member of a family.
func (t *tally) family(c *costs, id string) model.FamilyOf {
	f := model.FamilyOf{Family: id, Label: families[id].label, Share: t.interval(c, t.families[id]), Samples: t.families[id].n, Unresolved: id == "unresolved"}
	if id == "python" && !c.main.Native {
		f.Label = "Own Python lines, which may call C"
	}
	best := 0.0
	unresolved := 0.0
	for p, n := range t.kinds {
		if p.family != id {
			continue
		}
		if p.mechanism == stackrules.Unresolved {
			unresolved += n
		}
		if n > best || n == best && p.mechanism+p.cause < f.Mechanism+f.Cause {
			best, f.Mechanism, f.Cause = n, p.mechanism, p.cause
		}
	}
	if id == "unresolved" {
		f.Mechanism = stackrules.Unresolved
	}
	f.Unresolved = f.Unresolved || unresolved > f.Samples/2
	return f
}

// leader is the largest family. Data is several kinds of work (fetching,
// packing, tokenising) under one remedy; where it ties with the second, the
// larger single kind of work leads.
func (t *tally) leader(list []model.FamilyOf) model.FamilyOf {
	if len(list) < 2 || list[0].Family != "data" || list[1].Share.Hi < list[0].Share.Lo {
		return list[0]
	}
	if t.largest(list[1]) > t.largest(list[0]) {
		return list[1]
	}
	return list[0]
}

func (t *tally) largest(f model.FamilyOf) float64 {
	return t.kinds[costKind{f.Family, f.Mechanism, f.Cause}]
}

// dominant is the largest family, nil where there are too few samples, or times
// in their place. Where
// its interval meets that of the second, it is a tie.
func (t *tally) dominant(c *costs, r model.RoleCPU, role string) *model.Dominant {
	if t.active < minActive || len(r.Families) == 0 || c.main.ByTime {
		return nil
	}
	f := t.leader(r.Families)
	d := &model.Dominant{Mechanism: f.Mechanism, Cause: f.Cause, Family: f.Family, Role: role, Share: &f.Share}
	for _, o := range r.Families {
		if o.Family != f.Family && o.Share.Hi >= f.Share.Lo && o.Share.Lo <= f.Share.Hi {
			d.Tie = true
		}
	}
	d.Frames, d.Stacks = t.topOf(c, f.Family, role), c.heavy(t, f.Family)
	return d
}
