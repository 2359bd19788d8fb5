package compare

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/config"
	"tidemark/internal/say"
	"tidemark/model"
)

// bound holds a metric of each run against min and max: a run's own limits are
// not met by the mean over others.
func (p *Pass) bound(id string) (Outcome, error) {
	m := metric(id)
	return each(p, func(r *Run) Outcome {
		run := []*Run{r}
		list := readings(m, run)
		if len(list) == 0 {
			return lacks(id, run)
		}
		v := mean(m, list, p.confidence())
		unit := m.unit(run)
		o := judge(*v, p.Spec.Min, p.Spec.Max)
		o.Value, o.Unit = v, unit
		o.Text = fmt.Sprintf("%s %s %s; %s", m.Label, quantity(m, v.Mid, unit), bounds(m, *v), limitsText(m, p.Spec, unit))
		return o
	})
}

// lacks is the outcome where a run does not have a metric.
func lacks(id string, runs []*Run) Outcome {
	var has []string
	for _, m := range Metrics {
		if len(readings(m, runs)) == len(runs) {
			has = append(has, m.ID)
		}
	}
	text := id + " is not recorded"
	if len(has) > 0 {
		text += fmt.Sprintf("; the nearest one that is: %s", config.Nearest(id, has))
	}
	return Outcome{Status: model.Inconclusive, Cause: Missing, Text: text}
}

// judge compares the interval's bounds with limits: three values.
func judge(v model.Interval, low, high *Number) Outcome {
	o := Outcome{Status: model.Pass}
	check := func(certain, possible bool, limit *Number) {
		switch {
		case certain:
			o.Status, o.Cause, o.Limit = model.Fail, "", new(float64(*limit))
		case possible && o.Status == model.Pass:
			o.Status, o.Cause, o.Limit = model.Inconclusive, Uncertain, new(float64(*limit))
		case o.Limit == nil:
			o.Limit = new(float64(*limit))
		}
	}
	if low != nil {
		check(v.Hi < float64(*low), v.Lo < float64(*low), low)
	}
	if high != nil {
		check(v.Lo > float64(*high), v.Hi > float64(*high), high)
	}
	return o
}

func quantity(m *Metric, v float64, unit string) string {
	if m.Kind == points {
		return say.Percent(v)
	}
	return strings.TrimSpace(say.SI(v) + " " + unit)
}

func bounds(m *Metric, v model.Interval) string {
	if m.Kind == points {
		return "(" + say.PercentRange(v) + ")"
	}
	return "(" + say.Range(v) + ")"
}

func limitsText(m *Metric, s *Spec, unit string) string {
	var parts []string
	if s.Min != nil {
		parts = append(parts, "at least "+quantity(m, float64(*s.Min), unit))
	}
	if s.Max != nil {
		parts = append(parts, "at most "+quantity(m, float64(*s.Max), unit))
	}
	return "want " + strings.Join(parts, " and ")
}

// defaultEffect is what must not go unseen where a policy does not say.
const defaultEffect = 0.08

// change holds the interval of a change against the limit.
func (p *Pass) change(id string) (Outcome, error) {
	if o, ok := p.comparable(id); !ok {
		return o, nil
	}
	i := slices.IndexFunc(p.Comparison.Metrics, func(m model.MetricChange) bool { return m.ID == id })
	if i < 0 || p.Comparison.Metrics[i].Change == nil {
		o := lacks(id, p.New)
		if i >= 0 && p.Comparison.Metrics[i].Why != "" {
			o.Text = id + ": " + p.Comparison.Metrics[i].Why
		}
		return o, nil
	}
	m := p.Comparison.Metrics[i]
	limit, effect := float64(*p.Spec.Limit), defaultEffect
	if p.Spec.Effect != nil {
		effect = float64(*p.Spec.Effect)
	}
	o := Outcome{Value: m.Change, Limit: &limit, Unit: "share"}
	v, sign := *m.Change, 1.0
	if limit > 0 { // a rise is forbidden: look from the other end
		v, sign = model.Interval{Lo: -v.Hi, Mid: -v.Mid, Hi: -v.Lo}, -1
	}
	bar := sign * limit
	said := fmt.Sprintf("%s %s", m.Label, said(m))
	switch {
	case v.Hi < bar:
		o.Status, o.Lost = model.Fail, max(-v.Mid, 0)
		o.Text = fmt.Sprintf("%s: all of the interval is beyond %s", said, say.Gain(limit))
	case v.Lo > bar-effect:
		o.Status = model.Pass
		o.Text = fmt.Sprintf("%s: a change of %s is excluded", said, say.Gain(sign*(bar-effect)))
	default:
		o.Status, o.Cause = model.Inconclusive, Uncertain
		o.Text = fmt.Sprintf("%s: neither shown to be beyond %s nor to stay within %s; more runs would tell", said, say.Gain(limit), say.Gain(sign*(bar-effect)))
	}
	return o, nil
}

func said(m model.MetricChange) string {
	if m.Kind == points {
		return fmt.Sprintf("%+.1f points (%+.1f to %+.1f)", 100*m.Change.Mid, 100*m.Change.Lo, 100*m.Change.Hi)
	}
	return relativeWords(m.Change.Mid, m.Change.Lo, m.Change.Hi)
}
