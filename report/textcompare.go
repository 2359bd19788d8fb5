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
	t.rows = append(t.rows, hang("base", say.Runs(c.Base))...)
	t.rows = append(t.rows, hang("new", say.Runs(c.New))...)
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

func (t *text) changes(c *model.Comparison) {
	list := c.Shown()
	if len(list) == 0 {
		return
	}
	t.add("%-26s%10s%10s   %-28s%s", "", "base", "new", "change, 95 %", "q")
	for _, m := range list {
		mark := ""
		if m.Changed {
			mark = "changed"
		}
		t.add("%s%s%s   %s%s  %s", pad(m.Label, 26), left(say.Quantity(m, m.Base), 10), left(say.Quantity(m, m.New), 10), pad(say.Change(m), 28), pad(say.Q(m.Q), 7), mark)
	}
	t.blank()
}

func left(s string, n int) string { return strings.Repeat(" ", max(n-width(s), 0)) + s }

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
		t.add("  %s%s  %s  %s", pad(p.Label, 30), left(say.Gain(math.Expm1(p.Ln.Mid)), 8), pad(say.Factor(p.Ln), 20), step(p.Ln.Mid, most))
	}
	t.add("  %s%s  %s  %s", pad("all together", 30), left(say.Gain(math.Expm1(w.Total.Mid)), 8), pad(say.Factor(w.Total), 20), w.Text)
	t.blank()
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
			t.add("%-40s%9s%9s%9s   %s", "stacks", "base", "new", "points", "worker-seconds an item")
		}
		if n++; n > maxStackChanges {
			break
		}
		seconds := ""
		if s.BaseS != nil && s.NewS != nil {
			seconds = fmt.Sprintf("%s to %s", say.SI(*s.BaseS), say.SI(*s.NewS))
		}
		t.add("  %s%s%s%s   %s", pad(shorten(s.Role+" "+s.ID, 38), 38), left(say.Percent(s.Base.Mid), 9), left(say.Percent(s.New.Mid), 9), left(say.Points(s.Change.Mid), 9), seconds)
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
		unit := " " + h.Unit
		if h.Unit == "share" {
			unit = ""
		}
		t.add("        %s at %s: %s to %s%s, p %s", s.Kind, s.Name, say.Level(s.Before, h.Unit), say.Level(s.After, h.Unit), unit, say.Q(&s.P))
	}
	t.blank()
}
