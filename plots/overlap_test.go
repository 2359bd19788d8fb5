package plots

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg/recorder"

	"tidemark/internal/reporttest"
)

// A box is where a text stands, in mm from the lower left.
type box struct {
	x0, y0, x1, y1 float64
	s              string
}

// boxes returns the texts of a recording. Heights are those of capitals and
// descenders, a little less than the line.
func boxes(rec *recorder.Canvas) []box {
	f := newFonts()
	var out []box
	for _, a := range rec.Actions {
		t, ok := a.(*recorder.FillString)
		if !ok {
			continue
		}
		size := t.Size.Points()
		st := face{size: size, bold: t.Font.Weight > 0, mono: t.Font.Variant == "Mono"}
		x, y := float64(t.Point.X/mm(1)), float64(t.Point.Y/mm(1))
		em := size * 25.4 / 72
		out = append(out, box{x, y - 0.15*em, x + f.width(st, t.String), y + 0.68*em, t.String})
	}
	return out
}

// TestTextKeepsApart: no text of a figure leaves it or runs into another, in
// any variant but the hostile one, whose numbers no axis can hold.
func TestTextKeepsApart(t *testing.T) {
	for name, r := range reporttest.Variants() {
		if name == "hostile" {
			continue
		}
		for _, p := range all() {
			rec, err := p.Record(r)
			if err != nil {
				t.Fatal(err)
			}
			texts := boxes(rec)
			if len(texts) == 0 {
				t.Errorf("%s, %s: no text", name, p.Name)
			}
			w, h := p.Size(r)
			for _, e := range crowded(texts, float64(w/mm(1)), float64(h/mm(1))) {
				t.Errorf("%s, %s: %s", name, p.Name, e)
			}
		}
	}
}

func crowded(all []box, w, h float64) []string {
	var out []string
	for i, a := range all {
		if a.x0 < -0.3 || a.x1 > w+0.3 || a.y0 < -0.5 || a.y1 > h+0.5 {
			out = append(out, fmt.Sprintf("%q leaves the figure: %.1f–%.1f of %.1f, %.1f–%.1f of %.1f", a.s, a.x0, a.x1, w, a.y0, a.y1, h))
		}
		for _, b := range all[:i] {
			const slack = 0.1
			if a.x0 < b.x1-slack && b.x0 < a.x1-slack && a.y0 < b.y1-slack && b.y0 < a.y1-slack {
				out = append(out, fmt.Sprintf("%q over %q", a.s, b.s))
			}
		}
	}
	return out
}
