package ingest

import (
	"math/bits"
	"math/rand/v2"
)

const (
	// maxLinks is how many launches may wait for their kernels: some times the depth
	// of the hardware's launch queues, which is 1,024.
	maxLinks = 1 << 16
	// foundLinks is how many launches after its last kernel one is forgotten: a
	// graph has many.
	foundLinks = 1 << 14
)

// A launchLinks holds the launches whose kernels may still come.
type launchLinks struct {
	recent, older launchTable
	kept          int    // of recent, those that came from older
	turn          uint32 // how often they were turned over
	wait          []launch
}

func (s *launchLinks) add(l launch) { s.recent.add(l) }

// find returns the launch with a number, nil where none is known. It is good
// until the next add.
func (s *launchLinks) find(link uint32) *launch {
	if link == 0 {
		return nil
	}
	l := s.recent.get(link)
	if l == nil {
		l = s.older.get(link)
	}
	if l != nil {
		l.found = s.turn + 1
	}
	return l
}

// forget drops launches that came long ago, once it is worth the work.
func (s *launchLinks) forget() {
	if len(s.recent.list) < foundLinks+2*s.kept {
		return
	}
	s.turn++
	s.recent, s.older = s.older, s.recent
	wait := s.wait[:0]
	for i, l := range s.recent.list {
		if l.found != 0 && l.found != s.turn {
			continue
		}
		if s.older.get(l.link) == nil && s.recent.get(l.link) == &s.recent.list[i] {
			wait = append(wait, l)
		}
	}
	s.recent.clear()
	for _, l := range wait[max(len(wait)-maxLinks, 0):] {
		s.recent.add(l)
	}
	s.kept, s.wait = len(s.recent.list), wait
}

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

func (t *launchTable) add(l launch) {
	if 2*len(t.list) >= len(t.slots) {
		t.grow()
	}
	t.list = append(t.list, l)
	*t.slot(l.link) = launchSlot{l.link, int32(len(t.list))}
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
	t.list = append(make([]launch, 0, len(t.slots)/2), t.list...)
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
