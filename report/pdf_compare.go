package report

import (
	"math"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

const comparisonName = "Comparison"

// checkPage is the outcome of a check.
func checkPage(d *document) error {
	c := d.r.Check
	d.page("Check")
	d.title(c.Headline, "Policy: "+c.Policy)
	d.y += 3
	for _, o := range c.Rules {
		lines := d.wrap(plain(8.3), o.Text, pageWidth-64, 4)
		if d.y+4.2*float64(len(lines)) > contentFloor {
			d.page("Check")
			d.y += 5
		}
		d.text(pageLeft, d.y, bold(8.3), statusWord(o))
		d.text(pageLeft+16, d.y, plain(8.3), d.fit(plain(8.3), o.Name, 45))
		for _, s := range lines {
			d.text(pageLeft+64, d.y, plain(8.3), s)
			d.y += 4.2
		}
		d.y += 1
	}
	return nil
}

// comparisonPage is what changed, as a table with a forest plot, and the waterfall.
func comparisonPage(d *document) error {
	c := d.r.Comparison
	d.page(comparisonName)
	d.title(c.Headline, c.Lead)
	d.section("What changed", "base: "+runNames(c.Base)+"; new: "+runNames(c.New), comparisonName, 20)
	d.y += 4
	for _, m := range shownChanges(c) {
		d.changeRow(m)
	}
	d.waterfall(c.Waterfall)
	d.notes(c)
	return nil
}

func (d *document) changeRow(m model.MetricChange) {
	if d.y > contentFloor-6 {
		d.page(comparisonName)
		d.y += 6
	}
	st := plain(8.3)
	if m.Changed {
		st = bold(8.3)
	}
	d.text(pageLeft, d.y, st, d.fit(st, m.Label, 42))
	d.right(pageLeft+58, d.y, st, value(m, m.Base))
	d.right(pageLeft+74, d.y, st, value(m, m.New))
	d.text(pageLeft+78, d.y, st, d.fit(st, changeOf(m), 44))
	if m.Change != nil {
		x := func(v float64) float64 { return pageLeft + 146 + 28*min(max(v/forestSpan, -1), 1) }
		d.line(x(0), d.y-3.4, x(0), d.y+0.9, 0.2, rule)
		d.line(x(m.Change.Lo), d.y-1.2, x(m.Change.Hi), d.y-1.2, 0.5, ink)
		d.fill(x(m.Change.Mid)-0.8, d.y-2, 1.6, 1.6, ink)
	}
	d.y += 4.6
}

// waterfall draws the parts below each other, each from where the last ended.
func (d *document) waterfall(w *model.Waterfall) {
	if w == nil {
		return
	}
	d.section("Why", w.Text, comparisonName, 5*float64(len(w.Parts))+14)
	d.y += 4
	lo, hi, at := 0.0, 0.0, 0.0
	for _, p := range w.Parts {
		at += p.Ln.Mid
		lo, hi = min(lo, at), max(hi, at)
	}
	span := max(hi-lo, 0.02)
	x := func(v float64) float64 { return pageLeft + 50 + 80*(v-lo)/span }
	up, _, _ := plots.SideColors(model.Target)
	down, _, _ := plots.SideColors(model.Drafter)
	at = 0
	for _, p := range w.Parts {
		col := up
		if p.Ln.Mid < 0 {
			col = down
		}
		next := at + p.Ln.Mid
		d.text(pageLeft, d.y, plain(8.3), p.Label)
		d.fill(x(min(at, next)), d.y-2.8, max(math.Abs(x(next)-x(at)), 0.3), 3.4, col)
		d.right(pageRight, d.y, plain(8.3), say.Gain(math.Expm1(p.Ln.Mid))+" "+partRange(p.Ln))
		at, d.y = next, d.y+5
	}
	d.text(pageLeft, d.y, bold(8.3), "all together, "+w.Unit+": "+say.SI(w.Base)+" to "+say.SI(w.New))
	d.right(pageRight, d.y, bold(8.3), say.Gain(math.Expm1(w.Total.Mid))+" "+partRange(w.Total))
	d.y += 4
}

func (d *document) notes(c *model.Comparison) {
	d.section("Method and differences", "", comparisonName, 16)
	d.y += 4
	for _, list := range [][]string{{c.Method, "Scatter of one run: " + say.Round(c.Noise.Between) + ", " + c.Noise.From + "."}, c.About, c.Void, c.Notes} {
		for _, n := range list {
			for _, s := range d.wrap(grey(8), n, pageWidth, 3) {
				if d.y > contentFloor-4 {
					return
				}
				d.text(pageLeft, d.y, grey(8), s)
				d.y += 4
			}
		}
	}
}
