package infer

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A finder works out the steady state step by step.
type finder struct {
	p      *Pass
	s      *SteadyState
	w      span
	rates  bins
	gaps   []model.Phase
	cuts   []span // pauses with their drain
	reason []string
}

// flow cuts the start before work flows at half its median rate, and the tail
// after it fell under a tenth for good.
func (f *finder) flow() {
	b := f.rates
	if b.median <= 0 {
		return
	}
	for i, v := range b.rate {
		if v >= flowStart*b.median {
			if i > 0 {
				f.s.From = max(f.s.From, b.start(i))
			}
			break
		}
	}
	for i := len(b.rate) - 1; i >= 0; i-- {
		if math.IsNaN(b.rate[i]) {
			continue
		}
		if b.rate[i] >= flowEnd*b.median {
			if i+1 < len(b.rate) && !math.IsNaN(b.rate[i+1]) {
				f.s.To = min(f.s.To, b.start(i+1))
			}
			break
		}
	}
}

// arrival cuts the time that the depth takes to get from where it started to
// the range it keeps in the second half.
func (f *finder) arrival(r *Readings) {
	if r.Queue == nil || len(r.Queue.Depth.T) < 20 {
		return
	}
	d := r.Queue.Depth.between(f.w.from, f.w.to)
	if len(d.T) < 20 {
		return
	}
	half := span{d.T[0] + (d.T[len(d.T)-1]-d.T[0])/2, f.w.to}
	late := d.held([]span{half}, holdGap(d))
	range90 := stats.Weighted(late.v, late.sec, 0.05, 0.95)
	lo, hi := range90[0], range90[1]
	for i, v := range d.V {
		if v < lo-1 || v > hi+1 {
			continue
		}
		long := float64(d.T[i]-f.w.from) > maxWarmup*float64(f.w.to-f.w.from)
		if i > 0 && d.T[i] > f.s.From && (!long || trending(Points{d.T[:i], d.V[:i]})) {
			f.s.From = d.T[i]
		}
		return
	}
}

// trending reports that a series goes one way all along, as a queue that fills
// or drains does; a level that ends is no transient but another regime.
func trending(p Points) bool {
	if len(p.V) < 3 {
		return true
	}
	t := make([]float64, len(p.T))
	for i, x := range p.T {
		t[i] = float64(x - p.T[0])
	}
	r := stat.Correlation(t, p.V, nil)
	return r*r >= trendFit
}

// mser applies the MSER-5 rule to the rates that are left, and takes its cut
// where the cut part was really slower.
func (f *finder) mser() {
	b := f.rates
	var v []float64
	first := -1
	for i, x := range b.rate {
		if b.start(i) >= f.s.From && b.start(i) < f.s.To && !math.IsNaN(x) {
			if first < 0 {
				first = i
			}
			v = append(v, x)
		}
	}
	cut := stats.MSER5(v)
	if cut == 0 || cut >= len(v) || float64(cut) > maxWarmup*float64(len(v)) {
		return
	}
	if mean(v[:cut]) < (1-warmupEffect)*mean(v[cut:]) {
		f.s.From = b.start(first + cut)
	}
}

// pauses finds stretches at almost no rate, and the drain after them: the time
// that a queue filled by the pause hides the next starvation.
func (f *finder) pauses(r *Readings) {
	b := f.rates
	least := max(2, int(math.Ceil(pauseSeconds*1e9/float64(max(b.width, 1)))))
	for i := 0; i < len(b.rate); i++ {
		j := i
		for j < len(b.rate) && b.rate[j] < pauseRate*b.median {
			j++
		}
		if j-i >= least && b.start(i) > f.s.From && b.start(j) < f.s.To && !f.refill(r, span{b.start(i), b.start(j)}) {
			f.pause(r, span{b.start(b.edge(i, -1)), b.start(b.edge(j-1, 1) + 1)})
		}
		i = j
	}
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
	return n > 2 && slices.Max(d.V) <= *t.MinReady+1 && d.V[n-1]-d.V[0] >= max(refillRise*(*t.MinReady-d.V[0]), 1)
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
		if end := drained(r.Queue.Depth, s); end > s.to {
			f.gaps = append(f.gaps, model.Phase{Kind: "drain", FromS: f.s.at(s.to), ToS: f.s.at(end), Note: "the queue filled during the pause runs down"})
			s.to = end
		}
	}
	f.cuts = append(f.cuts, s)
}

// label names a pause after an event of the log inside it, or just before.
func (f *finder) label(s span) (kind, note string) {
	run := f.p.Run
	for _, b := range run.Events.Batches {
		for r := range b.Rows() {
			t, ok := b.Int(model.EventT, r)
			if !ok || t < s.from-int64(30e9) || t > s.to {
				continue
			}
			k, _ := b.Text(model.EventKind, r)
			switch kind := run.Text(k); kind {
			case "checkpoint", "eval", "restart", "oom":
				return kind, "as the log says at " + run.Pos(b, r).String()
			}
		}
	}
	return "stall", "almost no work done, and the log does not say why"
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

// shifts looks for changes of level inside what is left.
func (f *finder) shifts() {
	b := f.rates
	var v []float64
	var at []int
	for i, x := range b.rate {
		if b.start(i) >= f.s.From && b.start(i)+b.width <= f.s.To && !math.IsNaN(x) && !covered(f.cuts, b.start(i)) {
			v, at = append(v, x), append(at, i)
		}
	}
	cuts := stats.ChangePoints(v, max(10, len(v)/12))
	if len(v) > 3 {
		f.s.drift = new(slope(v) * float64(len(v)) / mean(v))
	}
	prev := 0
	for _, c := range cuts {
		before, after := mean(v[prev:c]), mean(v[c:next(cuts, c, len(v))])
		prev = c
		if math.Abs(after/before-1) < shiftEffect {
			continue
		}
		t := b.start(at[c])
		share := float64(f.s.To-t) / float64(f.w.to-f.w.from)
		f.reason = append(f.reason, fmt.Sprintf("throughput changes level by %+.0f %% at %s", 100*(after/before-1), say.Elapsed(f.s.at(t))))
		if share >= minSteady {
			f.gaps = append(f.gaps, model.Phase{Kind: "earlier level", FromS: f.s.at(f.s.From), ToS: f.s.at(t), Note: f.reason[len(f.reason)-1]})
			f.s.From = t
		} else {
			f.s.Found = false
		}
	}
}

func next(cuts []int, c, n int) int {
	i := slices.Index(cuts, c)
	if i+1 < len(cuts) {
		return cuts[i+1]
	}
	return n
}

func covered(list []span, t int64) bool {
	for _, s := range list {
		if t >= s.from && t < s.to {
			return true
		}
	}
	return false
}
