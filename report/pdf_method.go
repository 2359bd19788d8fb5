package report

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

const methodName = "Method and data"

// commandLines is how many lines a command may take: one that is cut is of no use.
const commandLines = 8

// methodPage lists what the verdict rests on: checks, findings, what is
// missing, and every input with its counts. Long lists go on over pages.
func methodPage(d *document) error {
	d.page(methodName)
	lead := "Each answer carries an interval, its n and the lines it rests on; a failed check weakens or removes its source."
	if d.r.Kind == "comparison" {
		lead = "This page is of " + d.r.Run.Name + " alone. " + lead
	}
	d.title(methodTitle(d.r), lead)
	for _, draw := range d.later {
		draw()
		d.y += 2
	}
	d.allChecks()
	d.findings()
	d.otherSteps()
	d.together(d.skippedHeight() + d.lossesHeight() + d.inputsHeight())
	d.skipped()
	d.together(d.lossesHeight() + d.inputsHeight())
	d.losses()
	d.inputs()
	return nil
}

func methodTitle(r *model.Report) string {
	failed := 0
	for _, c := range r.Checks {
		if !c.OK {
			failed++
		}
	}
	unread := 0
	for _, f := range r.Inputs {
		if f.Format == "" || f.Reason != "" {
			unread++
		}
	}
	s := fmt.Sprintf("%s read", number(len(r.Inputs)-unread, "input"))
	if unread > 0 {
		s += fmt.Sprintf(", %d not or not wholly", unread)
	}
	switch {
	case len(r.Checks) == 0:
		return s + "; no check was possible."
	case failed == 0:
		return s + "; all " + number(len(r.Checks), "check") + " passed."
	}
	return s + fmt.Sprintf("; %d of %s failed.", failed, number(len(r.Checks), "check"))
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return say.Count(n) + " " + what + "s"
}

// room turns the page where the next lines do not fit.
func (d *document) room(h float64) bool {
	if d.y+h <= contentFloor {
		return false
	}
	d.page(methodName)
	d.y += 3
	return true
}

// paragraph sets wrapped text at x and moves below it.
func (d *document) paragraph(st style, x, w, pitch float64, s string, n int) {
	for _, line := range d.wrap(st, s, w, n) {
		d.room(0)
		d.text(x, d.y, st, line)
		d.y += pitch
	}
}

// together turns the page before lists of h mm that would fill only the head of
// the next one, where one page holds all of them.
func (d *document) together(h float64) {
	if d.y+h > contentFloor && contentTop+3+h <= contentFloor && d.y > contentTop+60 {
		d.page(methodName)
		d.y += 3
	}
}

func (d *document) allChecks() {
	d.section("Checks of the data", "", methodName, 12)
	d.y += 2.6
	if len(d.r.Checks) == 0 {
		d.paragraph(grey(8), pageLeft, pageWidth, 3.8, "No check was possible with what was recorded.", 1)
	}
	for _, c := range d.checksBySeverity() {
		d.room(4)
		if c.OK {
			d.tick(pageLeft, d.y)
		} else {
			d.triangle(pageLeft, d.y)
		}
		d.text(pageLeft+4.4, d.y, bold(7.8), d.fit(bold(7.8), c.Name, 36))
		d.right(pageRight, d.y, grey(7.4), checkNumbers(c))
		d.paragraph(plain(7.8), pageLeft+43, 102, 3.7, c.Text, 3)
		if c.Text == "" {
			d.y += 3.7
		}
		d.y += 0.4
	}
}

func checkNumbers(c model.Check) string {
	var s []string
	if c.Value != nil {
		s = append(s, "value "+say.Short(*c.Value))
	}
	if c.Limit != nil {
		s = append(s, "limit "+say.Short(*c.Limit))
	}
	return strings.Join(s, ", ")
}

