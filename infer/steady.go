package infer

import (
	"fmt"
	"math"
	"slices"

	"tidemark/internal/config"
	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A SteadyState is the part of the run that verdicts are about: the spans that
// are left when warm-up, pauses and tail are taken off, and equal blocks of
// them for resampling.
type SteadyState struct {
	Spans  []span
	Blocks []span
	From   int64
	To     int64
	Start  int64 // of the run: what t_s counts from
	Found  bool
	drift  *float64
}

// Seconds is the length of the steady state.
func (s *SteadyState) Seconds() float64 {
	var d float64
	for _, x := range s.Spans {
		d += x.seconds()
	}
	return d
}

// at returns seconds from the start of the run.
func (s *SteadyState) at(t int64) float64 { return float64(t-s.Start) / 1e9 }

// Steady finds the steady state.
var Steady = &Analyzer{
	Name: "steady",
	Doc: `Takes warm-up, pauses and the idle tail off the run.

Warm-up ends where work flows, where the depth first reaches the range it keeps in the second half, and where the MSER-5 rule ends it. A pause is 5 s or more at under a fifth of the median rate. A cut over a quarter of the run, or a level shift of 10 % or more later on, is said to be no steady state. Wrong where the run is all transient: then the numbers are about its last level.`,
	Requires: []*Analyzer{ReadingsOf, Topology},
	Run:      runSteady,
}

// progress is a cumulative count of work done, the best that there is.
type progress struct {
	Points
	unit   string // items, tokens, steps
	source string
}

func runSteady(p *Pass) (any, error) {
	r, ok := Result[*Readings](p, ReadingsOf)
	if !ok {
		return nil, &SkipError{Needs: "a training log or queue counters with times", Record: "python train.py 2>&1 | tee train.log"}
	}
	w, err := p.window(r)
	if err != nil {
		return nil, &config.Error{Err: err}
	}
	s := &SteadyState{Start: r.Start, Found: true, From: w.from, To: w.to}
	work := bestProgress(r)
	f := &finder{p: p, s: s, w: w, rates: binRates(work, w)}
	f.flow()
	f.arrival(r)
	f.mser()
	f.pauses(r)
	f.shifts()
	s.Spans = f.spans()
	s.Blocks = blocks(s.Spans, f.rates.step)
	f.publish()
	return s, nil
}

// bestProgress prefers counted items to logged rates to steps.
func bestProgress(r *Readings) progress {
	if q := r.Queue; q != nil && len(q.Gets.T) > 2 {
		return progress{q.Gets.increments(), "items", "gets"}
	}
	if l := r.Log; l != nil {
		for _, k := range []string{keyTokens, keyItems} {
			if rate := l.Keys[k]; len(rate.T) > 2 {
				return progress{cumulate(rate, r.Start), k, k}
			}
		}
		if len(l.Steps.T) > 2 {
			return progress{l.Steps.increments(), "steps", "step"}
		}
	}
	if q := r.Queue; q != nil && len(q.Puts.T) > 2 {
		return progress{q.Puts.increments(), "items", "puts"}
	}
	return progress{}
}

// cumulate turns rates, each over the stretch that ends at its time, into a
// cumulative count. The first stretch begins at start, or one step before.
func cumulate(rate Points, start int64) Points {
	out := Points{}
	step := int64(rate.step() * 1e9)
	prev := rate.T[0] - step
	if start < rate.T[0] && rate.T[0]-start < 4*step {
		prev = start
	}
	out.add(prev, 0)
	total := 0.0
	for i, t := range rate.T {
		if t <= prev {
			continue
		}
		total += rate.V[i] * float64(t-prev) / 1e9
		out.add(t, total)
		prev = t
	}
	return out
}

// bins are rates of work over equal stretches of a window.
type bins struct {
	from   int64
	width  int64
	rate   []float64 // NaN where not covered
	step   float64   // seconds between readings
	median float64
}

const binCount = 200

func binRates(work progress, w span) bins {
	b := bins{from: w.from, step: 1}
	if len(work.T) < 3 {
		return b
	}
	b.step = work.step()
	n := min(binCount, int(w.seconds()/max(2*b.step, 0.5)))
	if n < 4 {
		return b
	}
	b.width = (w.to - w.from) / int64(n)
	var known []float64
	for i := range n {
		from := w.from + int64(i)*b.width
		a, ok := work.interpolate(max(from, work.T[0]))
		z, ok2 := work.interpolate(min(from+b.width, work.T[len(work.T)-1]))
		v := math.NaN()
		if ok && ok2 && from+b.width > work.T[0] && from < work.T[len(work.T)-1] {
			v = max(z-a, 0) / (float64(b.width) / 1e9)
			known = append(known, v)
		}
		b.rate = append(b.rate, v)
	}
	if len(known) > 0 {
		b.median = stats.Median(known)
	}
	return b
}

func (b bins) start(i int) int64 { return b.from + int64(i)*b.width }

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
	late := d.between(d.T[0]+(d.T[len(d.T)-1]-d.T[0])/2, f.w.to)
	lo, hi := stats.Quantile(late.V, 0.05), stats.Quantile(late.V, 0.95)
	for i, v := range d.V {
		if v >= lo-1 && v <= hi+1 {
			if d.T[i] > f.s.From && i > 0 {
				f.s.From = d.T[i]
			}
			return
		}
	}
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
		if j-i >= least && b.start(i) > f.s.From && b.start(j) < f.s.To {
			f.pause(r, span{b.start(b.edge(i, -1)), b.start(b.edge(j-1, 1) + 1)})
		}
		i = j
	}
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

