package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

const (
	// slowdown: a sampler that costs less is not told from the run's own drift.
	slowdown = 0.05
	// observerBlocks is how many stretches each of inside and outside must have
	// to be compared.
	observerBlocks = 3
	// observerReach: outside is what lies within this many seconds of the
	// capture, or within its length: farther off the run drifts by itself.
	observerReach = 60.0
	// observerEdge is left out on either side of a capture's ends, s: the
	// messages stand in the log when they were flushed.
	observerEdge = 2.0
)

// Observer measures what sampling cost the run.
var Observer = &Analyzer{
	Name: "observer",
	Doc: `Throughput while stacks were sampled against the time around.

Needs the start of the capture on the run's clock: the sampler's messages in a log with times, or a profile that states its start. Both rates are means of equal stretches with their intervals; pauses are left out. Wrong where the run changed by itself at that time; a capture over the whole run cannot be compared.`,
	Requires: []*Analyzer{ReadingsOf, StackActivity, CPUCost},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		windows := captureWindows(p.Run)
		if !ok || len(windows) == 0 {
			return nil, &SkipError{Needs: "the start of a capture of stacks on the run's clock", Record: "py-spy record … 2>&1 | ts '%Y-%m-%dT%H:%M:%S' > pyspy.log"}
		}
		o := &observer{p: p, work: bestProgress(r)}
		for _, w := range windows {
			o.compare(w)
		}
		return nil, nil
	},
}

// A captureWindow is when stacks were sampled, and where that is said.
type captureWindow struct {
	span
	at []model.Pos
}

// captureWindows finds the captures that stand on the run's clock.
func captureWindows(run *model.Run) []captureWindow {
	list := sampledEvents(run)
	for _, c := range run.Stacks.Captures {
		if c.Start > 0 && c.Seconds > 0 {
			list = append(list, captureWindow{span{c.Start, c.Start + int64(c.Seconds*1e9)}, []model.Pos{{File: run.Files[c.File].Path, Line: 1}}})
		}
	}
	return list
}

// sampledEvents pairs the messages with which a sampler begins and ends.
func sampledEvents(run *model.Run) []captureWindow {
	var list []captureWindow
	open := -1
	for _, b := range run.Events.Batches {
		for row := range b.Rows() {
			kind, _ := b.Text(model.EventKind, row)
			t, ok := b.Int(model.EventT, row)
			if !ok || run.Text(kind) != "sampler" || !placed(run, b) {
				continue
			}
			code, _ := b.Text(model.EventText, row)
			text := run.Text(code)
			switch {
			case strings.Contains(text, "Sampling process "):
				w := captureWindow{span: span{t, t}, at: []model.Pos{run.Pos(b, row)}}
				if _, rest, ok := strings.Cut(text, " for "); ok {
					var sec float64
					if n, _ := fmt.Sscanf(rest, "%g", &sec); n == 1 && sec > 0 && sec < 1e6 {
						w.to = t + int64(sec*1e9)
					}
				}
				open = len(list)
				list = append(list, w)
			case open >= 0 && strings.Contains(text, "Wrote ") && t > list[open].from:
				list[open].to = t
				list[open].at = append(list[open].at, run.Pos(b, row))
				open = -1
			}
		}
	}
	return slices.DeleteFunc(list, func(w captureWindow) bool { return w.to <= w.from })
}

type observer struct {
	p    *Pass
	work progress
}

// rateUnit is the unit of a rate of progress.
func rateUnit(unit string) string {
	switch unit {
	case keyTokens:
		return "tok/s"
	case keyItems:
		return "items/s"
	}
	return unit + "/s"
}

// compare measures the rate inside a window and outside of it.
func (o *observer) compare(w captureWindow) {
	if len(o.work.T) < 3 {
		return
	}
	in, out := o.rates(w)
	if in == nil || out == nil || out.Mid <= 0 {
		return
	}
	cost := 1 - in.Mid/out.Mid
	said := fmt.Sprintf("%s %s while stacks were sampled, %s around (%s and %s)", say.SI(in.Mid), rateUnit(o.work.unit), say.SI(out.Mid), say.Range(*in), say.Range(*out))
	if cost < slowdown || in.Hi >= out.Lo {
		o.limit(fmt.Sprintf("Throughput was %s: the sampler did not slow the run by %.0f %% or more.", said, 100*math.Max(slowdown, 1-in.Lo/out.Mid)), "")
		return
	}
	o.limit(fmt.Sprintf("The sampler slowed the run by %s (%s): shares are those of a slower run.", say.Round(cost), said), "fair")
	o.p.Find(model.Finding{
		ID:    "capture.observer_effect",
		Claim: fmt.Sprintf("Sampling cost %s of the throughput: %s. What the stacks show is the run under the sampler.", say.Round(cost), said),
		Evidence: []model.Evidence{
			{What: "throughput inside over outside", Value: in.Mid / out.Mid, Unit: "share", At: w.at},
			{What: "length of the capture", Value: w.seconds(), Unit: "s", At: w.at},
		},
		Advice: "Sample native frames at 20 Hz for a short window, and without --native for the shares: " + StackRecord,
	})
}

// limit says in the report's capture what was measured, in place of the
// sentence that nothing could be. A slowed run is at most of the grade worst.
func (o *observer) limit(s, worst string) {
	if o.p.Out.CPU == nil || o.p.Out.CPU.Capture == nil {
		return
	}
	c := o.p.Out.CPU.Capture
	c.Limits = slices.DeleteFunc(c.Limits, func(l string) bool { return l == noStart })
	c.Limits = append([]string{s}, c.Limits...)
	if worst != "" && c.Quality == "good" {
		c.Quality = worst
	}
}

// rates are work over time of equal stretches inside and outside, nil where
// too few lie there. A stretch under a fifth of the median is a pause.
func (o *observer) rates(w captureWindow) (in, out *model.Interval) {
	width := int64(math.Max(3*o.work.step(), 2) * 1e9)
	reach := int64(math.Max(observerReach, w.seconds()) * 1e9)
	inside := o.stretches(span{w.from + edge, w.to - edge}, width)
	outside := append(o.stretches(span{w.from - reach, w.from - edge}, width), o.stretches(span{w.to + edge, w.to + reach}, width)...)
	pause := median(append(slices.Clone(inside), outside...)) / 5
	return ratesOf(inside, pause), ratesOf(outside, pause)
}

const edge = int64(observerEdge * 1e9)

// mostStretches is more than any capture has.
const mostStretches = 1 << 20

// stretches are the rates of work, 1/s, over equal stretches of a span.
func (o *observer) stretches(s span, width int64) (rates []float64) {
	s.from, s.to = max(s.from, o.work.T[0]), min(s.to, o.work.T[len(o.work.T)-1])
	width = max(width, (s.to-s.from)/mostStretches) // of times a thousand years apart as well
	for from := s.from; from+width <= s.to; from += width {
		if d, ok := gained(o.work.Points, span{from, from + width}); ok {
			rates = append(rates, d/(float64(width)/1e9))
		}
	}
	return rates
}

func ratesOf(rates []float64, pause float64) *model.Interval {
	rates = slices.DeleteFunc(rates, func(v float64) bool { return v < pause })
	if len(rates) < observerBlocks {
		return nil
	}
	return new(stats.Mean(rates))
}
