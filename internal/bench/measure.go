// Package bench measures analyze and simple peers as whole processes, side by
// side on the same files, and writes docs/benchmarks.md.
package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tidemark/internal/benchdata"
)

// Steps is how many times as large the larger directory of a scaling figure is.
const Steps = 16

// Tripling is the step of the memory figures.
const Tripling = 3

const seed = 1

// A Config says what to measure.
type Config struct {
	Analyze, Peers string // commands
	Dir            string // for inputs and outputs
	Size           int64  // bytes of the whole directory
	Rounds         int
	Logf           func(format string, args ...any)
}

// A Figure is one command with one input.
type Figure struct {
	Bytes    int64
	One, All *Process // One may be nil
}

// A Result is what a case came to.
type Result struct {
	Case
	Ours, Small Figure
	Peers       []Figure  // as in the case
	Memory      [2]Figure // of tripled cases
}

// Measure runs every case.
func Measure(c Config) ([]Result, error) {
	large, small := filepath.Join(c.Dir, "large"), filepath.Join(c.Dir, "small")
	if err := os.MkdirAll(filepath.Join(c.Dir, "out"), 0o777); err != nil {
		return nil, err
	}
	for dir, size := range map[string]int64{large: c.Size, small: c.Size / Steps} {
		if err := benchdata.Write(dir, seed, size); err != nil {
			return nil, err
		}
	}
	var list []Result
	for _, k := range Cases {
		c.Logf("%s", k.name())
		r, err := c.measure(k, large, small)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name(), err)
		}
		list = append(list, r)
	}
	if err := os.RemoveAll(large); err != nil {
		return nil, err
	}
	for i := range list {
		if err := c.measureMemory(&list[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", list[i].name(), err)
		}
	}
	return list, nil
}

// measure runs all processes of a case in the same rounds.
func (c Config) measure(k Case, large, small string) (Result, error) {
	r := Result{Case: k, Ours: c.ours(k, large, "large", true), Small: c.ours(k, small, "small", false)}
	list := []*Process{r.Ours.One, r.Ours.All, r.Small.All}
	for _, p := range k.Peers {
		f := c.figure(k, large, "peer-"+p.Work, true, c.Peers, p.Work, k.path(large))
		r.Peers = append(r.Peers, f)
		list = append(list, f.One, f.All)
	}
	if err := Rounds(list, c.Rounds); err != nil {
		return r, err
	}
	return r, c.check(k, large, "large")
}

// measureMemory writes a tripled case's file alone, as large as the whole
// directory was and three times that.
func (c Config) measureMemory(r *Result) error {
	if !r.Tripled {
		return nil
	}
	c.Logf("%s, %d and %d MB", r.name(), c.Size/1e6, Tripling*c.Size/1e6)
	dir := filepath.Join(c.Dir, "alone")
	var list []*Process
	for i, n := range []int64{1, Tripling} {
		d := filepath.Join(dir, fmt.Sprint(n))
		if err := benchdata.Write(d, seed, n*c.Size, benchdata.Named(r.Kind)); err != nil {
			return err
		}
		r.Memory[i] = c.ours(r.Case, d, fmt.Sprint("alone-", n), false)
		list = append(list, r.Memory[i].All)
	}
	if err := Rounds(list, c.Rounds); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// ours is analyze with the input of a case.
func (c Config) ours(k Case, dir, label string, both bool) Figure {
	args := []string{c.Analyze, k.Command, k.path(dir)}
	if k.Command == "run" {
		args = append(args, "-o", c.out(k, label)+".json")
	}
	return c.figure(k, dir, label, both, args...)
}

func (c Config) figure(k Case, dir, label string, both bool, args ...string) Figure {
	f := Figure{Bytes: bytes(k.path(dir)), All: &Process{Args: args, Stdout: c.out(k, label)}}
	if both {
		f.One = &Process{Args: args, Stdout: c.out(k, label), OneCore: true}
	}
	return f
}

// out is where a command writes, without ending.
func (c Config) out(k Case, label string) string {
	return filepath.Join(c.Dir, "out", k.Kind+"-"+label)
}

// bytes is the size of a file, or of the files in a directory.
func bytes(path string) int64 {
	sum := int64(0)
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if i, err := d.Info(); err == nil {
				sum += i.Size()
			}
		}
		return nil
	})
	return sum
}
