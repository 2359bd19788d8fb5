package ingest

import (
	"math/rand/v2"
	"testing"
)

// What was added is found, the later of two with one number, and nothing else;
// after clear nothing is.
func TestLaunchTable(t *testing.T) {
	var table launchTable
	if table.get(7) != nil {
		t.Error("an empty table has a launch")
	}
	for round := range 2 {
		for i := range int64(5000) {
			table.add(launch{link: uint32(i*64 + 1), start: -1})
			table.add(launch{link: uint32(i*64 + 1), start: i})
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

// A launch is found as long as fewer than maxLinks wait, however many came
// since, and again some foundLinks launches after it was; of two with one number
// the later is. What was found long ago is dropped.
func TestLaunchLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var links launchLinks
	last := map[uint32]int64{}
	type found struct {
		link uint32
		at   int64
	}
	var wait []uint32
	var seen []found
	look := func(link uint32) {
		if l := links.find(link); l == nil || l.start != last[link] {
			t.Fatalf("launch %d: %+v, want the one of %d", link, l, last[link])
		}
	}
	for i := range int64(1 << 18) {
		link := uint32(1 + r.IntN(1<<30))
		if i%5 == 0 && len(wait) > 0 {
			link = wait[len(wait)-1]
			wait = wait[:len(wait)-1]
		}
		last[link] = i
		links.add(launch{link: link, start: i})
		wait = append(wait, link)
		for len(wait) > maxLinks/4 || len(wait) > 0 && r.IntN(4) == 0 {
			k := r.IntN(len(wait))
			link := wait[k]
			wait[k] = wait[len(wait)-1]
			wait = wait[:len(wait)-1]
			look(link)
			seen = append(seen, found{link, i})
		}
		for len(seen) > 0 && seen[0].at < i-foundLinks+512 {
			look(seen[0].link)
			seen = seen[1:]
		}
		if i%512 == 0 {
			links.forget()
		}
	}
	if n := len(links.recent.list) + len(links.older.list); n > 1<<17 {
		t.Errorf("%d launches are held", n)
	}
}
