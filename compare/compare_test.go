package compare_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tidemark/compare"
	"tidemark/model"
)

func mustCompare(t *testing.T, base, fresh []*compare.Run, opt compare.Options) *model.Comparison {
	t.Helper()
	c, err := compare.Compare(base, fresh, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func metricOf(t *testing.T, c *model.Comparison, id string) model.MetricChange {
	t.Helper()
	for _, m := range c.Metrics {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no metric %s", id)
	return model.MetricChange{}
}

// calm is a pipeline of little noise.
func calm(seed uint64) world {
	return world{rand.New(rand.NewPCG(seed, 1)), 0.3, 0.02, 0.005, 0.005, 0, 30}
}

// TestFirstLine: what is said first of each kind of change.
func TestFirstLine(t *testing.T) {
	w := calm(1)
	base := w.runs(5, 1, 1, 1)
	for _, c := range []struct {
		name, want string
		runs       []*compare.Run
	}{
		{"slower targets", "Throughput fell: −", w.runs(5, 0.85, 1, 1)},
		{"faster targets", "Throughput rose: +", w.runs(5, 1.15, 1, 1)},
		{"slower drafters behind limiting targets", "No change of throughput is shown", w.runs(5, 1, 0.9, 1)},
		{"longer items", "No slower, other data: items are 20 % longer", w.runs(5, 1, 1, 1.2)},
	} {
		if got := mustCompare(t, base, c.runs, compare.Options{}).Headline; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := mustCompare(t, base, w.runs(5, 0.85, 1, 1), compare.Options{}); !strings.Contains(got.Headline, "the targets take longer for a token") {
		t.Errorf("%q names no cause", got.Headline)
	}
}

// TestVoid: each trait that must be the same makes runs incomparable, and no
// change is stated; told that the comparison is about it, it is compared.
func TestVoid(t *testing.T) {
	w := calm(2)
	for name, spoil := range map[string]func(*compare.Run){
		"topology":  func(r *compare.Run) { r.Pipeline.TargetGPUs = 6 },
		"capacity":  func(r *compare.Run) { r.Pipeline.Capacity = new(20.0) },
		"min_ready": func(r *compare.Run) { r.Pipeline.MinReady = new(4.0) },
		"gpu":       func(r *compare.Run) { r.Pipeline.GPUs = []string{"NVIDIA H200"} },
		"unit":      func(r *compare.Run) { r.Pipeline.Unit = "items/s" },
	} {
		base, fresh := w.runs(1, 1, 1, 1), w.runs(1, 1, 1, 1)
		base[0].Pipeline.GPUs = []string{"NVIDIA H100"}
		fresh[0].Pipeline.GPUs = []string{"NVIDIA H100"}
		spoil(fresh[0])
		c := mustCompare(t, base, fresh, compare.Options{})
		if len(c.Void) != 1 || !strings.HasPrefix(c.Headline, "Not comparable: ") || c.Waterfall != nil {
			t.Errorf("%s: %q, void %v", name, c.Headline, c.Void)
		}
		for _, m := range c.Metrics {
			if m.Change != nil || m.Changed {
				t.Errorf("%s: a change of %s is stated", name, m.ID)
			}
		}
		if c := mustCompare(t, base, fresh, compare.Options{About: []string{name}}); len(c.Void) > 0 || len(c.About) != 1 {
			t.Errorf("%s: void %v though the comparison is about it", name, c.Void)
		}
	}
}

// TestNotes: hosts, dates and clocks are notes; another host widens the interval of rates.
func TestNotes(t *testing.T) {
	w := calm(3)
	base, fresh := w.runs(1, 1, 1, 1), w.runs(1, 1, 1, 1)
	same := metricOf(t, mustCompare(t, base, fresh, compare.Options{}), "throughput").Change
	base[0].Setting, fresh[0].Setting = compare.Setting{Hosts: []string{"a"}, Date: "2026-01-01"}, compare.Setting{Hosts: []string{"b"}, Date: "2026-01-02"}
	c := mustCompare(t, base, fresh, compare.Options{})
	other := metricOf(t, c, "throughput").Change
	if len(c.Void) > 0 || len(c.Notes) != 2 || other.Hi-other.Lo < 2*(same.Hi-same.Lo) {
		t.Errorf("void %v, notes %v, interval %.3f after %.3f", c.Void, c.Notes, other.Hi-other.Lo, same.Hi-same.Lo)
	}
}

// TestLoss: a speed-up at another loss is not called one; loss is compared at
// equal steps, not at the end.
func TestLoss(t *testing.T) {
	w := calm(4)
	teach := func(runs []*compare.Run, scale, steps float64) []*compare.Run {
		for _, r := range runs {
			for i := range r.Blocks {
				step := steps * float64(i+1)
				r.Blocks[i].Step = &step
				r.Blocks[i].Loss = new(scale * (2 + 5*math.Exp(-step/1000)))
			}
		}
		return runs
	}
	base := teach(w.runs(5, 1, 1, 1), 1, 80)
	same := mustCompare(t, base, teach(w.runs(5, 1.15, 1, 1), 1, 92), compare.Options{})
	if !strings.HasPrefix(same.Headline, "Throughput rose") || metricOf(t, same, "loss").Changed {
		t.Errorf("%q, loss %+v", same.Headline, metricOf(t, same, "loss").Change)
	}
	worse := teach(w.runs(5, 1.15, 1, 1), 1.1, 92)
	if c := mustCompare(t, base, worse, compare.Options{}); !strings.HasPrefix(c.Headline, "Not a speed-up") {
		t.Errorf("%q", c.Headline)
	}
	for _, r := range worse {
		r.Pipeline.Capacity = new(20.0)
	}
	about := compare.Options{About: []string{"capacity"}}
	if c := mustCompare(t, base, worse, about); !strings.Contains(c.Headline, "no speed-up: the loss at equal steps moved by +10 %") {
		t.Errorf("%q", c.Headline)
	}
}

// TestThin: a run that is too short, or that holds no throughput, gives no verdict.
func TestThin(t *testing.T) {
	w := calm(5)
	w.blocks = 3
	short := w.runs(1, 0.5, 1, 1)
	w.blocks = 30
	base := w.runs(1, 1, 1, 1)
	if c := mustCompare(t, base, short, compare.Options{}); !strings.HasPrefix(c.Headline, "Cannot tell") {
		t.Errorf("short: %q", c.Headline)
	}
	empty := compare.From(&model.Report{})
	if c := mustCompare(t, base, []*compare.Run{empty}, compare.Options{}); !strings.HasPrefix(c.Headline, "Cannot tell") && len(c.Void) == 0 {
		t.Errorf("empty: %q", c.Headline)
	}
	if _, err := compare.Compare(nil, base, compare.Options{}); err == nil {
		t.Error("no base: no error")
	}
}

// TestWaterfallAddsUp: the parts sum to the change of items/s, which lies within its interval.
func TestWaterfallAddsUp(t *testing.T) {
	for seed := range uint64(30) {
		w := draw(seed + 50)
		c := mustCompare(t, w.runs(1+int(seed%3), 1, 1, 1), w.runs(1, 0.9, 0.95, 1.1), compare.Options{})
		sum, delta := 0.0, 0.0
		for _, p := range c.Waterfall.Parts {
			sum, delta = sum+p.Ln.Mid, delta+p.Delta
		}
		f := c.Waterfall
		if math.Abs(sum-f.Total.Mid) > 1e-9 || math.Abs(delta-(f.New-f.Base)) > 1e-6 || f.Total.Lo > sum || f.Total.Hi < sum {
			t.Errorf("seed %d: parts %.6f, total %+v; %.4f items/s of %.4f", seed, sum, f.Total, delta, f.New-f.Base)
		}
	}
}

// TestBaseline survives a round trip, and refuses damage.
func TestBaseline(t *testing.T) {
	runs := calm(6).runs(3, 1, 1, 1)
	var b bytes.Buffer
	if err := compare.WriteBaseline(&b, runs); err != nil {
		t.Fatal(err)
	}
	back, err := compare.ReadBaseline(b.Bytes())
	if err != nil || len(back) != 3 {
		t.Fatalf("%d runs, %v", len(back), err)
	}
	c := mustCompare(t, runs, back, compare.Options{})
	if m := metricOf(t, c, "throughput"); m.Change.Mid != 0 {
		t.Errorf("a run differs from itself by %g", m.Change.Mid)
	}
	for name, spoil := range map[string]func(string) string{
		"edited":   func(s string) string { return strings.Replace(s, `"target_gpus": 5`, `"target_gpus": 6`, 1) },
		"cut":      func(s string) string { return s[:len(s)/2] },
		"schema":   func(s string) string { return strings.Replace(s, "baseline/v1", "baseline/v9", 1) },
		"no runs":  func(string) string { return `{"schema":"tidemark/baseline/v1","sha256":"","runs":[]}` },
		"not JSON": func(string) string { return "schema: tidemark" },
	} {
		if _, err := compare.ReadBaseline([]byte(spoil(b.String()))); err == nil {
			t.Errorf("%s: read without an error", name)
		}
	}
}

// TestHistory tells a step from a drift and from noise.
func TestHistory(t *testing.T) {
	past := func(f func(i int) float64) []*compare.Run {
		w := calm(7)
		var runs []*compare.Run
		for i := range 30 {
			r := w.run(f(i), 1, 1)
			r.Name, r.Start = fmt.Sprint("run ", i), fmt.Sprintf("2026-01-%02dT00:00:00Z", i+1)
			runs = append(runs, r)
		}
		return runs
	}
	for _, c := range []struct {
		kind string
		at   int
		f    func(int) float64
	}{
		{"step", 20, func(i int) float64 { return map[bool]float64{true: 0.92, false: 1}[i >= 20] }},
		{"drift", 0, func(i int) float64 { return 1 - 0.004*float64(i) }},
		{"", 0, func(int) float64 { return 1 }},
	} {
		runs := past(c.f)
		h, err := compare.History(runs[:29], runs[29:], "throughput")
		switch {
		case err != nil:
			t.Fatal(err)
		case c.kind == "" && len(h.Changes) > 0, c.kind != "" && (len(h.Changes) != 1 || h.Changes[0].Kind != c.kind || h.Changes[0].Index != c.at):
			t.Errorf("%s: %s %+v", c.kind, h.Text, h.Changes)
		}
	}
}

// TestHistoryWithoutStart: a new run without a start time stands last, not first.
func TestHistoryWithoutStart(t *testing.T) {
	w := calm(7)
	var past []*compare.Run
	for i := range 10 {
		r := w.run(1, 1, 1)
		r.Name, r.Start = fmt.Sprint("run ", i), fmt.Sprintf("2026-01-%02dT00:00:00Z", 10-i)
		past = append(past, r)
	}
	fresh := w.run(1, 1, 1)
	fresh.Name, fresh.Start = "new", ""
	h, err := compare.History(past, []*compare.Run{fresh}, "throughput")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(h.Points); n != 11 || h.Points[0].Name != "run 9" || h.Points[n-1].Name != "new" {
		t.Errorf("%d points from %s to %s, want 11 from run 9 to new", n, h.Points[0].Name, h.Points[n-1].Name)
	}
}

// TestAlikeRuns: where runs resemble those before them, a change that is found
// comes with a warning; where they do not, without.
func TestAlikeRuns(t *testing.T) {
	warned := func(correlation float64) (changes, warnings int) {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 99))
			var runs []*compare.Run
			x := 0.0
			for i := range 60 {
				x = correlation*x + math.Sqrt(1-correlation*correlation)*0.01*rng.NormFloat64()
				v := 11900 * math.Exp(x) * map[bool]float64{true: 0.95, false: 1}[i >= 40]
				runs = append(runs, &compare.Run{
					Name: fmt.Sprint(i), Start: fmt.Sprintf("2026-01-01T00:%02d:00Z", i), Steady: true,
					Values: map[string]model.Interval{"throughput": {Lo: v, Mid: v, Hi: v}},
				})
			}
			h, err := compare.History(runs[:59], runs[59:], "throughput")
			if err != nil {
				t.Fatal(err)
			}
			changes += min(len(h.Changes), 1)
			if strings.Contains(h.Text, "a change may be none") {
				warnings++
			}
		}
		return changes, warnings
	}
	if changes, warnings := warned(0); changes != 40 || warnings > 3 {
		t.Errorf("independent runs: %d steps found, %d with a warning; want 40 and at most 3", changes, warnings)
	}
	if changes, warnings := warned(0.7); changes != 40 || warnings < 28 {
		t.Errorf("runs with a correlation of 0.7: %d changes found, %d with a warning; want 40 and at least 28", changes, warnings)
	}
}
