package infer

import (
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
	if got, want := loss.step, []int64{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("loss at steps %v, want %v", got, want)
	}
	if got, want := loss.beside(tokens), []float64{1000, 1001, 1002}; !slices.Equal(got, want) {
		t.Errorf("tokens beside the loss %v, want %v", got, want)
	}
}
