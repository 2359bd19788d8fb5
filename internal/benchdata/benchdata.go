// Package benchdata writes the directory of one long target/drafter training
// run, of any size and with the same bytes for the same seed. Benchmarks read it.
//
// Five target workers (GPU 0-4) fill a queue of 60; three drafters (GPU 5-7)
// take from it while 10 items are in it. The targets limit: they make 7 items/s
// and never block, the drafters could take 9.1 and wait 23 % of their time, so
// the depth sits at the gate. A checkpoint stops the drafters for 12 s every
// half hour. Targets wait for their GPUs; what costs drafters most is the
// building of masks with its many launches.
package benchdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A Kind is one file of the run.
type Kind struct {
	Name   string
	File   string
	Format string  // as ingest names it
	Share  float64 // of the bytes of a whole run
	rate   float64 // bytes per second of the run, 0 where the file lasts as long as its size lets it
	write  func(*output, *run, int64)
}

// Kinds are all files of a run.
var Kinds = []*Kind{
	{Name: "gpu", File: "gpu.csv", Format: "nvidia-smi-csv", Share: 0.341, rate: 7200, write: writeGPU},
	{Name: "queue", File: "queue.csv", Format: "queue-csv", Share: 0.025, rate: 536, write: writeQueue},
	{Name: "log", File: "train.log", Format: "train-log", Share: 0.045, rate: 950, write: writeLog},
	{Name: "pidstat", File: "pidstat.txt", Format: "pidstat", Share: 0.154, rate: 3246, write: writePidstat},
	{Name: "stacks", File: "pyspy.raw.txt", Format: "py-spy-raw", Share: 0.185, write: writeStacks},
	{Name: "trace", File: "trace.json", Format: "kineto", Share: 0.25, write: writeTrace},
}

// Named returns the kind with a name, nil where there is none.
func Named(name string) *Kind {
	i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return Kinds[i]
}

// Write writes a run of about size bytes into dir: all of its files, or those
// of some kinds, which then have that size together. The files that follow the
// run's time cover the same time.
func Write(dir string, seed uint64, size int64, kinds ...*Kind) error {
	if len(kinds) == 0 {
		kinds = Kinds
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	shares, timed, rates := 0.0, 0.0, 0.0
	for _, k := range kinds {
		shares += k.Share
		if k.rate > 0 {
			timed += k.Share
			rates += k.rate
		}
	}
	r := newRun(seed, float64(size)*timed/shares, rates)
	errs := make([]error, len(kinds))
	var wg sync.WaitGroup
	for i, k := range kinds {
		wg.Go(func() { errs[i] = k.writeFile(dir, r, int64(float64(size)*k.Share/shares)) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (k *Kind) writeFile(dir string, r *run, size int64) error {
	f, err := os.Create(filepath.Join(dir, k.File))
	if err != nil {
		return err
	}
	o := &output{w: f}
	k.write(o, r, size)
	if err := errors.Join(o.close(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}
