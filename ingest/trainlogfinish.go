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
	out.Log = nil
	stateFacts(out, log)
	dropFacts(out, log)
	dropGauges(out, log)
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
	out.Metrics.Keep(func(b *model.Batch, r int) bool { return !doomed[b.Texts(model.MetricTemplate)[r]] })
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

// followSteps gives the step of a record to the one after it that has none:
// same source, printed at once after it, and not of a kind that came since.
func followSteps(out *model.RunBuilder, log *model.Templates) {
	if !mayFollow(out, log) {
		return
	}
	var f follower
	for _, b := range out.Metrics.Batches {
		for r := range b.Rows() {
			f.row(b, r)
		}
	}
}

// mayFollow reports whether there are series with steps and series without.
func mayFollow(out *model.RunBuilder, log *model.Templates) bool {
	with, without := false, false
	stepped := map[int32]bool{}
	for _, s := range log.Steps {
		stepped[s.Template] = true
	}
	for _, x := range log.List {
		if x.Series() {
			with = with || stepped[x.Text]
			without = without || !stepped[x.Text]
		}
	}
	return with && without
}

// maxFollow is how many lines a record may stand behind the one whose step it
// shares: other ranks print between them.
const maxFollow = 16

// followTime is how much later, in ns, it may have been printed: two calls in a row.
const followTime = 10e6

// A follower remembers the last record with a step.
type follower struct {
	step, t   int64
	hasT, ok  bool
	source    int32
	line      int32
	seen      []int32
	follows   int32 // line of the record that took the step last
	following bool
}

func (f *follower) row(b *model.Batch, r int) {
	line := b.Line[r]
	template, _ := b.Text(model.MetricTemplate, r)
	source, _ := b.Text(model.MetricSource, r)
	t, hasT := b.Int(model.MetricT, r)
	if step, ok := b.Int(model.MetricStep, r); ok {
		if !f.ok || line != f.line || step != f.step {
			*f = follower{step: step, t: t, hasT: hasT, ok: true, source: source, line: line, seen: f.seen[:0]}
		}
		return
	}
	if !f.ok || source != f.source || line > f.line+maxFollow || hasT != f.hasT || hasT && (t < f.t || t > f.t+followTime) {
		return
	}
	if line != f.follows {
		f.follows, f.following = line, !slices.Contains(f.seen, template) && len(f.seen) < 16
		f.seen = append(f.seen, template)
	}
	if f.following {
		b.PutInt(model.MetricStep, r, f.step)
	}
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

// sessions numbers the runs of the process that a log holds. A session ends
// where a counter falls by at least an interval after a start was announced,
// or by more than three without. A counter that starts again with a new epoch
// does not count.
func sessions(out *model.RunBuilder, log *model.Templates) {
	starts := startLines(out)
	last := map[int32]*counter{}
	var begins []int32
	for _, s := range log.Steps {
		if x := log.Find(s.Template); x == nil || !x.Series() {
			continue
		}
		c := last[s.Template]
		if c == nil {
			last[s.Template] = &counter{mark: s, highest: s.Step}
			continue
		}
		if at, ok := c.restarts(s, starts); ok && (len(begins) == 0 || at > begins[len(begins)-1]) {
			begins = append(begins, at)
			last = map[int32]*counter{s.Template: {mark: s, highest: s.Step}}
			continue
		}
		c.next(s)
	}
	numberSessions(out.Metrics, begins)
}

// A counter is the steps of one template.
type counter struct {
	mark     model.StepMark
	highest  int64
	interval int64
}

func (c *counter) next(s model.StepMark) {
	if d := s.Step - c.mark.Step; d > 0 {
		c.interval = d
	}
	c.highest = max(c.highest, s.Step)
	c.mark = s
}

// restarts reports whether a record belongs to a new session, and on which
// line that begins.
func (c *counter) restarts(s model.StepMark, starts []int32) (int32, bool) {
	fall := c.highest - s.Step
	if s.Step >= c.mark.Step || fall < max(c.interval, 1) || s.Epoch > c.mark.Epoch {
		return 0, false
	}
	i, _ := slices.BinarySearch(starts, c.mark.Line+1)
	if i < len(starts) && starts[i] < s.Line {
		return starts[i], true
	}
	return s.Line, !s.Bar && fall > 3*c.interval && s.Step < c.mark.Step-3*c.interval
}

// startLines are the lines that announce a start.
func startLines(out *model.RunBuilder) []int32 {
	var lines []int32
	for _, b := range out.Events.Batches {
		for r := range b.Rows() {
			k, _ := b.Text(model.EventKind, r)
			if s := out.Strings.At(k); s == "restart" || s == "start" {
				lines = append(lines, b.Line[r])
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// numberSessions writes the session of every row: 0, and one more from each line in begins.
func numberSessions(t *model.Table, begins []int32) {
	for _, b := range t.Batches {
		from, n := 0, b.Rows()
		for from < n {
			session, _ := slices.BinarySearch(begins, b.Line[from]+1)
			to := n
			if session < len(begins) {
				to, _ = slices.BinarySearch(b.Line, begins[session])
			}
			b.FillInt(model.MetricSession, from, max(to, from+1), int64(session))
			from = max(to, from+1)
		}
	}
}
