package compare

import (
	"fmt"
	"strings"

	"tidemark/model"
)

// Check applies a policy to new runs. base may be empty: then rules that
// compare are inconclusive. The comparison is nil without a base.
func Check(p *Policy, base, fresh []*Run) (*model.CheckResult, *model.Comparison, error) {
	if len(fresh) == 0 {
		return nil, nil, ErrEmpty
	}
	base, fresh = sane(base), sane(fresh)
	byConfidence := map[float64]*model.Comparison{}
	at := func(c float64) (*model.Comparison, error) {
		if len(base) == 0 {
			return nil, nil
		}
		if byConfidence[c] == nil {
			out, err := Compare(base, fresh, Options{About: p.About, Confidence: c})
			if err != nil {
				return nil, err
			}
			byConfidence[c] = out
		}
		return byConfidence[c], nil
	}
	res := &model.CheckResult{Policy: p.Name, Source: p.Text, Rules: []model.RuleOutcome{}, Joined: []string{}}
	for i := range p.Rules {
		s := &p.Rules[i]
		confidence := 0.95
		if s.Confidence != nil && rule(s.Rule).Baseline {
			confidence = *s.Confidence
		}
		c, err := at(confidence)
		if err != nil {
			return nil, nil, err
		}
		o, err := rule(s.Rule).Check(&Pass{Spec: s, New: fresh, Base: base, Comparison: c})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		res.Rules = append(res.Rules, settle(s, o, fresh))
	}
	c, err := at(0.95)
	if err != nil {
		return nil, nil, err
	}
	conclude(res)
	return res, c, nil
}

// settle applies what the policy says of failures and doubt. Doubt because
// something is missing stays doubt unless it is to fail; another pipeline
// always does: nothing passes because it could not be read.
func settle(s *Spec, o Outcome, fresh []*Run) model.RuleOutcome {
	out := model.RuleOutcome{Rule: s.Rule, Name: s.Name, Status: o.Status, Cause: o.Cause, Text: o.Text, Value: o.Value, Limit: o.Limit, Unit: o.Unit}
	switch {
	case o.Status == model.Fail && s.Fail == "warn":
		out.Status, out.Warn = model.Pass, true
	case o.Status != model.Inconclusive:
	case s.Inconclusive == "fail" && o.Cause != Void:
		out.Status = model.Fail
	case o.Cause != Uncertain:
	case s.Inconclusive == "warn":
		out.Status, out.Warn = model.Pass, true
	case s.Inconclusive == "pass":
		out.Status = model.Pass
	}
	if g := fresh[len(fresh)-1].GPUHours; g != nil && out.Status == model.Fail && o.Lost > 0 {
		out.LostGPU = new(*g * o.Lost)
	}
	return out
}

// conclude writes the status of all rules together and its first line.
func conclude(res *model.CheckResult) {
	var failed, open []string
	warned, passed := 0, 0
	for _, r := range res.Rules {
		switch {
		case r.Status == model.Fail:
			failed = append(failed, r.Name+": "+r.Text)
		case r.Status == model.Inconclusive:
			open = append(open, r.Name+": "+r.Text)
		case r.Warn:
			warned++
		default:
			passed++
		}
	}
	rest := fmt.Sprintf(" (%d passed", passed)
	if warned > 0 {
		rest += fmt.Sprintf(", %d with a warning", warned)
	}
	switch {
	case len(failed) > 0:
		res.Status = model.Fail
		if len(open) > 0 {
			rest += fmt.Sprintf(", %d inconclusive", len(open))
		}
		res.Headline = fmt.Sprintf("FAIL: %s%s).", first(failed), rest)
	case len(open) > 0:
		res.Status = model.Inconclusive
		res.Headline = fmt.Sprintf("INCONCLUSIVE: %s%s).", first(open), rest)
	default:
		res.Status = model.Pass
		res.Headline = fmt.Sprintf("PASS%s).", rest)
	}
}

func first(list []string) string {
	s := strings.TrimSuffix(list[0], ".")
	if len(list) > 1 {
		s += fmt.Sprintf("; and %d more", len(list)-1)
	}
	return s
}
