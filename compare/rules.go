package compare

import (
	"fmt"
	"math"
	"strings"

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
	if key, err := oneOf("id", s.ID, stackrules.Mechanisms()); err != nil {
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
