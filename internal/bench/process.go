package bench

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// A Usage is what one process took, from start to end.
type Usage struct {
	Wall time.Duration
	CPU  time.Duration // user and system, of all threads
	Peak int64         // bytes of the largest resident set
}

// A Process is a command to run once a round.
type Process struct {
	Args    []string
	Stdout  string // file
	OneCore bool
	Used    []Usage // by round
}

func (p *Process) run() error {
	out, err := os.Create(p.Stdout)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Stdout = out
	errs, err := os.Create(p.Stdout + ".err")
	if err != nil {
		return err
	}
	defer errs.Close()
	cmd.Stderr = errs
	start := time.Now()
	if err := begin(cmd, p.OneCore); err != nil {
		return err
	}
	err = cmd.Wait()
	wall := time.Since(start)
	if err != nil {
		said, _ := os.ReadFile(errs.Name())
		return fmt.Errorf("%v: %w: %.500s", p.Args, err, said)
	}
	p.Used = append(p.Used, Usage{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak(cmd.ProcessState)})
	return nil
}

// Rounds runs all processes n times, every second time in the opposite order,
// so that a machine that grows slower or faster meanwhile favours none.
func Rounds(list []*Process, n int) error {
	settle()
	for round := range n {
		for i := range list {
			if round%2 == 1 {
				i = len(list) - 1 - i
			}
			if err := list[i].run(); err != nil {
				return err
			}
		}
	}
	return nil
}
