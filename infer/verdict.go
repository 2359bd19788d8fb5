package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// VerdictWords puts the answer into sentences.
var VerdictWords = &Analyzer{
	Name: "verdict",
	Doc: `The headline, the lead, the queue's meaning and the reasons, in words.

Says nothing that another section does not hold; every reason names its source.`,
	Requires: []*Analyzer{Inputs, Steady, Throughput, QueueClass, Waits, GPUActivity, Limiter, Segments, WhatIfs, InsideSides, CPUCost, HotThreads, Soundness},
	Last:     true,
	Run: func(p *Pass) (any, error) {
		w := &words{p: p, out: p.Out}
		w.steady, _ = Result[*SteadyState](p, Steady)
		w.waits, _ = Result[*WaitUse](p, Waits)
		w.segments, _ = Result[*SegmentUse](p, Segments)
		w.gpus, _ = Result[*GPUUse](p, GPUActivity)
		w.dominant()
		v := &p.Out.Verdict
		v.Strength = p.Out.Limiter.Strength
		v.Headline, v.Lead, v.Queue = w.headline(), w.lead(), w.queue()
		v.Because = []model.Reason{}
		w.because()
		w.phases()
		return nil, nil
	},
}

type words struct {
	p      *Pass
	out    *model.Report
	steady *SteadyState
	waits  *WaitUse
	gpus   *GPUUse
	// segments is nil where one balance held throughout.
	segments *SegmentUse
}

var (
	sideNames    = map[string]string{model.Target: "targets", model.Drafter: "drafters"}
	limiterNames = map[string]string{model.Target: "targets", model.Drafter: "drafters", model.Upstream: "prompts"}
)

// headline is one sentence.
func (w *words) headline() string {
	l := w.out.Limiter
	if w.segments != nil {
		return "The sides take turns in limiting: " + w.segments.words(w.steady) + "."
	}
	switch l.Side {
	case model.Target, model.Drafter:
		return w.limiting() + "."
	case model.Upstream:
		return w.limiting() + ": the targets starve for input."
	case model.Both:
		return "Neither side limits alone."
	}
	return "Cannot tell which side limits."
}

