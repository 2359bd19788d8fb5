package infer

import (
	"fmt"
	"math"

	"tidemark/model"
)

// dumps counts the looks in which a thread held the lock. A look shows each
// thread of a process once, and at most one that holds.
func (h *hotThreads) dumps(g *model.GIL) {
	if h.use == nil {
		return
	}
	n, k := 0.0, 0.0
	for i, p := range h.processLooks() {
		if h.use.Captures[i].Dump {
			n, k = n+p.looks, k+math.Min(p.held, p.looks)
		}
	}
	if n > 0 {
		g.Note += fmt.Sprintf("; held in %.0f of %s", k, looksOf(n))
	}
	if n >= minLooks {
		i := wilson(k/n, n)
		g.Share = &i
	}
}

// A lockLooks is how often a process was looked at, and how often a thread of it
// held its lock.
type lockLooks struct{ looks, held float64 }

// processLooks returns of each capture the process whose lock was held most.
func (h *hotThreads) processLooks() map[int32]lockLooks {
	type process struct {
		capture int32
		pid     int64
	}
	prof := h.p.Run.Stacks
	byThread := map[int32]float64{}
	all := map[process]lockLooks{}
	for _, s := range prof.Samples {
		if s.Hint == 0 {
			continue
		}
		t := prof.Threads[s.Thread]
		k := process{t.Capture, t.PID}
		l := all[k]
		byThread[s.Thread] += s.N
		l.looks = math.Max(l.looks, byThread[s.Thread])
		if s.Hint&model.HintGIL != 0 {
			l.held += s.N
		}
		all[k] = l
	}
	most := map[int32]lockLooks{}
	for k, l := range all {
		m, ok := most[k.capture]
		if !ok || l.held > m.held || l.held == m.held && l.looks > m.looks {
			most[k.capture] = l
		}
	}
	return most
}

func looksOf(n float64) string {
	if n == 1 {
		return "1 dump, a single look"
	}
	return fmt.Sprintf("%.0f dumps", n)
}
