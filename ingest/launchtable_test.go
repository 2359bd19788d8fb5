package ingest

import "testing"

// What was added is found, the later of two with one number, and nothing else;
// after clear nothing is.
func TestLaunchTable(t *testing.T) {
	var table launchTable
	if table.get(7) != nil {
		t.Error("an empty table has a launch")
	}
	for round := range 2 {
		for i := range int64(5000) {
			table.add(uint32(i*64+1), launch{start: -1})
			table.add(uint32(i*64+1), launch{start: i})
		}
		for i := range int64(5000) {
			if l := table.get(uint32(i*64 + 1)); l == nil || l.start != i {
				t.Fatalf("round %d: launch %d is %+v", round, i, l)
			}
			if l := table.get(uint32(i*64 + 2)); l != nil {
				t.Fatalf("round %d: %+v for a number that was not added", round, l)
			}
		}
		table.clear()
		if table.get(1) != nil {
			t.Error("a cleared table has a launch")
		}
	}
}
