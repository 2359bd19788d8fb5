package ingest

import (
	"path/filepath"
	"slices"
	"testing"

	"tidemark/model"
)

// TestMLflowQueue: what a run's files say of a queue at one step is one reading,
// in each session; another run's files and a step without a depth give nothing.
func TestMLflowQueue(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"mlruns/1/a/metrics/hs_queue_depth":    "1796004120000 9 10\n1796004121000 8 20\n1796004122000 7 30\n1796004123000 6 40\n1796004124000 5 50\n1796004125000 4 10\n",
		"mlruns/1/a/metrics/queue_capacity":    "1796004120000 60 10\n1796004121000 60 20\n1796004122000 60 30\n1796004123000 60 40\n1796004124000 60 50\n1796004125000 50 10\n",
		"mlruns/1/a/metrics/put_wait_ms_total": "1796004120000 1500 10\n1796004122000 2500 30\n1796004123000 3500 40\n1796004124000 4500 50\n1796004125000 250 10\n",
		"mlruns/1/b/metrics/puts_total":        "1796004120002 1500 10\n",
	} {
		writeMember(t, filepath.Join(dir, path), []byte(text))
	}
	run, err := Read(t.Context(), []string{dir}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	queue := run.Queue.Batches[0]
	rows := model.NewReader(model.Queue, model.QueueCapacity)
	rows.Read(queue)
	if got := rows.Floats(model.QueueCapacity); !slices.Equal(got, []float64{60, 60, 60, 60, 60, 50}) {
		t.Errorf("capacities %v, want those of each session", got)
	}
	var waits []float64
	for r := range queue.Rows() {
		v, ok := queue.Float(model.QueuePutWait, r)
		if !ok {
			v = -1
		}
		waits = append(waits, v)
	}
	if !slices.Equal(waits, []float64{1.5, -1, 2.5, 3.5, 4.5, 0.25}) || queue.Has(model.QueuePuts) {
		t.Errorf("waits %v, puts %v; want 1.5, none, 2.5, 3.5, 4.5 and 0.25 s, and none of another run", waits, queue.Has(model.QueuePuts))
	}
}
