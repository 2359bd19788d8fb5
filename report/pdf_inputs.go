package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

func (d *document) lossesHeight() float64 {
	if len(d.r.Losses) == 0 {
		return 0
	}
	return 8.6 + 3.9*float64(len(d.r.Losses))
}

func (d *document) losses() {
	if len(d.r.Losses) == 0 {
		return
	}
	d.section("GPU time that made nothing", "", methodName, 8)
	d.y += 2.6
	for _, l := range d.r.Losses {
		d.room(4)
		s := say.SI(l.GPUHours) + " GPU hours"
		if l.Cost != nil {
			s += ", " + say.SI(*l.Cost) + " at the price given"
		}
		d.text(pageLeft, d.y, bold(7.8), s)
		d.text(pageLeft+43, d.y, plain(7.8), d.fit(plain(7.8), l.Cause, 135))
		d.y += 3.9
	}
}

// maxInputs is how many inputs the table holds; the JSON has them all.
const maxInputs = 120

// inputColumns are the right edges of the counts, mm from the left margin.
var inputColumns = []struct {
	name string
	at   float64
}{{"lines", 103}, {"claimed", 117}, {"skipped", 129}, {"rejected", 141}, {"rows", 154}, {"bytes", 178}}

func (d *document) inputs() {
	d.section("Inputs", "claimed + skipped + rejected = lines", methodName, 16)
	d.y += 2.6
	d.inputHead()
	shown := slices.Clone(d.r.Inputs)
	if len(shown) > maxInputs {
		sortInputs(shown)
		shown = shown[:maxInputs]
	}
	for _, f := range shown {
		if d.room(9) {
			d.inputHead()
		}
		d.input(f)
	}
	if n := len(d.r.Inputs) - len(shown); n > 0 {
		d.room(4)
		d.text(pageLeft, d.y, grey(7.8), fmt.Sprintf("and %s, in the JSON report.", number(n, "smaller input")))
		d.y += 4
	}
	if len(d.r.Inputs) == 0 {
		d.text(pageLeft, d.y, grey(7.8), "none")
	}
}

func (d *document) inputsHeight() float64 {
	h := 13.2
	for _, f := range d.r.Inputs[:min(len(d.r.Inputs), maxInputs)] {
		h += 4.4 + 3.3*float64(len(d.wrap(grey(7), inputDetail(f), pageWidth-3, 2)))
	}
	return h
}

// sortInputs puts those with most rows first, then by path.
func sortInputs(in []model.Input) {
	slices.SortStableFunc(in, func(a, b model.Input) int {
		if a.Rows != b.Rows {
			return b.Rows - a.Rows
		}
		return strings.Compare(a.Path, b.Path)
	})
}

func (d *document) inputHead() {
	d.text(pageLeft, d.y, grey(7.2), "file")
	d.text(pageLeft+60, d.y, grey(7.2), "read as")
	for _, c := range inputColumns {
		d.right(pageLeft+c.at, d.y, grey(7.2), c.name)
	}
	d.line(pageLeft, d.y+1.2, pageRight, d.y+1.2, 0.2, rule)
	d.y += 4.6
}

func (d *document) input(f model.Input) {
	d.text(pageLeft, d.y, mono(7.2), d.fitLeft(mono(7.2), f.Path, 58))
	format := f.Format
	if format == "" {
		format = "not read"
	}
	d.text(pageLeft+60, d.y, plain(7.4), d.fit(plain(7.4), format, 30))
	counts := []int{f.Lines, f.Claimed, f.Skipped, f.Rejected, f.Rows}
	for i, n := range counts {
		d.right(pageLeft+inputColumns[i].at, d.y, plain(7.4), say.Count(n))
	}
	d.right(pageLeft+178, d.y, plain(7.4), say.Bytes(f.Bytes))
	d.y += 3.5
	if s := inputDetail(f); s != "" {
		d.paragraph(grey(7), pageLeft+3, pageWidth-3, 3.3, s, 2)
	}
	d.y += 0.9
}

// inputDetail is the second line of an input: why not, when, on which clock, notes.
func inputDetail(f model.Input) string {
	var s []string
	if f.Reason != "" {
		s = append(s, f.Reason)
	}
	if f.First != "" {
		s = append(s, clock(f.First)+" – "+clock(f.Last))
	}
	if f.Clock != "" {
		s = append(s, f.Clock)
	}
	s = append(s, f.Notes...)
	if len(f.SHA256) >= 12 {
		s = append(s, "sha256 "+f.SHA256[:12])
	}
	return strings.Join(s, "; ")
}

// clock returns a time stamp with seconds, as it stands if it is no RFC 3339.
func clock(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
