package infer

import (
	"testing"

	"tidemark/model"
)

// TestAllNoCounts: of the cells that are no count the first is the first by place, whatever
// series it is of.
func TestAllNoCounts(t *testing.T) {
	q := &QueueReadings{}
	q.odd[0].add(1, model.Pos{Line: 2}, "in a later run")
	q.odd[1].add(0, model.Pos{Line: 9}, "behind")
	q.odd[2].add(0, model.Pos{Line: 3}, "first")
	q.odd[2].add(0, model.Pos{Line: 5}, "second")
	if o := q.allNoCounts(); o.N != 4 || o.First.Msg != "first" {
		t.Errorf("%d cells, the first %q, want 4 and the one in line 3", o.N, o.First.Msg)
	}
}
