package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// DepthHist is how long the queue stood at each depth, against the zones.
var DepthHist = &Plot{
	Name: "depthhist",
	Doc:  "time-weighted histogram of the depth against the zones and both watermarks",
	Size: sized(pageWidth, 72),
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawDepthHist(newPen(c), r)
		return nil
	},
}

func drawDepthHist(p pen, r *model.Report) {
	const top, h = 12.0, 50.0
	q := r.Queue
	bins := histogram(q)
	if len(bins) == 0 {
		p.absent(plotLeft, top, pageWidth-plotLeft, h, missing(r, "queue", "depth")...)
		p.frame(plotLeft, top, pageWidth-plotLeft, h, 0.2, rule)
		return
	}
	// Depth d holds the stretch d-½ to d+½, so that 0 and the capacity are whole columns.
	hi, share := 0.0, 0.0
	for _, b := range bins {
		hi, share = max(hi, b.to), max(share, b.hi)
	}
	if q.Capacity != nil {
		hi = max(hi, *q.Capacity+0.5)
	}
	x := scale{-0.5, hi, plotLeft, pageWidth}
	most := max(min(1.45*share, 1.35), 1e-6) // room for the names of the watermarks
	v := scale{0, most, top + h, top}
	p.histZones(x, top, h, q)
	for _, k := range (ticks125{4, percents}).Ticks(0, most) {
		if k.Value > 1.001 {
			break
		}
		if y := v.at(k.Value); y > top+9 {
			p.line(plotLeft, y, pageWidth, y, 0.2, grid)
		}
		p.right(plotLeft-1.6, v.at(k.Value)+0.9, type7.in(muted), k.Label)
	}
	f := p.panel(x, v)
	f.Add(bars{bins})
	f.Draw(p.sub(plotLeft, top, pageWidth-plotLeft, h))
	p.line(plotLeft, top+h, pageWidth, top+h, 0.25, muted)
	p.histMarks(x, top, h, q)
	for _, k := range (ticks125{6, plain}).Ticks(0, hi) {
		p.line(x.at(k.Value), top+h, x.at(k.Value), top+h+1, 0.2, muted)
		p.center(x.at(k.Value), top+h+4.2, type7.in(muted), k.Label)
	}
	p.right(pageWidth, top+h+8, type7.in(muted), "depth, items")
	p.text(0, top+h+8, type7.in(muted), "share of the time of "+Judged(r))
}

// histogram returns the bins as cells over the depth, with their shares.
func histogram(q model.QueueInfo) []cell {
	var out []cell
	for _, b := range q.Histogram {
		w := b.Width
		if !(w > 0) {
			w = 1
		}
		if finite(b.Depth, w, b.Share) {
			out = append(out, cell{b.Depth - 0.5, b.Depth - 0.5 + w, 0, b.Share})
		}
	}
	return out
}

// histZones shades the zones and names them on top, where a name fits its zone;
// a narrower zone's name is moved beside it, above.
func (p pen) histZones(x scale, top, h float64, q model.QueueInfo) {
	zones := zonesOf(q)
	right := pageWidth + 1.0
	for _, z := range zones {
		a, b := x.clamp(z.lo), x.clamp(z.hi)
		if z.name == "starved" {
			a = x.a
		}
		if z.name == "full" {
			b = x.b
		}
		if z.name != "between" {
			p.fill(a, top, b-a, h, z.fill)
		}
		bar := z.ink
		if z.name == "between" {
			bar = z.fill
		}
		p.fill(a+0.15, top-1.3, max(b-a-0.3, 0.2), 1.1, bar)
		f := type7.strong().in(z.ink)
		s := z.name
		if q.Zones != nil {
			s += "  " + say.Round(z.share(*q.Zones))
		}
		w := p.width(f, s)
		at := min((a+b-w)/2, right-w-1.5)
		base := top - 2.3
		if at < a-0.5 || at+w > b+0.5 {
			base -= 3.4
			at = min(max((a+b-w)/2, 0), pageWidth-w)
		}
		p.text(at, base, f, s)
		if base > top-3 {
			right = at
		}
	}
}

// histMarks draws the watermarks with name, value and dwell.
func (p pen) histMarks(x scale, top, h float64, q model.QueueInfo) {
	lower := 0.0 // of the second mark's words, where they would meet the first's
	mark := func(at float64, name string, dwell *float64, what string) {
		xx, top := x.clamp(at), top+lower
		p.dash(xx, top-lower, xx, top-lower+h, 0.35, ink)
		words := []string{name + " " + say.Count(at)}
		if dwell != nil {
			words = append(words, say.Round(*dwell)+" of the time "+what)
		}
		w := max(p.width(type7.strong(), words[0]), p.width(type7, words[len(words)-1]))
		left := xx+2+w > pageWidth
		for i, s := range words {
			f := type7
			if i == 0 {
				f = f.strong()
			}
			start := xx + 1.5
			if left {
				start = xx - 1.5 - p.width(f, s)
			}
			if lower > 0 {
				p.fill(start-0.5, top+1.2+3.6*float64(i), p.width(f, s)+1, 3.5, white)
			}
			p.text(start, top+3.8+3.6*float64(i), f, s)
		}
	}
	if q.MinReady != nil {
		mark(*q.MinReady, "min_ready", q.AtMinReady, "there or one below")
	}
	if q.Capacity != nil && q.MinReady != nil && x.clamp(*q.Capacity)-x.clamp(*q.MinReady) < 90 {
		lower = 7.6
	}
	if q.Capacity != nil {
		mark(*q.Capacity, "capacity", q.AtCapacity, "there")
	}
}

// bars is a plot.Plotter: one column a bin, from 0.
type bars struct{ cells []cell }

// Plot implements plot.Plotter.
func (s bars) Plot(c draw.Canvas, f *plot.Plot) {
	tx, ty := f.Transforms(&c)
	for _, b := range s.cells {
		a, e, y0, y1 := tx(b.from), tx(b.to), ty(0), ty(b.hi)
		gap := min((e-a)/10, mm(0.25))
		c.FillPolygon(depthLine, c.ClipPolygonXY(rectangle(a+gap, y0, e-gap, y1)))
	}
}
