package report

import (
	"cmp"
	"fmt"
	"path"

	"tidemark/internal/say"
	"tidemark/model"
)

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
