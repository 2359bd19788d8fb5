// Package shard does several things, or the same thing to ranges of a list, at
// the same time.
package shard

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// All calls every function, each in a goroutine of its own, and returns when
// all are done. A panic in one of them is the caller's.
func All(list ...func()) {
	faults := make([]any, len(list))
	var wg sync.WaitGroup
	for i, f := range list {
		wg.Go(func() {
			defer func() { faults[i] = recover() }()
			f()
		})
	}
	wg.Wait()
	for _, x := range faults {
		if x != nil {
			panic(x)
		}
	}
}

// Do calls f with ranges [from, to) that cover [0, n), as many at a time as
// there are processors, and returns when all are done. What f does to one entry
// must not depend on the others; least entries are worth a goroutine of their own.
func Do(n, least int, f func(from, to int)) {
	k := min(runtime.GOMAXPROCS(0), n/least)
	if k < 2 {
		f(0, n)
		return
	}
	ranges := make([]func(), k)
	for i := range ranges {
		ranges[i] = func() { f(i*n/k, (i+1)*n/k) }
	}
	All(ranges...)
}

// Each calls f for each of n things, as many at a time as there are processors, in
// their order, and returns when all are done. What f does must not depend on the
// others.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	workers := make([]func(), min(runtime.GOMAXPROCS(0), n))
	for i := range workers {
		workers[i] = work
	}
	All(workers...)
}
