package ingest

import (
	"math/bits"
	"math/rand/v2"
)

// A launchTable finds launches by the number that they share with what they
// launched. Of two with one number the later counts. The zero table is empty.
type launchTable struct {
	slots []launchSlot // twice as many as there are launches, or more
	shift int
	salt  uint64 // keeps a hostile file from choosing where its numbers land
	list  []launch
}

type launchSlot struct {
	link uint32
	at   int32 // place in the list and 1, 0 where the slot is free
}

// get returns the launch with a number, nil where there is none. It is good
// until the next add.
func (t *launchTable) get(link uint32) *launch {
	if len(t.list) == 0 {
		return nil
	}
	s := t.slot(link)
	if s.at == 0 {
		return nil
	}
	return &t.list[s.at-1]
}

func (t *launchTable) add(link uint32, l launch) {
	if 2*len(t.list) >= len(t.slots) {
		t.grow()
	}
	t.list = append(t.list, l)
	*t.slot(link) = launchSlot{link, int32(len(t.list))}
}

// slot returns the slot of a number, or the free one where it belongs.
func (t *launchTable) slot(link uint32) *launchSlot {
	i := int(uint64(link) * t.salt >> t.shift)
	for t.slots[i].at != 0 && t.slots[i].link != link {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return &t.slots[i]
}

func (t *launchTable) grow() {
	old := t.slots
	t.slots = make([]launchSlot, max(1<<10, 2*len(old)))
	t.shift = 65 - bits.Len(uint(len(t.slots)))
	if t.salt == 0 {
		t.salt = rand.Uint64() | 1
	}
	for _, s := range old {
		if s.at != 0 {
			*t.slot(s.link) = s
		}
	}
}

func (t *launchTable) clear() {
	clear(t.slots)
	t.list = t.list[:0]
}