// spans returns what is left of the window.
func (f *finder) spans() []span {
	out := []span{{f.s.From, f.s.To}}
	for _, c := range f.cuts {
		last := &out[len(out)-1]
		if c.from <= last.from {
			last.from = max(last.from, c.to)
			continue
		}
		end := last.to
		last.to = c.from
		if c.to < end {
			out = append(out, span{c.to, end})
		}
	}
	return slices.DeleteFunc(out, func(s span) bool { return s.to <= s.from })
}

// blocks cuts spans into equal blocks: about 20 s each, at least 12 and at
// most 60 of them, none shorter than two readings.
func blocks(spans []span, step float64) []span {
	var total float64
	for _, s := range spans {
		total += s.seconds()
	}
	n := min(max(total/blockSeconds, minBlocks), maxBlocks)
	width := int64(max(total/n, 2*step, 0.2) * 1e9)
	var out []span
	for _, s := range spans {
		k := (s.to - s.from) / width
		if k == 0 && len(spans) == 1 {
			k = 1
		}
		for i := range k {
			w := (s.to - s.from) / k
			out = append(out, span{s.from + i*w, s.from + (i+1)*w})
		}
	}
	return out
}

// publish writes the phases and the steady section.
func (f *finder) publish() {
	out, s := f.p.Out, f.s
	total := f.w.to - f.w.from
	warm := model.Phase{Kind: "warm-up", FromS: s.at(f.w.from), ToS: s.at(s.From)}
	var list []model.Phase
	level := slices.ContainsFunc(f.gaps, func(g model.Phase) bool { return g.Kind == "earlier level" })
	if s.From > f.w.from && !level {
		list = append(list, warm)
	}
	if float64(s.From-f.w.from) > maxWarmup*float64(total) && !level {
		s.Found = false
		f.reason = append(f.reason, fmt.Sprintf("the first %.0f %% of the run are a transient", 100*float64(s.From-f.w.from)/float64(total)))
	}
	list = append(list, f.gaps...)
	for _, x := range s.Spans {
		list = append(list, model.Phase{Kind: "steady", FromS: s.at(x.from), ToS: s.at(x.to)})
	}
	if s.To < f.w.to-int64(f.rates.step*2e9) {
		list = append(list, model.Phase{Kind: "tail", FromS: s.at(s.To), ToS: s.at(f.w.to)})
	}
	slices.SortStableFunc(list, func(a, b model.Phase) int {
		switch {
		case a.FromS < b.FromS:
			return -1
		case a.FromS > b.FromS:
			return 1
		}
		return 0
	})
	out.Phases = list
	out.Steady = model.Steady{Found: s.Found, FromS: s.at(s.From), ToS: s.at(s.To), Why: f.words()}
}

func (f *finder) words() string {
	if len(f.reason) > 0 {
		why := f.reason[0]
		if !f.s.Found {
			return "no steady state: " + why
		}
		return why + "; the verdict is about the time after it"
	}
	n := len(f.s.Blocks)
	if n == 0 {
		return "no steady state: too short"
	}
	return fmt.Sprintf("no change of level; %.0f s in %d blocks of %.3g s", f.s.Seconds(), n, f.s.Blocks[0].seconds())
}

func mean(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

// slope is the Theil-Sen slope of v per index (Sen 1968).
func slope(v []float64) float64 {
	var d []float64
	for i := range v {
		for j := i + 1; j < len(v); j++ {
			d = append(d, (v[j]-v[i])/float64(j-i))
		}
	}
	return stats.Median(d)
}