// limiting names who limits throughput at the head of a sentence.
func (w *words) limiting() string {
	l := w.out.Limiter
	return capital(strings.TrimPrefix(say.Limiting("the "+limiterNames[l.Side], l.Strength), "the ")) + " throughput"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// lead is the speed, the shortfall, and what faster sides pay.
func (w *words) lead() string {
	var parts []string
	t := w.out.Throughput
	if t.Steady != nil {
		s := fmt.Sprintf("%s %s (%s)", say.SI(t.Steady.Mid), t.Unit, say.Range(*t.Steady))
		if t.HighWater != nil && t.Shortfall != nil {
			if *t.Shortfall >= 0 {
				s += fmt.Sprintf(", %s under the %s high-water mark", say.Round(*t.Shortfall), say.SI(t.HighWater.Value))
			} else {
				s += fmt.Sprintf(", %s over the %s high-water mark", say.Round(-*t.Shortfall), say.SI(t.HighWater.Value))
			}
		}
		parts = append(parts, s+".")
	}
	return strings.Join(append(parts, w.pays()...), " ")
}

// pays says what a faster side would give, up to where the other takes over.
func (w *words) pays() []string {
	l := w.out.Limiter
	side := l.Side
	room := l.Headroom.Of(other(side))
	faster, slower := w.gain(side), w.gain(other(side))
	switch {
	case w.segments != nil:
		return []string{"A faster side pays only while it limits."}
	case side == model.Upstream:
		return []string{"Faster targets or drafters pay little; more prompts do."}
	case side == model.Both:
		return []string{w.bothPay()}
	case side == model.Unknown || room == nil || faster == nil:
		return nil
	case room.Lo > 0.5 && l.Shared.Resource != "none":
		return []string{fmt.Sprintf("10 %% faster %s give %s; both sides need the %s. The %s have room for over %s.", sideNames[side], say.Gain(faster.Mid), resourceNames[l.Shared.Resource], sideNames[other(side)], say.Gain(0.5))}
	case room.Lo > 0.5:
		return []string{fmt.Sprintf("Faster %s pay in full; the %s have room for over %s.", sideNames[side], sideNames[other(side)], say.Gain(0.5))}
	case room.Hi-room.Lo > 0.5:
		return []string{fmt.Sprintf("Faster %s pay; where the %s take over is known badly: between %s and %s.", sideNames[side], sideNames[other(side)], say.Gain(room.Lo), say.Gain(room.Hi))}
	}
	s := fmt.Sprintf("Faster %s pay up to %s; from there the %s limit.", sideNames[side], say.Gain(room.Mid), sideNames[other(side)])
	if slower != nil && slower.Hi < 0.01 && l.Shared.Resource == "none" {
		s += fmt.Sprintf(" Faster %s pay nothing.", sideNames[other(side)])
	}
	return []string{s}
}

func (w *words) bothPay() string {
	t, d := w.gain(model.Target), w.gain(model.Drafter)
	if t == nil || d == nil {
		return ""
	}
	if r := w.out.Limiter.Shared.Resource; r != "none" {
		return fmt.Sprintf("Both need the %s: work taken off it, on either side, gives up to what it was.", resourceNames[r])
	}
	return fmt.Sprintf("10 %% faster targets give %s, 10 %% faster drafters %s.", say.Gain(t.Mid), say.Gain(d.Mid))
}

var resourceNames = map[string]string{"gil": "interpreter lock", "gpu": "same GPU", "host": "same cores", "driver": "driver's lock", "collective": "same collective"}

// gain is what a side that is 10 % faster gives.
func (w *words) gain(side string) *model.Interval {
	want := side + "s 10 % faster"
	for _, x := range w.out.WhatIf {
		if x.Change == want {
			return x.Gain
		}
	}
	return nil
}

// queue is the meaning of the depth, the class in brackets, and the limiter beside it.
func (w *words) queue() string {
	q := w.out.Queue
	s := capital(q.Meaning) + " (" + q.Class + ")."
	side := w.out.Limiter.Side
	limiting := say.Limiting("the "+limiterNames[side], w.out.Limiter.Strength)
	switch {
	case q.Zones == nil || w.segments != nil:
		return s
	case q.Meaning == fillingMeaning && side == model.Drafter, q.Meaning == drainingMeaning && side == model.Target:
		s += " So " + limiting + "."
	case side == model.Target && q.Class != model.TargetBound:
		s += " Drafters wait there: " + limiting + "."
	case side == model.Upstream && q.Class != model.TargetBound && w.out.Limiter.Strength == "limits":
		s += " Drafters wait there for targets that wait for prompts."
	case side == model.Upstream && q.Class != model.TargetBound:
		s += " Drafters wait there for targets: " + limiting + "."
	case side == model.Drafter && q.Class == model.TargetBound:
		s += " Targets wait there: " + limiting + "."
	case side == model.Drafter || side == model.Target:
		s += " That is depth alone; the waits say that " + limiting + "."
	}
	return s
}

func (w *words) reason(source string, at []model.Pos, format string, args ...any) {
	w.out.Verdict.Because = append(w.out.Verdict.Because, model.Reason{Text: fmt.Sprintf(format, args...), Source: source, At: at})
}

func (w *words) because() {
	w.waiting()
	w.depth()
	w.insides()
	w.strays()
	w.traced()
	w.cost()
	w.shared()
	w.hot()
}

// waiting says who waits where, as measured, else as inferred.
func (w *words) waiting() {
	l := w.out.Limiter
	if l.Wait.DrafterGate == nil || l.Side == model.Unknown && w.waits == nil {
		return
	}
	source, at := "inferred", []model.Pos(nil)
	if w.waits != nil {
		for _, x := range []*Wait{w.waits.Gate, w.waits.Put} {
			if x != nil {
				source, at = x.Source, append(at, x.At...)
			}
		}
	} else if len(l.Ledger) > 0 {
		source = l.Ledger[0].Source
	}
	s := waitPhrase("Drafters", "at the gate", l.Wait.DrafterGate) + w.inferred(model.Drafter) + "; " + lower(blockPhrase("Targets", l.Wait.TargetPut)) + w.inferred(model.Target)
	if in := l.Wait.TargetInput; in != nil && in.Mid >= 0.02 {
		s += fmt.Sprintf(", and wait %s of their time for prompts", share(*in))
	}
	w.reason(source, at, "%s.", s)
}

// inferred marks a side's wait that no source says where the other's is read.
func (w *words) inferred(side string) string {
	u := w.waits
	if u == nil || u.Put == nil && u.Gate == nil {
		return ""
	}
	if side == model.Drafter && u.Gate == nil || side == model.Target && u.Put == nil {
		return " (inferred, not read)"
	}
	return ""
}

func waitPhrase(who, where string, v *model.Interval) string {
	switch {
	case v.Hi < 0.005:
		return who + " never wait " + where
	}
	return fmt.Sprintf("%s wait %s %s", who, share(*v), where)
}

func blockPhrase(who string, v *model.Interval) string {
	if v.Hi < 0.005 {
		return who + " never block on put"
	}
	return fmt.Sprintf("%s are blocked on put %s", who, share(*v))
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// depth says what the depth shows, where it could be misread.
func (w *words) depth() {
	q := w.out.Queue
	if q.Depth == nil || q.MinReady == nil {
		return
	}
	z := q.Zones
	if z.AtWatermark > zoneHeld && q.GateKind == "level" && (w.out.Limiter.Side == model.Target || w.out.Limiter.Side == model.Upstream) {
		w.reason(q.Source, nil, "Depth %s of %.0f (p5–p95): the gate stops a starving drafter at %.0f, not at 0.", depths(q.Depth), *q.Capacity, *q.MinReady)
		return
	}
	w.reason(q.Source, nil, "Depth %s of %.0f (p5–p95), %s of the time full, %s at min_ready.", depths(q.Depth), *q.Capacity, say.Round(z.Full), say.Round(z.AtWatermark))
}

// depths words the range of the depth: 9–11, or 9.
func depths(d *model.Depth) string {
	if math.Round(d.P5) == math.Round(d.P95) {
		return fmt.Sprintf("%.0f", d.P5)
	}
	return fmt.Sprintf("%.0f–%.0f", d.P5, d.P95)
}

// dominant copies the limiting side's dominant cost to the top of the CPU section.
func (w *words) dominant() {
	c := w.out.CPU
	if c == nil {
		return
	}
	side := w.out.Limiter.Side
	if side == model.Upstream {
		side = model.Target
	}
	if role, ok := c.Roles[side]; ok && role.Dominant != nil {
		d := *role.Dominant
		d.Role = side
		c.Dominant = &d
		return
	}
	var best float64
	for _, name := range sortedKeys(c.Roles) {
		if r := c.Roles[name]; r.Dominant != nil && r.Samples > best && sideOf(name) != "" {
			d := *r.Dominant
			d.Role = name
			c.Dominant, best = &d, r.Samples
		}
	}
}

// phases gives the steady phases the run's side.
func (w *words) phases() {
	l := w.out.Limiter
	for i := range w.out.Phases {
		ph := &w.out.Phases[i]
		if ph.Kind == "steady" && ph.Side == "" {
			ph.Side = l.Side
			ph.Probability = new(l.Probabilities.Of(l.Side))
		}
	}
}
