package ingest

import (
	"cmp"
	"slices"

	"tidemark/model"
)

// finishTrainLog settles what the whole file tells: which templates are
// series and which are facts, steps of records that follow one with a step,
// times, sessions.
func finishTrainLog(out *model.RunBuilder) {
	log := out.Log
	if log == nil {
		return
	}
	if f, ok := log.Folder.(*logFold); ok && f.folded {
		f.Fold(out) // once more, so that what is held does not hang on where the file ends
		f.note(out)
		out.Held = f.held()
	}
	out.Log = nil
	stateFacts(out, log)
	any := out.Metrics.Rows()+out.Queue.Rows() > 0
	dropFacts(out, log)
	dropGauges(out, log)
	if any && out.Metrics.Rows()+out.Queue.Rows() == 0 {
		out.File.Note("no rows: no number comes in three lines of the same form and changes, so all are taken for settings, not for series")
	}
	if log.Odd {
		for _, t := range []*model.Table{out.Metrics, out.Queue, out.Events} {
			settleTimes(out.File.Clock.Kind, t)
		}
	}
	followSteps(out, log)
	sessions(out, log)
}

// stateFacts turns what was said once or twice into facts.
func stateFacts(out *model.RunBuilder, log *model.Templates) {
	from := len(out.Facts)
	for _, x := range log.List {
		if x.Series() {
			continue
		}
		for _, s := range x.Stated {
			out.Facts = append(out.Facts, s.Fact)
		}
	}
	slices.SortStableFunc(out.Facts[from:], func(a, b model.Fact) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Byte, b.Byte))
	})
}

// dropFacts takes the rows of facts out of the tables.
func dropFacts(out *model.RunBuilder, log *model.Templates) {
	doomed := make([]bool, out.Strings.Len())
	any := false
	for _, x := range log.List {
		if !x.Series() {
			doomed[x.Text], any = true, true
		}
	}
	if !any {
		return
	}
	out.Metrics.Drop(model.MetricTemplate, doomed)
	keepQueue(out, log, func(code int32) bool { return !doomed[code] })
}

// keepQueue keeps the queue rows of some templates.
func keepQueue(out *model.RunBuilder, log *model.Templates, keep func(code int32) bool) {
	i := -1
	out.Queue.Keep(func(*model.Batch, int) bool {
		i++
		return keep(log.Queue[i])
	})
	log.Queue = slices.DeleteFunc(log.Queue, func(c int32) bool { return !keep(c) })
}

// dropGauges drops depths that may be settings, queue_size=60, where the
// number never changes.
func dropGauges(out *model.RunBuilder, log *model.Templates) {
	gauges := false
	for _, x := range log.List {
		gauges = gauges || x.Gauge
	}
	if !gauges {
		return
	}
	first, moves := map[int32]float64{}, map[int32]bool{}
	i := 0
	for _, b := range out.Queue.Batches {
		for r := range b.Rows() {
			c := log.Queue[i]
			i++
			v, _ := b.Float(model.QueueDepth, r)
			if f, ok := first[c]; !ok {
				first[c] = v
			} else if f != v {
				moves[c] = true
			}
		}
	}
	keepQueue(out, log, func(c int32) bool { return moves[c] || !log.Find(c).Gauge })
}

// settleTimes gives times of day in a file with dates the date before them,
// and moves times since the start to 0, or drops them where there are others.
func settleTimes(kind model.ClockKind, t *model.Table) {
	const floor, dated = elapsedBase / 2, 400 * 86400e9
	day := int64(0)
	for _, b := range t.Batches {
		for r := range b.Rows() {
			v, ok := b.Int(0, r)
			switch {
			case !ok:
			case v < floor && kind == model.ClockElapsed:
				b.PutInt(0, r, v-elapsedBase)
			case v < floor:
				b.Clear(0, r)
			case kind < model.ClockLocal:
			case v >= dated:
				day = v - v%86400e9
			case day > 0:
				b.PutInt(0, r, day+v%86400e9)
			default:
				b.Clear(0, r)
			}
		}
	}
}
