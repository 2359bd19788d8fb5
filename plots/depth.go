package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// A zone is a band of depths with its share of the steady state.
type zone struct {
	name      string
	lo, hi    float64
	fill, ink color.NRGBA
	share     func(model.Zones) float64
}

// zonesOf returns the zones from the top, with w = max(1, 0.1·(capacity − min_ready));
// nil where the watermarks are not known.
func zonesOf(q model.QueueInfo) []zone {
	if q.Capacity == nil || q.MinReady == nil || !(*q.Capacity > *q.MinReady) {
		return nil
	}
	capacity, ready := *q.Capacity, *q.MinReady
	w := max(1, 0.1*(capacity-ready))
	low := max(0, ready-w)
	high := max(min(ready+w, capacity-w), low)
	return []zone{
		{"full", max(capacity-w, high), capacity, zoneFull, zoneFullInk, func(z model.Zones) float64 { return z.Full }},
		{"between", high, max(capacity-w, high), zoneBetween, zoneBetweenInk, func(z model.Zones) float64 { return z.Between }},
		{"at watermark", low, high, zoneMark, zoneMarkInk, func(z model.Zones) float64 { return z.AtWatermark }},
		{"starved", 0, low, zoneStarved, zoneStarvedInk, func(z model.Zones) float64 { return z.Starved }},
	}
}

// depthBand draws the depth of the queue over its watermarks and zones.
func depthBand(r *model.Report, h float64) band {
	return band{bandTitle + h, func(p pen, y float64, t timeAxis) {
		s := seriesOf(r, "depth")
		p.title(0, y+3.4, readingRight, type8.strong(), "Queue depth", depthNote(r, s))
		top := y + 5.2
		if s == nil {
			p.absent(plotLeft, top, plotRight-plotLeft, h, missing(r, "queue", "depth")...)
			return
		}
		drawDepth(p, top, h, t, r, cells(s))
	}}
}

func depthNote(r *model.Report, s *model.Series) string {
	note := "items"
	if r.Queue.Capacity != nil {
		note += "; capacity " + say.Count(*r.Queue.Capacity)
	}
	if r.Queue.MinReady != nil {
		note += ", min_ready " + say.Count(*r.Queue.MinReady)
	}
	if s != nil {
		note += "; lowest and highest of each " + say.Short(spacing(s)) + " s"
	}
	return note
}

func drawDepth(p pen, y, h float64, t timeAxis, r *model.Report, c []cell) {
	top := quantile(c, 1)
	if r.Queue.Capacity != nil {
		top = max(top, *r.Queue.Capacity)
	} else {
		_, top = around(0, top, 4)
	}
	v := scale{0, max(top, 1), y + h, y}
	w := plotRight - plotLeft
	zones := zonesOf(r.Queue)
	for _, z := range zones {
		if z.name != "between" {
			p.fill(plotLeft, v.at(z.hi), w, v.at(z.lo)-v.at(z.hi), z.fill)
		}
	}
	p.timeGrid(t, y, h)
	p.valueAxis(v, ticks125{4, plain}, false)
	q := p.panel(t.scale, v)
	q.Add(envelope{c, depthLine})
	q.Draw(p.sub(plotLeft, y, w, h))
	if r.Queue.Capacity != nil {
		p.line(plotLeft, v.at(*r.Queue.Capacity), plotRight, v.at(*r.Queue.Capacity), 0.35, ink)
	}
	if r.Queue.MinReady != nil {
		p.dash(plotLeft, v.at(*r.Queue.MinReady), plotRight, v.at(*r.Queue.MinReady), 0.3, ink)
	}
	p.line(plotLeft, v.a, plotRight, v.a, 0.2, rule)
	depthWords(p, t, v, r, c)
	zoneReadings(p, v, zones, r.Queue.Zones)
}

