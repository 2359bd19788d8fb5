package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tidemark/compare"
	"tidemark/model"
)

func policy(t *testing.T, text string) *compare.Policy {
	t.Helper()
	p, err := compare.ParsePolicy("policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, p *compare.Policy, base, fresh []*compare.Run) *model.CheckResult {
	t.Helper()
	res, _, err := compare.Check(p, base, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestPolicyErrors: place, value and the nearest known name.
func TestPolicyErrors(t *testing.T) {
	for text, want := range map[string]string{
		"rules:\n  - rule: throughput.chnge\n    limit: -0.5 %":                                 `policy.yaml:2: unknown rule "throughput.chnge", the nearest known one is "throughput.change"`,
		"rules:\n  - rule: throughput.change\n    limt: -0.5 %":                                 `policy.yaml:3: unknown key "limt", the nearest known one is "limit"`,
		"rules:\n  - rule: throughput.change\n    limit: much":                                  `policy.yaml:3: "much": want a number such as 0.3 or 30 %`,
		"rules:\n  - rule: throughput.change":                                                   `policy.yaml:2: no limit`,
		"rules:\n  - rule: throughput.change\n    limit: -1 %\n    max: 3":                      `policy.yaml:4: rule throughput.change has no max`,
		"rules:\n  - rule: metric.change\n    metric: through\n    limit: -1 %":                 `policy.yaml:3: metric "through": the nearest known one is "throughput"`,
		"rules:\n  - rule: mechanism.share\n    role: target\n    id: gpu.lanch\n    max: 50 %": `policy.yaml:4: id "gpu.lanch": the nearest known one is "gpu.launch"`,
		"rules:\n  - rule: findings\n    none: cpu.dominnt":                                     `none "cpu.dominnt": the nearest known one is "cpu.dominant"`,
		"rules:\n  - rule: steady\n    inconclusive: maybe":                                     `policy.yaml:3: inconclusive: "maybe", want fail, warn or pass`,
		"rules:\n  - rule: steady\n  - rule: steady":                                            `policy.yaml:3: rule "steady" stands twice`,
		"rules: []": `policy.yaml:1: no rules`,
		"about: [capcity]\nrules:\n  - rule: steady":                                        `the nearest known one is "capacity"`,
		"rules:\n  - rule: wait.share\n    metric: gate_wait\n    max: 130 %":               `policy.yaml:4: max 1.3: want a share`,
		"rules:\n  - rule: wait.share\n    metric: gate_wait\n    min: 50 %\n    max: 30 %": `policy.yaml:4: min 0.5 above max 0.3: want at most max`,
		"rules:\n  - rule: limiter.is\n    want: {a: b}":                                    `policy.yaml:3: "{a: b}": want a word or a list of words`,
	} {
		_, err := compare.ParsePolicy("policy.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestDefault passes on noise, fails on a slow-down, and says when it cannot tell.
func TestDefault(t *testing.T) {
	w := calm(11)
	base := w.runs(5, 1, 1, 1)
	for name, c := range map[string]struct {
		want  string
		fresh []*compare.Run
	}{
		"noise":         {model.Pass, w.runs(3, 1, 1, 1)},
		"slow-down":     {model.Fail, w.runs(3, 0.9, 1, 1)},
		"other data":    {model.Pass, w.runs(3, 1, 1, 1.05)},
		"quite other":   {model.Inconclusive, w.runs(3, 1, 1, 2)},
		"nothing there": {model.Inconclusive, []*compare.Run{compare.From(&model.Report{})}},
	} {
		if res := check(t, compare.Default(true), base, c.fresh); res.Status != c.want {
			t.Errorf("%s: %s, want %s", name, res.Headline, c.want)
		}
	}
}

// TestNeverByAbsence: whatever a policy says of doubt, a rule does not pass
// because something is missing, and another pipeline is always inconclusive.
func TestNeverByAbsence(t *testing.T) {
	w := calm(12)
	fresh := w.runs(1, 1, 1, 1)
	other := w.runs(1, 1, 1, 1)
	other[0].Pipeline.MinReady = new(3.0)
	for _, handling := range []string{"pass", "warn", "fail"} {
		for _, entry := range []string{
			"rule: mechanism.share\n    role: target\n    id: gpu.launch\n    max: 50 %",
			"rule: gpu.active\n    side: target\n    min: 10 %", "rule: capture.quality\n    want: poor", "rule: findings\n    none: cpu.dominant", "rule: queue.class\n    want: balanced",
			"rule: metric.change\n    metric: target.gpu_active\n    limit: -5 %",
			"rule: throughput.change\n    limit: -0.5 %", "rule: limiter.moved",
		} {
			p := policy(t, "rules:\n  - "+entry+"\n    inconclusive: "+handling)
			if res := check(t, p, fresh, fresh); res.Status == model.Pass && !strings.Contains(entry, "throughput") && !strings.Contains(entry, "moved") {
				t.Errorf("%s, inconclusive: %s: passed on nothing: %s", entry, handling, res.Rules[0].Text)
			}
			if rule := p.Rules[0].Rule; rule == "throughput.change" || rule == "limiter.moved" {
				if res := check(t, p, other, fresh); res.Status != model.Inconclusive || res.Rules[0].Cause != "void" {
					t.Errorf("%s, inconclusive: %s, another pipeline: %s", entry, handling, res.Headline)
				}
				if res := check(t, p, nil, fresh); res.Status == model.Pass {
					t.Errorf("%s, inconclusive: %s, no baseline: %s", entry, handling, res.Headline)
				}
			}
		}
	}
}

// TestBoundsNotPoints: a limit inside of the interval is inconclusive, on
// whichever side of it the point lies.
func TestBoundsNotPoints(t *testing.T) {
	w := world{rand.New(rand.NewPCG(13, 1)), 0, 0.05, 0, 0, 0, 30}
	run := w.runs(1, 1, 1, 1)
	for min, want := range map[string]string{"8000": model.Pass, "11500": model.Inconclusive, "11700": model.Inconclusive, "14000": model.Fail} {
		res := check(t, policy(t, "rules:\n  - rule: throughput.floor\n    min: "+min), nil, run)
		if res.Status != want {
			t.Errorf("floor %s: %s, want %s", min, res.Headline, want)
		}
	}
	res := check(t, policy(t, "rules:\n  - rule: throughput.floor\n    min: 11500\n    inconclusive: warn"), nil, run)
	if res.Status != model.Pass || !res.Rules[0].Warn {
		t.Errorf("%s, want a pass with a warning", res.Headline)
	}
}

// TestRulesOfARun: rules about what a run is, each failed, passed, and left open
// where it is not sure or not recorded.
func TestRulesOfARun(t *testing.T) {
	w := calm(14)
	for _, c := range []struct {
		rule string
		set  func(*compare.Run)
		want string
	}{
		{"queue.class\n    want: balanced", func(r *compare.Run) { r.Class, r.ClassP = model.Balanced, new(0.97) }, model.Pass},
		{"queue.class\n    want: [balanced, target-bound]", func(r *compare.Run) { r.Class, r.ClassP = model.TargetBound, new(0.97) }, model.Pass},
		{"queue.class\n    want: balanced", func(r *compare.Run) { r.Class, r.ClassP = model.DrafterBound, new(0.97) }, model.Fail},
		{"queue.class\n    want: balanced", func(r *compare.Run) { r.Class, r.ClassP = model.Balanced, new(0.55) }, model.Inconclusive},
		{"queue.class\n    want: balanced", func(r *compare.Run) { r.Class, r.ClassP = model.Balanced, nil }, model.Inconclusive},
		{"queue.class\n    want: balanced", func(r *compare.Run) { r.Class, r.ClassP, r.Has = model.Balanced, new(0.97), nil }, model.Inconclusive},
		{"capture.quality\n    want: fair", func(r *compare.Run) { r.Quality = "good" }, model.Pass},
		{"capture.quality\n    want: fair", func(r *compare.Run) { r.Quality = "fair" }, model.Pass},
		{"capture.quality\n    want: fair", func(r *compare.Run) { r.Quality = "poor" }, model.Fail},
		{"capture.quality\n    want: fair", func(r *compare.Run) { r.Quality = "" }, model.Inconclusive},
		{"findings\n    none: cpu.dominant", func(r *compare.Run) { r.Findings = []string{"cpu.dominant"} }, model.Fail},
		{"findings\n    none: cpu.dominant", func(r *compare.Run) { r.Findings = []string{"gpu.idle"} }, model.Pass},
		{"findings\n    none: cpu.dominant", func(r *compare.Run) { r.Findings, r.Has = nil, []string{"queue"} }, model.Inconclusive},
	} {
		run := w.runs(1, 1, 1, 1)
		run[0].Has = []string{"queue", "stacks"}
		c.set(run[0])
		res := check(t, policy(t, "rules:\n  - rule: "+c.rule), nil, run)
		if res.Status != c.want {
			t.Errorf("%s: %s (%s), want %s", c.rule, res.Status, res.Rules[0].Text, c.want)
		}
	}
}

// TestWorstRunDecides: of several runs each is held against a rule about one
// run's values, whatever their mean is; the run that decides is named.
func TestWorstRunDecides(t *testing.T) {
	w := calm(15)
	fast, slow := w.runs(1, 1.2, 1.2, 1)[0], w.runs(1, 0.5, 1, 1)[0]
	fast.Name, slow.Name = "fast", "slow"
	floor := policy(t, "rules:\n  - rule: throughput.floor\n    min: 8000")
	for _, list := range [][]*compare.Run{{fast, slow}, {slow, fast}} {
		res := check(t, floor, nil, list)
		if res.Status != model.Fail || !strings.HasPrefix(res.Rules[0].Text, "slow: ") {
			t.Errorf("%s, want a failure of the slow run", res.Headline)
		}
	}
	bare := compare.From(&model.Report{})
	bare.Name = "bare"
	res := check(t, floor, nil, []*compare.Run{fast, bare})
	if res.Status != model.Inconclusive || !strings.HasPrefix(res.Rules[0].Text, "bare: throughput is not recorded") {
		t.Errorf("%s, want doubt for the run that holds nothing", res.Headline)
	}
	res = check(t, floor, nil, []*compare.Run{fast, fast})
	if res.Status != model.Pass || !strings.HasPrefix(res.Rules[0].Text, "each of 2 runs; fast: ") {
		t.Errorf("%s, want a pass of both: %s", res.Headline, res.Rules[0].Text)
	}
}

// TestRules: every rule has words, and a policy of all of them can be read.
func TestRules(t *testing.T) {
	for _, r := range compare.Rules {
		if r.Name == "" || r.Doc == "" || r.Accept == nil || r.Check == nil {
			t.Errorf("rule %q: want Name, Doc, Accept and Check", r.Name)
		}
	}
}
