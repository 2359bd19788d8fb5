package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// visible is the smallest share that does not round to 0.0 %.
const visible = 0.0005

// A wait is one share of worker time spent waiting, over time.
type wait struct {
	words  string
	cells  []cell
	share  *model.Interval
	fill   color.NRGBA
	ink    color.NRGBA
	dashes []vg.Length
}

// waitsOf returns the waits that were recorded, the longest first.
func waitsOf(r *model.Report) []wait {
	w := r.Limiter.Wait
	all := []struct {
		series string
		wait   wait
	}{
		{"wait.gate", wait{words: "drafters, gate", share: w.DrafterGate, fill: drafterFill, ink: drafterInk}},
		{"wait.put", wait{words: "targets, put", share: w.TargetPut, fill: targetFill, ink: targetFill}},
		{"wait.input", wait{words: "targets, input", share: w.TargetInput, fill: upstreamFill, ink: upstreamFill, dashes: []vg.Length{mm(1), mm(0.7)}}},
	}
	var out []wait
	for _, a := range all {
		if s := seriesOf(r, a.series); s != nil {
			a.wait.cells = cells(s)
			out = append(out, a.wait)
		}
	}
	for i := 1; i < len(out); i++ {
		if mean(out[i].cells) > mean(out[0].cells) {
			out[0], out[i] = out[i], out[0]
		}
	}
	return out
}

// waitBand draws who waits on the queue: the longest wait as an area, the
// others as lines over it.
func waitBand(r *model.Report, h float64) band {
	return band{bandTitle + h, func(p pen, y float64, t timeAxis) {
		waits := waitsOf(r)
		note := "share of worker time"
		if len(waits) > 0 {
			note += ", " + say.Short(cellLength(waits[0].cells)) + " s"
		}
		p.title(0, y+3.4, plotRight, type8.strong(), "Queue wait", note)
		top := y + 5.2
		if len(waits) == 0 {
			p.absent(plotLeft, top, plotRight-plotLeft, h, courseMissing(r)...)
			waitReadings(p, top, scale{0, 1, top + h, top}, known(r))
			return
		}
		drawWaits(p, top, h, t, waits)
	}}
}

// courseMissing says what was not recorded: of waits that are known as a whole,
// their course.
func courseMissing(r *model.Report) []string {
	words := missing(r, "wait", "queue counter")
	if len(known(r)) > 0 {
		words[0] = "the course over time was not recorded"
	}
	return words
}

// known returns the waits that have a share but no curve.
func known(r *model.Report) []wait {
	var out []wait
	for _, w := range []wait{
		{words: "drafters, gate", share: r.Limiter.Wait.DrafterGate, ink: drafterInk},
		{words: "targets, put", share: r.Limiter.Wait.TargetPut, ink: targetFill},
		{words: "targets, input", share: r.Limiter.Wait.TargetInput, ink: upstreamFill},
	} {
		if w.share != nil {
			out = append(out, w)
		}
	}
	return out
}

func cellLength(c []cell) float64 {
	if len(c) == 0 {
		return 0
	}
	return c[len(c)/2].to - c[len(c)/2].from
}

func drawWaits(p pen, y, h float64, t timeAxis, waits []wait) {
	hi := 0.1
	for _, w := range waits {
		hi = max(hi, quantile(w.cells, 0.985))
	}
	_, hi = around(0, min(hi, 1), 3)
	v := scale{0, hi, y + h, y}
	p.timeGrid(t, y, h)
	p.valueAxis(v, ticks125{3, percents}, true)
	q := p.panel(t.scale, v)
	q.Add(columns{waits[0].cells, waits[0].fill})
	for _, w := range waits[1:] {
		q.Add(stepLine{w.cells, draw.LineStyle{Color: w.fill, Width: mm(0.55), Dashes: w.dashes}})
	}
	q.Draw(p.sub(plotLeft, y, plotRight-plotLeft, h))
	for _, w := range waits {
		if w.share != nil && w.share.Mid > 0.02*hi && w.share.Mid <= hi {
			p.line(plotLeft, v.at(w.share.Mid), plotRight, v.at(w.share.Mid), 0.35, ink)
		}
		last := -1e9
		for _, x := range w.cells {
			if at := t.clamp((x.from + x.to) / 2); x.hi > hi && at > last+2 {
				p.up(at, y, w.ink)
				last = at
			}
		}
	}
	p.line(plotLeft, v.a, plotRight, v.a, 0.2, rule)
	waitReadings(p, y, v, waits)
}

func waitReadings(p pen, y float64, v scale, waits []wait) {
	pitch := 3.3
	lines := 0
	for _, w := range waits {
		lines += 1
		if w.share != nil && w.share.Hi >= visible {
			lines++
		}
	}
	base := max(y+2, v.a+1-float64(lines-1)*pitch)
	if n := len(waits); n > 0 && waits[0].share != nil {
		base = max(y+2, min(base, v.clamp(waits[0].share.Mid)+0.4))
	}
	for _, w := range waits {
		f := type7.in(w.ink)
		switch {
		case w.share == nil:
			p.text(readingLeft, base, f.strong(), w.words)
		case w.share.Hi >= visible:
			p.text(readingLeft, base, f.strong(), w.words)
			base += pitch
			p.text(readingLeft, base, f, say.Percent(w.share.Mid)+" ("+say.PercentRange(*w.share)+")")
		default:
			p.text(readingLeft, base, f.strong(), w.words+"  "+say.Percent(w.share.Mid))
		}
		base += pitch
	}
}

// columns is a plot.Plotter: cells as one stepped area from 0, held within the axis.
type columns struct {
	cells []cell
	color color.Color
}

// Plot implements plot.Plotter.
func (s columns) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := 0; i < len(s.cells); {
		pts := []vg.Point{{X: tx(s.cells[i].from), Y: ty(0)}}
		j := i
		for ; j < len(s.cells) && (j == i || s.cells[j].from <= s.cells[j-1].to+1e-9); j++ {
			y := ty(s.cells[j].hi)
			pts = append(pts, vg.Point{X: tx(s.cells[j].from), Y: y}, vg.Point{X: tx(s.cells[j].to), Y: y})
		}
		pts = append(pts, vg.Point{X: tx(s.cells[j-1].to), Y: ty(0)})
		c.FillPolygon(s.color, c.ClipPolygonXY(pts))
		i = j
	}
}
