package infer

import (
	"math"
	"slices"
	"testing"

	"tidemark/model"
)

// TestLinesOfOneRecord: console text in a binary log has several lines at the
// offset of one record. Each keeps its own time, step and values.
func TestLinesOfOneRecord(t *testing.T) {
	out := model.NewRunBuilder(&model.File{Path: "run.wandb"})
	for step := range int64(3) {
		for _, x := range []struct {
			key   string
			value float64
		}{{"num_tokens", 1000}, {"tok_s", 100}, {"loss", 3}} {
			b := out.Metrics.Add(0, 61)
			b.SetInt(model.MetricT, 5e9+step)
			b.SetInt(model.MetricStep, step)
			b.SetText(model.MetricKey, out.Strings.Code(x.key))
			b.SetFloat(model.MetricValue, x.value+float64(step))
		}
	}
	run := model.NewRun()
	run.Files = append(run.Files, out.File)
	run.Files[0].Clock.Placed = true
	run.Join(out, 0)

	l := logSeries(run)[0]
	if l == nil {
		t.Fatal("no log")
	}
	if got, want := l.Steps.V, []float64{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	logs := senseLogs(run)
	if len(logs) != 1 || logs[0].highest != 2 {
		t.Fatalf("%d logs, want one that comes to step 2", len(logs))
	}
	loss, tokens := logs[0].role(senseLoss)[0], logs[0].role(senseTokens)[0]
	for i, want := range []int64{0, 1, 2} {
		if got := loss.record(i).step; got != want {
			t.Errorf("loss %d at step %d, want %d", i, got, want)
		}
	}
	if got, want := loss.beside(tokens), []float64{1000, 1001, 1002}; !slices.Equal(got, want) {
		t.Errorf("tokens beside the loss %v, want %v", got, want)
	}
}

// TestOddReadings: what cannot be a rate, a wait or a loss is no reading of it,
// and is told of. A wait in seconds is looked at, and is no series.
func TestOddReadings(t *testing.T) {
	out := model.NewRunBuilder(&model.File{Path: "train.log"})
	for i, v := range []float64{1000, math.NaN(), math.Inf(1), -5, 1e30, 0, 1100} {
		for _, x := range [][2]string{{"tok_s", "tokens/s"}, {"gate_wait", "ratio"}, {"put_wait", "s"}, {"loss", ""}} {
			b := out.Metrics.Add(i+1, int64(100*i))
			b.SetInt(model.MetricT, int64(i))
			b.SetText(model.MetricKey, out.Strings.Code(x[0]))
			b.SetText(model.MetricUnit, out.Strings.Code(x[1]))
			b.SetFloat(model.MetricValue, v)
		}
	}
	run := model.NewRun()
	run.Files = append(run.Files, out.File)
	run.Files[0].Clock.Placed = true
	run.Join(out, 0)

	l := logSeries(run)[0]
	for key, want := range map[string][]float64{"tok_s": {1000, 0, 1100}, "gate_wait": {1000, 0, 1100}, "put_wait": nil, "loss": {1000, -5, 1e30, 0, 1100}} {
		if got := l.Keys[key].V; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	for _, o := range l.odd {
		if want := map[string]int{"tok_s": 4, "gate_wait": 4, "put_wait": 4, "loss": 2}[o.key]; o.n != want || o.at.Line != 2 {
			t.Errorf("%s: %d readings left out, the first in line %d, want %d from line 2 on", o.key, o.n, o.at.Line, want)
		}
	}
	if len(l.odd) != 4 {
		t.Errorf("%d keys with readings left out, want 4", len(l.odd))
	}
	if n := l.others["put_wait"]; n != 3 {
		t.Errorf("%d other readings of put_wait, want 3: they are in seconds, which no share is", n)
	}
}

// Eight ranks that print a rate of 100 at once, every 3 s: readings at one time
// are no distance of 0 between readings, and no hole follows each of them.
func TestRateOfSeveralAtOnce(t *testing.T) {
	var rate Points
	for i := range 20 {
		for range 8 {
			rate.add(int64(3*i+3)*1e9, 100)
		}
	}
	if step := rate.step(); step != 3 {
		t.Errorf("readings are %v s apart, want 3", step)
	}
	work := cumulate(rate, 0)
	if n := len(work.V); n == 0 || work.V[n-1] != 6000 {
		t.Errorf("work %v, want 6000 at the end: 100 over 60 s", work.V)
	}
	if step := (Points{T: []int64{5, 5}, V: []float64{1, 2}}).step(); step != 0 {
		t.Errorf("two readings at one time are %v s apart, want 0", step)
	}
}
