package compare

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// decided is the probability from which a verdict counts as decided.
const decided = 0.9

// worst joins the outcomes of several runs: a failure counts, then doubt.
func worst(list []Outcome) Outcome {
	for _, status := range []string{model.Fail, model.Inconclusive} {
		for _, o := range list {
			if o.Status == status {
				return o
			}
		}
	}
	return list[0]
}

func each(p *Pass, f func(*Run) Outcome) (Outcome, error) {
	var list []Outcome
	for _, r := range p.New {
		o := f(r)
		if len(p.New) > 1 {
			o.Text = r.Name + ": " + o.Text
		}
		list = append(list, o)
	}
	o := worst(list)
	if len(list) > 1 && o.Status == model.Pass {
		o.Text = fmt.Sprintf("each of %d runs; %s", len(list), o.Text)
	}
	return o, nil
}

func checkLimiter(p *Pass) (Outcome, error) {
	least := decided
	if p.Spec.Confidence != nil {
		least = *p.Spec.Confidence
	}
	return each(p, func(r *Run) Outcome {
		sum := 0.0
		for _, w := range p.Spec.Want {
			sum += r.P.Of(w)
		}
		o := Outcome{Text: fmt.Sprintf("%s (P %.2f), want %s", lower(limiterWords(r.Limiter)), r.P.Of(r.Limiter), strings.Join(p.Spec.Want, " or ")), Status: model.Inconclusive, Cause: Uncertain}
		switch {
		case sum >= least:
			o.Status, o.Cause = model.Pass, ""
		case sum+r.P.Unknown <= 1-least:
			o.Status, o.Cause = model.Fail, ""
		case r.P.Unknown > 0.5:
			o.Cause = Missing
		}
		return o
	})
}

// settled is the limiter that a set of runs agrees on, "" where it is not decided.
func settled(runs []*Run) string {
	side := sides(runs)
	for _, r := range runs {
		if side == model.Unknown || r.P.Of(side) < decided {
			return ""
		}
	}
	return side
}

func checkMoved(p *Pass) (Outcome, error) {
	if o, ok := p.comparable("limiter"); !ok {
		return o, nil
	}
	a, b := settled(p.Base), settled(p.New)
	switch {
	case blind(p.Base) || blind(p.New):
		return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "nothing recorded tells who limits on both sides"}, nil
	case a == "" || b == "":
		return Outcome{Status: model.Inconclusive, Cause: Uncertain, Text: "who limits is not decided on both sides"}, nil
	case a != b:
		return Outcome{Status: model.Fail, Text: fmt.Sprintf("%s before, %s now", lower(limiterWords(a)), lower(limiterWords(b)))}, nil
	}
	return Outcome{Status: model.Pass, Text: lower(limiterWords(a)) + " before and now"}, nil
}

// blind reports whether a run holds nothing that tells who limits.
func blind(runs []*Run) bool {
	return slices.ContainsFunc(runs, func(r *Run) bool { return r.P.Unknown > 0.5 || r.P == model.Probabilities{} })
}

func checkClass(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		o := Outcome{Text: fmt.Sprintf("queue is %s, want %s", r.Class, strings.Join(p.Spec.Want, " or "))}
		switch {
		case r.Class == "" || !slices.Contains(r.Has, "queue"):
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "the queue's depth is not recorded"}
		case r.ClassP == nil || *r.ClassP < decided:
			o.Status, o.Cause = model.Inconclusive, Uncertain
		case slices.Contains(p.Spec.Want, r.Class):
			o.Status = model.Pass
		default:
			o.Status = model.Fail
		}
		return o
	})
}

