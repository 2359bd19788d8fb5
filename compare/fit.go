package compare

import (
	"fmt"

	"tidemark/internal/say"
)

// unfit says why a run alone tells nothing of its pipeline's speed, "" where
// it does.
func (run *Run) unfit() string {
	switch _, ok := read(metric(throughputID), run); {
	case !ok:
		return "has no throughput over its steady state"
	case !run.Steady:
		return "never reached a steady state"
	case run.SteadyS < leastSteady*(run.SteadyS+run.PauseS):
		return fmt.Sprintf("was steady for %s of its time only, pauses took the rest", say.Round(run.SteadyS/(run.SteadyS+run.PauseS)))
	}
	return ""
}

// fit leaves out runs that tell nothing where enough others do: one in the
// base, half of the new ones, for a new run that never settles may be what
// changed. left says which, and why.
func fit(base, fresh []*Run) (a, b []*Run, left []string) {
	a, whyBase := split(base)
	b, whyFresh := split(fresh)
	if len(a) == 0 {
		a, whyBase = base, nil
	}
	if 2*len(b) < len(fresh) || len(b) == 0 {
		b, whyFresh = fresh, nil
	}
	return a, b, append(whyBase, whyFresh...)
}

func split(runs []*Run) (kept []*Run, left []string) {
	for _, r := range runs {
		if why := r.unfit(); why != "" {
			left = append(left, r.Name+" left out: it "+why)
			continue
		}
		kept = append(kept, r)
	}
	return kept, left
}
