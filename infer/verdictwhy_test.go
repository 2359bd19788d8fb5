package infer

import (
	"testing"

	"tidemark/model"
)

// TestTraceOfNoSide: a trace whose side is not known is no reason for one side,
// also where none limits.
func TestTraceOfNoSide(t *testing.T) {
	for _, side := range []string{"", model.Unknown} {
		w := &words{out: &model.Report{}}
		w.out.Limiter.Side = side
		w.out.Traces = []model.TraceInfo{{File: "trace.json", DurationS: 1, Sides: []model.TraceSide{{Side: side, Bound: model.BoundLaunch, LaunchesS: new(1e3), LaunchUS: new(5.0)}}}}
		w.traced()
		if n := len(w.out.Verdict.Because); n > 0 {
			t.Errorf("side %q: %d reasons, want none", side, n)
		}
	}
}
