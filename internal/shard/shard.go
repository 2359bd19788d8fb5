// Package shard does the same work on ranges of a list at the same time.
package shard

import (
	"runtime"
	"sync"
)

// least is how many entries a goroutine of its own is worth.
const least = 256

// Do calls f with ranges [from, to) that cover [0, n), as many at a time as
// there are processors, and returns when all are done. What f does to one entry
// must not depend on the others.
func Do(n int, f func(from, to int)) {
	k := min(runtime.GOMAXPROCS(0), n/least)
	if k < 2 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := range k {
		wg.Go(func() { f(i*n/k, (i+1)*n/k) })
	}
	wg.Wait()
}
