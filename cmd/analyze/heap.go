package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The first collection is due when unhurried bytes are new, so that a small run ends
// before it. A later one is due when half of that is new, or a tenth of the most
// that was live where that is more, but not before roomy bytes are in use: a heap that rises and
// falls by a fold is then as large whenever it is collected.
const (
	unhurried  = 64 << 20
	roomy      = 104 << 20
	leastGrown = 10                          // per cent
	mostGrown  = 100 * unhurried / (4 << 20) // Go collects no heap under 4 MB times the percentage (runtime, heapMinimum)
)

// prepareHeap sets the pace of the collector. Tables live to the end, so that
// what a collection gives back does not grow with them: with the usual pace, in
// proportion, a large run would hold a multiple of what it needs, and a small one
// collects without end.
//
// For stacks alone the kernel is advised to back the first of the heap with large
// pages: that saves a tenth to a fifth of the time. The advice stays with the
// addresses, which the runtime uses first once they are given back. A run is not
// better for it. Of a virtual machine's free memory the large pages are those that have
// been handed back to its host: their first touch took 0.1 to 2.5 ms per MB from one
// time to the next, that of small ones 0.5 to 0.9 (measured on one).
func prepareHeap(stacks bool) {
	if stacks {
		debug.SetGCPercent(-1)
		advise(make([]byte, unhurried))
	}
	debug.SetGCPercent(mostGrown)
	if stacks {
		runtime.KeepAlive(make([]byte, 128<<10)) // begins the collection that is due now
	}
	pace(1 << 20)
}

// pace says when each further collection is due. The percentage is of the most that was
// ever live: it stands until the next collection has been looked at, when more may be
// live again.
func pace(most int64) {
	afterCollection(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		most := max(most, int64(sample[0].Value.Uint64()))
		fresh := max(unhurried/2, roomy-most)
		debug.SetGCPercent(max(min(int(100*fresh/most), mostGrown), leastGrown))
		pace(most)
	})
}

// afterCollection calls f once the next collection has ended.
func afterCollection(f func()) {
	runtime.AddCleanup(new([16]byte), func(struct{}) { f() }, struct{}{})
}
