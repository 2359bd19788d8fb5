package report

import (
	"testing"

	"tidemark/model"
)

// TestWaits: one wait has its interval, several fit beside the bars without.
func TestWaits(t *testing.T) {
	gate := &model.Interval{Lo: 0.721, Mid: 0.737, Hi: 0.753}
	input := &model.Interval{Lo: 0.957, Mid: 0.96, Hi: 0.963}
	none := &model.Interval{}
	for _, c := range []struct {
		waits model.Waits
		want  string
	}{
		{model.Waits{}, ""},
		{model.Waits{TargetPut: none, DrafterGate: none, TargetInput: none}, ""},
		{model.Waits{TargetPut: none, DrafterGate: gate}, "gate wait 73.7 % (72.1–75.3)"},
		{model.Waits{DrafterGate: gate, TargetInput: input}, "gate wait 73.7 %, prompts 96.0 %"},
		{model.Waits{TargetPut: gate}, "blocked 73.7 % (72.1–75.3)"},
	} {
		if got := waits(c.waits); got != c.want {
			t.Errorf("waits(%+v) = %q, want %q", c.waits, got, c.want)
		}
	}
}
