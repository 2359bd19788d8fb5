package compare_test

import (
	"slices"
	"strings"
	"testing"

	"tidemark/compare"
	"tidemark/model"
)

// TestLeftOut: one run of several that never settles is left out, and said to
// be; where most of the new ones do not, that may be what changed.
func TestLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		base, fresh []int // runs that never settle
		status      string
		notes       int
	}{
		"none":               {nil, nil, model.Pass, 0},
		"one of the base":    {[]int{1}, nil, model.Pass, 1},
		"four of the base":   {[]int{0, 1, 2, 3}, nil, model.Pass, 4},
		"all of the base":    {[]int{0, 1, 2, 3, 4}, nil, model.Inconclusive, 0},
		"one of three new":   {nil, []int{2}, model.Pass, 1},
		"two of three new":   {nil, []int{0, 2}, model.Inconclusive, 0},
		"one on either side": {[]int{4}, []int{0}, model.Pass, 2},
	} {
		w := calm(7)
		base, fresh := w.runs(5, 1, 1, 1), w.runs(3, 1, 1, 1)
		for _, k := range c.base {
			base[k].Steady = false
		}
		for _, k := range c.fresh {
			fresh[k].Steady = false
		}
		res, cmp, err := compare.Check(policy(t, "rules:\n  - rule: throughput.change\n    limit: -0.5 %"), base, fresh)
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(slices.Clone(cmp.Notes), func(s string) bool { return !strings.Contains(s, "left out: it never reached a steady state") })
		if res.Status != c.status || len(left) != c.notes {
			t.Errorf("%s: %s, notes %q; want %s and %d notes", name, res.Headline, left, c.status, c.notes)
		}
	}
}

// TestCaughtUp: a pause whose work is caught up in the next blocks adds no
// noise to a run's throughput; one that is not does.
func TestCaughtUp(t *testing.T) {
	width := func(after float64) float64 {
		w := calm(3)
		base, fresh := w.runs(1, 1, 1, 1), w.runs(1, 1, 1, 1)
		for _, r := range slices.Concat(base, fresh) {
			for i := 3; i+1 < len(r.Blocks); i += 8 {
				a, b := r.Blocks[i].Tokens, r.Blocks[i+1].Tokens
				*b += after * 0.6 * *a
				*a *= 0.4
			}
		}
		c := metricOf(t, mustCompare(t, base, fresh, compare.Options{}), "throughput").Change
		return c.Hi - c.Lo
	}
	plain, caught, lost := widthOf(t, calm(3)), width(1), width(0)
	if caught > 1.1*plain || lost < 1.3*plain {
		t.Errorf("widths: without pauses %.4f, caught up %.4f, lost %.4f; want the second like the first, and the third beyond", plain, caught, lost)
	}
}

func widthOf(t *testing.T, w world) float64 {
	c := metricOf(t, mustCompare(t, w.runs(1, 1, 1, 1), w.runs(1, 1, 1, 1), compare.Options{}), "throughput").Change
	return c.Hi - c.Lo
}

// TestCaptureMetAPause: a short capture of stacks that met a pause shows
// another mix than one that did not; without pauses it is a change.
func TestCaptureMetAPause(t *testing.T) {
	for name, c := range map[string]struct {
		pauses  int
		capture *float64
		changed bool
	}{
		"no pauses":         {0, new(45.0), true},
		"short capture":     {4, new(45.0), false},
		"long capture":      {4, new(600.0), true},
		"capture not known": {4, nil, true},
	} {
		w := calm(9)
		base, fresh := w.runs(1, 1, 1, 1), w.runs(1, 1, 1, 1)
		for _, r := range slices.Concat(base, fresh) {
			r.Pauses, r.PauseS, r.CaptureS = c.pauses, float64(15*c.pauses), c.capture
		}
		share := func(v float64) model.Interval { return model.Interval{Lo: v - 0.01, Mid: v, Hi: v + 0.01} }
		base[0].Shares = []compare.Share{{Role: model.Drafter, ID: "gpu.launch", Share: share(0.9)}, {Role: model.Drafter, ID: "io.file", Share: share(0.1)}}
		fresh[0].Shares = []compare.Share{{Role: model.Drafter, ID: "gpu.launch", Share: share(0.7)}, {Role: model.Drafter, ID: "io.file", Share: share(0.3)}}
		for _, s := range mustCompare(t, base, fresh, compare.Options{}).Stacks {
			if s.Changed != c.changed {
				t.Errorf("%s: %s called changed: %v, want %v", name, s.ID, s.Changed, c.changed)
			}
		}
	}
}
