package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/config"
	"tidemark/internal/say"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// A Rule is one thing that a policy may ask, as a constant value.
type Rule struct {
	Name, Doc string
	Keys      []string // of a policy's entry, beside rule, name, inconclusive and fail
	Baseline  bool     // it compares with a baseline
	// Accept says what is wrong with an entry, and at which key.
	Accept func(*Spec) (key string, err error)
	Check  func(*Pass) (Outcome, error)
}

// A Pass is one rule applied.
type Pass struct {
	Spec *Spec
	New  []*Run
	Base []*Run // nil where there is no baseline
	// Comparison at the rule's confidence, nil where there is no baseline.
	Comparison *model.Comparison
}

// An Outcome is what a rule says. Cause is why it is inconclusive.
type Outcome struct {
	Status, Cause, Text string
	Value               *model.Interval
	Limit               *float64
	Unit                string
	Lost                float64 // share of the run's GPU time that a failure costs
}

// The causes of an inconclusive outcome.
const (
	Uncertain = "uncertain" // the interval spans the limit
	Missing   = "missing"   // not recorded, or not readable
	Void      = "void"      // another pipeline
)

// Rules are all that a policy may ask.
var Rules = []*Rule{
	{
		Name: "throughput.floor", Keys: []string{"min", "confidence"},
		Doc:    "Steady throughput must reach min, in the run's own unit.",
		Accept: func(s *Spec) (string, error) { return positive("min", s.Min) },
		Check:  func(p *Pass) (Outcome, error) { return p.bound(throughputID) },
	},
	{
		Name: "throughput.change", Keys: []string{"limit", "effect", "confidence"}, Baseline: true,
		Doc:    "Fails where the whole interval of the change lies under limit (a negative share). Passes where it excludes a drop of limit and effect together; between, the data cannot tell.",
		Accept: func(s *Spec) (string, error) { return changeLimits(s) },
		Check:  func(p *Pass) (Outcome, error) { return p.change(throughputID) },
	},
	{
		Name: "metric.change", Keys: []string{"metric", "limit", "effect", "confidence"}, Baseline: true,
		Doc: "The same for any metric. A positive limit forbids a rise.",
		Accept: func(s *Spec) (string, error) {
			if key, err := oneOf("metric", s.Metric, MetricIDs()); err != nil {
				return key, err
			}
			return changeLimits(s)
		},
		Check: func(p *Pass) (Outcome, error) { return p.change(p.Spec.Metric) },
	},
	{
		Name: "limiter.is", Keys: []string{"want", "confidence"},
		Doc:    "Who limits must be among want: target, drafter, both, upstream. Decided at confidence, 0.9 unless said.",
		Accept: func(s *Spec) (string, error) { return allOf("want", s.Want, limiters) },
		Check:  checkLimiter,
	},
	{
		Name: "limiter.moved", Baseline: true,
		Doc:    "Who limits must be the same as in the baseline. Inconclusive where either side is undecided.",
		Accept: func(*Spec) (string, error) { return "", nil },
		Check:  checkMoved,
	},
	{
		Name: "queue.class", Keys: []string{"want"},
		Doc:    "The queue's class must be among want.",
		Accept: func(s *Spec) (string, error) { return allOf("want", s.Want, classes) },
		Check:  checkClass,
	},
	{
		Name: "wait.share", Keys: []string{"metric", "min", "max", "confidence"},
		Doc: "A wait must lie within min and max, as a share of worker time: put_wait, gate_wait, input_wait.",
		Accept: func(s *Spec) (string, error) {
			if key, err := oneOf("metric", s.Metric, []string{putID, gateID, inputID}); err != nil {
				return key, err
			}
			return within01(s)
		},
		Check: func(p *Pass) (Outcome, error) { return p.bound(p.Spec.Metric) },
	},
	{
		Name: "gpu.active", Keys: []string{"side", "min", "max", "confidence"},
		Doc: "The share of time that a side's GPUs are active must lie within min and max.",
		Accept: func(s *Spec) (string, error) {
			if key, err := oneOf("side", s.Side, []string{model.Target, model.Drafter}); err != nil {
				return key, err
			}
			return within01(s)
		},
		Check: func(p *Pass) (Outcome, error) { return p.bound(p.Spec.Side + ".gpu_active") },
	},
	{
		Name: "mechanism.share", Keys: []string{"role", "id", "min", "max", "confidence"},
		Doc:    "A mechanism's share of a role's active samples must lie within min and max.",
		Accept: acceptMechanism,
		Check:  checkMechanism,
	},
	{
		Name: "capture.quality", Keys: []string{"want"},
		Doc:    "The capture of stacks must be at least want: poor, fair, good.",
		Accept: func(s *Spec) (string, error) { return allOf("want", s.Want, qualities) },
		Check:  checkQuality,
	},
	{
		Name: "findings", Keys: []string{"none"},
		Doc:    "None of the findings may be made. Inconclusive where what they rest on is not recorded.",
		Accept: func(s *Spec) (string, error) { return allOf("none", s.None, FindingIDs()) },
		Check:  checkFindings,
	},
	{
		Name: "inputs", Keys: []string{"need"},
		Doc:    "What is needed must be there, else the rule is inconclusive, and every recording readable to its end and not without rows: throughput, queue, waits, gpu, stacks, threads, trace.",
		Accept: func(s *Spec) (string, error) { return allOf("need", s.Need, kindNames()) },
		Check:  checkInputs,
	},
	{
		Name: "steady", Doc: "There must be a steady state to speak of.",
		Accept: func(*Spec) (string, error) { return "", nil },
		Check:  checkSteady,
	},
	{
		Name: "sound", Doc: "The data must not contradict itself: conservation of items, depth within the capacity, log and counters alike.",
		Accept: func(*Spec) (string, error) { return "", nil },
		Check:  checkSound,
	},
}

