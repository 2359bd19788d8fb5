package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Waterfall takes the change of throughput apart: each part begins where the
// one above it ended.
var Waterfall = &Plot{
	Name: "waterfall",
	Doc:  "the parts of the change of throughput, each from where the last one ended",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		return mm(pageWidth), mm(tableTop + waterfallPitch*float64(len(waterfallParts(r))+1) + 5)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawWaterfall(newPen(c), r)
		return nil
	},
}

const (
	waterfallPitch = 5.0
	maxParts       = 30
)

func waterfallParts(r *model.Report) []model.Part {
	if r.Comparison == nil || r.Comparison.Waterfall == nil {
		return nil
	}
	parts := r.Comparison.Waterfall.Parts
	return parts[:min(len(parts), maxParts)]
}

func drawWaterfall(p pen, r *model.Report) {
	parts := waterfallParts(r)
	foot := tableTop + waterfallPitch*float64(len(parts)+1)
	if len(parts) == 0 {
		p.absent(0, 0, pageWidth, foot, "no parts: neither side's capacity is known on both sides")
		return
	}
	w := r.Comparison.Waterfall
	h := type7.in(muted)
	p.text(0, 2.6, h, "part; dark: beyond its noise")
	p.right(pageWidth, 2.6, h, "factor, 95 %")
	v := waterfallAxis(parts, w.Total)
	p.logAxis(v, tableTop-2.2, foot-1.2)
	at := 0.0
	for i, q := range parts {
		p.waterfallRow(v, tableTop+waterfallPitch*float64(i), q.Label, at, q.Ln, type8)
		at += q.Ln.Mid
		if x := v.clamp(at); i+1 < len(parts) {
			p.line(x, tableTop+waterfallPitch*float64(i)+1.5, x, tableTop+waterfallPitch*float64(i+1)-1.9, 0.2, muted)
		}
	}
	y := tableTop + waterfallPitch*float64(len(parts))
	p.line(0, y-2.6, pageWidth, y-2.6, 0.2, rule)
	p.waterfallRow(v, y, fmt.Sprintf("all, %s: %s to %s", w.Unit, say.SI(w.Base), say.SI(w.New)), 0, w.Total, type8.strong())
}

// waterfallAxis is in logarithms, where parts add up; most is a factor of e.
func waterfallAxis(parts []model.Part, total model.Interval) scale {
	lo, hi, at := 0.0, 0.0, 0.0
	reach := func(i model.Interval) {
		for _, x := range []float64{at + i.Lo, at + i.Mid, at + i.Hi} {
			if finite(x) {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	for _, q := range parts {
		reach(q.Ln)
		at += q.Ln.Mid
	}
	at = 0
	reach(total)
	lo, hi = around(math.Expm1(max(lo, -1)), math.Expm1(min(max(hi, 0.005), 1)), 5)
	return scale{math.Log1p(max(lo, -0.95)), math.Log1p(hi), 58, 138}
}

func (p pen) logAxis(v scale, top, foot float64) {
	for _, k := range (ticks125{5, gainTick}).Ticks(math.Expm1(v.lo), math.Expm1(v.hi)) {
		if k.Value <= -0.99 {
			continue
		}
		x := v.at(math.Log1p(k.Value))
		p.line(x, top, x, foot, 0.2, grid)
		p.center(x, foot+3, type7.in(muted), k.Label)
	}
	p.line(v.at(0), top, v.at(0), foot, 0.3, ink)
}

// waterfallRow draws a part from where the last one ended; dark where it is
// beyond its noise.
func (p pen) waterfallRow(v scale, y float64, label string, from float64, ln model.Interval, f face) {
	const h = 3.2
	p.text(0, y+1, f, p.fit(f, label, 55))
	p.right(pageWidth, y+1, f, say.Gain(math.Expm1(ln.Mid))+" "+say.Factor(ln))
	if !finite(from, ln.Lo, ln.Mid, ln.Hi) {
		return
	}
	col := rule
	if ln.Lo > 0 || ln.Hi < 0 {
		col = muted
	}
	a, b := v.clamp(from), v.clamp(from+ln.Mid)
	p.fill(min(a, b)-0.1, y-h/2-0.1, math.Abs(b-a)+0.2, h, col)
	p.span(v, y-0.1, model.Interval{Lo: from + ln.Lo, Mid: from + ln.Mid, Hi: from + ln.Hi})
}
