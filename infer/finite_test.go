package infer

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// TestFinite: what needs a number that is none is left out with its entry, the
// rest stays, and what every report has is named where it became 0.
func TestFinite(t *testing.T) {
	nan, inf, one := math.NaN(), math.Inf(1), 1.0
	shared := []float64{nan, 1}
	r := &model.Report{
		Run:      model.RunInfo{Name: "x", DurationS: inf},
		Steady:   model.Steady{ToS: 5},
		Queue:    model.QueueInfo{Hz: &nan, Capacity: &one, Depth: &model.Depth{P50: 3, Mean: nan}},
		Findings: []model.Finding{{ID: "a", Evidence: []model.Evidence{{What: "bad", Value: nan}, {What: "good", Value: 2}}, PredictedGain: &model.Interval{Hi: inf}}},
		CPU: &model.CPU{Roles: map[string]model.RoleCPU{
			"target":  {Samples: 4, States: map[string]float64{"cpu": 1, "wait": nan}, Causes: []model.ShareOf{{ID: "c", Share: model.Interval{Lo: nan}}}},
			"drafter": {Samples: nan},
		}},
		Series: []model.Series{
			{Name: "gap", T: []float64{0, 1}, Lo: []*float64{&one, &nan}, Hi: []*float64{&one, &one}},
			{Name: "lost", T: shared, Lo: []*float64{&one, &one}, Hi: []*float64{&one, &one}},
			{Name: "lost too", T: shared, Lo: []*float64{&one, &one}, Hi: []*float64{&one, &one}},
		},
		Flames: []model.Flame{{Name: "f", Nodes: []model.FlameNode{{Parent: -1}, {Value: inf}, {Parent: 1}}}},
	}
	want := &model.Report{
		Run:      model.RunInfo{Name: "x"},
		Steady:   model.Steady{ToS: 5},
		Queue:    model.QueueInfo{Capacity: &one},
		Findings: []model.Finding{{ID: "a", Evidence: []model.Evidence{{What: "good", Value: 2}}}},
		CPU: &model.CPU{Roles: map[string]model.RoleCPU{
			"target": {Samples: 4, States: map[string]float64{"cpu": 1}, Causes: []model.ShareOf{}},
		}},
		Series: []model.Series{{Name: "gap", T: []float64{0, 1}, Lo: []*float64{&one, nil}, Hi: []*float64{&one, &one}}},
		Flames: []model.Flame{},
	}
	check, ok := finiteCheck(r)
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	const text = "values that are no numbers were left out of the report; what it must have stands as 0: run.duration_s"
	if !ok || check.OK || *check.Value != 12 || check.Text != text {
		t.Errorf("check %+v, value %v; want 12 values and %q", check, *check.Value, text)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if check, ok := finiteCheck(r); ok {
		t.Errorf("a second time: %+v", check)
	}
}
