package report

import (
	"fmt"
	"path"
	"strconv"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

const verdictName = "Verdict"

// verdictPage answers in ten seconds: the sentence, how sure it is, the two
// sides, why, what if, what next, and whether the data is sound.
func verdictPage(d *document) error {
	d.page(verdictName)
	d.headline()
	if err := d.stacked(1.6, plots.Probability, nil); err != nil {
		return err
	}
	d.y++
	d.section("The two sides", "share of worker time, one scale for every bar; queue drawn to depth", verdictName, 60)
	d.y += 1.4
	if err := d.stacked(1.6, plots.Two, plots.Capacity); err != nil {
		return err
	}
	if err := d.why(); err != nil {
		return err
	}
	d.separator()
	d.section("What if", "change of throughput", verdictName, plots.WhatIf.Height(d.r)+8)
	d.y++
	if err := d.plot(plots.WhatIf, pageLeft); err != nil {
		return err
	}
	d.separator()
	d.next()
	d.separator()
	d.soundness()
	return nil
}

// stacked places figures below each other with a gap after each.
func (d *document) stacked(gap float64, figures ...*plots.Plot) error {
	for _, p := range figures {
		if p == nil {
			continue
		}
		if err := d.plot(p, pageLeft); err != nil {
			return err
		}
		d.y += gap
	}
	return nil
}

func (d *document) separator() {
	d.y++
	d.rule(d.y, 0.2, rule)
	d.y += 1.4
}

func (d *document) headline() {
	st := bold(20)
	for d.width(st, d.r.Verdict.Headline) > pageWidth && st.size > 14 {
		st.size--
	}
	d.y += 5.4
	for i, s := range d.wrap(st, d.r.Verdict.Headline, pageWidth, 2) {
		if i > 0 {
			d.y += st.size * 0.43
		}
		d.text(pageLeft, d.y, st, s)
	}
	d.y += 7.4
	lead := d.wrap(plain(10.5), d.r.Verdict.Lead, pageWidth, 3)
	for i, s := range lead {
		d.text(pageLeft, d.y+4.9*float64(i), plain(10.5), s)
	}
	d.y += 4.9*float64(len(lead)) + 0.6
}

// maxReasons and maxSteps keep the page to what is read in ten seconds.
const (
	maxReasons = 5
	maxFiles   = 6
	maxChecks  = 5
)

// why lists the reasons with their sources, beside the readings they rest on.
func (d *document) why() error {
	reasons := d.r.Verdict.Because[:min(len(d.r.Verdict.Because), maxReasons)]
	const room = 113.0
	texts, h := d.reasons(reasons, room-5, 2)
	if d.y+h+d.belowWhy() > contentFloor {
		texts, h = d.reasons(reasons, room-5, 1)
	}
	h = max(h, plots.Readings.Height(d.r))
	if d.y+h > contentFloor {
		d.page(verdictName)
	}
	d.separator()
	top := d.y + 1.2
	d.y = top
	if err := d.plot(plots.Readings, pageRight-60); err != nil {
		return err
	}
	bottom := d.y
	d.y = top + 3
	d.text(pageLeft, d.y, bold(10.2), "Why")
	d.y += 5.6
	if len(reasons) == 0 {
		d.text(pageLeft, d.y, grey(8.3), "No source tells the sides apart; the last page names what was missing.")
	}
	_, accent, _ := plots.SideColors(d.r.Limiter.Side)
	for i, b := range reasons {
		d.text(pageLeft, d.y, bold(8.3).in(accent), strconv.Itoa(i+1))
		y := d.y
		for _, s := range texts[i] {
			d.text(pageLeft+5, y, plain(8.3), s)
			y += 3.7
		}
		d.text(pageLeft+5, y, grey(7.4), d.fit(grey(7.4), sourceOf(b), room-5))
		d.y += reasonHeight(texts[i])
	}
	d.y = max(d.y-2.4, bottom)
	return nil
}

// reasons wraps the reasons into at most n lines each and returns their height.
func (d *document) reasons(reasons []model.Reason, w float64, n int) ([][]string, float64) {
	h := 6.0
	texts := make([][]string, len(reasons))
	for i, b := range reasons {
		texts[i] = d.wrap(plain(8.3), b.Text, w, n)
		h += reasonHeight(texts[i])
	}
	return texts, h
}

// belowWhy is the height of what follows the reasons, with two steps in it.
func (d *document) belowWhy() float64 {
	return 2.4 + 7 + plots.WhatIf.Height(d.r) + 2.4 + 9.4 + 2*stepPitch + 2.4 + d.soundnessHeight()
}

// reasonHeight is that of a reason's lines with its source and the gap after it.
func reasonHeight(lines []string) float64 { return 4.8 + 3.7*float64(max(len(lines), 1)) }

func sourceOf(b model.Reason) string {
	s := b.Source
	if len(b.At) > 0 {
		if s != "" {
			s += "; "
		}
		s += b.At[0].String()
	}
	return s
}

// soundness sets the inputs to the left and the checks to the right; the last
// page has them all.
func (d *document) soundness() {
	files, checks := d.files(), d.checksBySeverity()
	if d.y+d.soundnessHeight() > contentFloor {
		d.page(verdictName)
	}
	d.y += 3.4
	const split = 112.0
	d.text(pageLeft, d.y, bold(8.3), "Inputs")
	d.text(pageLeft+split, d.y, bold(8.3), "Soundness")
	top := d.y + 4.2
	name := []float64{8, 8} // width of the names in each column
	for i, f := range files {
		name[i%2] = min(31, max(name[i%2], d.width(mono(7.2), path.Base(f.Path))))
	}
	for i, f := range files {
		x, y := pageLeft+55*float64(i%2), top+3.9*float64(i/2)
		d.text(x, y, mono(7.2), d.fit(mono(7.2), path.Base(f.Path), 31))
		d.text(x+name[i%2]+1.2, y, grey(7.2), d.fit(grey(7.2), inputWords(f), 52.5-name[i%2]))
	}
	y := top + 3.9*float64((len(files)+1)/2)
	if note := d.inputNote(len(files)); note != "" {
		d.triangle(pageLeft, y)
		d.text(pageLeft+4, y, plain(7.2), d.fit(plain(7.2), note, split-6))
	}
	d.checks(checks, pageLeft+split, top, pageWidth-split)
}

func (d *document) soundnessHeight() float64 {
	return 6 + 3.9*float64(max((len(d.files())+1)/2+1, min(len(d.r.Checks), maxChecks)))
}

// files returns the inputs that carried most rows.
func (d *document) files() []model.Input {
	var read []model.Input
	for _, f := range d.r.Inputs {
		if f.Format != "" {
			read = append(read, f)
		}
	}
	sortInputs(read)
	return read[:min(len(read), maxFiles)]
}

// inputNote says what no line above it shows: inputs left out or not read, and limits.
func (d *document) inputNote(shown int) string {
	unread, rejected := 0, 0
	for _, f := range d.r.Inputs {
		if f.Format == "" || f.Reason != "" {
			unread++
		}
		rejected += f.Rejected
	}
	var s string
	add := func(t string) {
		if s != "" {
			s += "; "
		}
		s += t
	}
	if n := len(d.r.Inputs) - shown; n > 0 {
		add(fmt.Sprintf("%d more on the last page", n))
	}
	if unread > 0 {
		add(fmt.Sprintf("%d not read", unread))
	}
	if rejected > 0 {
		add(say.Count(rejected) + " lines rejected")
	}
	if c := d.r.CPU; c != nil && c.Capture != nil && c.Capture.LagS != nil && *c.Capture.LagS > 0 {
		add("sampler " + say.SI(*c.Capture.LagS) + " s behind")
	}
	return s
}

func inputWords(f model.Input) string {
	if f.Rows > 0 {
		return say.Count(f.Rows) + " rows"
	}
	return say.Count(f.Lines) + " lines"
}

// checksBySeverity returns the failed checks first: they must be seen.
func (d *document) checksBySeverity() []model.Check {
	var out []model.Check
	for _, ok := range []bool{false, true} {
		for _, c := range d.r.Checks {
			if c.OK == ok {
				out = append(out, c)
			}
		}
	}
	return out
}

func (d *document) checks(checks []model.Check, x, y, w float64) {
	if len(checks) == 0 {
		d.text(x, y, grey(7.2), "no check was possible")
	}
	for i, c := range checks {
		if i == maxChecks-1 && len(checks) > maxChecks {
			d.text(x+4, y, grey(7.2), fmt.Sprintf("%d more on the last page", len(checks)-i))
			return
		}
		if c.OK {
			d.tick(x, y)
		} else {
			d.triangle(x, y)
		}
		text := c.Text
		if text == "" {
			text = c.Name
		}
		d.text(x+4, y, plain(7.2), d.fit(plain(7.2), text, w-4))
		y += 3.9
	}
}
