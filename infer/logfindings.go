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

// LogFindings says what the logs' numbers mean, and where they contradict
// themselves.
var LogFindings = &Analyzer{
	Name: "log-findings",
	Doc: `What a reader of the log would take wrongly: averages since the start, rates that the clock contradicts, rates of one GPU, records printed by several ranks, several files with the same records, restarts, losses that are no number, a model FLOPs utilisation over 100 %.

Each is arithmetic on printed numbers and stands with its lines. A rate is held against tokens of a step over the time between records, so pauses count in one and not in the other.`,
	Requires: []*Analyzer{LogSenseOf},
	Run: func(p *Pass) (any, error) {
		s, ok := Result[*LogSense](p, LogSenseOf)
		if !ok || len(s.logs) == 0 {
			return nil, &SkipError{Needs: "a training log with series"}
		}
		told := map[int32]int{}
		for _, c := range s.Cumulative {
			if told[c.File] < maxAverages {
				findCumulative(p, c)
				told[c.File]++
			}
		}
		for _, l := range s.logs {
			l.findRates(p)
			l.findRepeats(p)
			l.findRestarts(p)
			l.findLosses(p)
			l.findMFU(p)
		}
		findCopies(p, s.logs)
		return nil, nil
	},
}

// Thresholds of findings about logs.
const (
	// rateSlack: a printed rate may differ by so much from tokens over time,
	// for rounding and for what is between two measurements.
	rateSlack = 0.10
	// wholeSlack: a factor this near to a whole number is a count of GPUs.
	wholeSlack = 0.03
	// repeatShare: of steps that are printed several times, for a finding.
	repeatShare = 0.5
	// copyShare: of the shorter log's records that the longer one has as well.
	copyShare = 0.9
	// maxAverages: so many averages since the start are told of one log.
	maxAverages = 6
	// leastRecords: fewer show nothing.
	leastRecords = 5
)

// unitSay prints a value with its unit.
func unitSay(v float64, unit string) string {
	switch unit {
	case "s":
		return fmt.Sprintf("%.3g s", v)
	case "":
		return say.SI(v)
	}
	return say.SI(v) + " " + unit
}

func findCumulative(p *Pass, c Cumulative) {
	if math.Abs(c.Between-c.Last) < cumulativeChange*math.Abs(c.Last) && math.Abs(c.Last-c.First) < cumulativeChange*math.Abs(c.Last) {
		return
	}
	p.Find(model.Finding{
		ID: "log.cumulative",
		Claim: fmt.Sprintf("%s in %s is an average since the start: it goes from %s to %s while the value between lines is %s.",
			c.Key, p.Run.Files[c.File].Path, unitSay(c.First, c.Unit), unitSay(c.Last, c.Unit), unitSay(c.Between, c.Unit)),
		Evidence: []model.Evidence{
			{What: "first printed", Value: c.First, Unit: c.Unit, At: c.At[:1]},
			{What: "last printed", Value: c.Last, Unit: c.Unit, At: c.At[1:]},
			{What: "median between lines", Value: c.Between, Unit: c.Unit, At: c.At},
			{What: "5 % of the values between lines are lower", Value: c.Low, Unit: c.Unit, At: c.At},
		},
		Advice: "Read the value between lines; a rise of the printed one is no warm-up, and a constant one no steadiness.",
	})
}

// findRates holds rates of tokens against the tokens of each step, over the
// printed time of a step, and over the clock.
func (l *sensedLog) findRates(p *Pass) {
	l.findOneDevice(p)
	var tokens *sensed
	if list := l.role(senseTokens); len(list) > 0 {
		tokens = list[0]
	}
	if tokens == nil || len(tokens.v) < leastRecords {
		return
	}
	times := l.role(senseStepTime)
	for _, s := range l.role(senseRate) {
		if len(s.v) < leastRecords || perDevice(s.key) {
			continue
		}
		if k, ok := perGPU(s, tokens, times); ok {
			p.Find(model.Finding{
				ID:    "log.per_gpu",
				Claim: fmt.Sprintf("%s in %s is the rate of one GPU of %d: tokens of a step over its time are %d times it.", s.key, l.path(), k, k),
				Evidence: []model.Evidence{
					{What: "median printed", Value: stats.Median(s.v), Unit: "tokens/s", At: []model.Pos{l.pos(s, 0)}},
					{What: "tokens of a step", Value: stats.Median(tokens.v), At: []model.Pos{l.pos(tokens, 0)}},
				},
				Advice: "Multiply it before it is compared with a rate of the whole run.",
			})
			continue
		}
		l.findClock(p, s, tokens)
	}
}

// findOneDevice tells a log that prints only the rate of one GPU.
func (l *sensedLog) findOneDevice(p *Pass) {
	var one *sensed
	for _, s := range l.role(senseRate) {
		switch {
		case s.key == keyTokens || s.key == keyItems:
			return
		case perDevice(s.key) && one == nil && len(s.v) >= leastRecords:
			one = s
		}
	}
	if one == nil {
		return
	}
	p.Find(model.Finding{
		ID: "log.per_gpu", Claim: fmt.Sprintf("%s in %s is the rate of one GPU, and no rate of the whole run is printed.", one.key, l.path()),
		Evidence: []model.Evidence{{What: "median printed", Value: stats.Median(one.v), Unit: one.unit, At: []model.Pos{l.pos(one, 0)}}},
		Advice:   "Multiply it by the GPUs that train before it is compared with another run.",
	})
}

