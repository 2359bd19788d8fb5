package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A collection is due when unhurried bytes are new, so that a small run ends
// before the first one, or a tenth of what is live where that is more.
const (
	unhurried  = 64 << 20
	leastGrown = 10                          // per cent
	mostGrown  = 100 * unhurried / (4 << 20) // Go collects no heap under 4 MB times the percentage (runtime, heapMinimum)
)

// prepareHeap sets the pace of the collector. Tables live to the end, so that
// what a collection gives back does not grow with them: with the usual pace, in
// proportion, a large run would hold a multiple of what it needs, and a small one
// collects without end.
//
// Nothing is asked of the kernel about large pages. Of a virtual machine's free
// memory the large pages are those that have been handed back to its host: their
// first touch took 0.1 to 2.5 ms per MB from one time to the next, that of small
// ones 0.5 to 0.9 (measured on one).
func prepareHeap() {
	debug.SetGCPercent(mostGrown)
	afterCollection(pace)
}

// pace says when the next collection is due.
func pace() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	grown := 100 * unhurried / max(live[0].Value.Uint64(), 1<<20)
	debug.SetGCPercent(max(min(int(grown), mostGrown), leastGrown))
	afterCollection(pace)
}

// afterCollection calls f once the next collection has ended.
func afterCollection(f func()) {
	runtime.AddCleanup(new([16]byte), func(struct{}) { f() }, struct{}{})
}
