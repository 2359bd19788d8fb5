package infer

import (
	"math"
	"slices"
	"strings"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A Cumulative is a series of averages since the start, and what they hide.
type Cumulative struct {
	File        int32
	Key, Unit   string
	First, Last float64 // as printed
	Between     float64 // median of what is between lines
	Low, High   float64 // its 5 % and 95 % quantiles
	At          []model.Pos
	Rate        Points // between lines, where the log has times
	whole       bool   // every value has a time
	n           int
}

// Thresholds of averages since the start.
const (
	// cumulativeNamed: values from which on a writer's own name for such an
	// average is believed; fewer show no course.
	cumulativeNamed = 3
	// cumulativeLeast, cumulativeOneWay: without such a name the curve must be
	// long and go one way nearly all along: a rate that is measured anew at
	// each line turns at every second one.
	cumulativeLeast  = 20
	cumulativeOneWay = 0.95
	// cumulativeChange: a curve that changes by less hides nothing.
	cumulativeChange = 0.05
	// cumulativeSteady: what is between lines scatters by less than this share
	// of its mean in the second half; a true ramp does not.
	cumulativeSteady = 0.25
)

// cumulativeNames are writers' names of averages since the start: those of the
// HF Trainer, of DeepSpeed, and words that say so.
var cumulativeNames = []string{"train_tokens_per_second", "train_samples_per_second", "train_steps_per_second", "runningavg", "step_avg", "avg_step", "cumulative", "overall_"}

// cumulative finds the averages since the start in a log.
func (l *sensedLog) cumulative() []Cumulative {
	var list []Cumulative
	elapsed := l.role(senseElapsed)
	for _, role := range []senseRole{senseRate, senseMean} {
		for _, s := range l.role(role) {
			base, printed := l.base(s, elapsed)
			if base == nil {
				continue
			}
			if c, ok := l.average(s, base, printed); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

// base returns what an average is over: the time since the start for a rate, as
// printed beside it or by the log's own times; the steps for a mean of steps.
func (l *sensedLog) base(s *sensed, elapsed []*sensed) (base []float64, printed bool) {
	base = make([]float64, len(s.v))
	if s.role == senseMean {
		for i := range base {
			n := s.record(i).step
			if base[i] = float64(n); n == noStep {
				return nil, false
			}
		}
		return base, true
	}
	for _, e := range elapsed[:min(len(elapsed), 4)] {
		if b := s.beside(e); !slices.ContainsFunc(b, math.IsNaN) {
			return b, true
		}
	}
	times := s.times()
	step := Points{T: times}.step()
	for i, t := range times {
		if t == noTime || l.first == noTime {
			return nil, false
		}
		base[i] = float64(t-l.first)/1e9 + step
	}
	return base, false
}

// average tests one series, and takes apart what it is an average of.
func (l *sensedLog) average(s *sensed, base []float64, printed bool) (Cumulative, bool) {
	named := slices.ContainsFunc(cumulativeNames, func(w string) bool { return strings.Contains(strings.ToLower(s.key), w) })
	if named && (!printed || len(s.v) < cumulativeNamed) || !named && len(s.v) < cumulativeLeast {
		return Cumulative{}, false
	}
	c := Cumulative{File: l.file, Key: s.key, Unit: s.unit, First: s.v[0], Last: s.v[len(s.v)-1], whole: true, n: len(s.v)}
	between := make([]float64, 0, len(s.v))
	c.Rate = pointsFor(len(s.v))
	up, down := 0, 0
	for i, v := range s.v {
		r := s.record(i)
		again := i > 0 && r.session == s.record(i-1).session
		if again && base[i] > base[i-1] {
			if v = (s.v[i]*base[i] - s.v[i-1]*base[i-1]) / (base[i] - base[i-1]); math.IsNaN(v) {
				return c, false
			}
			between = append(between, v)
			up += boolInt(s.v[i] > s.v[i-1])
			down += boolInt(s.v[i] < s.v[i-1])
		} else if again {
			continue // printed again
		}
		if c.whole = c.whole && r.t != noTime; c.whole {
			c.Rate.add(r.t, math.Max(v, 0))
		}
	}
	if len(between) < cumulativeNamed-1 || stats.Quantile(between, 0.05) < 0 {
		return c, false
	}
	c.Between, c.Low, c.High = stats.Median(between), stats.Quantile(between, 0.05), stats.Quantile(between, 0.95)
	c.At = []model.Pos{l.pos(s, 0), l.pos(s, len(s.v)-1)}
	return c, named || slows(s.v, between, up, down)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slows reports whether a curve goes one way all along, ever more slowly,
// towards what is between its lines.
func slows(v, between []float64, up, down int) bool {
	n := len(v)
	oneWay := float64(max(up, down)) >= cumulativeOneWay*float64(len(between))
	if !oneWay || math.Abs(v[n-1]-v[0]) < cumulativeChange*math.Abs(v[n-1]) {
		return false
	}
	early, late := math.Abs(v[n/3]-v[0]), math.Abs(v[n-1]-v[n-1-n/3])
	half := between[len(between)/2:]
	return late < early/2 && deviation(half) < cumulativeSteady*math.Abs(stats.Median(half))
}

// deviation is the standard deviation of a sample.
func deviation(v []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / math.Max(float64(len(v)-1), 1))
}

// replace puts the rates between lines in the place of averages since the
// start, or of a rate that the log has not.
func (s *LogSense) replace(l *LogReadings) {
	for _, c := range s.Cumulative {
		key := map[string]string{"tokens/s": keyTokens, "items/s": keyItems}[c.Unit]
		if key == "" || c.File != l.File || !c.whole || len(c.Rate.T) < 3 {
			continue
		}
		if p, ok := l.Keys[key]; ok && c.Key != key && len(p.T) > 2 {
			continue
		}
		l.Keys[key], l.Units[key], l.First[key] = c.Rate, c.Unit, c.At[0]
	}
}
