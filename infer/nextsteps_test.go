package infer

import (
	"testing"

	"tidemark/model"
)

// TestWhere: a cost is at the line of the program that leads to it, else at its
// own, else in its function.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		f    model.TopFrame
		want string
	}{
		{model.TopFrame{Function: "cudaLaunchKernel", File: "libcudart.so.13", From: "forward app/model.py:7"}, "model.py:7, 41 %"},
		{model.TopFrame{Function: "run", File: "/src/app/kernel.cpp", Line: 12}, "kernel.cpp:12, 41 %"},
		{model.TopFrame{Function: "cudaLaunchKernel", File: "libcudart.so.13"}, "cudaLaunchKernel, 41 %"},
	} {
		if got := where(c.f, 0.41); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

// TestCheapest: the least work comes first, of equal work the larger gain, and
// the one against the largest cost is never dropped.
func TestCheapest(t *testing.T) {
	list := []costed{}
	for i, c := range []struct {
		effort int
		gain   float64
	}{{3, 0.4}, {1, 0.05}, {2, 0.1}, {1, 0.2}, {2, 0.3}} {
		list = append(list, costed{model.Step{Gain: &model.Interval{Hi: c.gain}}, c.effort, i == 0})
	}
	var got []float64
	for _, c := range cheapest(list) {
		got = append(got, c.step.Gain.Hi)
	}
	if len(got) != maxSteps || got[0] != 0.2 || got[1] != 0.05 || got[2] != 0.4 {
		t.Errorf("gains %v, want 0.2, 0.05, and 0.4 of the largest cost", got)
	}
}
