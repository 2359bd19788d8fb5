// Package calibration compares reports with the truth of simulated runs:
// whether probabilities come true, intervals hold what they should, and
// predictions are what a new simulation gives.
package calibration

import (
	"fmt"
	"math"

	"tidemark/internal/queuesim"
	"tidemark/internal/queuesim/simrun"
	"tidemark/model"
)

// An Outcome is one run with what was concluded of it.
type Outcome struct {
	Case   simrun.Case
	Truth  simrun.Truth
	Report *model.Report
}

var sides = []string{model.Target, model.Drafter, model.Both, model.Upstream}

// The definitions of a decisive and a clear run are those of the limiter.
const (
	clearHigh = 0.8
	clearLow  = 0.2
	// confident: an error above this probability is counted.
	confident = 0.9
	// What a prediction may be off, for gates that take few items at once and
	// for batches.
	predictionSlack = 0.03
	batchSlack      = 0.06
)

// A Rate is how many of how many.
type Rate struct{ Yes, Of int }

func (r *Rate) count(yes bool) {
	r.Of++
	if yes {
		r.Yes++
	}
}

// Share is NaN for none.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return math.NaN()
	}
	return float64(r.Yes) / float64(r.Of)
}

func (r Rate) String() string {
	if r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Share())
}

// A Mean is a sum with its count.
type Mean struct {
	Sum float64
	N   int
}

func (m *Mean) add(v float64) { m.Sum, m.N = m.Sum+v, m.N+1 }

// Value is NaN for none.
func (m Mean) Value() float64 { return m.Sum / float64(m.N) }

// A Bin holds the runs whose largest probability lies in one tenth.
type Bin struct {
	Said  Mean // the probability
	Right Rate
}

// A Summary is the score of a set of outcomes.
type Summary struct {
	Runs                                   int
	Brier                                  Mean
	Bins                                   [10]Bin
	Confident                              Rate // wrong over 0.9, of all
	Decisive, Clear, Upstream, Swap, Hedge Rate // Hedge: runs of both that were called decisive
	Seen                                   Rate // as Decisive, without upstream runs in which nothing shows the targets
	Class, Late                            Rate // over the time that the report is about; over the last 70 % of the run
	Busy, LongBusy, Capacity, Headroom     Rate // intervals that hold the truth
	BusyError                              Mean
	WhatIf, Batch                          Rate // predictions within the slack
	WhatIfError                            Mean
}

// Score sums up outcomes.
func Score(list []Outcome) *Summary {
	s := &Summary{}
	for _, o := range list {
		s.add(o)
	}
	return s
}

func (s *Summary) add(o Outcome) {
	s.Runs++
	l, t := o.Report.Limiter, o.Truth
	p := probabilities(l.Probabilities)
	sum, top := 0.0, 0
	for i, side := range sides {
		hit := 0.0
		if side == t.Side {
			hit = 1
		}
		sum += (p[i] - hit) * (p[i] - hit)
		if p[i] > p[top] {
			top = i
		}
	}
	s.Brier.add(sum)
	right := sides[top] == t.Side
	b := &s.Bins[min(int(10*p[top]), 9)]
	b.Said.add(p[top])
	b.Right.count(right)
	s.Confident.count(p[top] > confident && !right)
	s.verdict(l.Side, t)
	if t.Side == model.Target || t.Side == model.Drafter || t.Side == model.Upstream && o.Case.Evidence.SeesTargets() {
		s.Seen.count(l.Side == t.Side)
	}
	s.Class.count(o.Report.Queue.Class == simrun.ClassWithin(o.Case, o.Report.Steady.FromS, o.Report.Steady.ToS))
	s.Late.count(o.Report.Queue.Class == t.Class)
	s.intervals(&l, t)
	s.predictions(o)
}

func probabilities(p model.Probabilities) [4]float64 {
	return [4]float64{p.Target, p.Drafter, p.Both, p.Upstream}
}

func (s *Summary) verdict(said string, t simrun.Truth) {
	decisive := said != model.Both && said != model.Unknown
	if t.Side == model.Both {
		s.Hedge.count(decisive)
		return
	}
	s.Decisive.count(said == t.Side)
	s.Swap.count(decisive && said != t.Side && said != model.Upstream && t.Side != model.Upstream)
	if t.Side == model.Upstream {
		s.Upstream.count(said == t.Side)
		return
	}
	if e := t.Elasticity; max(e[0], e[1]) >= clearHigh && min(e[0], e[1]) < clearLow {
		s.Clear.count(said == t.Side)
	}
}

func (s *Summary) intervals(l *model.Limiter, t simrun.Truth) {
	for i, side := range []string{model.Target, model.Drafter} {
		if b := l.Busy.Of(side); b != nil {
			s.Busy.count(holds(*b, t.Busy[i], 0.002))
			s.LongBusy.count(holds(*b, t.LongBusy[i], 0.002))
			s.BusyError.add(math.Abs(b.Mid - t.Busy[i]))
		}
		if c := l.CapacityItemsS.Of(side); c != nil {
			s.Capacity.count(holds(*c, t.Capacity[i], 0.002*t.Capacity[i]))
		}
		if h := l.Headroom.Of(side); h != nil {
			s.Headroom.count(holds(*h, max(t.Capacity[i]/t.Capacity[1-i]-1, 0), 0.002))
		}
	}
}

// holds allows for the rounding of what is read.
func holds(v model.Interval, truth, slack float64) bool {
	return truth >= v.Lo-slack && truth <= v.Hi+slack
}

// predictions compares the gains of a faster side.
func (s *Summary) predictions(o Outcome) {
	slack, rate := predictionSlack, &s.WhatIf
	if batch(o.Case.Pipe) {
		slack, rate = batchSlack, &s.Batch
	}
	for _, w := range o.Report.WhatIf {
		for i, side := range []string{model.Target, model.Drafter} {
			for k, pct := range []int{10, 25, 50} {
				if w.Kind == "speed" && w.Change == fmt.Sprintf("%ss %d %% faster", side, pct) && w.Gain != nil {
					d := math.Abs(w.Gain.Mid - o.Truth.Gains[i][k])
					rate.count(d <= slack)
					s.WhatIfError.add(d)
				}
			}
		}
	}
}

func batch(p queuesim.Config) bool { return p.Pop >= p.MinReady && p.Pop > 1 }

// Error is the expected calibration error: the mean distance between what was
// said and what came true, over the bins, weighted by their runs.
func (s *Summary) Error() float64 {
	sum := 0.0
	for _, b := range s.Bins {
		if b.Said.N > 0 {
			sum += float64(b.Said.N) * math.Abs(b.Said.Value()-b.Right.Share())
		}
	}
	return sum / float64(s.Runs)
}
