package infer

import (
	"fmt"
	"strconv"

	"tidemark/internal/say"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// busiest is how many threads the report lists, hot or not.
const busiest = 12

// HotThreads names the threads that use a core, and what is known of the
// interpreter lock.
var HotThreads = &Analyzer{
	Name: "hot-threads",
	Doc: `Threads with a mean of at least 0.85 of a core over 30 s or more, what they do, and the share of the interpreter lock.

A main-thread row that top -H or ps -L fills with the whole process is left out. What a thread does is read from the sampled thread with its TID; with only a role, from that role's largest cost; else it is unknown. A spin counts: a thread that waits for the GPU by polling is hot and does no work. The lock's share comes only from captures that know the holder; else its bound is the processor time of the process's threads, which a spin outside the lock makes useless.`,
	Requires: []*Analyzer{Roles, Stacks, StackActivity, CPUCost, Observer},
	Run: func(p *Pass) (any, error) {
		roles, ok := Result[*RoleMap](p, Roles)
		use, _ := Result[*StackUse](p, StackActivity)
		classes, _ := Result[*StackClasses](p, Stacks)
		h := &hotThreads{p: p, roles: roles, classes: classes, use: use}
		if ok {
			h.threads()
		}
		h.lock()
		if !ok || len(roles.Usage) == 0 {
			return nil, &SkipError{Needs: "CPU use by thread", Record: ThreadRecord}
		}
		return p.Out.CPU, nil
	},
}

// ThreadRecord records the CPU use of threads with their names.
const ThreadRecord = "pidstat -t -u -p PID 1 > pidstat.txt"

type hotThreads struct {
	p       *Pass
	roles   *RoleMap
	classes *StackClasses
	use     *StackUse
}

func (h *hotThreads) threads() {
	if len(h.roles.Usage) == 0 {
		return
	}
	out := cpuOf(h.p)
	var ev []model.Evidence
	for _, t := range h.roles.Sorted() {
		if t.Total || t.CPU <= idleThread {
			continue
		}
		row := model.HotThread{TID: strconv.FormatInt(t.TID, 10), Name: t.Name, Role: t.label(), CPU: t.CPU, Does: h.does(t)}
		if len(out.Busiest) < busiest {
			out.Busiest = append(out.Busiest, row)
		}
		if t.CPU >= hotShare && t.Seconds >= hotSeconds {
			out.HotThreads = append(out.HotThreads, row)
			ev = append(ev, model.Evidence{What: fmt.Sprintf("thread %d (%s)", t.TID, row.Role), Value: t.CPU, Unit: "cores", At: []model.Pos{t.First}})
		}
	}
	h.totals()
	h.oversubscribed()
	h.unsampled(ev)
	if len(ev) > 0 {
		h.p.Find(h.hot(out, ev))
	}
}

// label is a thread's role; a guess says so.
func (t *Thread) label() string {
	if t.Inferred {
		return t.Role + " (inferred)"
	}
	return t.Role
}

func (h *hotThreads) hot(out *model.CPU, ev []model.Evidence) model.Finding {
	byRole := map[string]int{}
	for _, t := range out.HotThreads {
		byRole[t.Role]++
	}
	words := ""
	for i, r := range sortedKeys(byRole) {
		if i > 0 {
			words += ", "
		}
		words += fmt.Sprintf("%d %s", byRole[r], r)
	}
	verb := "threads use"
	if len(ev) == 1 {
		verb = "thread uses"
	}
	return model.Finding{
		ID: "threads.hot", Evidence: ev[:min(len(ev), busiest)],
		Claim: fmt.Sprintf("%d %s %.0f %% of a core or more: %s.", len(ev), verb, 100*hotShare, words),
	}
}

// does says what a thread does.
func (h *hotThreads) does(t *Thread) string {
	if h.classes == nil {
		return "unknown: no stacks for this thread"
	}
	if t.Stack >= 0 {
		if s := h.sampled(t.Stack); s != "" {
			return s
		}
	}
	if r, ok := cpuOf(h.p).Roles[t.Role]; ok && r.Dominant != nil && (t.Role == model.Target || t.Role == model.Drafter) {
		return fmt.Sprintf("%s %s, as its role does", families[r.Dominant.Family].label, say.Round(r.Dominant.Share.Mid))
	}
	return "unknown: no stacks for this thread"
}

// sampled names the largest cost of a sampled thread.
func (h *hotThreads) sampled(thread int32) string {
	c := h.p.Run.Stacks.Threads[thread].Capture
	if h.use != nil && !h.use.Captures[c].Shares() {
		return ""
	}
	fam := map[string]float64{}
	total := 0.0
	for _, s := range h.p.Run.Stacks.Samples {
		if k := h.classes.Of(s.Stack); s.Thread == thread && isActive(k) {
			fam[familyOf(k, h.p.Run.Stacks.Captures[c].Native)] += weight(s)
			total += weight(s)
		}
	}
	best, n := most(fam)
	if total < minThread {
		return ""
	}
	if best == "noframes" && h.roles.Thread[thread] == RoleAutograd {
		return "Backward, in a thread without Python frames"
	}
	return fmt.Sprintf("%s %s", families[best].label, say.Round(n/total))
}

// totals reports main threads whose rows show the whole process.
func (h *hotThreads) totals() {
	for _, t := range h.roles.Sorted() {
		if t.Total {
			h.p.Find(model.Finding{
				ID: "threads.total_row", Claim: fmt.Sprintf("The row of main thread %d shows its whole process, so it says nothing of that thread.", t.TID),
				Evidence: []model.Evidence{{What: "mean of the row", Value: t.CPU, Unit: "cores", At: []model.Pos{t.First}}},
				Advice:   "pidstat -t reads threads by themselves: " + ThreadRecord,
			})
		}
	}
}

// oversubscribed reports threads that were runnable but had no core.
func (h *hotThreads) oversubscribed() {
	var ev []model.Evidence
	for _, t := range h.roles.Sorted() {
		if !t.Total && t.Wait >= runnableWait {
			ev = append(ev, model.Evidence{What: fmt.Sprintf("thread %d runnable without a core", t.TID), Value: t.Wait, Unit: "share", At: []model.Pos{t.First}})
		}
	}
	if len(ev) > 1 {
		h.p.Find(model.Finding{
			ID: "threads.oversubscribed", Evidence: ev[:min(len(ev), busiest)],
			Claim:  fmt.Sprintf("%d threads waited for a core over %.0f %% of their time: more threads run than cores are allowed.", len(ev), 100*runnableWait),
			Advice: "Set OMP_NUM_THREADS, or allow more cores.",
		})
	}
}

// lock says what is known of the interpreter lock.
func (h *hotThreads) lock() {
	if h.use == nil && (h.roles == nil || len(h.roles.Usage) == 0) {
		return
	}
	g := &cpuOf(h.p).GIL
	switch {
	case h.use != nil && h.use.GILShare != nil:
		g.Share = h.use.GILShare
		g.Note = "GIL: held " + say.Round(g.Share.Mid) + " of the time (" + h.use.GILFrom + ")"
	case h.use != nil && h.use.GILCleared != "":
		g.Note = "GIL: " + h.use.GILCleared
	default:
		g.Note = "GIL: not measured; record " + GILRecord
		h.suspected(g)
		h.dumps(g)
		h.bound(g)
		h.waits(g)
	}
	if g.Share == nil && h.use != nil && h.use.OneProcess && h.use.GILCleared == "" {
		h.unknown(g)
	}
}

// GILRecord records who holds the interpreter lock.
const GILRecord = "py-spy record --gil --rate 20 -d 60 -f raw -o gil.txt -p PID"

// suspected says what a capture would mean if it shows only the lock's holder.
func (h *hotThreads) suspected(g *model.GIL) {
	if h.use == nil {
		return
	}
	for _, c := range h.use.Captures {
		if c.GIL == Suspected && c.Ticks > 0 {
			g.Note += fmt.Sprintf("; if %s is a --gil capture, as its samples suggest, the lock was held %s of the time", c.File, say.Round(min(1, c.Samples/c.Ticks)))
		}
	}
}

// bound: a thread that holds the lock runs, so the lock is held for no more
// than the processor time of the process's threads.
func (h *hotThreads) bound(g *model.GIL) {
	if h.roles == nil || len(h.roles.Usage) == 0 {
		return
	}
	cores := h.roles.cores()
	if cores < 1 {
		g.Bound = &model.Interval{Lo: 0, Mid: cores, Hi: cores}
		g.Note += fmt.Sprintf("; held at most %s, the processor time of all threads, unless a holder sleeps", say.Round(cores))
	} else {
		g.Note += fmt.Sprintf("; %.1f cores in use bound nothing, since spins for the GPU use cores outside the lock", cores)
	}
}

// waits adds what native frames saw of waiting for the lock.
func (h *hotThreads) waits(g *model.GIL) {
	if h.use == nil {
		return
	}
	var wait, n float64
	for _, role := range []string{model.Target, model.Drafter} {
		if r := h.use.Roles[role]; r != nil && r.Native {
			wait, n = wait+r.GILWait, n+r.Active
		}
	}
	if n == 0 {
		return
	}
	g.Note += fmt.Sprintf("; %s of the native samples wait for it", say.Percent(wait/n))
	if wait/n >= contended {
		h.p.Find(model.Finding{
			ID: "gil.contended", Claim: fmt.Sprintf("Workers of both sides wait for the interpreter lock in %s of their native samples: it limits them.", say.Round(wait/n)),
			Evidence: []model.Evidence{{What: "native samples that wait for the lock", Value: wait / n, Unit: "share", At: h.firstWait()}},
			Advice:   "Run the sides, or each worker, as processes of their own; fewer, larger operators take the lock less often.",
		})
	}
}

func (h *hotThreads) firstWait() []model.Pos {
	for _, s := range h.p.Run.Stacks.Samples {
		if h.classes.Of(s.Stack).Mechanism == stackrules.GILWait {
			return []model.Pos{h.p.Run.SamplePos(s)}
		}
	}
	return nil
}

func (h *hotThreads) unknown(g *model.GIL) {
	ev := model.Evidence{What: "threads of both sides in one process"}
	for _, side := range []string{model.Target, model.Drafter} {
		if r := h.use.Roles[side]; r != nil {
			ev.Value += float64(r.Threads)
			ev.At = append(ev.At, r.At...)
		}
	}
	ev.Unit = "threads"
	if len(ev.At) == 0 {
		ev.At = h.firstSide()
	}
	h.p.Find(model.Finding{
		ID: "gil.unknown", Claim: "Both sides are threads of one interpreter (" + h.use.Where + "), and no capture shows who holds its lock. " + g.Note + ".",
		Evidence: []model.Evidence{ev}, Advice: GILRecord,
	})
}

func (h *hotThreads) firstSide() []model.Pos {
	for _, s := range h.p.Run.Stacks.Samples {
		if r := h.roles.Of(s); r == model.Target || r == model.Drafter {
			return []model.Pos{h.p.Run.SamplePos(s)}
		}
	}
	return nil
}
