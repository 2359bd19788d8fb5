package plots

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"tidemark/model"
)

// Probability is one bar, split by who limits.
var Probability = &Plot{
	Name: "probability",
	Doc:  "probabilities of who limits throughput",
	Size: sized(pageWidth, 10.5),
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawProbability(newPen(c), r)
		return nil
	},
}

// A part is one outcome with its probability.
type part struct {
	name string
	p    float64
	fill color.NRGBA
}

func partsOf(p model.Probabilities) []part {
	in := func(v float64) float64 { return min(max(v, 0), 1) }
	return []part{
		{model.Target, in(p.Target), targetFill},
		{model.Both, in(p.Both), parentGrey},
		{model.Drafter, in(p.Drafter), drafterFill},
		{model.Upstream, in(p.Upstream), upstreamFill},
		{model.Unknown, in(p.Unknown), unknownFill},
	}
}

func drawProbability(p pen, r *model.Report) {
	const x0, w, h = 18.0, 160.0, 6.0
	p.text(0, 4.1, type8.strong(), "Limiter")
	sum := 0.0
	parts := partsOf(r.Limiter.Probabilities)
	for _, q := range parts {
		sum += q.p
	}
	if !(sum > 0) {
		p.absent(x0, 0, w, h, "no probabilities: nothing tells the sides apart")
		p.frame(x0, 0, w, h, 0.2, rule)
		return
	}
	x := x0
	var below []string
	for _, q := range parts {
		b := w * q.p / sum
		if !p.probabilityPart(x, b, h, q, r) && q.p >= 0.005 {
			below = append(below, q.name+" "+probability(q.p))
		}
		x += b
	}
	if tiny := tinyParts(parts); tiny != "" {
		below = append(below, tiny)
	}
	p.text(x0, 9.6, type7.in(muted), p.fit(type7, strings.Join(below, "; "), w))
}

// probabilityPart draws one part and reports whether its name fitted inside.
func (p pen) probabilityPart(x, b, h float64, q part, r *model.Report) bool {
	if q.p <= 0 {
		return false
	}
	p.fill(x, 0, max(b-0.3, 0.1), h, q.fill)
	if q.name == model.Both {
		p.hatch(x, 0, max(b-0.3, 0.1), h, 1.2, 0.2, laneFill)
	}
	f := face{size: 9.5, bold: true, col: onFill(q.fill)}
	label := q.name + "  " + probability(q.p)
	tw := p.width(f, label)
	if tw+4 > b {
		return false
	}
	if q.name == model.Both {
		p.fill(x+1.4, 1.1, tw+2.2, 3.9, parentGrey)
	}
	end := p.text(x+2.5, 4.2, f, label)
	if s := strengthOf(r.Limiter); q.name == r.Limiter.Side && p.width(type78, s)+6 < x+b-end {
		p.right(x+b-2.6, 4.1, type78.in(f.col), s)
	}
	return true
}

// strengthOf is the word for a probability, and from where on it is used.
func strengthOf(l model.Limiter) string {
	switch l.Strength {
	case "limits":
		return "limits: P ≥ 0.95"
	case "probably limits":
		return "probably limits: P ≥ 0.8"
	case "leans":
		return "leans: P below 0.8"
	}
	return l.Strength
}

// tinyParts names what has no visible part.
func tinyParts(parts []part) string {
	var names []string
	for _, q := range parts {
		if q.p < 0.005 {
			names = append(names, q.name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " below 0.005"
	}
	return strings.Join(names, ", ") + " below 0.005 each"
}

// probability never prints certainty.
func probability(v float64) string {
	return fmt.Sprintf("%.2f", min(v, 0.99))
}
