package simrun

import (
	"math"
	"reflect"
	"testing"

	"tidemark/model"
)

// TestSameSeed: a case and its run are functions of the seed alone.
func TestSameSeed(t *testing.T) {
	for seed := range uint64(8) {
		a, b := Run(Draw(seed)), Run(Draw(seed))
		if !reflect.DeepEqual(a.Tables(), b.Tables()) || !reflect.DeepEqual(a.Facts, b.Facts) {
			t.Errorf("seed %d gives two runs", seed)
		}
	}
}

// TestRunsAreSound: conservation in every row, counters that never fall, and
// only what the evidence names.
func TestRunsAreSound(t *testing.T) {
	for seed := range uint64(30) {
		c := Draw(seed)
		run := Run(c)
		if got := run.GPU.Rows() > 0; got != c.Evidence.GPU {
			t.Errorf("seed %d: readings of devices %v, want %v", seed, got, c.Evidence.GPU)
		}
		if got := len(run.Stacks.Samples) > 0; got != (c.Evidence.Stack != Nothing) {
			t.Errorf("seed %d: sampled stacks %v, evidence %s", seed, got, c.Evidence.Stack)
		}
		last := 0.0
		for _, b := range run.Queue.Batches {
			for r := range b.Rows() {
				depth, _ := b.Float(model.QueueDepth, r)
				puts, ok := b.Float(model.QueuePuts, r)
				gets, _ := b.Float(model.QueueGets, r)
				if ok && math.Abs(puts-gets-depth) > 1e-9 {
					t.Fatalf("seed %d: puts %g - gets %g is not the depth %g", seed, puts, gets, depth)
				}
				if w, ok := b.Float(model.QueueGetWait, r); ok {
					if w < last-1e-9 {
						t.Fatalf("seed %d: a wait counter falls from %g to %g", seed, last, w)
					}
					last = w
				}
			}
		}
	}
}

// TestSides are the definition's own cases.
func TestSides(t *testing.T) {
	for _, c := range []struct {
		target, drafter, loader float64
		want                    string
	}{
		{0.9, 0.1, 0, model.Target},
		{0, 1, 0, model.Drafter},
		{0.6, 0.4, 0, model.Both},
		{0.1, 0, 0.9, model.Upstream},
		{0.2, 0.1, 0, model.Both},
	} {
		if got := side(c.target, c.drafter, c.loader); got != c.want {
			t.Errorf("elasticities %g, %g, loader %g: %s, want %s", c.target, c.drafter, c.loader, got, c.want)
		}
	}
}
