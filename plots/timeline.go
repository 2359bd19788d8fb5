package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/model"
)

// Timeline is everything over one time axis.
var Timeline = &Plot{
	Name: "timeline",
	Doc:  "phases, throughput, depth, waits, GPUs, threads and recordings over one time axis",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		h := 0.0
		for _, b := range timeline(r) {
			h += b.h
		}
		return mm(pageWidth), mm(h)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		p, y := newPen(c), 0.0
		t := axisOf(r, plotLeft, plotRight)
		for _, b := range timeline(r) {
			b.draw(p, y, t)
			y += b.h
		}
		return nil
	},
}

// The shared edges, mm: labels to the left, the data, readings to the right.
const (
	pageWidth    = 178.0
	plotLeft     = 17.0
	plotRight    = 150.0
	readingLeft  = 152.2
	readingRight = pageWidth
	// timelineHeight is what a page has room for.
	timelineHeight = 244.0
)

// A band is one panel of the timeline: how high it is, and how it is drawn.
type band struct {
	h    float64
	draw func(p pen, y float64, t timeAxis)
}

// timeline returns the panels of a report. The three with a value axis share
// what the strips leave of the page.
func timeline(r *model.Report) []band {
	strips := []band{gpuBand(r), threadBand(r), mapKey(), laneBand(r)}
	left := timelineHeight - timeRuler - phaseHeight
	for _, b := range strips {
		left -= b.h
	}
	// As in the mock: throughput, depth and waits as 39 to 35 to 20.
	unit := min(max(left-3*bandTitle, 48), 96) / 94
	bands := []band{
		{timeRuler, drawRuler},
		{phaseHeight, func(p pen, y float64, t timeAxis) { drawPhases(p, y, t, r) }},
		rateBand(r, 39*unit),
		depthBand(r, 35*unit),
		waitBand(r, 20*unit),
	}
	return append(bands, strips...)
}

const (
	timeRuler   = 6.0
	phaseHeight = 9.5
	bandTitle   = 7.2 // a panel's title and the gap around it
)

// drawRuler prints the time ticks on top.
func drawRuler(p pen, y float64, t timeAxis) {
	p.text(0, y+2.6, type7.in(muted), t.name())
	p.timeLabels(t, y+2.6, y+4.4)
}

// timeLabels prints the ticks' labels on a baseline, each with a small tick below.
func (p pen) timeLabels(t timeAxis, base, tick float64) {
	last := -1e9
	for _, k := range t.Ticks(t.lo, t.hi) {
		x, w := t.at(k.Value), p.width(type7, k.Label)
		p.line(x, tick, x, tick+1.2, 0.2, muted)
		if x-w/2 > last+1.5 {
			p.center(x, base, type7.in(muted), k.Label)
			last = x + w/2
		}
	}
}

// timeGrid draws the grid lines that run through all panels.
func (p pen) timeGrid(t timeAxis, y, h float64) {
	for _, k := range t.Ticks(t.lo, t.hi) {
		p.line(t.at(k.Value), y, t.at(k.Value), y+h, 0.2, grid)
	}
}
