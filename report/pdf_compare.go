package report

import (
	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

const comparisonName = "Comparison"

// shortPage is how far down a check may reach for its comparison to follow on
// the same page.
const shortPage = contentTop + 70

// checkPage is the outcome of a check.
func checkPage(d *document) error {
	c := d.r.Check
	d.page("Check")
	d.sentence(c.Headline, "Policy: "+c.Policy, 4)
	d.y += 3
	d.text(pageLeft, d.y, grey(7.2), "outcome")
	d.text(pageLeft+16, d.y, grey(7.2), "rule")
	d.text(pageLeft+64, d.y, grey(7.2), "measured, and wanted")
	d.line(pageLeft, d.y+1.2, pageRight, d.y+1.2, 0.2, rule)
	d.y += 5
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

// comparisonPage is what changed with its intervals, the parts of the change,
// the stacks of both sides, and the history where there is one.
func comparisonPage(d *document) error {
	c := d.r.Comparison
	if d.r.Check != nil && d.y < shortPage {
		d.pdf.Bookmark(comparisonName, 0, d.y)
		d.y += 5
	} else {
		d.page(comparisonName)
	}
	d.sentence(c.Headline, c.Lead, 4)
	if c.History != nil {
		if err := d.compared("History", plots.HistoryNote, plots.History); err != nil {
			return err
		}
	}
	if err := d.compared("What changed", "base: "+say.Runs(c.Base)+"; new: "+say.Runs(c.New), plots.Changes); err != nil {
		return err
	}
	if c.Waterfall != nil {
		if err := d.compared("Why", c.Waterfall.Text, plots.Waterfall); err != nil {
			return err
		}
	}
	if len(c.Stacks) > 0 {
		if err := d.compared("Stacks by mechanism", "share of the role’s active samples; worker-seconds an item", plots.StackChanges); err != nil {
			return err
		}
	}
	d.notes(c)
	return nil
}

// compared sets a figure under its heading, on a page that has room for both.
func (d *document) compared(name, note string, p *plots.Plot) error {
	d.section(name, note, comparisonName, p.Height(d.r)+9)
	d.y += 1.5
	return d.plot(p, pageLeft)
}

func (d *document) notes(c *model.Comparison) {
	d.section("Method and differences", "", comparisonName, 16)
	d.y += 4
	method := listed{"", []string{c.Method, "Scatter of one run: " + say.Round(c.Noise.Between) + ", " + c.Noise.From + "."}}
	for _, part := range append([]listed{method}, differences(c)...) {
		for _, n := range part.list {
			for _, s := range d.wrap(grey(8), part.lead+n, pageWidth, 3) {
				if d.y > contentFloor-1 {
					d.page(comparisonName)
					d.y += 5
				}
				d.text(pageLeft, d.y, grey(8), s)
				d.y += 4
			}
		}
	}
}
