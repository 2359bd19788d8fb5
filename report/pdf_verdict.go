package report

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

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
	maxReasons   = 6
	leastReasons = 4
	maxFiles     = 6
	maxChecks    = 5
	maxName      = 35.2 // mm
	checkWidth   = 72.0
)

// why lists the reasons with their sources, beside the readings they rest on.
func (d *document) why() error {
	const room = 116.0
	reasons, texts, h := d.fitReasons(room - 5)
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
		d.reason(texts[i], sourceOf(b), room-5)
	}
	d.y = max(d.y-2.4, bottom)
	return nil
}

// fitReasons returns the reasons, and their lines, that leave room for the steps.
func (d *document) fitReasons(w float64) ([]model.Reason, [][]string, float64) {
	all := d.r.Verdict.Because
	for _, try := range []struct{ n, lines int }{{maxReasons, 3}, {maxReasons - 1, 3}, {maxReasons, 2}, {maxReasons - 1, 2}, {leastReasons, 3}, {leastReasons, 2}} {
		list := all[:min(len(all), try.n)]
		if texts, h := d.reasons(list, w, try.lines); d.y+max(h, plots.Readings.Height(d.r))+d.belowWhy() <= contentFloor {
			return list, texts, h
		}
	}
	list := all[:min(len(all), leastReasons)]
	texts, h := d.reasons(list, w, 1)
	return list, texts, h
}

// reason sets the lines of one, its source behind them or below.
func (d *document) reason(lines []string, source string, w float64) {
	y, end := d.y, pageLeft+5
	for i, s := range lines {
		y = d.y + reasonLine*float64(i)
		end = d.text(pageLeft+5, y, plain(8.3), s)
	}
	if end+2+d.width(grey(7.4), source) <= pageLeft+5+w {
		d.text(end+2, y, grey(7.4), source)
	} else {
		d.text(pageLeft+5, y+reasonLine, grey(7.4), d.fit(grey(7.4), source, w))
	}
	d.y += d.reasonHeight(lines, source, w)
}

// reasons wraps the reasons into at most n lines each and returns their height.
func (d *document) reasons(reasons []model.Reason, w float64, n int) ([][]string, float64) {
	h := 7.4
	texts := make([][]string, len(reasons))
	for i, b := range reasons {
		texts[i] = d.wrap(plain(8.3), b.Text, w, n)
		h += d.reasonHeight(texts[i], sourceOf(b), w)
	}
	return texts, h
}

// belowWhy is the height of what follows the reasons, with some steps in it.
func (d *document) belowWhy() float64 {
	return 2.4 + 7 + plots.WhatIf.Height(d.r) + 2.4 + 9.4 + d.leastSteps() + 2.4 + d.soundnessHeight()
}

// reasonLine is the height of a line of a reason.
const reasonLine = 3.7

// reasonHeight is that of a reason's lines with its source and the gap after it.
func (d *document) reasonHeight(lines []string, source string, w float64) float64 {
	h := 1.8 + reasonLine*float64(max(len(lines), 1))
	if len(lines) == 0 || d.width(plain(8.3), lines[len(lines)-1])+2+d.width(grey(7.4), source) > w {
		h += reasonLine - 0.4
	}
	return h
}

func sourceOf(b model.Reason) string {
	if len(b.At) == 0 {
		return b.Source
	}
	at := b.At[0].String()
	if b.Source == "" || strings.HasPrefix(at, b.Source) {
		return at
	}
	return b.Source + "; " + at
}

// soundness sets the inputs to the left and the checks to the right; the last
// page has them all.
func (d *document) soundness() {
	files := d.files()
	if d.y+d.soundnessHeight() > contentFloor {
		d.page(verdictName)
	}
	d.y += 3.4
	const split = 102.0
	d.text(pageLeft, d.y, bold(8.3), "Inputs")
	d.text(pageLeft+split, d.y, bold(8.3), "Soundness")
	top := d.y + 4.2
	name := []float64{8, 8} // width of the names in each column
	for i, f := range files {
		name[i%2] = min(maxName, max(name[i%2], d.width(mono(7.2), path.Base(f.Path))))
	}
	for i, f := range files {
		x, y := pageLeft+51*float64(i%2), top+3.9*float64(i/2)
		d.text(x, y, mono(7.2), d.fit(mono(7.2), path.Base(f.Path), maxName))
		d.text(x+name[i%2]+1.2, y, grey(7.2), d.fit(grey(7.2), inputWords(f), 49.5-name[i%2]))
	}
	y := top + 3.9*float64((len(files)+1)/2)
	if note := d.inputNote(len(files)); note != "" {
		d.triangle(pageLeft, y)
		d.text(pageLeft+4, y, plain(7.2), d.fit(plain(7.2), note, split-6))
	}
	d.checks(pageLeft+split, top)
}

func (d *document) soundnessHeight() float64 {
	lines := 0
	for _, c := range d.firstChecks() {
		lines += len(d.checkLines(c))
	}
	if len(d.r.Checks) > maxChecks {
		lines++
	}
	return 6 + 3.9*float64(max((len(d.files())+1)/2+1, lines))
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

// firstChecks are those that the first page shows.
func (d *document) firstChecks() []model.Check {
	list := d.checksBySeverity()
	if len(list) > maxChecks {
		list = list[:maxChecks-1]
	}
	return list
}

func (d *document) checkLines(c model.Check) []string {
	return d.wrap(plain(7.2), cmp.Or(c.Text, c.Name), checkWidth, 2)
}

func (d *document) checks(x, y float64) {
	list := d.firstChecks()
	if len(list) == 0 {
		d.text(x, y, grey(7.2), "no check was possible")
	}
	for _, c := range list {
		if c.OK {
			d.tick(x, y)
		} else {
			d.triangle(x, y)
		}
		for _, line := range d.checkLines(c) {
			d.text(x+4, y, plain(7.2), line)
			y += 3.9
		}
	}
	if n := len(d.r.Checks) - len(list); n > 0 {
		d.text(x+4, y, grey(7.2), fmt.Sprintf("%d more on the last page", n))
	}
}
