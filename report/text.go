package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// Limits of the terminal report: it must fit one screen.
const (
	textColumns = 110
	textLines   = 40
)

// A Style says how a terminal report may look.
type Style struct{ Color bool }

// Terminal returns colours for a terminal that wants them (NO_COLOR is unset),
// none for anything else.
func Terminal(w io.Writer) Style {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return Style{}
	}
	st, err := f.Stat()
	return Style{Color: err == nil && st.Mode()&os.ModeCharDevice != 0}
}

// TextRenderer is the terminal report without colours.
var TextRenderer = &Renderer{
	Name:   "txt",
	Doc:    "the first screen as plain text: at most 40 lines of at most 110 columns",
	Render: func(w io.Writer, r *model.Report) error { return Text(w, r, Style{}) },
}

// Text writes the report for a terminal, verdict first.
func Text(w io.Writer, r *model.Report, style Style) error {
	if r.Comparison != nil || r.Check != nil {
		return compareText(w, r, style)
	}
	if r.Kind == "profile" {
		return profileText(w, r, style)
	}
	t := &text{r: r, style: style}
	t.verdict()
	t.sides()
	t.why()
	t.lines()
	t.next()
	t.sound()
	_, err := w.Write(t.fit())
	return err
}

type text struct {
	r     *model.Report
	style Style
	rows  []string
}

