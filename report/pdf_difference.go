package report

import "tidemark/plots"

// differencePage is what changed from one capture of stacks to another.
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

// newCapturePage is the new one of two captures, and the files of both. Its
// flames are those of both together, which the SVG draws.
func newCapturePage(d *document) error {
	d.page("New capture")
	d.title(cpuTitle(d.r), "The new capture. "+cpuLead(d.r))
	if err := d.costs(); err != nil {
		return err
	}
	d.orLater(d.capture())
	for _, draw := range d.later {
		d.page(methodName)
		draw()
	}
	d.inputs()
	return nil
}