// depthWords name the watermarks and say the range, where no data is.
func depthWords(p pen, t timeAxis, v scale, r *model.Report, c []cell) {
	put := func(x, base float64, f face, s string) bool {
		per := (t.hi - t.lo) / (t.b - t.a)
		val := func(y float64) float64 { return v.lo + (v.a-y)/(v.a-v.b)*(v.hi-v.lo) }
		from := t.lo + (x-1-plotLeft)*per
		if base > v.a || base-2.6 < v.b || !clear(c, from, from+(p.width(f, s)+2)*per, val(base+0.9), val(base-2.8)) {
			return false
		}
		p.text(x, base, f, s)
		return true
	}
	if r.Queue.Capacity != nil {
		put(plotLeft+1.5, v.at(*r.Queue.Capacity)+3.1, type7.strong(), "capacity "+say.Count(*r.Queue.Capacity))
	}
	if r.Queue.MinReady != nil {
		s, at := "min_ready "+say.Count(*r.Queue.MinReady), v.at(*r.Queue.MinReady)
		_ = put(plotLeft+6, at-2.6, type7.strong(), s) || put(plotLeft+6, at+4.2, type7.strong(), s)
	}
	if d := r.Queue.Depth; d != nil {
		s := say.Ends(d.P5, d.P95) + " (p5–p95), never above " + say.Count(quantile(c, 1))
		f := type7.in(muted)
		x := (plotLeft + plotRight - p.width(f, s)) / 2
		mid := (v.a + v.b) / 2
		_ = put(x, mid-2, f, s) || put(x, mid+7, f, s) || put(x, mid-9, f, s)
	}
}

// zoneReadings stand at the heights of their zones, with a bar in their colour.
func zoneReadings(p pen, v scale, zones []zone, shares *model.Zones) {
	next := 0.0
	for _, z := range zones {
		a, b := v.at(z.hi), v.at(z.lo)
		bar := z.ink
		if z.name == "between" {
			bar = z.fill
		}
		p.fill(plotRight+0.8, a+0.2, 0.9, max(b-a-0.4, 0.2), bar)
		base := max((a+b)/2+0.9, next)
		next = base + 3.1
		f := type7.in(z.ink)
		value := "–"
		if shares != nil {
			share := z.share(*shares)
			value = say.Round(share)
			if share == 0 {
				value = "0"
			}
			if share > 0.5 {
				f = f.strong()
			}
		}
		p.text(readingLeft+0.3, base, f, z.name)
		p.right(readingRight, base, f, value)
	}
}

// envelope is a plot.Plotter: the area between the lowest and the highest value
// of each cell, with a line along its middle so that equal ends are seen.
type envelope struct {
	cells []cell
	color color.Color
}

// Plot implements plot.Plotter.
func (e envelope) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := 0; i < len(e.cells); {
		j := i + 1
		for j < len(e.cells) && e.cells[j].from <= e.cells[j-1].to+1e-9 {
			j++
		}
		e.area(c, tx, ty, e.cells[i:j])
		i = j
	}
}

func (e envelope) area(c draw.Canvas, tx, ty func(float64) vg.Length, run []cell) {
	var up, down, mid []vg.Point
	for _, x := range run {
		a, b := tx(x.from), tx(math.Max(x.to, x.from))
		up = append(up, vg.Point{X: a, Y: ty(x.hi)}, vg.Point{X: b, Y: ty(x.hi)})
		down = append(down, vg.Point{X: a, Y: ty(x.lo)}, vg.Point{X: b, Y: ty(x.lo)})
		mid = append(mid, vg.Point{X: a, Y: ty(x.mid())}, vg.Point{X: b, Y: ty(x.mid())})
	}
	for i := len(down) - 1; i >= 0; i-- {
		up = append(up, down[i])
	}
	c.FillPolygon(e.color, c.ClipPolygonXY(up))
	c.StrokeLines(draw.LineStyle{Color: e.color, Width: mm(0.35)}, c.ClipLinesXY(mid)...)
}
