package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// begin starts a command, on one processor or on all. A process inherits the
// processors of the thread that starts it, and the peak of its parent.
func begin(cmd *exec.Cmd, oneCore bool) error {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // proc(5): resets the peak; where /proc is read-only, ours is the least that is measured
	if !oneCore {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return fmt.Errorf("affinity: %w", err)
	}
	one.Set(last(&all))
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("affinity: %w", err)
	}
	err := cmd.Start()
	if back := unix.SchedSetaffinity(0, &all); back != nil {
		return fmt.Errorf("affinity: %w", back)
	}
	return err
}

// last is the processor with the highest number in a set.
func last(set *unix.CPUSet) int {
	n := 0
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			n = i
		}
	}
	return n
}

// peak is the largest resident set that the kernel saw.
func peak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}

// settle waits until what was written is on the disk.
func settle() { unix.Sync() }
