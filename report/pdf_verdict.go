package report

import (
	"strconv"
	"strings"

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
