package infer

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A Segment is a stretch of the steady state in which one balance of the sides held.
type Segment struct {
	span
	Share float64 // of the steady state's time
	Side  string
	P     model.Probabilities
	ratio float64 // ln(target capacity / drafter capacity)
}

// SegmentUse is the segments of a run whose sides alternate; nil where one
// balance held throughout.
type SegmentUse struct{ Segments []Segment }

// Segments finds out whether the sides took turns in limiting.
var Segments = &Analyzer{
	Name: "segments",
	Doc: `Whether the sides took turns: change points of the ratio of capacities that the waits give, block by block.

Where both sides limit for a fifth of the time or more each, every segment gets a verdict of its own, the run's probabilities are weighted by time, and the headline says that the sides alternate. Needs measured waits of both sides: depth alone shows alternation as the class unsettled.`,
	Requires: []*Analyzer{Steady, QueueClass, Waits, Limiter},
	Run: func(p *Pass) (any, error) {
		s, ok := Result[*SteadyState](p, Steady)
		w, ok2 := Result[*WaitUse](p, Waits)
		limit, ok3 := Result[*LimitUse](p, Limiter)
		if !ok || !ok2 || !ok3 || w.Put == nil || w.Gate == nil {
			return nil, &SkipError{Needs: "measured waits of both sides over time", Record: QueueRecord}
		}
		list := segments(s, w)
		if !alternate(list) {
			return (*SegmentUse)(nil), nil
		}
		depth, _ := Result[*DepthUse](p, QueueClass)
		u := &SegmentUse{list}
		u.weigh(p.Out, limit)
		u.phases(p.Out, s, depth)
		u.find(p, s, w)
		return u, nil
	},
}

// segments cuts the blocks where the ratio of capacities shifts.
func segments(s *SteadyState, w *WaitUse) []Segment {
	var r []float64
	var at []span
	for i, b := range s.Blocks {
		put, gate := w.Put.Blocks[i], w.Gate.Blocks[i]
		if math.IsNaN(put) || math.IsNaN(gate) {
			continue
		}
		r = append(r, math.Log(max(1-gate, 0.01))-math.Log(max(1-put, 0.01)))
		at = append(at, b)
	}
	cuts := append(stats.ChangePoints(r, max(3, len(r)/8)), len(r))
	var out []Segment
	from := 0
	for _, c := range cuts {
		if c > from {
			out = append(out, segment(r[from:c], at[from:c], len(r)))
		}
		from = c
	}
	return out
}

// segment judges one stretch from the mean ratio of its blocks.
func segment(r []float64, at []span, all int) Segment {
	m, sd := stat.MeanStdDev(r, nil)
	if len(r) < 2 {
		sd = 0
	}
	n := distuv.Normal{Mu: m, Sigma: math.Hypot(sd/math.Sqrt(float64(len(r))), modelError)}
	step := elastic * math.Log(1.1)
	s := Segment{span: span{at[0].from, at[len(at)-1].to}, Share: float64(len(r)) / float64(all), ratio: m}
	s.P.Target = (1 - unknownFloor) * n.CDF(-step)
	s.P.Drafter = (1 - unknownFloor) * n.Survival(step)
	s.P.Unknown = unknownFloor
	s.P.Both = 1 - s.P.Target - s.P.Drafter - s.P.Unknown
	s.Side, _ = verdictOf(s.P)
	return s
}

// alternate reports that both sides limit for a share of the time that counts.
func alternate(list []Segment) bool {
	share := map[string]float64{}
	for _, s := range list {
		share[s.Side] += s.Share
	}
	return share[model.Target] >= alternateShare && share[model.Drafter] >= alternateShare
}

// weigh makes the run's probabilities those of its segments. Over the whole run
// a side's elasticity is the share of the time in which it limits, so that
// sides which take turns are both unless one holds 0.6 of the time.
func (u *SegmentUse) weigh(out *model.Report, limit *LimitUse) {
	var target, drafter float64
	for _, s := range u.Segments {
		target += s.Share * s.P.Target
		drafter += s.Share * s.P.Drafter
	}
	q := model.Probabilities{Unknown: unknownFloor}
	rest := 1 - q.Unknown
	switch {
	case target >= elastic && drafter < inelastic:
		q.Target, q.Both = turnsSure*rest, (1-turnsSure)*rest
	case drafter >= elastic && target < inelastic:
		q.Drafter, q.Both = turnsSure*rest, (1-turnsSure)*rest
	default:
		q.Both, q.Target, q.Drafter = turnsSure*rest, (1-turnsSure)*rest/2, (1-turnsSure)*rest/2
	}
	l := &out.Limiter
	l.Probabilities = q
	l.Side, l.Strength = verdictOf(q)
	limit.Side = l.Side
}

// phases puts one phase a segment in place of the steady state's.
func (u *SegmentUse) phases(out *model.Report, s *SteadyState, depth *DepthUse) {
	var list []model.Phase
	for _, ph := range out.Phases {
		if ph.Kind != "steady" {
			list = append(list, ph)
		}
	}
	for _, x := range u.Segments {
		ph := model.Phase{Kind: "steady", FromS: s.at(x.from), ToS: s.at(x.to), Side: x.Side, Probability: new(x.P.Of(x.Side))}
		if depth != nil {
			ph.Class = classOf(depth.zones(x.span))
		}
		list = append(list, ph)
	}
	sortPhases(list)
	out.Phases = list
}

func (u *SegmentUse) find(p *Pass, s *SteadyState, w *WaitUse) {
	f := model.Finding{
		ID:     "phases.alternate",
		Claim:  "The sides take turns in limiting: " + u.words(s) + ".",
		Advice: "Find what changes between the segments (lengths of items, another job on the host) before tuning either side; a larger buffer helps only turns shorter than it.",
	}
	for _, x := range u.Segments {
		f.Evidence = append(f.Evidence, model.Evidence{
			What: fmt.Sprintf("target over drafter capacity, %s – %s", say.Elapsed(s.at(x.from)), say.Elapsed(s.at(x.to))), Value: math.Exp(x.ratio), Unit: "ratio", At: w.Gate.At,
		})
	}
	p.Find(f)
}

// words lists at most three segments.
func (u *SegmentUse) words(s *SteadyState) string {
	var parts []string
	for i, x := range u.Segments {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(u.Segments)-3))
			break
		}
		who := sideNames[x.Side]
		if who == "" {
			who = "neither alone"
		}
		parts = append(parts, fmt.Sprintf("%s %s – %s", who, say.Elapsed(s.at(x.from)), say.Elapsed(s.at(x.to))))
	}
	return strings.Join(parts, ", ")
}
