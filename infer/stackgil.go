package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/model"
)

// process tells whether both sides run in one process, and where that is seen.
func (u *StackUse) process(run *model.Run, roles *RoleMap) {
	prof := run.Stacks
	type key struct {
		capture int32
		pid     int64
	}
	sides := map[key]map[string]bool{}
	for _, s := range prof.Samples {
		role := roles.Of(s)
		if role != model.Target && role != model.Drafter {
			continue
		}
		t := prof.Threads[s.Thread]
		k := key{t.Capture, t.PID}
		if sides[k] == nil {
			sides[k] = map[string]bool{}
		}
		sides[k][role] = true
	}
	for i, c := range u.Captures {
		for k, m := range sides {
			if k.capture == int32(i) && len(m) == 2 && !u.OneProcess {
				u.OneProcess, u.Where = true, c.File
			}
		}
	}
}

// holder reads what captures and dumps know of the interpreter lock.
func (u *StackUse) holder(run *model.Run) {
	for _, c := range u.Captures {
		if c.GIL == Yes && c.Ticks > 0 && c.Samples > 0 {
			u.GILShare, u.GILFrom = window(math.Min(1, c.Samples/c.Ticks), c), c.File+" (--gil)"
			u.GILAt = firstOf(run, c.Index)
		}
	}
	u.screens(run)
	u.native()
	if u.GILShare != nil && u.GILShare.Hi < 0.5 {
		u.GILCleared = fmt.Sprintf("the interpreter lock is held %.0f %% of the time (%s)", 100*u.GILShare.Mid, u.GILFrom)
	}
}

// screens reads the lock's share off the screens of py-spy top, where no
// capture of the holder gives it. Each speaks of about a second.
func (u *StackUse) screens(run *model.Run) {
	for i, c := range run.Stacks.Captures {
		if u.GILShare == nil && c.Screens > 0 {
			u.GILShare = new(wilson(c.Held, independent*float64(c.Screens)))
			u.GILFrom = u.Captures[i].File + " (py-spy top)"
			u.GILAt = firstOf(run, int32(i))
		}
	}
}

// native clears the lock where a capture with native frames saw the workers
// and hardly any of them waiting for it.
func (u *StackUse) native() {
	var n, wait float64
	bound := false
	for _, role := range []string{model.Target, model.Drafter} {
		r := u.Roles[role]
		if r == nil || !r.Native {
			return
		}
		n, wait, bound = n+r.Active, wait+r.GILWait, bound || r.LowerBound
	}
	if n > 0 {
		u.GILWait = new(wait / n)
	}
	if n >= 1000 && !bound && wait/n < 0.005 && u.GILCleared == "" {
		u.GILCleared = fmt.Sprintf("%s of %s native samples wait for the interpreter lock", say.Count(wait), say.Count(n))
	}
}

func firstOf(run *model.Run, capture int32) []model.Pos {
	for _, s := range run.Stacks.Samples {
		if run.Stacks.Threads[s.Thread].Capture == capture {
			return []model.Pos{run.SamplePos(s)}
		}
	}
	return nil
}
