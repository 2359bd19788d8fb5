// Command peers does with the standard library alone what a first version of
// a reader would do. The benchmarks hold analyze against it. It prints how many
// records it has read, then its results.
//
//	peers WORK FILE
//	peers all DIR
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A work reads one file and returns its records and what it found.
type work func(io.Reader) (records int, result any, err error)

var works = map[string]work{
	"gpu":     readGPU,
	"queue":   readQueue,
	"steps":   readSteps,
	"values":  readValues,
	"pidstat": readPidstat,
	"stacks":  countStacks,
	"frames":  countFrames,
	"trace":   readTrace,
}

// all is what `peers all` does, each with one file, at the same time.
var all = map[string]string{
	"gpu": "gpu.csv", "queue": "queue.csv", "values": "train.log", "pidstat": "pidstat.txt", "frames": "pyspy.raw.txt", "trace": "trace.json",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, want WORK FILE", len(args))
	}
	if args[0] == "all" {
		return doAll(args[1])
	}
	n, result, err := do(args[0], args[1])
	if err != nil {
		return err
	}
	fmt.Println(n)
	fmt.Println(result)
	return nil
}

func do(name, path string) (int, any, error) {
	w, ok := works[name]
	if !ok {
		return 0, nil, fmt.Errorf("no work %q", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	n, result, err := w(f)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, result, nil
}

func doAll(dir string) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	sum, results := 0, map[string]any{}
	for name, file := range all {
		wg.Go(func() {
			n, result, err := do(name, filepath.Join(dir, file))
			mu.Lock()
			defer mu.Unlock()
			sum += n
			results[name] = result
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	fmt.Println(sum)
	fmt.Println(results)
	return nil
}