// fit cuts to the height of a screen, the middle first to go.
func (t *text) fit() []byte {
	rows := t.rows
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	if over := len(rows) - textLines; over > 0 {
		rows = append(rows[:textLines-1:textLines-1], fmt.Sprintf("      %d lines more: %s -o report.pdf", over+1, command(t.r)))
	}
	var b bytes.Buffer
	for _, s := range rows {
		b.WriteString(strings.TrimRight(s, " "))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// command is what made a report.
func command(r *model.Report) string {
	switch {
	case r.Check != nil:
		return "analyze check PATH"
	case r.Comparison != nil:
		return "analyze compare BASE NEW"
	case r.Kind == "profile":
		return "analyze profile FILE"
	}
	return "analyze run PATH"
}

func (t *text) add(format string, args ...any) {
	t.rows = append(t.rows, shorten(fmt.Sprintf(format, args...), textColumns))
}

func (t *text) blank() {
	if n := len(t.rows); n > 0 && t.rows[n-1] != "" {
		t.rows = append(t.rows, "")
	}
}

// wrap adds text over as many lines as it needs, later ones indented.
func (t *text) wrap(s string, indent int) {
	for i, line := range wrapText(s, textColumns-indent) {
		pad := ""
		if i > 0 {
			pad = strings.Repeat(" ", indent)
		}
		t.rows = append(t.rows, pad+line)
	}
}

// paint colours s where colours are wanted.
func (t *text) paint(code, s string) string {
	if !t.style.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// The colours of target and drafter as the figures have them, for 256 colours.
const (
	boldText     = "1"
	targetColor  = "38;5;25"
	drafterColor = "38;5;172"
)

func (t *text) verdict() {
	v := t.r.Verdict
	probabilities := "  " + probabilities(t.r.Limiter.Probabilities)
	if width(v.Headline+probabilities) > textColumns {
		t.wrap(v.Headline, 0)
		t.rows[0] = t.paint(boldText, t.rows[0])
		t.add("%s", strings.TrimSpace(probabilities))
	} else {
		t.rows = append(t.rows, t.paint(boldText, v.Headline)+probabilities)
	}
	t.wrap(v.Lead, 0)
	t.wrap(v.Queue, 0)
	t.add("%s", t.run())
	t.blank()
}

// probabilities prints what is at least half a percent, largest first.
func probabilities(p model.Probabilities) string {
	list := []struct {
		name string
		p    float64
	}{{"target", p.Target}, {"drafter", p.Drafter}, {"both", p.Both}, {"upstream", p.Upstream}, {"unknown", p.Unknown}}
	var out, small []string
	for len(list) > 0 {
		k := 0
		for i := range list {
			if list[i].p > list[k].p {
				k = i
			}
		}
		if list[k].p < 0.005 {
			small = append(small, list[k].name)
		} else {
			out = append(out, fmt.Sprintf("%s %.2f", list[k].name, math.Min(list[k].p, 0.995)))
		}
		list = append(list[:k:k], list[k+1:]...)
	}
	s := "P: " + strings.Join(out, ", ")
	if len(small) > 0 {
		s += "; " + strings.Join(small, ", ") + " < 0.005"
	}
	return s
}

func (t *text) run() string {
	i := t.r.Run
	parts := []string{i.Name, say.Window(i.Start, i.DurationS)}
	tp := i.Topology
	switch {
	case len(tp.TargetGPUs) > 0 && slices.Equal(tp.TargetGPUs, tp.DrafterGPUs):
		parts = append(parts, "GPU "+say.Indices(tp.TargetGPUs)+" for both sides")
	case len(tp.TargetGPUs)+len(tp.DrafterGPUs) > 0:
		parts = append(parts, fmt.Sprintf("%d + %d GPUs", len(tp.TargetGPUs), len(tp.DrafterGPUs)))
	}
	if tp.QueueCapacity != nil {
		parts = append(parts, fmt.Sprintf("queue %.0f", *tp.QueueCapacity))
	}
	if tp.MinReady != nil {
		parts = append(parts, fmt.Sprintf("min_ready %.0f", *tp.MinReady))
	}
	return strings.Join(parts, ", ")
}

// sides is the table of both sides.
func (t *text) sides() {
	l := t.r.Limiter
	if l.Busy.Target == nil && l.Busy.Drafter == nil {
		return
	}
	head := func(name string, n *int) string {
		if n == nil {
			return name
		}
		return fmt.Sprintf("%s × %d", name, *n)
	}
	t.add("%-20s%s  %s", "", t.paint(targetColor, pad(head("targets", t.r.Run.Topology.TargetWorkers), 25)), t.paint(drafterColor, head("drafters", t.r.Run.Topology.DrafterWorkers)))
	if c, unit := capacities(l); c.Target != nil || c.Drafter != nil {
		t.row("capacity, "+unit, amount(c.Target), amount(c.Drafter))
	}
	t.bars("busy", l.Busy.Target, l.Busy.Drafter, waits(l.Wait))
	in := t.r.Inside
	t.bars("GPU active", active(in.Target), active(in.Drafter), boundBy(in))
	t.row("10 % faster gives", gainOf(t.r, model.Target, 10), gainOf(t.r, model.Drafter, 10))
	t.row("all at median speed", leveled(t.r, model.Target), leveled(t.r, model.Drafter))
	t.row("room", room(l.Headroom.Target), room(l.Headroom.Drafter))
	t.blank()
}

// capacities are in items where those are known, else in tokens.
func capacities(l model.Limiter) (model.Sides[model.Interval], string) {
	if c := l.CapacityItemsS; c.Target != nil || c.Drafter != nil {
		return c, "items/s"
	}
	return l.CapacityTokensS, "tok/s"
}

// boundBy words what each side is bound by, in few columns.
func boundBy(in model.Sides[model.Inside]) string {
	known := func(i *model.Inside) bool { return i != nil && i.Bound != model.Unknown }
	switch {
	case known(in.Target) && known(in.Drafter):
		return fmt.Sprintf("targets %s-, drafters %s-bound", in.Target.Bound, in.Drafter.Bound)
	case known(in.Target):
		return fmt.Sprintf("targets %s-bound", in.Target.Bound)
	case known(in.Drafter):
		return fmt.Sprintf("drafters %s-bound", in.Drafter.Bound)
	}
	return ""
}

func (t *text) row(name, target, drafter string) {
	if target+drafter != "" {
		t.add("%s%s  %s", pad(name, 20), pad(target, 25), drafter)
	}
}

// barCells is the length of a bar that is full.
const barCells = 18

// bars draws two shares on one scale.
func (t *text) bars(name string, target, drafter *model.Interval, note string) {
	if target == nil && drafter == nil {
		return
	}
	t.add("%s%s  %s  %s", pad(name, 20), t.paint(targetColor, pad(bar(target), 25)), t.paint(drafterColor, pad(bar(drafter), 25)), note)
}

func bar(v *model.Interval) string {
	if v == nil {
		return "not recorded"
	}
	n := int(math.Round(barCells * min(max(v.Mid, 0), 1)))
	return strings.Repeat("█", n) + strings.Repeat("░", barCells-n) + fmt.Sprintf("  %s", say.Round(v.Mid))
}

func active(in *model.Inside) *model.Interval {
	if in == nil {
		return nil
	}
	return in.GPUActive
}

func amount(v *model.Interval) string {
	if v == nil {
		return ""
	}
	return say.SI(v.Mid) + " (" + say.Range(*v) + ")"
}

// waits words the waits of both sides in the columns beside the bars: one has
// its interval, several have none.
func waits(w model.Waits) string {
	var notes []string
	var only *model.Interval
	for _, n := range []struct {
		name  string
		v     *model.Interval
		least float64
	}{{"gate wait", w.DrafterGate, 0.005}, {"blocked", w.TargetPut, 0.005}, {"prompts", w.TargetInput, 0.02}} {
		if n.v != nil && n.v.Mid >= n.least {
			notes, only = append(notes, n.name+" "+say.Percent(n.v.Mid)), n.v
		}
	}
	if len(notes) == 1 {
		return notes[0] + " (" + say.PercentRange(*only) + ")"
	}
	return strings.Join(notes, ", ")
}

// gainOf is the printed gain of a side made so many percent faster.
func gainOf(r *model.Report, side string, pct float64) string {
	want := fmt.Sprintf("%ss %.0f %% faster", side, pct)
	for _, w := range r.WhatIf {
		if w.Change == want && w.Gain != nil {
			return say.Gain(w.Gain.Mid)
		}
	}
	return ""
}

// gainShown is the least gain without stragglers that takes a line: less is
// within the scatter of workers that are alike.
const gainShown = 0.03

// leveled is the gain of a side whose workers all have the median's speed, ""
// where it hardly matters.
func leveled(r *model.Report, side string) string {
	for _, w := range r.WhatIf {
		if w.Kind == "stragglers" && strings.Contains(w.Change, side) && w.Gain != nil && math.Abs(w.Gain.Mid) > gainShown {
			return say.Gain(w.Gain.Mid) + " (" + say.RoundRange(*w.Gain) + ")"
		}
	}
	return ""
}

func room(v *model.Interval) string {
	switch {
	case v == nil:
		return ""
	case v.Mid < 0.005:
		return "none"
	}
	return say.Gain(v.Mid) + " (" + say.RoundRange(*v) + ")"
}

func (t *text) why() {
	for i, b := range t.r.Verdict.Because {
		lead := "      "
		if i == 0 {
			lead = "why   "
		}
		lines := wrapText(b.Text, textColumns-6-15)
		for k, s := range lines {
			source := ""
			if k == len(lines)-1 {
				source = b.Source
			}
			t.add("%s%s%s", lead, pad(s, textColumns-6-15), source)
			lead = "      "
		}
	}
	t.blank()
}

func (t *text) next() {
	for i, s := range t.r.Next {
		lead := "      "
		if i == 0 {
			lead = "next  "
		}
		mark, body := fmt.Sprintf("%d", i+1), s.Text
		if s.Kind == "recording" {
			mark, body = "?", s.Text+": "+s.Command
		} else if s.Where != "" {
			body += " (" + s.Where + ")"
		}
		gain := ""
		if s.Gain != nil {
			gain = "up to " + say.Gain(s.Gain.Hi)
		}
		room := textColumns - 9 - width(gain) - 1
		for k, line := range wrapText(body, room) {
			g := ""
			if k == 0 {
				g = gain
			}
			t.add("%s%s  %s %s", lead, mark, pad(line, room), g)
			lead, mark = "      ", " "
		}
	}
	t.blank()
}

func (t *text) sound() {
	var good, bad []string
	for _, c := range t.r.Checks {
		switch {
		case c.OK && c.Name != "depth.bounds" && c.Name != "drift":
			good = append(good, "✓ "+c.Text)
		case !c.OK:
			bad = append(bad, "! "+c.Text)
		}
	}
	if t.r.CPU != nil && t.r.CPU.Capture != nil && len(t.r.CPU.Capture.Limits) > 0 {
		limit := t.r.CPU.Capture.Limits[0]
		if lag := t.r.CPU.Capture.LagS; lag != nil && *lag > 0 {
			limit = fmt.Sprintf("sampler %.2f s behind: %s%s", *lag, strings.ToLower(limit[:1]), limit[1:])
		}
		bad = append(bad, "! "+limit)
	}
	bad = append(bad, inputDoubts(t.r.Inputs, 0.01)...)
	lead := "sound "
	for _, list := range [][]string{bad, good} {
		if len(list) == 0 {
			continue
		}
		for _, line := range wrapItems(list, textColumns-6) {
			t.add("%s%s", lead, line)
			lead = "      "
		}
	}
	s := t.r.Steady
	span := fmt.Sprintf("steady %s – %s", say.Elapsed(s.FromS), say.Elapsed(s.ToS))
	if !s.Found {
		for _, line := range wrapText("! "+s.Why+": the verdict is about "+say.Elapsed(s.FromS)+" – "+say.Elapsed(s.ToS), textColumns-6) {
			t.add("      %s", line)
		}
		span = "no steady state"
	}
	t.add("      %s, intervals 95 %%.  More: analyze run PATH -o report.pdf;  analyze explain ID", span)
}
