package compare

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// words writes the first line and the lead.
func (p *pair) words() {
	c := p.out
	e, ok := p.est[throughputID]
	switch {
	case len(c.Void) > 0:
		c.Headline = "Not comparable: " + strings.Join(c.Void, "; ") + "."
		p.withdraw()
		c.Lead = "Another pipeline: no claim on throughput is made. If the comparison is about this, say so: --about " + strings.Join(p.voidNames(), ",") + "."
	case !ok:
		c.Headline = "Cannot tell: throughput is not recorded on both sides."
		c.Lead = "Both sides need a training log with tok/s or items/s, or queue counters with gets_total."
	case p.thin() != "":
		c.Headline = "Cannot tell: " + p.thin() + "."
		c.Lead = "Throughput " + changeWords(e) + "; the interval is not to be relied on."
	case len(p.sets) > 0:
		p.answer(e)
	default:
		c.Headline = p.verdict(e)
		c.Lead = p.lead(e)
	}
}

// withdraw takes back what was computed: values of both sides stay, changes
// of another pipeline are none.
func (p *pair) withdraw() {
	for i := range p.out.Metrics {
		m := &p.out.Metrics[i]
		m.Change, m.P, m.Q, m.Changed, m.Basis, m.Why = nil, nil, nil, false, "", "another pipeline"
	}
	p.out.Waterfall, p.out.Smallest = nil, nil
}

func (p *pair) voidNames() []string {
	var names []string
	for _, t := range Traits {
		if _, differs, _ := differ(t, p.base, p.fresh); differs {
			names = append(names, t.Name)
		}
	}
	return names
}

// thin says why the data is too short to compare, "" where it is not.
func (p *pair) thin() string { return thin(p.base, p.fresh) }

func thin(base, fresh []*Run) string {
	base, fresh, _ = fit(base, fresh)
	m := metric(throughputID)
	measured := spreadOf(readings(m, base), readings(m, fresh), m.Between).measured
	for _, side := range [][]*Run{base, fresh} {
		for _, r := range side {
			if why := r.unfit(); why != "" {
				return r.Name + " " + why
			}
			if x, _ := read(m, r); !measured && x.n < leastEffective {
				return fmt.Sprintf("%s has %.1f independent blocks, want %d: it is too short, or drifts", r.Name, x.n, leastEffective)
			}
		}
	}
	return ""
}

// signed is a relative change with its interval: −8.1 % (−10.2 to −6.0).
func changeWords(e estimate) string {
	return relativeWords(math.Expm1(e.mid), math.Expm1(e.lo), math.Expm1(e.hi))
}

func relativeWords(mid, lo, hi float64) string {
	if hi > 10 || lo < -0.999 {
		return say.Gain(mid) + " (interval without an end)"
	}
	return say.Gain(mid) + " (" + say.GainRange(model.Interval{Lo: lo, Mid: mid, Hi: hi}) + ")"
}

func (p *pair) verdict(e estimate) string {
	m := p.find(throughputID)
	fell := e.hi < 0 && m.Changed
	rose := e.lo > 0 && m.Changed
	w := p.out.Waterfall
	switch {
	case w != nil && w.Cause == pausePart && p.find(overallID) != nil && p.find(overallID).Changed:
		return "Throughput with pauses " + map[bool]string{true: "fell: ", false: "rose: "}[w.Total.Mid < 0] + changeWords(p.est[overallID]) + p.because() + "; between them " + changeWords(e) + "."
	case fell:
		return "Throughput fell: " + changeWords(e) + p.because() + "."
	case rose && p.lossMoved():
		return "Not a speed-up: throughput " + changeWords(e) + ", but " + p.lossWords() + "."
	case rose:
		return "Throughput rose: " + changeWords(e) + p.because() + "."
	case p.longer() != "":
		return "No slower, other data: " + p.longer() + "; throughput " + changeWords(e) + "."
	}
	return "No change of throughput is shown: " + changeWords(e) + "."
}

// because names the cause where the waterfall has one.
func (p *pair) because() string {
	w := p.out.Waterfall
	if w == nil || w.Cause == noCause {
		return ""
	}
	return ", " + lower(causeWords(w.Cause, 0, p))
}

func lower(s string) string { return strings.ToLower(s[:1]) + strings.TrimSuffix(s[1:], ".") }

func (p *pair) lossMoved() bool {
	m := p.find(lossID)
	return m != nil && m.Changed && math.Abs(m.Change.Mid) >= leastLoss
}

func (p *pair) lossWords() string {
	return "the loss at equal " + p.loss.by + " moved by " + say.Gain(math.Expm1(p.loss.rel))
}

