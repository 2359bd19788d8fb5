package plots

import (
	"math"
	"time"

	"gonum.org/v1/plot"

	"tidemark/internal/say"
	"tidemark/model"
)

// A scale maps values lo..hi to mm a..b.
type scale struct{ lo, hi, a, b float64 }

func (s scale) at(v float64) float64 {
	if s.hi == s.lo {
		return s.a
	}
	return s.a + (v-s.lo)/(s.hi-s.lo)*(s.b-s.a)
}

// clamp is at, held within the ends.
func (s scale) clamp(v float64) float64 { return s.at(min(max(v, s.lo), s.hi)) }

// step125 returns the smallest step of 1, 2 or 5 times a power of ten that
// divides span into at most n parts.
func step125(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	raw := span / float64(n)
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*p >= raw*(1-1e-9) {
			return f * p
		}
	}
	return 10 * p
}

// ticks125 is a plot.Ticker of at most n steps of 1, 2 or 5.
type ticks125 struct {
	n     int
	label func(float64) string
}

// Ticks implements plot.Ticker.
func (t ticks125) Ticks(lo, hi float64) []plot.Tick {
	step := step125(hi-lo, t.n)
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9 && len(ticks) <= 2*t.n; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: t.label(i * step)})
	}
	return ticks
}

// around returns lo and hi moved outwards to steps of 1, 2 or 5.
func around(lo, hi float64, n int) (float64, float64) {
	if hi <= lo {
		hi = lo + math.Max(math.Abs(lo)/10, 1)
	}
	step := step125(hi-lo, n)
	return math.Floor(lo/step+1e-9) * step, math.Ceil(hi/step-1e-9) * step
}

// plain, kilo and percents are tick labels; the unit stands at the title.
func plain(v float64) string { return say.Count(v) }

func kilo(v float64) string { return say.Short(v) }

func percents(v float64) string { return say.Count(100*v) + " %" }

// A timeAxis is the time of a run: seconds from its start, UTC where it is known.
type timeAxis struct {
	scale
	start time.Time
	known bool
	step  time.Duration
}

// timeSteps are the round distances of time ticks.
var timeSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 168 * time.Hour,
}

// axisOf returns the time axis of a report over x from a to b mm.
func axisOf(r *model.Report, a, b float64) timeAxis {
	t := timeAxis{scale: scale{0, runSeconds(r), a, b}}
	if at, err := time.Parse(time.RFC3339Nano, r.Run.Start); err == nil {
		t.start, t.known = at.UTC(), true
	}
	t.step = timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if t.hi/s.Seconds() <= 8 {
			t.step = s
			break
		}
	}
	return t
}

// runSeconds is how long the run was; at least a second, so that axes have a length.
func runSeconds(r *model.Report) float64 {
	d := r.Run.DurationS
	if !(d > 0) || math.IsInf(d, 0) {
		d = 0
		for _, s := range r.Series {
			if n := len(s.T); n > 0 {
				d = max(d, s.T[n-1])
			}
		}
	}
	return max(d, 1)
}

// Ticks implements plot.Ticker over seconds from the start: UTC at round
// minutes, or the elapsed time where the start is unknown.
func (t timeAxis) Ticks(lo, hi float64) []plot.Tick {
	step := t.step.Seconds()
	offset := 0.0
	if t.known {
		offset = t.start.Sub(t.start.Truncate(24 * time.Hour)).Seconds()
	}
	var ticks []plot.Tick
	for i := math.Ceil((lo + offset) / step); i*step-offset <= hi && len(ticks) < 400; i++ {
		ticks = append(ticks, plot.Tick{Value: i*step - offset, Label: t.label(i*step - offset)})
	}
	return ticks
}

func (t timeAxis) label(s float64) string {
	if !t.known {
		return say.Elapsed(s)
	}
	at := t.start.Add(time.Duration(math.Round(s*1e3)) * time.Millisecond)
	switch {
	case t.step >= 24*time.Hour:
		return at.Format("01-02")
	case t.hi > 86400 && at.Hour() == 0 && at.Minute() == 0:
		return at.Format("01-02")
	case t.step < time.Minute:
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// stamp is a time with seconds.
func (t timeAxis) stamp(s float64) string {
	if !t.known {
		return say.Elapsed(s)
	}
	return t.start.Add(time.Duration(math.Round(s)) * time.Second).Format("15:04:05")
}

// Judged names the part of the run that shares are of.
func Judged(r *model.Report) string {
	switch s := r.Steady; {
	case s.Found:
		return "the steady state"
	case s.ToS > s.FromS && (s.FromS >= 1 || s.ToS < r.Run.DurationS-1):
		return say.Elapsed(s.FromS) + " – " + say.Elapsed(s.ToS)
	}
	return "the whole run"
}

// judgedRate names the mean rate of that part.
func judgedRate(r *model.Report) string {
	if r.Steady.Found {
		return "steady"
	}
	return "mean"
}

// name is what the axis shows.
func (t timeAxis) name() string {
	if t.known {
		return "UTC"
	}
	return "elapsed"
}
