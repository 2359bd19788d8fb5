package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// rateBand draws throughput: each line, the 60 s mean, the best stretches and
// the high-water mark.
func rateBand(r *model.Report, h float64) band {
	return band{bandTitle + h, func(p pen, y float64, t timeAxis) {
		note := "no log or counter carries it"
		s := seriesOf(r, "throughput")
		if s != nil {
			note = s.Unit
		}
		if r.Throughput.Best60At != nil || r.Throughput.Best300At != nil {
			note += "; shaded: the best 60 s and 300 s"
		}
		p.title(0, y+3.4, plotRight, type8.strong(), "Throughput", note)
		top := y + 5.2
		if s == nil {
			p.absent(plotLeft, top, plotRight-plotLeft, h, missing(r, "throughput", "log", "speed")...)
			return
		}
		drawRate(p, top, h, t, r, s)
	}}
}

func drawRate(p pen, y, h float64, t timeAxis, r *model.Report, s *model.Series) {
	c := ends(s)
	lo, hi := rateRange(r, c)
	v := scale{lo, hi, y + h, y}
	p.shade(t, y, h, r.Throughput.Best300At, bestPale)
	p.shade(t, y, h, r.Throughput.Best60At, bestDeep)
	p.timeGrid(t, y, h)
	p.valueAxis(v, ticks125{5, kilo}, true)
	thin := p.panel(t.scale, v)
	thin.Add(stepLine{c, draw.LineStyle{Color: rgb(0x8F989F), Width: mm(0.2)}})
	if m := seriesOf(r, "throughput_60s"); m != nil {
		thin.Add(midLine(m, draw.LineStyle{Color: ink, Width: mm(0.45)}))
	}
	thin.Draw(p.sub(plotLeft, y, plotRight-plotLeft, h))
	p.beyond(t, v, c)
	if w := r.Throughput.HighWater; w != nil && w.Value <= hi && w.Value >= lo {
		p.dash(plotLeft, v.at(w.Value), plotRight, v.at(w.Value), 0.35, ink)
	}
	rateReadings(p, y, h, v, r)
}

// rateRange leaves out the lowest 2 % (starts, pauses), which get triangles.
func rateRange(r *model.Report, c []cell) (lo, hi float64) {
	lo, hi = quantile(c, 0.02), quantile(c, 1)
	if w := r.Throughput.HighWater; w != nil && w.Value < 3*hi {
		hi = max(hi, w.Value)
	}
	if lo < 0.4*hi || lo > hi {
		lo = 0
	} else {
		lo = max(0, lo-0.35*(hi-lo))
	}
	return around(lo, hi, 5)
}

func (p pen) shade(t timeAxis, y, h float64, s *model.Span, col color.Color) {
	if s != nil {
		a, b := t.clamp(s.FromS), t.clamp(s.ToS)
		p.fill(a, y, b-a, h, col)
	}
}

// beyond marks the cells under the axis, and names the lowest of them.
func (p pen) beyond(t timeAxis, v scale, c []cell) {
	low, last := -1, -1e9
	for i, x := range c {
		if x.lo >= v.lo {
			continue
		}
		if low < 0 || x.lo < c[low].lo {
			low = i
		}
		if at := t.clamp((x.from + x.to) / 2); at > last+2 {
			p.down(at, v.a, muted)
			last = at
		}
	}
	if low < 0 {
		return
	}
	words := say.Short(c[low].lo) + " at " + say.Elapsed(c[low].to)
	w, x := p.width(type7, words), t.clamp((c[low].from+c[low].to)/2)
	per := (t.hi - t.lo) / (t.b - t.a)
	tall := 3.5 * (v.hi - v.lo) / (v.a - v.b)
	if x+w+3 < plotRight && clear(c, c[low].to+per, c[low].to+per*(w+3), v.lo, v.lo+tall) {
		p.text(x+1.6, v.a-0.6, type7.in(muted), words)
	}
}

// rateReadings stand to the right: the lines at their heights, then the key.
func rateReadings(p pen, y, h float64, v scale, r *model.Report) {
	t := r.Throughput
	col := column{pen: p, top: y, bottom: y + h}
	if w := t.HighWater; w != nil {
		col.add(v.clamp(w.Value), type7.strong(), "high-water "+say.Short(w.Value))
	}
	if t.Steady != nil {
		at := v.clamp(t.Steady.Mid)
		p.line(plotRight, at, readingLeft-0.6, at, 0.35, ink)
		col.add(at, type7.strong(), judgedRate(r)+" "+say.SI(t.Steady.Mid))
		if t.Steady.Hi > t.Steady.Lo {
			col.add(at+3.4, type7.in(muted), "("+say.Range(*t.Steady)+")")
		}
		if t.Shortfall != nil && *t.Shortfall > 0 {
			col.add(at+3.4, type7.in(muted), say.Round(*t.Shortfall)+" under")
		}
	}
	if t.Best60s != nil {
		col.key(bestDeep, "best 60 s  "+say.SI(t.Best60s.Mid))
	}
	if t.Best300s != nil {
		col.key(bestPale, "best 300 s  "+say.SI(t.Best300s.Mid))
	}
	if seriesOf(r, "throughput_60s") != nil {
		col.key(ink, "60 s mean")
	}
	col.key(rgb(0x8F989F), "each line")
	col.drawKeys()
}

