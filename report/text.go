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
	if s := pauses(t.r); s != "" {
		for _, line := range wrapText(s, textColumns-6) {
			t.add("      %s", line)
		}
	}
	s := t.r.Steady
	span := fmt.Sprintf("steady %s – %s", say.Elapsed(s.FromS), say.Elapsed(s.ToS))
	if !s.Found {
		why := "! " + s.Why
		if s.ToS > s.FromS {
			why += ": the verdict is about " + say.Elapsed(s.FromS) + " – " + say.Elapsed(s.ToS)
		}
		for _, line := range wrapText(why, textColumns-6) {
			t.add("      %s", line)
		}
		span = "no steady state"
	}
	t.add("      %s, intervals 95 %%.  More: analyze run PATH -o report.pdf;  analyze explain ID", span)
}
