package infer

import (
	"math"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A Pace is how fast the run was.
type Pace struct {
	Tokens       *Points // cumulative tokens, nil where no source tells
	Items        *Points // cumulative items
	ItemsS       *model.Interval
	TokensS      *model.Interval
	PerItem      float64 // tokens an item, 0 unknown
	ItemsSource  string
	TokensSource string
}

// Throughput measures the rate of work over the steady state.
var Throughput = &Analyzer{
	Name: "throughput",
	Doc: `Throughput as total work over total time, never as a mean of rates, with block-bootstrap intervals; best sustained 60 s and 300 s; shortfall against the high-water mark.

Wrong where the log's tok/s is a cumulative mean or counts one rank only: the check "log and counters agree" then fails.`,
	Requires: []*Analyzer{ReadingsOf, Steady},
	Run: func(p *Pass) (any, error) {
		r, _ := Result[*Readings](p, ReadingsOf)
		s, ok := Result[*SteadyState](p, Steady)
		if !ok {
			return nil, &SkipError{Needs: "a steady state"}
		}
		pace := paceOf(p, r)
		if pace.Tokens == nil && pace.Items == nil {
			return nil, &SkipError{Needs: "a count of items or a rate of tokens over time", Record: "log tok/s or items/s on every step line"}
		}
		pace.measure(p, s)
		return pace, nil
	},
}

func paceOf(p *Pass, r *Readings) *Pace {
	pace := &Pace{}
	if l := r.Log; l != nil {
		if rate := l.Keys[keyTokens]; len(rate.T) > 2 {
			pace.Tokens, pace.TokensSource = new(cumulate(rate, r.Start)), l.First[keyTokens].File
		}
		if rate := l.Keys[keyItems]; len(rate.T) > 2 {
			pace.Items, pace.ItemsSource = new(cumulate(rate, r.Start)), l.First[keyItems].File
		}
	}
	if q := r.Queue; q != nil {
		for _, c := range []Points{q.Gets, q.Puts} {
			if len(c.T) > 2 {
				pace.Items, pace.ItemsSource = new(c.increments()), p.Run.Files[q.File].Path
				break
			}
		}
	}
	return pace
}

func (pace *Pace) measure(p *Pass, s *SteadyState) {
	t := &p.Out.Throughput
	pace.ItemsS = pace.over(pace.Items, s)
	pace.TokensS = pace.over(pace.Tokens, s)
	if pace.ItemsS != nil && pace.TokensS != nil && pace.ItemsS.Mid > 0 {
		pace.PerItem = pace.TokensS.Mid / pace.ItemsS.Mid
	}
	t.Items = pace.ItemsS
	count := pace.Tokens
	switch {
	case pace.TokensS != nil:
		t.Unit, t.Steady, t.Source = "tok/s", pace.TokensS, pace.TokensSource
	default:
		t.Unit, t.Steady, t.Source, count = "items/s", pace.ItemsS, pace.ItemsSource, pace.Items
	}
	if count == nil {
		return
	}
	t.Best60s, t.Best60At = best(*count, 60, s)
	t.Best300s, t.Best300At = best(*count, 300, s)
	if hw := p.Config.HighWater; hw != nil && t.Unit == "tok/s" {
		t.HighWater = &model.HighWater{Value: *hw, From: configuration}
		if t.Steady != nil {
			t.Shortfall = new(1 - t.Steady.Mid / *hw)
		}
	}
}

// over is the rate of a count over the blocks of the steady state.
func (pace *Pace) over(count *Points, s *SteadyState) *model.Interval {
	if count == nil {
		return nil
	}
	var work, time []float64
	for _, b := range s.Blocks {
		if d, ok := gained(*count, b); ok {
			work, time = append(work, d), append(time, b.seconds())
		}
	}
	if len(work) == 0 {
		return nil
	}
	return new(stats.Ratio(work, time))
}

// gained is how much a count grew over a span; ok is false where readings do not reach.
func gained(c Points, s span) (float64, bool) {
	a, ok := c.interpolate(s.from)
	z, ok2 := c.interpolate(s.to)
	return z - a, ok && ok2
}

// best is the highest rate over a window of so many seconds, beginning and
// ending at readings, and where it was. The interval is the scatter of ten
// parts of it.
func best(c Points, seconds float64, s *SteadyState) (*model.Interval, *model.Span) {
	var rate float64 // a ns, then a second
	var at span
	least := int64(seconds * 1e9)
	j := 0
	for i, t := range c.T {
		for j < len(c.T) && c.T[j]-t < least {
			j++
		}
		if j == len(c.T) {
			break
		}
		d := c.T[j] - t
		if v := c.V[j] - c.V[i]; v > rate*float64(d) && 2*d < 3*least {
			rate, at = v/float64(d), span{t, c.T[j]}
		}
	}
	rate *= 1e9
	if rate == 0 {
		return nil, nil
	}
	var parts []float64
	for k := range int64(10) {
		d := (at.to - at.from) / 10
		if v, ok := gained(c, span{at.from + k*d, at.from + (k+1)*d}); ok {
			parts = append(parts, v/(float64(d)/1e9))
		}
	}
	iv := stats.Mean(parts)
	half := min((iv.Hi-iv.Lo)/2, rate)
	if math.IsNaN(half) {
		half = 0
	}
	return &model.Interval{Lo: rate - half, Mid: rate, Hi: rate + half}, &model.Span{FromS: s.at(at.from), ToS: s.at(at.to)}
}
