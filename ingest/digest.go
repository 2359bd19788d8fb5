package ingest

import (
	"math/bits"
	"math/rand/v2"

	"github.com/zeebo/xxh3"
)

// maxDigests is where a digestTable forgets all and begins anew: it is a
// memory of what was seen, and must not grow with the file.
const maxDigests = 1 << 20

// A digestTable finds what was made of a text by the text's 128 bit hash.
// Equal hashes are taken for equal texts. The zero table is empty.
type digestTable struct {
	slots []digestSlot
	n     int
	shift int
	salt  uint64 // keeps a hostile file from choosing where its hashes land
}

type digestSlot struct {
	sum  xxh3.Uint128
	next int32 // the value and 1, 0 where the slot is free
}

// get returns the value kept for a hash.
func (t *digestTable) get(sum xxh3.Uint128) (int32, bool) {
	if t.n == 0 {
		return 0, false
	}
	for i := t.slot(sum); ; i = (i + 1) & (len(t.slots) - 1) {
		s := &t.slots[i]
		if s.next == 0 {
			return 0, false
		}
		if s.sum == sum {
			return s.next - 1, true
		}
	}
}

// put keeps a value for a hash that has none.
func (t *digestTable) put(sum xxh3.Uint128, v int32) {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	i := t.slot(sum)
	for t.slots[i].next != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = digestSlot{sum, v + 1}
	t.n++
}

func (t *digestTable) slot(sum xxh3.Uint128) int {
	return int((sum.Lo * t.salt) >> t.shift)
}

func (t *digestTable) grow() {
	if t.n >= maxDigests {
		t.slots = nil
	}
	t.resize(max(1<<12, 2*len(t.slots)))
}

// room makes room for n hashes.
func (t *digestTable) room(n int) {
	if size := 1 << bits.Len(uint(2*min(n, maxDigests))); size > max(len(t.slots), 1<<12) {
		t.resize(size)
	}
}

func (t *digestTable) resize(size int) {
	old := t.slots
	t.slots, t.n, t.shift = make([]digestSlot, size), 0, 65-bits.Len(uint(size))
	if t.salt == 0 {
		t.salt = rand.Uint64() | 1
	}
	for _, s := range old {
		if s.next != 0 {
			t.put(s.sum, s.next-1)
		}
	}
}
