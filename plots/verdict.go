package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Verdict is the answer as one picture: sentence, probabilities, the two sides,
// capacities and what a change would bring.
var Verdict = &Plot{
	Name: "verdict",
	Doc:  "the answer as one picture: sentence, probabilities, the two sides, capacities, what if",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		return mm(pageWidth), mm(verdictHead + Probability.Height(r) + Two.Height(r) + Capacity.Height(r) + WhatIf.Height(r) + 4*6)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		p := newPen(c)
		p.verdictWords(r)
		y := verdictHead
		for _, q := range []*Plot{Probability, Two, Capacity, WhatIf} {
			h := q.Height(r)
			if err := q.Draw(p.sub(0, y, pageWidth, h), r); err != nil {
				return err
			}
			y += h + 6
		}
		return nil
	},
}

const verdictHead = 32.0

func (p pen) verdictWords(r *model.Report) {
	n := type78.in(muted)
	p.text(0, 3, n, p.fit(n, r.Run.Name+"  ·  "+say.Window(r.Run.Start, r.Run.DurationS), pageWidth))
	f := face{size: 20, bold: true, col: ink}
	for p.width(f, r.Verdict.Headline) > pageWidth && f.size > 13 {
		f.size--
	}
	p.text(0, 12.5, f, p.fit(f, r.Verdict.Headline, pageWidth))
	lead := face{size: 10.5, col: ink}
	for i, s := range p.wrap(lead, r.Verdict.Lead, pageWidth, 2) {
		p.text(0, 19.5+4.9*float64(i), lead, s)
	}
}
