package compare_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tidemark/compare"
	"tidemark/model"
)

// A tally counts what came of comparisons.
type tally struct {
	n, fail, pass, open int
	changed             int // some metric or mechanism is called changed
}

func (c tally) share(k int) float64 { return float64(k) / float64(c.n) }

// add counts one comparison.
func (c *tally) add(res *model.CheckResult, cmp *model.Comparison) {
	c.n++
	switch res.Rules[0].Status {
	case model.Fail:
		c.fail++
	case model.Pass:
		c.pass++
	default:
		c.open++
	}
	metric := func(m model.MetricChange) bool { return m.Changed }
	stack := func(s model.StackChange) bool { return s.Changed }
	if slices.ContainsFunc(cmp.Metrics, metric) || slices.ContainsFunc(cmp.Stacks, stack) {
		c.changed++
	}
}

// A table holds what came of pairs, by runs on either side and true speed.
type table map[[2]int]map[float64]tally

// A study is how many pairs are simulated, and from which seed on. A full one
// is held to what is promised; a part of it, as go test repeats it, to what
// such a number of pairs may show with a probability over 0.1 %.
type study struct {
	first                uint64
	blocks, runs, causes int // pairs
	full                 bool
}

func studyOf(t *testing.T) study {
	n := os.Getenv("TIDEMARK_CALIBRATE")
	if n == "" {
		return study{first: 1, blocks: 300, runs: 15, causes: 4}
	}
	s := study{first: 1, full: true, causes: 40}
	pairs, err := strconv.Atoi(n)
	if seed := os.Getenv("TIDEMARK_SEED"); err == nil && seed != "" {
		s.first, err = strconv.ParseUint(seed, 10, 64)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.blocks = min(max(pairs, 300), 500)
	s.runs = s.blocks
	return s
}

// bound is a share, or how far n tries of a part may lie beyond it.
func (s study) bound(share float64, n int, above bool) float64 {
	if s.full {
		return share
	}
	b := distuv.Binomial{N: float64(n), P: share}
	k := 0.0
	for above && b.CDF(k) < 0.999 || !above && b.CDF(k) < 0.001 {
		k++
	}
	return k / float64(n)
}

// TestCalibration holds false alarms and power of the default policy, and the
// causes that are named, against what is promised, on simulated pairs. By
// default it is a part of what make calibrate does; with TIDEMARK_CALIBRATE it
// writes docs/calibration-compare.md.
func TestCalibration(t *testing.T) {
	if testing.Short() && os.Getenv("TIDEMARK_CALIBRATE") == "" {
		t.Skip("-short: simulates and analyses hundreds of runs")
	}
	s := studyOf(t)
	blocks := blockRuns(t, s.first, s.blocks)
	s.judge(t, "blocks", blocks)
	runs := wholeRuns(t, s.first, s.runs)
	s.judge(t, "whole runs", runs)
	named := causesNamed(t, s.first, s.causes)
	right, adds, all := 0, 0, 0
	for _, c := range named {
		right, adds, all = right+c.right, adds+c.adds, all+c.n
	}
	if want := s.bound(0.9, all, false); float64(right) < want*float64(all) || adds < all {
		t.Errorf("the right cause is named in %d of %d, want %.0f %%, and the parts add up in %d: %+v", right, all, 100*want, adds, named)
	}
	if s.full {
		document(t, s, blocks, runs, named)
	}
}

// judge holds a table against what is promised.
func (s study) judge(t *testing.T, of string, list table) {
	for size, speeds := range list {
		c := speeds[1]
		if c.share(c.fail) > s.bound(0.02, c.n, true) || c.share(c.changed) > s.bound(0.05, c.n, true) {
			t.Errorf("%s, %v without a change: %.3f fail, want at most 0.02; %.3f have a change, want at most 0.05", of, size, c.share(c.fail), c.share(c.changed))
		}
	}
	for _, w := range []struct {
		size  [2]int
		speed float64
		power float64
	}{{[2]int{5, 3}, 0.92, 0.90}, {[2]int{5, 3}, 0.95, 0.60}, {[2]int{1, 1}, 0.90, 0.75}} {
		if c := list[w.size][w.speed]; c.share(c.fail) < s.bound(w.power, c.n, false) {
			t.Errorf("%s, %v, speed %.2f: called in %.3f, want at least %.2f", of, w.size, w.speed, c.share(c.fail), w.power)
		}
	}
}

// sizes are runs on either side, and speeds those of the new ones.
var (
	sizes  = [][2]int{{1, 1}, {3, 1}, {5, 3}, {6, 6}}
	speeds = []float64{1, 0.97, 0.95, 0.92, 0.90}
)

// blockRuns compares pairs of one pipeline whose runs are drawn as blocks.
func blockRuns(t *testing.T, first uint64, pairs int) table {
	out := table{}
	for _, size := range sizes {
		out[size] = map[float64]tally{}
		for _, speed := range speeds {
			c := tally{}
			for seed := range uint64(pairs) {
				w := draw(first + seed)
				res, cmp, err := compare.Check(compare.Default(true), w.runs(size[0], 1, 1, 1), w.runs(size[1], speed, 1, 1))
				if err != nil {
					t.Fatal(err)
				}
				c.add(res, cmp)
			}
			out[size][speed] = c
		}
	}
	return out
}

// adverse is the upper end of a share that was seen in n tries, at 95 %
// (Clopper and Pearson 1934, one end).
func adverse(k, n int) float64 {
	if k >= n {
		return 1
	}
	return distuv.Beta{Alpha: float64(k + 1), Beta: math.Max(float64(n-k), 1)}.Quantile(0.95)
}
