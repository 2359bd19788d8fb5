package ingest

import (
	"slices"
	"sort"

	"tidemark/model"
)

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
				lines = append(lines, b.Line(r))
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
			session, _ := slices.BinarySearch(begins, b.Line(from)+1)
			to := n
			if session < len(begins) {
				to = sort.Search(n, func(r int) bool { return b.Line(r) >= begins[session] })
			}
			b.FillInt(model.MetricSession, from, max(to, from+1), int64(session))
			from = max(to, from+1)
		}
	}
}
