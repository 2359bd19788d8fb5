package ingest

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"
)

// maxDigests is where a digestTable forgets all and begins anew: it is a
// memory of what was seen, and must not grow with the file.
const maxDigests = 1 << 20

// A digestTable finds what was made of a text by the text's 128 bit hash.
// Equal hashes are taken for equal texts. The zero table is empty. Slots are
// apart from the hashes and small, so that most of them stay in the processor's cache.
type digestTable struct {
	slots []digestSlot
	known []digest
	shift int
	salt  uint64 // keeps a hostile file from choosing where its hashes land
}

// A digestSlot leads to a digest.
type digestSlot struct {
	part uint32 // of the hash
	next int32  // index in known and 1, 0 where the slot is free
}

type digest struct {
	sum   xxh3.Uint128
	value int32
}

// get returns the value kept for a hash.
func (t *digestTable) get(sum xxh3.Uint128) (int32, bool) {
	if len(t.known) == 0 {
		return 0, false
	}
	part := uint32(sum.Hi)
	for i := t.slot(sum); ; i = (i + 1) & (len(t.slots) - 1) {
		s := t.slots[i]
		if s.next == 0 {
			return 0, false
		}
		if s.part == part {
			if d := &t.known[s.next-1]; d.sum == sum {
				return d.value, true
			}
		}
	}
}

// put keeps a value for a hash that has none.
func (t *digestTable) put(sum xxh3.Uint128, v int32) {
	if 2*len(t.known) >= len(t.slots) {
		t.grow()
	}
	t.known = append(t.known, digest{sum, v})
	t.place(int32(len(t.known)))
}

// place leads a free slot to the digest next-1.
func (t *digestTable) place(next int32) {
	sum := t.known[next-1].sum
	i := t.slot(sum)
	for t.slots[i].next != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = digestSlot{uint32(sum.Hi), next}
}

func (t *digestTable) slot(sum xxh3.Uint128) int {
	return int((sum.Lo * t.salt) >> t.shift)
}

func (t *digestTable) grow() {
	size := max(1<<12, 2*len(t.slots))
	if len(t.known) >= maxDigests {
		t.known, size = t.known[:0], len(t.slots)
	}
	t.resize(size)
}

// room makes room for n hashes.
func (t *digestTable) room(n int) {
	n = min(n, maxDigests)
	t.known = slices.Grow(t.known, n)
	if size := 1 << bits.Len(uint(2*n-1)); size > max(len(t.slots), 1<<12) {
		t.resize(size)
	}
}

func (t *digestTable) resize(size int) {
	t.slots, t.shift = make([]digestSlot, size), 65-bits.Len(uint(size))
	if t.salt == 0 {
		t.salt = rand.Uint64() | 1
	}
	for i := range t.known {
		t.place(int32(i + 1))
	}
}
