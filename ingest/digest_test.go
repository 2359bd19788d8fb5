package ingest

import (
	"testing"

	"github.com/zeebo/xxh3"
)

func digestOf(i int) xxh3.Uint128 {
	return xxh3.Hash128([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)})
}

// TestDigestTable: what was put is found, with or without room made before, and
// nothing else is.
func TestDigestTable(t *testing.T) {
	for _, room := range []int{0, 10, 5000} {
		var d digestTable
		if _, ok := d.get(digestOf(1)); ok {
			t.Error("an empty table has a value")
		}
		if room > 0 {
			d.room(room)
		}
		for i := range 10_000 {
			d.put(digestOf(i), int32(i))
		}
		for i := range 10_000 {
			if v, ok := d.get(digestOf(i)); !ok || v != int32(i) {
				t.Fatalf("room %d: %d, %v, want %d", room, v, ok, i)
			}
			if v, ok := d.get(digestOf(i + 10_000)); ok {
				t.Fatalf("room %d: %d for a text that was not seen", room, v)
			}
		}
	}
}

// TestDigestTableForgets: the table stays within its bound, and what is put after
// it has forgotten all is found.
func TestDigestTableForgets(t *testing.T) {
	var d digestTable
	for i := range maxDigests + 100 {
		d.put(digestOf(i), int32(i))
	}
	if _, ok := d.get(digestOf(0)); ok {
		t.Error("the first text is still known")
	}
	if v, ok := d.get(digestOf(maxDigests + 99)); !ok || v != maxDigests+99 {
		t.Errorf("the last text: %d, %v", v, ok)
	}
	if len(d.known) > maxDigests || len(d.slots) > 2*maxDigests {
		t.Errorf("%d texts in %d slots, want at most %d and twice as many", len(d.known), len(d.slots), maxDigests)
	}
}
