package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// compareText writes a check, a comparison, or both, for a terminal: the
// answer first.
func compareText(w io.Writer, r *model.Report, style Style) error {
	t := &text{r: r, style: style}
	if r.Check != nil {
		t.check(r.Check)
	}
	if r.Comparison != nil {
		t.comparison(r.Comparison)
	}
	if r.Check != nil && r.Comparison == nil {
		t.blank()
		t.wrap(r.Verdict.Headline, 0)
		t.wrap(r.Verdict.Lead, 0)
	}
	_, err := w.Write(t.fit())
	return err
}

// statusWord is the outcome of a rule in at most seven letters.
func statusWord(o model.RuleOutcome) string {
	switch {
	case o.Warn:
		return "warn"
	case o.Status == model.Inconclusive:
		return "unknown"
	}
	return o.Status
}

func (t *text) check(c *model.CheckResult) {
	t.heading(c.Headline)
	for _, o := range c.Rules {
		t.rows = append(t.rows, hang(statusWord(o), o.Name+": "+o.Text)...)
	}
	for _, j := range c.Joined {
		t.rows = append(t.rows, hang("read", j)...)
	}
	t.blank()
}

// heading adds the sentence that answers, its first line in bold.
func (t *text) heading(s string) {
	from := len(t.rows)
	t.wrap(s, 0)
	if from < len(t.rows) {
		t.rows[from] = t.paint(boldText, t.rows[from])
	}
}

// hang wraps a text under its lead.
func hang(lead, s string) []string {
	var rows []string
	for _, line := range wrapText(s, textColumns-8) {
		rows = append(rows, pad(lead, 8)+line)
		lead = ""
	}
	return rows
}

func (t *text) comparison(c *model.Comparison) {
	t.heading(c.Headline)
	t.wrap(c.Lead, 0)
	t.blank()
	t.changes(c)
	t.waterfall(c.Waterfall)
	t.stackChanges(c)
	t.history(c.History)
	t.rows = append(t.rows, hang("base", runNames(c.Base))...)
	t.rows = append(t.rows, hang("new", runNames(c.New))...)
	for _, n := range c.About {
		t.rows = append(t.rows, hang("about", n)...)
	}
	for _, n := range c.Notes {
		t.rows = append(t.rows, hang("note", n)...)
	}
	if c.Method != "" {
		t.rows = append(t.rows, hang("method", c.Method)...)
		t.rows = append(t.rows, hang("", fmt.Sprintf("Scatter of one run: %s, %s.", say.Round(c.Noise.Between), c.Noise.From))...)
	}
}

// shownChanges are throughput, what changed, and what explains; the JSON has all.
func shownChanges(c *model.Comparison) []model.MetricChange {
	always := map[string]bool{"throughput": true, "overall": true, "items": true, "tokens_per_item": true, "target.capacity": true, "drafter.capacity": true, "put_wait": true, "gate_wait": true, "loss": true}
	var out []model.MetricChange
	for _, m := range c.Metrics {
		if (m.Base != nil || m.New != nil) && (m.Changed || always[m.ID]) {
			out = append(out, m)
		}
	}
	return out
}

func (t *text) changes(c *model.Comparison) {
	list := shownChanges(c)
	if len(list) == 0 {
		return
	}
	t.add("%-26s%10s%10s   %-28s%s", "", "base", "new", "change, 95 %", "q")
	for _, m := range list {
		mark := ""
		if m.Changed {
			mark = "changed"
		}
		t.add("%s%s%s   %s%s  %s", pad(m.Label, 26), left(value(m, m.Base), 10), left(value(m, m.New), 10), pad(changeOf(m), 28), pad(probability(m.Q), 7), mark)
	}
	t.blank()
}

