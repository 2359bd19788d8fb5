package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidemark/internal/config"
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
	// Running is Spans with the time in which the depth came to the range it
	// keeps: no steady state, but both sides at work.
	Running []span
	// Released is what follows each pause, up to the next one.
	Released []span
	drift    *float64
}

// Seconds is the length of the steady state.
func (s *SteadyState) Seconds() float64 { return secondsOf(s.Spans) }

func secondsOf(spans []span) (sum float64) {
	for _, x := range spans {
		sum += x.seconds()
	}
	return sum
}

// cutIn is the probability that a window of so many seconds, anywhere in the
// steady state, holds a part of what is cut out of it.
func (s *SteadyState) cutIn(seconds float64) float64 {
	var hit float64
	for i := 1; i < len(s.Spans); i++ {
		hit += float64(s.Spans[i].from-s.Spans[i-1].to)/1e9 + seconds
	}
	return min(hit/max(float64(s.To-s.From)/1e9, 1), 1)
}

// at returns seconds from the start of the run.
func (s *SteadyState) at(t int64) float64 { return float64(t-s.Start) / 1e9 }

// Steady finds the steady state.
var Steady = &Analyzer{
	Name: "steady",
	Doc: `Takes warm-up, pauses and the idle tail off the run.

Warm-up ends where work flows, where the depth first reaches the range it keeps in the second half, and where the MSER-5 rule ends it. A pause is 5 s or more at under a fifth of the median rate, but for waits at a gate that the targets fill up to, and lumps of work. A cut over a quarter of the run, or a level shift of 10 % or more later on, is said to be no steady state. Wrong where the run is all transient: then the numbers are about its last level.`,
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
	f := &finder{p: p, s: s, w: w, holes: holes(work.Points)}
	f.rates, f.fine = binRates(work, w, f.holes, 2, binCount), binRates(work, w, f.holes, 1, fineCount)
	f.flow()
	open := s.From
	f.arrival(r)
	arrived := s.From
	f.mser()
	if s.From > arrived {
		open = s.From
	}
	f.pauses(r)
	f.suspended()
	f.shifts()
	s.Spans = f.spans()
	if s.Running = slices.Clone(s.Spans); len(s.Running) > 0 && s.Running[0].from == s.From {
		s.Running[0].from = open
	}
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
	out := pointsFor(len(rate.T) + 1)
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
		if t-prev > holeSteps*step { // nothing says what was done between
			prev = t - step
			out.add(prev, total)
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

const (
	binCount  = 200
	fineCount = 4000
)

func binRates(work progress, w span, holes []span, steps float64, most int) bins {
	b := bins{from: w.from, step: 1}
	if len(work.T) < 3 {
		return b
	}
	b.step = work.step()
	n := min(most, int(w.seconds()/max(steps*b.step, 0.5)))
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
		if ok && ok2 && from+b.width > work.T[0] && from < work.T[len(work.T)-1] && !touched(holes, span{from, from + b.width}) {
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
		k := (s.to - s.from + width/2) / width
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
	sortPhases(list)
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

func sortPhases(list []model.Phase) {
	slices.SortStableFunc(list, func(a, b model.Phase) int { return cmp.Compare(a.FromS, b.FromS) })
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
	d := make([]float64, 0, len(v)*max(len(v)-1, 0)/2)
	for i := range v {
		for j := i + 1; j < len(v); j++ {
			d = append(d, (v[j]-v[i])/float64(j-i))
		}
	}
	return stats.Select(d, 0.5)
}
