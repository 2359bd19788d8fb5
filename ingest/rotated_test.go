package ingest

import "testing"

// TestOlderHeaderTies: of two parts that are as near, always the same one.
func TestOlderHeaderTies(t *testing.T) {
	head := []byte("2026-11-29T10:00:02Z,hs,11,60\n")
	bound := map[string]binding{}
	for _, part := range []string{"gpu/queue.csv.2", "gpu/queue.csv.2.gz", "gpu/queue.csv.2.zst", "gpu/queue.csv.2.xz"} {
		bound[part] = binding{QueueCSV, "timestamp,queue,depth,capacity", part}
	}
	r := &reader{bound: bound}
	for range 50 {
		b, ok := r.olderHeader("gpu/queue.csv.1", QueueCSV, head)
		if !ok || b.note != "gpu/queue.csv.2" {
			t.Fatalf("%q, %t; want the first by name", b.note, ok)
		}
	}
}