// longer says that items are longer or shorter, "" where they are not.
func (p *pair) longer() string {
	m := p.find(perItemID)
	if m == nil || !m.Changed {
		return ""
	}
	how := "longer"
	if m.Change.Mid < 0 {
		how = "shorter"
	}
	return fmt.Sprintf("items are %s %s", strings.TrimLeft(say.Round(math.Abs(m.Change.Mid)), "+"), how)
}

func (p *pair) find(id string) *model.MetricChange {
	for i := range p.out.Metrics {
		if p.out.Metrics[i].ID == id {
			return &p.out.Metrics[i]
		}
	}
	return nil
}

// lead says who limits, how sure the first line is, and what the loss did.
func (p *pair) lead(e estimate) string {
	parts := []string{p.limits()}
	if !p.find(throughputID).Changed && p.out.Smallest != nil {
		parts = append(parts, fmt.Sprintf("A drop of %s would have shown; smaller ones are below what this data can show.", say.Round(*p.out.Smallest)))
	}
	if w := p.out.Waterfall; w != nil && w.Cause != noCause && !p.find(throughputID).Changed {
		parts = append(parts, "What moved beyond its noise: "+lower(w.Text)+".")
	}
	if e.lo > 0 && !p.loss.ok && p.find(throughputID).Changed {
		parts = append(parts, "Whether the training is the same is not known: "+p.loss.why+".")
	}
	return strings.Join(parts, " ")
}

// limits says who limits on either side.
func (p *pair) limits() string {
	a, b := sides(p.base), sides(p.fresh)
	switch {
	case a == b && a != "" && a != model.Unknown:
		return limiterWords(a) + " on both sides."
	case a == model.Unknown && b == model.Unknown:
		return "Who limits is not known."
	case a == model.Unknown || b == model.Unknown:
		return "Who limits is known of one side only."
	case a != "" && b != "":
		return "The limit moved: " + lower(limiterWords(a)) + " before, " + lower(limiterWords(b)) + " now."
	}
	return "Who limits differs between runs of one side."
}

// sides is the limiter that all runs share, "" where they do not.
func sides(runs []*Run) string {
	for _, r := range runs {
		if r.Limiter != runs[0].Limiter {
			return ""
		}
	}
	return runs[0].Limiter
}

func limiterWords(side string) string {
	switch side {
	case model.Target:
		return "Targets limit"
	case model.Drafter:
		return "Drafters limit"
	case model.Both:
		return "Both sides limit about equally"
	case model.Upstream:
		return "The prompts limit"
	}
	return "The limit is unknown"
}

// causeWords says what a part of the waterfall stands for.
func causeWords(id string, ln float64, p *pair) string {
	worse := p.out.Waterfall == nil || p.out.Waterfall.Total.Mid < 0
	if ln != 0 {
		worse = ln < 0
	}
	pick := func(bad, good string) string {
		if worse {
			return bad
		}
		return good
	}
	switch id {
	case targetService:
		return pick("The targets take longer for a token.", "The targets take less for a token.")
	case drafterService:
		return pick("The drafters take longer for a token.", "The drafters take less for a token.")
	case service:
		return pick("The limiting side takes longer; busy shares do not say which.", "The limiting side takes less; busy shares do not say which.")
	case queueCause:
		return pick("More time is lost waiting at the queue.", "Less time is lost waiting at the queue.")
	case inputWait:
		return pick("The targets wait longer for prompts.", "The targets wait less for prompts.")
	case itemMix:
		return pick("Items are longer.", "Items are shorter.")
	case pausePart:
		return pick("Pauses take more time.", "Pauses take less time.")
	}
	return "No part is beyond its noise."
}

func noiseWords(e estimate, p *pair) string {
	if e.spread.measured {
		s := fmt.Sprintf("measured from %d + %d runs", len(p.base), len(p.fresh))
		if e.spread.helped {
			s += fmt.Sprintf(", so few that the stated %.0f %% counts along", 100*betweenRate)
		}
		return s
	}
	s := fmt.Sprintf("stated, %.0f %% for a run of the same pipeline: repeated runs would measure it", 100*betweenRate)
	if p.extra > 0 {
		s += fmt.Sprintf("; %.0f %% more for another host", 100*betweenHosts)
	}
	return s
}

func methodWords(e estimate, p *pair) string {
	switch e.basis {
	case "ranks":
		return "Each run is one value; rank test of Mann and Whitney with the interval of Hodges and Lehmann: assumes independent runs and nothing else."
	case "runs":
		return fmt.Sprintf("Each run is one value (%d + %d); Student's t with %.0f degrees of freedom: assumes independent runs of about normal, equal scatter.", len(p.base), len(p.fresh), e.spread.df)
	}
	return "Blocks of the steady states carry each run's own noise (batch means, for they are correlated); the scatter between runs is not measured but stated."
}
