package infer

import (
	"fmt"
	"iter"
	"strconv"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// unusedRoles names the configured patterns that mean no thread and no function.
func unusedRoles(p *Pass) {
	for _, r := range rolePatterns(p.Config.Roles) {
		if !r.named(p.Run) {
			p.Check(model.Check{Name: "roles", Text: fmt.Sprintf("roles: %s=%s matches no thread, process or function of the run", r.glob, r.role)})
		}
	}
}

func (r rolePattern) named(run *model.Run) bool {
	for name := range roleNames(run) {
		if r.match(name) {
			return true
		}
	}
	return false
}

// roleNames are all names that a role may be given by.
func roleNames(run *model.Run) iter.Seq[string] {
	return func(yield func(string) bool) {
		all := func(names ...string) bool {
			for _, n := range names {
				if !yield(n) {
					return false
				}
			}
			return true
		}
		_ = measuredNames(run, all) && sampledNames(run, all) && tracedNames(run, all)
	}
}

func sampledNames(run *model.Run, yield func(...string) bool) bool {
	for _, t := range run.Stacks.Threads {
		if !yield(t.Name, t.TID, t.Process, strconv.FormatInt(t.PID, 10)) {
			return false
		}
	}
	set := run.Stacks.Set
	for code := range set.Frames() {
		f := set.At(int32(code))
		frame := stackrules.Frame{Function: run.Text(f.Function), Native: f.Native}
		if !yield(frame.Function, frame.Last()) {
			return false
		}
	}
	return true
}

func measuredNames(run *model.Run, yield func(...string) bool) bool {
	for _, t := range usage(run) {
		if !yield(t.Name, strconv.FormatInt(t.TID, 10)) {
			return false
		}
	}
	return true
}

func tracedNames(run *model.Run, yield func(...string) bool) bool {
	for _, trace := range run.Traces {
		for _, t := range trace.Threads {
			if !yield(run.Text(t.Name), strconv.FormatInt(t.TID, 10), run.Text(t.Process), strconv.FormatInt(t.PID, 10)) {
				return false
			}
		}
	}
	return true
}
