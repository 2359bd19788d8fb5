package report

import "tidemark/plots"

// differencePage is what changed from one capture of stacks to another; the
// pages after it are of the new one.
func differencePage(d *document) error {
	diff := d.r.CPU.Diff
	d.page("Difference")
	d.sentence(d.r.Verdict.Headline, "", 3)
	d.y += 2
	for _, s := range []string{
		"base  " + diffSide(diff.Base),
		"new  " + diffSide(diff.New),
		"Read the column " + diff.Measure + ": " + diff.Misleads,
	} {
		for _, line := range d.wrap(plain(8.3), s, pageWidth, 3) {
			d.text(pageLeft, d.y, plain(8.3), line)
			d.y += 4.2
		}
	}
	d.y += 2
	return d.plot(plots.Difference, pageLeft)
}