var (
	limiters  = []string{model.Target, model.Drafter, model.Both, model.Upstream}
	classes   = []string{model.TargetBound, model.DrafterBound, model.Balanced, model.Unsettled}
	qualities = []string{"poor", "fair", "good"} // in rising order
)

func rule(name string) *Rule {
	for _, r := range Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// RuleNames are the names of all rules.
func RuleNames() []string {
	var names []string
	for _, r := range Rules {
		names = append(names, r.Name)
	}
	return names
}

func kindNames() []string {
	var names []string
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}

func allOf(key string, list, known []string) (string, error) {
	if len(list) == 0 {
		return oneOf(key, "", known)
	}
	for _, v := range list {
		if k, err := oneOf(key, v, known); err != nil {
			return k, err
		}
	}
	return "", nil
}

func positive(key string, v *Number) (string, error) {
	switch {
	case v == nil:
		return "rule", fmt.Errorf("no %s, want a number above 0", key)
	case !(*v > 0):
		return key, fmt.Errorf("%s %v: want a number above 0", key, *v)
	}
	return "", nil
}

func within01(s *Spec) (string, error) {
	if s.Min == nil && s.Max == nil {
		return "rule", fmt.Errorf("neither min nor max, want one of them")
	}
	for _, v := range []struct {
		key string
		n   *Number
	}{{"min", s.Min}, {"max", s.Max}} {
		if v.n != nil && !(*v.n >= 0 && *v.n <= 1) {
			return v.key, fmt.Errorf("%s %v: want a share between 0 and 1, such as 30 %%", v.key, *v.n)
		}
	}
	if s.Min != nil && s.Max != nil && *s.Min > *s.Max {
		return "min", fmt.Errorf("min %v above max %v: want at most max, nothing lies between them", *s.Min, *s.Max)
	}
	return "", nil
}

func changeLimits(s *Spec) (string, error) {
	switch {
	case s.Limit == nil || *s.Limit == 0:
		return "rule", fmt.Errorf("no limit, want the change that must not be passed, such as -0.5 %%")
	case math.Abs(float64(*s.Limit)) >= 1:
		return "limit", fmt.Errorf("limit %v: want a share such as -0.5 %%", *s.Limit)
	case s.Effect != nil && !(*s.Effect > 0 && *s.Effect < 1):
		return "effect", fmt.Errorf("effect %v: want the size that must not go unseen, such as 8 %%", *s.Effect)
	}
	return "", nil
}

func acceptMechanism(s *Spec) (string, error) {
	if key, err := oneOf("role", s.Role, []string{model.Target, model.Drafter}); err != nil {
		return key, err
	}
	ids, err := stackrules.Mechanisms()
	if err != nil {
		return "id", err
	}
	if key, err := oneOf("id", s.ID, ids); err != nil {
		return key, err
	}
	return within01(s)
}

// confidence of the rule's intervals.
func (p *Pass) confidence() float64 {
	if p.Spec.Confidence != nil {
		return *p.Spec.Confidence
	}
	return 0.95
}

// bound holds a metric of the run itself against min and max.
func (p *Pass) bound(id string) (Outcome, error) {
	m := metric(id)
	list := readings(m, p.New)
	if len(list) < len(p.New) {
		return p.lacks(id), nil
	}
	v := mean(m, list, p.confidence())
	unit := m.unit(p.New)
	o := judge(*v, p.Spec.Min, p.Spec.Max)
	o.Value, o.Unit = v, unit
	o.Text = fmt.Sprintf("%s %s %s; %s", m.Label, quantity(m, v.Mid, unit), bounds(m, *v), limitsText(m, p.Spec, unit))
	return o, nil
}

// lacks is the outcome where a run does not have a metric.
func (p *Pass) lacks(id string) Outcome {
	var has []string
	for _, m := range Metrics {
		if len(readings(m, p.New)) == len(p.New) {
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
		o := p.lacks(id)
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

// comparable says why there is nothing to compare with, if so.
func (p *Pass) comparable(what string) (Outcome, bool) {
	switch {
	case p.Comparison == nil:
		return Outcome{Status: model.Inconclusive, Cause: Missing, Text: what + " needs a baseline: --baseline PATH"}, false
	case len(p.Comparison.Void) > 0:
		return Outcome{Status: model.Inconclusive, Cause: Void, Text: "the baseline is of another pipeline: " + strings.Join(p.Comparison.Void, "; ")}, false
	}
	if t := thin(p.Base, p.New); t != "" && what != "limiter" {
		return Outcome{Status: model.Inconclusive, Cause: Uncertain, Text: t}, false
	}
	return Outcome{}, true
}
