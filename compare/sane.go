package compare

import (
	"math"
	"slices"

	"tidemark/model"
)

// most and tiny bound what a run can hold: a baseline file or a report may be
// written by anyone, and one value of 1e300 would make every mean one.
const (
	most = 1e15
	tiny = 1e-12
)

// sane returns runs without what no run can have: negative counts, blocks that
// end before they begin, shares over 1. The runs given are not changed.
func sane(runs []*Run) []*Run {
	out := make([]*Run, len(runs))
	for i, r := range runs {
		c := *r
		c.SteadyS, c.PauseS, c.PauseCV = between(r.SteadyS, 0, most), between(r.PauseS, 0, most), between(r.PauseCV, 0, 10)
		c.Pauses = max(r.Pauses, 0)
		if r.CaptureS != nil {
			c.CaptureS = new(between(*r.CaptureS, 0, most))
		}
		c.Blocks = nil
		for _, b := range r.Blocks {
			if saneBlock(b) {
				c.Blocks = append(c.Blocks, b)
			}
		}
		c.Values = map[string]model.Interval{}
		for id, v := range r.Values {
			if m := metric(id); m != nil && saneValue(m, v) {
				c.Values[id] = v
			}
		}
		c.Shares = slices.DeleteFunc(slices.Clone(r.Shares), func(s Share) bool { return !saneValue(stackMetric, s.Share) })
		out[i] = &c
	}
	return out
}

func between(v, lo, hi float64) float64 {
	if math.IsNaN(v) {
		return lo
	}
	return min(max(v, lo), hi)
}

func saneBlock(b model.Block) bool {
	if !(b.FromS >= 0 && b.ToS > b.FromS && b.ToS < most) {
		return false
	}
	for _, v := range []*float64{b.Items, b.Tokens, b.Loss, b.Step, b.Gone} {
		if v != nil && !(*v == 0 || *v >= tiny && *v < most) {
			return false
		}
	}
	for _, v := range []*float64{b.Wait.Target, b.Wait.Drafter} {
		if v != nil && !(*v >= 0 && *v <= 1) {
			return false
		}
	}
	return true
}

func saneValue(m *Metric, v model.Interval) bool {
	lo, hi := -1.0, 2.0 // shares: an interval may reach past its ends
	if m.Kind == relative {
		lo, hi = tiny, most
	}
	return v.Lo >= lo && v.Lo <= v.Mid && v.Mid <= v.Hi && v.Hi <= hi && (m.Kind == relative || v.Mid >= 0 && v.Mid <= 1)
}
