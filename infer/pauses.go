package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/internal/stats"
	"tidemark/model"
)

// pauses finds stretches at almost no rate, and the drain after them: the time
// that a queue filled by the pause hides the next starvation. Where work is done
// in lumps, single readings without any are none, but for those in which the
// queue fills.
func (f *finder) pauses(r *Readings) {
	b := f.fine
	least := int(math.Ceil(pauseSeconds * 1e9 / float64(max(b.width, 1))))
	low, known := b.low()
	for i := 0; i < len(b.rate); i++ {
		j := i
		for j < len(b.rate) && b.idle(j) {
			j++
		}
		x := span{b.start(i), b.start(j)}
		if n := j - i; n >= least && x.from > f.s.From && x.to < f.s.To && !f.refill(r, x) && (byChance(n, low, known) < 1 || f.filled(r, x)) {
			f.pause(r, span{b.start(b.edge(i, -1)), b.start(b.edge(j-1, 1) + 1)})
		}
		i = j
	}
}

// idle reports whether almost nothing was done in a bin.
func (b bins) idle(i int) bool { return b.rate[i] < pauseRate*b.median }

// low counts the bins in which almost nothing was done, and those with a rate.
func (b bins) low() (low, known int) {
	for i, v := range b.rate {
		if !math.IsNaN(v) {
			known++
		}
		if b.idle(i) {
			low++
		}
	}
	return low, known
}

// byChance is how many stretches of n low bins a series of so many would have
// if all others that are low lay anywhere.
func byChance(n, low, known int) float64 {
	return float64(known) * math.Pow(float64(low-n)/float64(max(known-n, 1)), float64(n))
}

// filled reports whether the queue filled by half of its room while nothing was
// taken.
func (f *finder) filled(r *Readings, x span) bool {
	t, ok := Result[*model.Topology](f.p, Topology)
	if !ok || t.MinReady == nil || t.QueueCapacity == nil || r.Queue == nil {
		return false
	}
	d := r.Queue.Depth.between(x.from-f.fine.width, x.to+f.fine.width)
	n := len(d.V)
	return n > 1 && slices.Max(d.V)-d.V[0] >= filledRise*(*t.QueueCapacity-*t.MinReady)
}

// refill reports whether nothing is taken because the gate is shut while the
// targets fill the queue up to it: a wait at the gate, which the verdict is
// about, and no pause.
func (f *finder) refill(r *Readings, s span) bool {
	t, ok := Result[*model.Topology](f.p, Topology)
	if !ok || t.MinReady == nil || r.Queue == nil {
		return false
	}
	d := r.Queue.Depth.between(s.from, s.to)
	n := len(d.V)
	if n < 3 || slices.Max(d.V) > *t.MinReady+1 || d.V[n-1]-d.V[0] < max(refillRise*(*t.MinReady-d.V[0]), 1) {
		return false
	}
	// Where both sides stand still, the depth is where it stays long before.
	return slices.IndexFunc(d.V, func(v float64) bool { return v >= d.V[n-1]-0.5 }) >= n/2
}

// edge takes the bin beside a pause along where the pause began or ended inside it.
func (b bins) edge(i, step int) int {
	if k := i + step; k >= 0 && k < len(b.rate) && b.rate[k] < pauseEdge*b.median {
		return k
	}
	return i
}

func (f *finder) pause(r *Readings, s span) {
	kind, note := f.label(s)
	if n := len(f.s.Released); n > 0 {
		f.s.Released[n-1].to = s.from
	}
	f.s.Released = append(f.s.Released, span{s.to, f.s.To})
	f.gaps = append(f.gaps, model.Phase{Kind: kind, FromS: f.s.at(s.from), ToS: f.s.at(s.to), Note: note})
	if r.Queue != nil {
		if end := drained(r.Queue.Depth, s); end-s.to > int64(1e9) {
			f.gaps = append(f.gaps, model.Phase{Kind: "drain", FromS: f.s.at(s.to), ToS: f.s.at(end), Note: "the queue filled during the pause runs down"})
			s.to = end
		}
	}
	f.cuts = append(f.cuts, s)
}

// An occasion is an event of the log that makes a pause.
type occasion struct {
	t    int64
	kind string
	at   model.Pos
}

// occasions are those of a run, in the order of time.
func occasions(run *model.Run) []occasion {
	list := []occasion{}
	for _, b := range run.Events.Batches {
		for r := range b.Rows() {
			t, ok := b.Int(model.EventT, r)
			k, _ := b.Text(model.EventKind, r)
			switch kind := run.Text(k); kind {
			case "checkpoint", "eval", "restart", "oom":
				if ok {
					list = append(list, occasion{t, kind, run.Pos(b, r)})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b occasion) int { return cmp.Compare(a.t, b.t) })
	return list
}

// label names a pause after an event of the log inside it, or just before. What
// is said on going on comes before the first step's record, but maybe after the
// step has begun.
func (f *finder) label(s span) (kind, note string) {
	if f.occasions == nil {
		f.occasions = occasions(f.p.Run)
	}
	i, _ := slices.BinarySearchFunc(f.occasions, s.from-int64(30e9), func(o occasion, t int64) int { return cmp.Compare(o.t, t) })
	if i < len(f.occasions) && f.occasions[i].t <= s.to+f.oneStep() {
		o := f.occasions[i]
		return o.kind, "as the log says at " + o.at.String()
	}
	return "stall", "almost no work done, and the log does not say why"
}

// oneStep is the time of a step, as far as an event can be off.
func (f *finder) oneStep() int64 {
	if step := f.rates.step; step > 0 {
		return int64(min(step, 30) * 1e9)
	}
	return 0
}

// drained returns when the depth is back to the level before a pause.
func drained(depth Points, s span) int64 {
	before := depth.between(s.from-int64(30e9), s.from)
	if len(before.V) == 0 {
		return s.to
	}
	level := stats.Quantile(before.V, 0.95)
	after := depth.between(s.to, s.to+10*(s.to-s.from))
	for i, v := range after.V {
		if v <= level+1 {
			return after.T[i]
		}
	}
	return s.to
}

// holes are stretches without a reading in which almost no work was done: the
// process or the machine stood still, or a clock jumped.
func holes(work Points) []span {
	least := int64(math.Max(holeSeconds, holeSteps*work.step()) * 1e9)
	var long []int
	var done, seconds float64
	for i := 1; i < len(work.T); i++ {
		if work.T[i]-work.T[i-1] > least {
			long = append(long, i)
			continue
		}
		done, seconds = done+work.V[i]-work.V[i-1], seconds+float64(work.T[i]-work.T[i-1])/1e9
	}
	var out []span
	for _, i := range long {
		x := span{work.T[i-1], work.T[i]}
		if (work.V[i]-work.V[i-1])/x.seconds() < pauseRate*done/max(seconds, 1e-9) {
			out = append(out, x)
		}
	}
	return out
}

// suspended takes the holes off.
func (f *finder) suspended() {
	for _, x := range f.holes {
		if x.to <= f.s.From || x.from >= f.s.To {
			continue
		}
		kind, note := f.label(x)
		if kind == "stall" {
			note = "no reading and almost no work: the run stood still, or a clock jumped"
		}
		f.gaps = append(f.gaps, model.Phase{Kind: kind, FromS: f.s.at(x.from), ToS: f.s.at(x.to), Note: note})
		f.cuts = append(f.cuts, x)
	}
	slices.SortFunc(f.cuts, func(a, b span) int { return cmp.Compare(a.from, b.from) })
}
