package infer

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// missing reports workers that are stated but not among the sampled threads.
// A capture without waiting threads misses those that never work; one with
// them, those of another process.
func (c *costs) missing(p *Pass, use *StackUse) {
	if c.main.Dump && c.main.max < 2 || !c.main.Threads {
		return
	}
	for _, side := range []string{model.Target, model.Drafter} {
		r := use.Roles[side]
		if r == nil || r.Seen == 0 || r.Seen >= r.Threads || len(r.At) == 0 {
			continue
		}
		why := "they never worked while it ran, or belong to a process that was not sampled"
		if c.main.Idle == Yes {
			why = "they belong to a process that was not sampled"
		}
		p.Find(model.Finding{
			ID:    "capture.threads",
			Claim: fmt.Sprintf("The capture shows %d of %d %s workers: %s.", r.Seen, r.Threads, side, why),
			Evidence: []model.Evidence{
				{What: "sampled threads over workers", Value: float64(r.Seen) / float64(r.Threads), Unit: "share", At: r.At},
			},
			Advice: "Record all processes: py-spy record --subprocesses …, or one capture for each worker.",
		})
	}
}

// unsampled reports threads that use a core and are in no capture, where other
// threads of the telemetry are.
func (h *hotThreads) unsampled(ev []model.Evidence) {
	joined := 0
	var at []model.Evidence
	var ids []string
	for _, t := range h.roles.Sorted() {
		switch {
		case t.Total:
		case t.Stack >= 0:
			joined++
		case t.CPU >= hotShare && t.Seconds >= hotSeconds:
			at = append(at, model.Evidence{What: fmt.Sprintf("thread %d, in no capture", t.TID), Value: t.CPU, Unit: "cores", At: []model.Pos{t.First}})
			ids = append(ids, fmt.Sprint(t.TID))
		}
	}
	if joined == 0 || len(at) == 0 || len(at) == len(ev) && joined < len(at) {
		return
	}
	verb := "threads that use a core are"
	if len(at) == 1 {
		verb = "thread that uses a core is"
	}
	h.p.Find(model.Finding{
		ID: "capture.missing", Evidence: at[:min(len(at), busiest)],
		Claim:  fmt.Sprintf("%s %s in no capture of stacks: tid %s. What they do is not known.", say.Count(len(at)), verb, strings.Join(ids[:min(len(ids), busiest)], ", ")),
		Advice: "Record their process as well: py-spy record --subprocesses …, with --native for threads without Python.",
	})
}