// runNames lists the runs of one side.
func runNames(list []model.ComparedRun) string {
	const most = 4
	var names []string
	for i, r := range list {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

func left(s string, n int) string { return strings.Repeat(" ", max(n-width(s), 0)) + s }

// value is a metric in its own unit.
func value(m model.MetricChange, v *model.Interval) string {
	switch {
	case v == nil:
		return ""
	case m.Kind == "points":
		return say.Percent(v.Mid)
	}
	return say.SI(v.Mid)
}

func changeOf(m model.MetricChange) string {
	v := m.Change
	if v == nil {
		return "– " + m.Why
	}
	if m.Kind == "points" {
		return fmt.Sprintf("%s pt (%s to %s)", pointsOf(v.Mid), pointsOf(v.Lo), pointsOf(v.Hi))
	}
	if v.Hi > 10 || v.Lo < -0.999 {
		return say.Gain(v.Mid) + " (no bound)"
	}
	return say.Gain(v.Mid) + " (" + say.GainRange(*v) + ")"
}

// pointsOf is a difference of shares in percentage points: +1.7, −0.3.
func pointsOf(v float64) string {
	s := fmt.Sprintf("%.1f", math.Abs(100*v))
	switch {
	case s == "0.0":
		return s
	case v < 0:
		return "−" + s
	}
	return "+" + s
}

func probability(q *float64) string {
	switch {
	case q == nil:
		return ""
	case *q < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", *q)
}

// waterfall draws the parts of the change as steps.
func (t *text) waterfall(w *model.Waterfall) {
	if w == nil {
		return
	}
	t.add("why, in %s with pauses: %s to %s", w.Unit, say.SI(w.Base), say.SI(w.New))
	most := 0.0
	for _, p := range w.Parts {
		most = max(most, math.Abs(p.Ln.Mid))
	}
	for _, p := range w.Parts {
		t.add("  %s%s  %s  %s", pad(p.Label, 30), left(say.Gain(math.Expm1(p.Ln.Mid)), 8), pad(partRange(p.Ln), 20), step(p.Ln.Mid, most))
	}
	t.add("  %s%s  %s  %s", pad("all together", 30), left(say.Gain(math.Expm1(w.Total.Mid)), 8), pad(partRange(w.Total), 20), w.Text)
	t.blank()
}

func partRange(v model.Interval) string {
	return "(" + say.GainRange(model.Interval{Lo: math.Expm1(v.Lo), Hi: math.Expm1(v.Hi)}) + ")"
}

// step is a bar to the left or to the right of a middle line.
func step(v, most float64) string {
	const cells = 12
	n := 0
	if most > 0 {
		n = int(math.Round(cells * math.Abs(v) / most))
	}
	if v < 0 {
		return strings.Repeat(" ", cells-n) + strings.Repeat("█", n) + "│"
	}
	return strings.Repeat(" ", cells) + "│" + strings.Repeat("█", n)
}

// maxStackChanges is how many mechanisms the terminal lists.
const maxStackChanges = 5

func (t *text) stackChanges(c *model.Comparison) {
	n := 0
	for _, s := range c.Stacks {
		if !s.Changed {
			continue
		}
		if n == 0 {
			t.add("%-30s%9s%9s%9s   %s", "stacks", "base", "new", "points", "worker-seconds an item")
		}
		if n++; n > maxStackChanges {
			break
		}
		seconds := ""
		if s.BaseS != nil && s.NewS != nil {
			seconds = fmt.Sprintf("%s to %s", say.SI(*s.BaseS), say.SI(*s.NewS))
		}
		t.add("  %s%s%s%s   %s", pad(s.Role+" "+s.ID, 28), left(say.Percent(s.Base.Mid), 9), left(say.Percent(s.New.Mid), 9), left(pointsOf(s.Change.Mid), 9), seconds)
	}
	if n == 0 && len(c.Stacks) > 0 {
		t.add("stacks  no mechanism's share changed (%d compared)", len(c.Stacks))
	}
	t.blank()
}

func (t *text) history(h *model.History) {
	if h == nil {
		return
	}
	t.rows = append(t.rows, hang("history", h.Text)...)
	for _, s := range h.Changes {
		t.add("        %s at %s: %s to %s %s, p %s", s.Kind, s.Name, say.SI(s.Before), say.SI(s.After), h.Unit, probability(&s.P))
	}
	t.blank()
}
