package infer

import (
	"math"
	"slices"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// StackUse is what sampled stacks say of each role's time.
type StackUse struct {
	Roles      map[string]*RoleUse
	Captures   []*CaptureUse
	Use        []int32  // captures behind Roles: one, or several of different processes
	OneProcess bool     // both sides are threads of one process
	Where      string   // file that shows it
	GILWait    *float64 // share of the workers' native samples that wait for the lock, nil without native frames
	GILCleared string   // why the interpreter lock does not limit; "" where nothing shows it
	GILShare   *model.Interval
	GILFrom    string
	GILAt      []model.Pos
}

// A RoleUse is the samples of one role's threads, by what they wait for.
// Samples that wait for the interpreter lock are active: the work waits there.
type RoleUse struct {
	Role      string
	Threads   int // the largest of: threads seen, workers stated
	Seen      int
	PerThread []float64 // active samples of each thread seen, busiest first
	Active    float64
	Spin      float64 // of the active ones: in a synchronisation
	GILWait   float64 // of the active ones
	QueueWait float64 // put of a target, get of a drafter
	InputWait float64 // get of a target
	OtherWait float64
	Ticks     float64 // looks at each thread, 0 unknown
	Idle      string  // were waiting threads sampled
	Native    bool
	Helper    float64 // samples of autograd threads beside the drafters' own
	Looks     float64 // threads of the role in dumps
	Working   float64 // of them not waiting at the queue or for input
	Asleep    float64 // of them idle, though not at the queue: in backward, or for a lock
	// Activity is the share of worker time in which threads were active, Input
	// that of the targets' wait for input. Their intervals hold what the capture
	// itself leaves open (lag, ticks, threads), not that its window is short:
	// that adds windowError. nil where the capture gives no time.
	Activity, Input *model.Interval
	// Busy is 1 - the share of waiting at the queue, window included. A capture
	// without waiting threads cannot tell one wait from another: then it is the
	// active share, and LowerBound says that more than the queue's waits are missing.
	Busy       *model.Interval
	LowerBound bool
	Why        string
	At         []model.Pos
	backward   float64 // active samples in backward
}

// All returns the role's samples.
func (r *RoleUse) All() float64 { return r.Active + r.QueueWait + r.InputWait + r.OtherWait }

// StackActivity measures how much of their time each side's threads work.
var StackActivity = &Analyzer{
	Name: "stack-activity",
	Doc: `Busy shares of each role from sampled stacks.

Without waiting threads (py-spy's default): active samples over threads x ticks; with them (--idle): 1 - samples in put or get frames over all. Both are unbiased; the error is the short window (standard error 0.045 at 45 s), not the count. Wrong where threads sleep elsewhere than at the queue: a thread that waits for the interpreter lock is not sampled either, so where both sides lack samples at once the share is only a lower bound. Captures of the lock's holder and drawn flame graphs give no shares of time; dumps are single looks.`,
	Requires: []*Analyzer{Stacks, Roles, Topology},
	Run: func(p *Pass) (any, error) {
		classes, ok := Result[*StackClasses](p, Stacks)
		roles, ok2 := Result[*RoleMap](p, Roles)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		u := &StackUse{Roles: map[string]*RoleUse{}, Captures: captures(p, classes, roles)}
		u.Use = choose(p.Run, u.Captures, roles, func(c *CaptureUse) bool { return c.Shares() && (c.Ticks > 0 || c.Idle == Yes) })
		if u.Use == nil {
			u.Use = choose(p.Run, u.Captures, roles, (*CaptureUse).Shares)
		}
		topo, _ := Result[*model.Topology](p, Topology)
		u.gather(p.Run, classes, roles)
		u.dumps(p.Run, classes, roles)
		u.helpers()
		u.shares(topo)
		u.process(p.Run, roles)
		u.holder(p.Run)
		return u, nil
	},
}

// gather sorts the samples of the used captures by role and state.
func (u *StackUse) gather(run *model.Run, classes *StackClasses, roles *RoleMap) {
	prof := run.Stacks
	active := map[string]map[int32]float64{}
	for _, s := range prof.Samples {
		th := prof.Threads[s.Thread]
		if !slices.Contains(u.Use, th.Capture) {
			continue
		}
		role := roles.Of(s)
		r := u.Roles[role]
		if r == nil {
			c := u.Captures[th.Capture]
			r = &RoleUse{Role: role, Ticks: c.Ticks, Idle: c.Idle, Native: c.Native, At: []model.Pos{run.SamplePos(s)}}
			u.Roles[role], active[role] = r, map[int32]float64{}
		}
		k := classes.Of(s.Stack)
		n := weight(s)
		active[role][s.Thread] += 0
		if isActive(k) {
			active[role][s.Thread] += n
		}
		r.add(k, n)
	}
	for role, threads := range active {
		r := u.Roles[role]
		for i, n := range threads {
			if !anonymous(prof.Threads[i]) {
				r.Seen++
				r.PerThread = append(r.PerThread, n)
			}
		}
		slices.Sort(r.PerThread)
		slices.Reverse(r.PerThread)
	}
}

// isActive: the thread does or wants to do its own work.
func isActive(k *stackrules.Class) bool {
	return k.State != stackrules.Wait || k.Mechanism == stackrules.GILWait
}

func (r *RoleUse) add(k *stackrules.Class, n float64) {
	if isActive(k) {
		r.Active += n
		if k.State == stackrules.Spin {
			r.Spin += n
		}
		if k.Mechanism == stackrules.GILWait {
			r.GILWait += n
		}
		if k.Cause == "backward" {
			r.backward += n
		}
		return
	}
	queue := k.Mechanism == stackrules.WaitQueue
	switch {
	case r.Role == model.Target && (queue && k.Op == stackrules.Get || k.Cause == "data_wait"):
		r.InputWait += n
	case r.Role == model.Target && queue, r.Role == model.Drafter && queue && k.Op != stackrules.Put:
		r.QueueWait += n
	default:
		r.OtherWait += n
	}
}

// dumps counts what single looks show. A thread that is idle in a frame that
// does not wait sleeps for the interpreter lock, or in backward for autograd's
// own threads: a capture without waiting threads misses it.
func (u *StackUse) dumps(run *model.Run, classes *StackClasses, roles *RoleMap) {
	for _, s := range run.Stacks.Samples {
		th := run.Stacks.Threads[s.Thread]
		if !u.Captures[th.Capture].Dump || s.Hint == 0 {
			continue
		}
		r := u.role(roles.Of(s))
		k := classes.Of(s.Stack)
		n := weight(s)
		r.Looks += n
		if isActive(k) {
			r.Working += n
			if s.Hint&model.HintIdle != 0 {
				r.Asleep += n
			}
		}
		if len(r.At) == 0 {
			r.At = []model.Pos{run.SamplePos(s)}
		}
	}
}

func (u *StackUse) role(role string) *RoleUse {
	r := u.Roles[role]
	if r == nil {
		r = &RoleUse{Role: role, Idle: NotKnown}
		u.Roles[role] = r
	}
	return r
}

// helpers credits the drafters with autograd's threads: while those work, the
// drafter sleeps in backward, and a capture without waiting threads shows only
// the one or the other.
func (u *StackUse) helpers() {
	d, a := u.Roles[model.Drafter], u.Roles[RoleAutograd]
	if d != nil && a != nil && d.Idle != Yes && a.Ticks > 0 {
		d.Helper = max(0, a.Active-d.backward)
	}
}

// shares turns samples into shares of time.
func (u *StackUse) shares(topo *model.Topology) {
	for role, r := range u.Roles {
		r.Threads = max(r.Seen, stated(topo, role))
		if r.Threads == 0 {
			r.Why = "the number of threads is not known: the capture has no thread rows, and nothing states the workers"
		}
		if u.Use != nil && (role == model.Target || role == model.Drafter) {
			r.share(u.Captures[u.Use[0]])
		}
	}
	t, d := u.Roles[model.Target], u.Roles[model.Drafter]
	both := t != nil && d != nil && t.Activity != nil && d.Activity != nil && 1-math.Max(t.Activity.Mid, d.Activity.Mid) > bothMissing
	for _, r := range []*RoleUse{t, d} {
		if r != nil && r.Activity != nil && r.Idle != Yes && (both || r.Asleep > 0) {
			r.lowerBound()
		}
	}
}

// lowerBound widens a share that misses threads asleep elsewhere than at the
// queue. Where dumps show the role, their looks say where between bound and 1
// it lies: one look at each thread, so not more than that.
func (r *RoleUse) lowerBound() {
	a := r.Activity.Mid
	r.LowerBound = true
	r.Why = "both sides lack samples at once, so threads sleep elsewhere than at the queue (the interpreter lock, a loader): a lower bound"
	mid := a
	if r.Asleep > 0 {
		r.Why = "a dump shows threads asleep outside the queue (the interpreter lock, backward), which this capture does not sample: a lower bound"
	}
	if r.Looks > 0 {
		mid = math.Max(a, (r.Working+0.5)/(r.Looks+1))
	}
	r.Activity = &model.Interval{Lo: a, Mid: mid, Hi: 1}
	r.Busy = &model.Interval{Lo: math.Min(r.Busy.Lo, mid), Mid: mid, Hi: 1}
}

func stated(topo *model.Topology, role string) int {
	switch {
	case topo == nil:
	case role == model.Target && topo.TargetWorkers != nil:
		return *topo.TargetWorkers
	case role == model.Drafter && topo.DrafterWorkers != nil:
		return *topo.DrafterWorkers
	}
	return 0
}

// share works out one side's shares.
func (r *RoleUse) share(c *CaptureUse) {
	all := r.All()
	if r.Idle == NotKnown { // a capture without thread rows: waiting threads were sampled if nothing is missing
		r.Idle = No
		if r.Ticks > 0 && r.Threads > 0 && all >= 0.97*r.Ticks*float64(r.Threads) {
			r.Idle = Yes
		}
	}
	switch {
	case r.Idle == Yes && all > 0:
		r.Activity = point(r.Active/all, 0)
		if r.Role == model.Target {
			r.Input = point(r.InputWait/all, 0)
		}
		r.Busy = window(1-r.QueueWait/all, c)
	case r.Ticks > 0 && r.Threads > 0:
		n := float64(r.Threads)
		work := r.Active + r.Helper
		mid := math.Min(1, work/(n*r.Ticks))
		late := math.Min(c.Late, 0.5*r.Ticks)
		r.Activity = &model.Interval{Lo: mid, Mid: mid, Hi: math.Min(1, work/(n*(r.Ticks-late)))}
		b := window(mid, c)
		b.Hi = math.Min(1, math.Max(b.Hi, r.Activity.Hi))
		r.Busy = b
	}
}

func point(v, half float64) *model.Interval {
	return &model.Interval{Lo: math.Max(0, v-half), Mid: v, Hi: math.Min(1, v+half)}
}

// window is the 95 % interval of a busy share from one short window: a standard
// error of windowError at 45 s around 0.8, as one over the root of time, and
// smaller towards 0 and 1, where a window cannot differ.
func window(v float64, c *CaptureUse) *model.Interval {
	seconds := 45.0
	if c.Seconds > 0 {
		seconds = c.Seconds
	} else if c.Rate > 0 && c.max > 0 {
		seconds = c.max / c.Rate
	}
	v = math.Min(1, math.Max(0, v))
	sd := windowError * math.Sqrt(45/seconds) * math.Min(1, math.Sqrt(v*(1-v))/0.4)
	return point(v, 1.96*math.Max(sd, 0.005))
}