// perDevice reports whether a key says itself that it is of one device.
func perDevice(key string) bool {
	low := strings.ToLower(key)
	for _, w := range []string{"per_gpu", "/gpu", "per_device", "/device", "per gpu", "per_rank"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// perGPU returns by which whole number tokens over the time of a step are more
// than the printed rate.
func perGPU(s, tokens *sensed, times []*sensed) (int, bool) {
	if len(times) == 0 {
		return 0, false
	}
	n, d := s.beside(tokens), s.beside(times[0])
	var ratio []float64
	for i := range s.v {
		if r := n[i] / d[i] / s.v[i]; !math.IsNaN(r) && !math.IsInf(r, 0) && r > 0 {
			ratio = append(ratio, r)
		}
	}
	if len(ratio) < leastRecords {
		return 0, false
	}
	m := stats.Median(ratio)
	k := math.Round(m)
	return int(k), k >= 2 && k <= 1<<16 && math.Abs(m-k) <= wholeSlack*k
}

// findClock holds a rate of the whole run against tokens over elapsed time.
func (l *sensedLog) findClock(p *Pass, s, tokens *sensed) {
	n := len(s.v)
	first, last := s.record(0), s.record(n-1)
	if s.unit != "tokens/s" || first.t == noTime || last.t == noTime || first.session != last.session {
		return
	}
	beside := s.beside(tokens)
	sum, mean := 0.0, 0.0
	for i, v := range s.v {
		mean += v / float64(n)
		if i > 0 {
			sum += beside[i]
		}
		if math.IsNaN(sum) || i > 0 && s.record(i).step != s.record(i-1).step+1 {
			return // not every step is printed
		}
	}
	clock := sum / (float64(last.t-first.t) / 1e9)
	if !(clock > 0) || math.Abs(mean-clock) <= rateSlack*clock {
		return
	}
	p.Find(model.Finding{
		ID: "log.rate_clock",
		Claim: fmt.Sprintf("%s in %s is %s on average (median %s), but the tokens printed over the time between the first and the last record are %s.",
			s.key, l.path(), unitSay(mean, "tokens/s"), unitSay(stats.Median(s.v), "tokens/s"), unitSay(clock, "tokens/s")),
		Evidence: []model.Evidence{
			{What: "mean printed", Value: mean, Unit: "tokens/s", At: []model.Pos{l.pos(s, 0), l.pos(s, n-1)}},
			{What: "tokens over elapsed time", Value: clock, Unit: "tokens/s", At: []model.Pos{l.pos(tokens, 0)}},
		},
		Advice: "Compare runs by tokens over elapsed time; the printed rate leaves out what is between steps.",
	})
}

// findRestarts tells each session's end.
func (l *sensedLog) findRestarts(p *Pass) {
	about := ""
	if slices.ContainsFunc(p.Run.Held, func(h model.Held) bool { return p.Run.Recorder(h.File) == l.file }) {
		about = "about "
	}
	for _, x := range l.restarts {
		claim := fmt.Sprintf("%s: the process was started again at %sstep %s", l.path(), about, say.Count(x.after))
		lost := x.before - x.after
		if lost > 0 {
			claim += fmt.Sprintf(", after %sstep %s: %s%s steps were done twice", about, say.Count(x.before), about, say.Count(lost))
		}
		if x.gap > 0 {
			claim += fmt.Sprintf(", %s%.0f s later", about, x.gap)
		}
		p.Find(model.Finding{
			ID: "log.restart", Claim: claim + ".",
			Evidence: []model.Evidence{{What: "steps done twice", Value: math.Max(float64(lost), 0), At: []model.Pos{x.at}}},
			Advice:   "Write checkpoints more often than the run fails; --from and --to look at one session.",
		})
	}
}

// findLosses tells losses that are no number, or exactly 0 after others.
func (l *sensedLog) findLosses(p *Pass) {
	for _, s := range append(l.role(senseLoss), l.role(senseNorm)...) {
		first, n, zero := -1, 0, -1
		positive := false
		for i, v := range s.v {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				if n++; first < 0 {
					first = i
				}
			}
			if s.role == senseLoss && v == 0 && positive && zero < 0 {
				zero = i
			}
			positive = positive || v > 0
		}
		if first >= 0 {
			p.Find(model.Finding{
				ID: "log.nan", Claim: fmt.Sprintf("%s in %s is no number from %s on, in %s of %s records.", s.key, l.path(), stepWords(s, first), say.Count(n), say.Count(len(s.v))),
				Evidence: []model.Evidence{{What: "records without a number", Value: float64(n), At: []model.Pos{l.pos(s, first)}}},
			})
		}
		if zero >= 0 {
			p.Find(model.Finding{
				ID: "log.loss_zero", Claim: fmt.Sprintf("%s in %s is exactly 0 at %s after positive values: a failure, not a success.", s.key, l.path(), stepWords(s, zero)),
				Evidence: []model.Evidence{{What: "loss", Value: 0, At: []model.Pos{l.pos(s, zero)}}},
			})
		}
	}
}

func stepWords(s *sensed, i int) string {
	r := s.record(i)
	if r.step != noStep {
		return "step " + say.Count(r.step)
	}
	return fmt.Sprintf("line %d", r.line)
}

// findMFU: more than all of a GPU's operations cannot be used.
func (l *sensedLog) findMFU(p *Pass) {
	for _, s := range l.role(senseMFU) {
		for i, v := range s.v {
			if s.unit != "ratio" || v <= 1 {
				continue
			}
			p.Find(model.Finding{
				ID: "log.mfu", Claim: fmt.Sprintf("%s in %s is %s at %s: over 100 %%, so the number of GPUs or their peak is wrong in it.", s.key, l.path(), say.Percent(v), stepWords(s, i)),
				Evidence: []model.Evidence{{What: s.key, Value: v, Unit: "ratio", At: []model.Pos{l.pos(s, i)}}},
			})
			break
		}
	}
}
