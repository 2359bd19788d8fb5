package model

import "math/bits"

// A sumTable finds numbers from 0 by a sum, of which it keeps the high half.
// Several numbers may have one sum: the user compares what they stand for.
type sumTable struct {
	slots []sumSlot
	n     int
	shift int
}

type sumSlot struct {
	sum  uint32
	next int32 // the number and 1, 0 where the slot is free
}

// newSumTable returns a table with room for n numbers.
func newSumTable(n int) *sumTable {
	t := &sumTable{}
	t.resize(1 << bits.Len(uint(max(2*n, 1<<8)-1)))
	return t
}

// first returns the first number with a sum, and the slot it stands in; -1 for none.
func (t *sumTable) first(sum uint64) (slot int, number int32) {
	return t.from(uint32(sum>>32), t.home(uint32(sum>>32)))
}

// next returns the one after that in slot.
func (t *sumTable) next(sum uint64, slot int) (int, int32) {
	return t.from(uint32(sum>>32), (slot+1)&(len(t.slots)-1))
}

// home is the slot in which the numbers with a sum begin.
func (t *sumTable) home(sum uint32) int { return int(uint64(sum) * 0x9e3779b97f4a7c15 >> t.shift) }

func (t *sumTable) from(sum uint32, i int) (int, int32) {
	for ; t.slots[i].next != 0; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].sum == sum {
			return i, t.slots[i].next - 1
		}
	}
	return i, -1
}

// put adds a number.
func (t *sumTable) put(sum uint64, number int32) {
	if 2*t.n >= len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	t.place(sumSlot{uint32(sum >> 32), number + 1})
}

func (t *sumTable) place(s sumSlot) {
	i := t.home(s.sum)
	for t.slots[i].next != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = s
	t.n++
}

func (t *sumTable) resize(size int) {
	old := t.slots
	t.slots, t.n, t.shift = make([]sumSlot, size), 0, 65-bits.Len(uint(size))
	for _, s := range old {
		if s.next != 0 {
			t.place(s)
		}
	}
}