// A column sets readings at the heights of their lines, at least a line apart,
// and the key where the readings leave room for it.
type column struct {
	pen
	top, bottom float64
	next        float64   // the first free baseline
	bases       []float64 // of the readings
	keys        []swatch
}

// A swatch is a colour of the figure and what it stands for.
type swatch struct {
	fill color.Color
	word string
}

func (c *column) add(y float64, f face, s string) {
	base := max(y+0.9, c.next, c.top+2)
	c.text(readingLeft, base, f, c.fit(f, s, readingRight-readingLeft))
	c.next = base + 3.4
	c.bases = append(c.bases, base)
}

func (c *column) key(col color.Color, s string) { c.keys = append(c.keys, swatch{col, s}) }

// drawKeys sets the keys below the last reading, or in the widest gap above one.
func (c *column) drawKeys() {
	const pitch = 3.3
	from, room := c.top, 0.0
	last := c.top - 1.2
	for _, b := range append(c.bases, c.bottom+5) { // up to the next title's line
		if gap := b - last - 3.4; gap > room || b > c.bottom && gap >= pitch*float64(len(c.keys)) {
			from, room = last, gap
		}
		last = b
	}
	for i, k := range c.keys {
		y := from + 0.8 + pitch*float64(i+1)
		if pitch*float64(i+1) > room+0.8 {
			return
		}
		c.fill(readingLeft, y-1.6, 4, 1.2, k.fill)
		c.text(readingLeft+5.2, y, type7.in(muted), c.fit(type7, k.word, readingRight-readingLeft-5.2))
	}
}

// panel returns an empty plot whose axes are drawn by the pen, so that all
// panels of a page share their edges.
func (p pen) panel(t, v scale) *plot.Plot {
	q := plot.New()
	q.BackgroundColor = nil
	q.HideAxes()
	q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = t.lo, t.hi, v.lo, v.hi
	q.X.Padding, q.Y.Padding = 0, 0
	return q
}

// valueAxis prints a value axis to the left, with grid lines where wanted.
func (p pen) valueAxis(v scale, ticks plot.Ticker, lines bool) {
	for _, k := range ticks.Ticks(v.lo, v.hi) {
		y := v.at(k.Value)
		if lines {
			p.line(plotLeft, y, plotRight, y, 0.2, grid)
		} else {
			p.line(plotLeft-0.9, y, plotLeft, y, 0.2, muted)
		}
		p.right(plotLeft-1.6, y+0.9, type7.in(muted), k.Label)
	}
}

// stepLine is a plot.Plotter: cells as steps, a gap where one is missing, and
// the lowest and highest value where a cell stands for several.
type stepLine struct {
	cells []cell
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (s stepLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var line []vg.Point
	flush := func() {
		if len(line) > 1 {
			c.StrokeLines(s.style, c.ClipLinesXY(line)...)
		}
		line = nil
	}
	for i, x := range s.cells {
		if i > 0 && x.from > s.cells[i-1].to+1e-9 {
			flush()
		}
		line = append(line, vg.Point{X: tx(x.from), Y: ty(x.lo)})
		if x.hi > x.lo {
			line = append(line, vg.Point{X: tx(x.from), Y: ty(x.hi)}, vg.Point{X: tx(x.from), Y: ty(x.mid())})
		}
		line = append(line, vg.Point{X: tx(x.to), Y: ty(x.mid())})
	}
	flush()
}

// midLine returns the middle of a series as gonum lines, broken at its gaps.
func midLine(s *model.Series, style draw.LineStyle) plot.Plotter {
	var all lines
	var xys plotter.XYs
	d := spacing(s)
	for i, t := range s.T {
		if s.Lo[i] == nil || s.Hi[i] == nil || (len(xys) > 0 && t > xys[len(xys)-1].X+2.5*d) {
			all, xys = append(all, xys), nil
		}
		if s.Lo[i] != nil && s.Hi[i] != nil && finite(t, *s.Lo[i], *s.Hi[i]) {
			xys = append(xys, plotter.XY{X: t, Y: (*s.Lo[i] + *s.Hi[i]) / 2})
		}
	}
	return multi{append(all, xys), style}
}

type lines []plotter.XYs

type multi struct {
	lines
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (m multi) Plot(c draw.Canvas, p *plot.Plot) {
	for _, xys := range m.lines {
		if len(xys) > 1 {
			(&plotter.Line{XYs: xys, LineStyle: m.style}).Plot(c, p)
		}
	}
}
