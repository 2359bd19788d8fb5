package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// noCommonTime says which recordings share no time with the training logs: what
// they say cannot be joined, and their clocks or zones are to be given.
func noCommonTime(p *Pass) {
	for _, f := range p.Run.Files {
		if f.Clock.Kind == model.ClockLocal && !f.Clock.Placed && f.Rows > 0 {
			p.Check(model.Check{Name: "one.time", Text: fmt.Sprintf("%s is not joined with the rest: %s; give --tz or clock_offset", f.Path, f.Clock.How)})
		}
	}
	doubtfulZone(p)
	none := span{math.MaxInt64, math.MinInt64}
	logs := none
	for _, f := range p.Run.Files {
		if f.Format == "train-log" && lasts(f) {
			logs.from, logs.to = min(logs.from, f.First), max(logs.to, f.Last)
		}
	}
	if logs == none {
		return
	}
	timed := series(p.Run)
	var names []string
	for i, f := range p.Run.Files {
		if f.Format != "train-log" && timed[int32(i)] && lasts(f) && (f.Last < logs.from || f.First > logs.to) {
			names = append(names, fmt.Sprintf("%s (%s – %s)", f.Path, stamp(f.First), stamp(f.Last)))
		}
	}
	if len(names) == 0 {
		return
	}
	n := len(names)
	if n > 3 {
		names = append(names[:3:3], fmt.Sprintf("%d more", n-3))
	}
	p.Check(model.Check{
		Name: "one.time", Value: new(float64(n)), Limit: new(0.0),
		Text: fmt.Sprintf("%s sharing no time with the training log (%s – %s): %s; if a clock is wrong, give --tz or clock_offset", recordingCount(n), stamp(logs.from), stamp(logs.to), strings.Join(names, ", ")),
	})
}

// doubtfulZone says which zone local times were given where others fit as well.
func doubtfulZone(p *Pass) {
	var names []string
	how := ""
	for _, f := range p.Run.Files {
		if f.Clock.Kind == model.ClockLocal && f.Clock.Error > 0 && f.Rows > 0 {
			names, how = append(names, f.Path), f.Clock.How
		}
	}
	if n := len(names); n > 3 {
		names = append(names[:2:2], fmt.Sprintf("%d more", n-2))
	}
	if len(names) > 0 {
		p.Check(model.Check{Name: "one.time", Text: strings.Join(names, ", ") + ": " + how})
	}
}

// series are the files that hold readings over time of the queue, devices or
// threads; a short trace may well be taken after the end of a log.
func series(run *model.Run) map[int32]bool {
	files := map[int32]bool{}
	for _, t := range []*model.Table{run.Queue, run.GPU, run.Threads} {
		for _, b := range t.Batches {
			files[b.File] = true
		}
	}
	return files
}

// lasts reports whether a file covers a placed stretch of time.
func lasts(f *model.File) bool { return f.Clock.Placed && f.First != 0 && f.Last > f.First }

func recordingCount(n int) string {
	if n == 1 {
		return "1 recording"
	}
	return say.Count(n) + " recordings"
}