func (d *document) findings() {
	if len(d.r.Findings) == 0 {
		return
	}
	d.section("Findings", "claim, what it rests on, advice", methodName, 16)
	d.y += 2.6
	for _, f := range d.r.Findings {
		d.room(9)
		d.text(pageLeft, d.y, grey(7.4), d.fit(grey(7.4), f.ID, 41))
		if f.PredictedGain != nil {
			d.right(pageRight, d.y, bold(7.8), "up to "+say.Gain(f.PredictedGain.Hi))
		}
		w := 135.0
		if f.PredictedGain != nil {
			w = 112
		}
		d.paragraph(bold(8), pageLeft+43, w, 3.8, f.Claim, 6)
		for i, e := range f.Evidence {
			if i == maxEvidence {
				d.paragraph(grey(7.4), pageLeft+43, 135, 3.5, fmt.Sprintf("and %d more readings", len(f.Evidence)-i), 1)
				break
			}
			d.paragraph(grey(7.4), pageLeft+43, 135, 3.5, evidenceLine(e), 2)
		}
		if f.Advice != "" {
			d.paragraph(plain(7.8), pageLeft+43, 135, 3.7, f.Advice, 4)
		}
		d.y += 1.2
	}
}

// maxEvidence is how many readings of a finding are listed; the JSON has all.
const maxEvidence = 3

func evidenceLine(e model.Evidence) string {
	s := e.What + ": " + say.Unit(e.Value, e.Unit)
	var at []string
	for i, p := range e.At {
		if i == 3 {
			at = append(at, fmt.Sprintf("%d more", len(e.At)-i))
			break
		}
		at = append(at, p.String())
	}
	if len(at) > 0 {
		s += "  (" + strings.Join(at, ", ") + ")"
	}
	return s
}

// otherSteps are the next steps that the first page had no room for.
func (d *document) otherSteps() {
	if d.r.Kind == "profile" || len(d.shown) == len(d.r.Next) {
		return
	}
	name, note := "Further steps", "after those of the first page"
	if len(d.shown) == 0 {
		name, note = "Next", "what to try or record; gains are capped where the other side takes over"
	}
	d.section(name, note, methodName, 12)
	d.y += 2.6
	for i, s := range d.r.Next {
		if d.shown[i] {
			continue
		}
		d.room(8)
		d.text(pageLeft, d.y, grey(7.4), stepMark(d.r.Next, i)+"  "+s.Kind)
		if s.Gain != nil {
			d.right(pageRight, d.y, bold(7.8), "up to "+say.Gain(s.Gain.Hi))
		}
		d.paragraph(plain(7.8), pageLeft+43, 112, 3.7, stepText(s), 3)
		if s.Command != "" {
			d.paragraph(mono(7.2), pageLeft+43, 135, 3.5, s.Command, commandLines)
		}
		d.y += 0.8
	}
}

// stepText is what to do, and in brackets where.
func stepText(s model.Step) string {
	if s.Where == "" {
		return s.Text
	}
	return s.Text + " (" + s.Where + ")"
}

func (d *document) skipped() {
	if len(d.r.Skipped) == 0 {
		return
	}
	d.section("Not recorded", "what could not be said, and the command that records it", methodName, 12)
	d.y += 2.6
	for _, s := range onceEach(d.r.Skipped) {
		d.room(8)
		d.text(pageLeft, d.y, bold(7.8), d.fit(bold(7.8), s.Analyzer, 41))
		d.paragraph(plain(7.8), pageLeft+43, 135, 3.7, "needs "+s.Needs, 2)
		if s.RecordWith != "" {
			d.paragraph(mono(7.2), pageLeft+43, 135, 3.5, s.RecordWith, commandLines)
		}
		d.y += 0.8
	}
}

func (d *document) skippedHeight() float64 {
	if len(d.r.Skipped) == 0 {
		return 0
	}
	h := 8.6
	for _, s := range onceEach(d.r.Skipped) {
		h += 0.8 + 3.7*float64(len(d.wrap(plain(7.8), "needs "+s.Needs, 135, 2))) + 3.5*float64(len(d.wrap(mono(7.2), s.RecordWith, 135, commandLines)))
	}
	return h
}

// onceEach has each command once: later ones refer to the first.
func onceEach(list []model.Skipped) []model.Skipped {
	first := map[string]string{}
	out := slices.Clone(list)
	for i := range out {
		s := &out[i]
		if s.RecordWith == "" {
			continue
		}
		if name, ok := first[s.RecordWith]; ok {
			s.Needs, s.RecordWith = s.Needs+"; recorded as for "+name, ""
			continue
		}
		first[s.RecordWith] = s.Analyzer
	}
	return out
}
