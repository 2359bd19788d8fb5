package main

import (
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// largeInput is from where on a run is a large one, in bytes of its files.
const largeInput = 24 << 20

// unhurried is the memory under which nothing is collected: a small run ends
// before it has allocated as much.
const unhurried = 64 << 20

// prepareHeap asks for large pages, more for a large run, and puts off the first
// collection. Tables live to the end and hold no pointers, so that collecting
// more often than usual after it costs nothing that can be measured, and saves a
// sixth of the memory on a run of 1 GB.
func prepareHeap(large bool) {
	debug.SetGCPercent(-1)
	if large {
		largePages(4 * unhurried)
	} else {
		largePages(unhurried)
	}
	debug.SetMemoryLimit(unhurried)
	first := new([16]byte)
	runtime.AddCleanup(first, func(struct{}) { // called after the first collection
		debug.SetGCPercent(10)
		debug.SetMemoryLimit(math.MaxInt64)
	}, struct{}{})
}

// largePages advises the kernel to back the first of the heap with large pages.
// A run of a tenth of a second spends a tenth of it on the first touch of small
// ones. The advice stays with the addresses, which the runtime uses first once
// they are given back. It takes time of its own, some milliseconds for 256 MB.
func largePages(size int) {
	advise(make([]byte, size))
	runtime.GC()
}

// large reports whether the tables of a run will take much memory. Those of
// stacks alone do not.
func large(args []string) bool {
	return len(args) > 1 && args[0] != "profile" && holdAtLeast(args[1:], largeInput)
}

// holdAtLeast reports whether the files among the arguments, and the first
// thousand in directories among them, hold so many bytes.
func holdAtLeast(args []string, bytes int64) bool {
	left := 1000
	for _, arg := range args {
		_ = filepath.WalkDir(arg, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					bytes -= info.Size()
				}
			}
			if left--; bytes <= 0 || left <= 0 {
				return filepath.SkipAll
			}
			return nil
		})
	}
	return bytes <= 0
}
