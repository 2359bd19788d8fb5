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

// findRepeats tells steps that are printed several times: by ranks, or by two
// handlers of one process. Rates are weighed by time, so repeats do no harm
// there; whoever counts lines counts too many.
func (l *sensedLog) findRepeats(p *Pass) {
	s := l.leading()
	if s == nil {
		return
	}
	r := repeatsOf(s)
	if r.steps < leastRecords || float64(r.repeated) < repeatShare*float64(r.steps) {
		return
	}
	times := int(math.Round(float64(r.records) / float64(r.steps)))
	claim := fmt.Sprintf("%s: each step is printed %d times, by one source", l.path(), times)
	if r.sources > 1 {
		claim = fmt.Sprintf("%s: each step is printed %d times, by %d sources", l.path(), times, r.sources)
	}
	evidence := []model.Evidence{{What: "records a step", Value: float64(r.records) / float64(r.steps), At: []model.Pos{l.pos(s, r.first)}}}
	switch {
	case r.differ == 0:
		claim += ", with the same values: copies of one record."
	default:
		claim += fmt.Sprintf(", and %s differs between them by %s of its value in the middle: ranks' own numbers.", s.key, say.Percent(r.spread))
		evidence = append(evidence, model.Evidence{What: "median spread of " + s.key + " over a step's records", Value: r.spread, Unit: "ratio", At: []model.Pos{l.pos(s, r.first)}})
	}
	p.Find(model.Finding{ID: "log.repeats", Claim: claim, Evidence: evidence, Advice: "Log on one rank and with one handler, or keep ranks in files of their own."})
}

// leading returns the series with most steps: the loss, else a rate.
func (l *sensedLog) leading() *sensed {
	var best *sensed
	for _, role := range []senseRole{senseLoss, senseRate, senseStepTime} {
		for _, s := range l.role(role) {
			if best == nil || len(s.v) > 2*len(best.v) {
				best = s
			}
		}
	}
	return best
}

// A repeats counts the steps of a series and their records.
type repeats struct {
	steps, records, repeated, differ, sources, first int
	spread                                           float64
}

// repeatsOf groups the records of a step that stand together: within a second,
// or, without times, with none of another step between but ranks' own.
func repeatsOf(s *sensed) repeats {
	r := repeats{first: -1}
	var spreads []float64
	sources := map[int32]bool{}
	for i := 0; i < len(s.v); {
		j, of := i+1, s.record(i)
		lo, hi := s.v[i], s.v[i]
		for j < len(s.v) && of.near(s.record(j)) {
			lo, hi = math.Min(lo, s.v[j]), math.Max(hi, s.v[j])
			j++
		}
		if of.step == noStep {
			i = j
			continue
		}
		r.steps++
		r.records += j - i
		if j > i+1 {
			if r.repeated++; r.first < 0 {
				r.first = i
			}
			for k := i; k < j; k++ {
				sources[s.record(k).source] = true
			}
			if hi > lo {
				r.differ++
				spreads = append(spreads, (hi-lo)/math.Max(math.Abs(hi), math.Abs(lo)))
			}
		}
		i = j
	}
	r.sources = len(sources)
	if len(spreads) > 0 {
		r.spread = stats.Median(spreads)
	}
	return r
}

// near reports whether two records are of one step, and not far apart.
func (r *logRecord) near(o *logRecord) bool {
	return r.step == o.step && r.session == o.session && (r.t == noTime || o.t == noTime || max(r.t-o.t, o.t-r.t) <= 1e9)
}

// findCopies tells files that hold the same records, as tee, a second handler
// and the copies in checkpoints leave them.
func findCopies(p *Pass, logs []*sensedLog) {
	type record struct {
		step int64
		bits uint64
	}
	var able []int
	for i, l := range logs {
		if s := l.leading(); s != nil && s.role == senseLoss && len(s.v) >= leastRecords {
			able = append(able, i)
		}
	}
	if len(able) < 2 {
		return
	}
	seen := map[record]int{}
	copies := map[int][]int{}
	for _, i := range able {
		s := logs[i].leading()
		same := map[int]int{}
		for k, v := range s.v {
			step := s.record(k).step
			if step == noStep {
				continue
			}
			x := record{step, math.Float64bits(v)}
			if first, ok := seen[x]; ok && first != i {
				same[first]++
			} else if !ok {
				seen[x] = i
			}
		}
		for _, first := range slices.Sorted(mapKeys(same)) {
			o := logs[first].leading()
			if float64(same[first]) >= copyShare*float64(min(len(s.v), len(o.v))) {
				copies[first] = append(copies[first], i)
				break
			}
		}
	}
	for _, first := range slices.Sorted(mapKeys(copies)) {
		tellCopies(p, logs, first, copies[first])
	}
}

// tellCopies names the files that repeat the records of one.
func tellCopies(p *Pass, logs []*sensedLog, first int, others []int) {
	l := logs[first]
	names := make([]string, 0, len(others))
	at := []model.Pos{l.pos(l.leading(), 0)}
	for _, i := range others {
		names = append(names, logs[i].path())
		at = append(at, logs[i].pos(logs[i].leading(), 0))
	}
	if len(names) > 3 {
		names = append(names[:3:3], fmt.Sprintf("%d more", len(others)-3))
	}
	p.Find(model.Finding{
		ID:       "log.copies",
		Claim:    fmt.Sprintf("%s and %s hold the same records: copies of one log.", l.path(), strings.Join(names, ", ")),
		Evidence: []model.Evidence{{What: "copies", Value: float64(len(others)), At: at[:min(len(at), 4)]}},
		Advice:   "They are not counted twice: one log is taken.",
	})
}