func checkMechanism(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		list := shareReadings(p.Spec.Role, p.Spec.ID, []*Run{r})
		if len(list) == 0 {
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: fmt.Sprintf("no stacks of the %s threads, or under %d samples", p.Spec.Role, leastSamples)}
		}
		v := mean(stackMetric, list, p.confidence())
		o := judge(*v, p.Spec.Min, p.Spec.Max)
		o.Value, o.Unit = v, "share"
		o.Text = fmt.Sprintf("%s of the %s threads %s %s; %s", p.Spec.ID, p.Spec.Role, say.Percent(v.Mid), bounds(stackMetric, *v), limitsText(stackMetric, p.Spec, ""))
		return o
	})
}

func checkQuality(p *Pass) (Outcome, error) {
	want := p.Spec.Want[0]
	return each(p, func(r *Run) Outcome {
		if r.Quality == "" {
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "no capture of stacks"}
		}
		o := Outcome{Status: model.Pass, Text: fmt.Sprintf("the capture is %s, want %s or better", r.Quality, want)}
		if slices.Index(qualities, r.Quality) < slices.Index(qualities, want) {
			o.Status = model.Fail
		}
		return o
	})
}

func checkFindings(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		var found, blind []string
		for _, id := range p.Spec.None {
			switch kind := needOf(id); {
			case slices.Contains(r.Findings, id):
				found = append(found, id)
			case !slices.Contains(r.Has, kind):
				blind = append(blind, strings.TrimSuffix(id+" (needs "+kind+")", " (needs )"))
			}
		}
		switch {
		case len(found) > 0:
			return Outcome{Status: model.Fail, Text: "found " + strings.Join(found, ", ")}
		case len(blind) > 0:
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "cannot be looked for: " + strings.Join(blind, ", ")}
		}
		return Outcome{Status: model.Pass, Text: "found none of " + strings.Join(p.Spec.None, ", ")}
	})
}

// findingKinds is the kind of evidence that findings rest on, by the first
// part of their id.
var findingKinds = map[string]string{
	"capture": "stacks", "cpu": "stacks", "gil": "stacks", "stacks": "stacks", "log": "throughput", "phases": "throughput", "queue": "queue",
	"waits": "waits", "drafters": "waits", "targets": "waits", "threads": "threads", "gpu": "gpu",
	"gate": "queue", "host": "threads", "pcie": "gpu", "run": "throughput", "workers": "waits", "trace": "trace", "clock": "throughput",
}

// needOf is the kind that a finding rests on; "" is none that could be there.
func needOf(id string) string {
	prefix, _, _ := strings.Cut(id, ".")
	return findingKinds[prefix]
}

//go:embed findings.txt
var findingList string

// FindingIDs are the findings that a policy may forbid, as findings.txt lists
// them; a test of the whole module keeps it.
func FindingIDs() []string { return strings.Fields(findingList) }

func checkInputs(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		var lacks []string
		for _, k := range Kinds {
			if slices.Contains(p.Spec.Need, k.Name) && !slices.Contains(r.Has, k.Name) {
				lacks = append(lacks, k.Name+" (record "+k.Record+")")
			}
		}
		switch {
		case len(r.Unread) > 0:
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "not read to its end: " + strings.Join(r.Unread, "; ")}
		case len(lacks) > 0:
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "missing: " + strings.Join(lacks, ", ")}
		}
		return Outcome{Status: model.Pass, Text: "all there and read: " + strings.Join(r.Has, ", ")}
	})
}

func checkSteady(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		if !r.Steady || len(r.Blocks) == 0 {
			return Outcome{Status: model.Inconclusive, Cause: Uncertain, Text: "no steady state: the run is short, or changes all along"}
		}
		return Outcome{Status: model.Pass, Text: fmt.Sprintf("%s s steady in %d blocks", say.Count(r.SteadyS), len(r.Blocks))}
	})
}

func checkSound(p *Pass) (Outcome, error) {
	return each(p, func(r *Run) Outcome {
		if len(r.Unsound) > 0 {
			return Outcome{Status: model.Inconclusive, Cause: Missing, Text: "the data contradicts itself: " + strings.Join(r.Unsound, "; ")}
		}
		return Outcome{Status: model.Pass, Text: "no contradiction in the data"}
	})
}
