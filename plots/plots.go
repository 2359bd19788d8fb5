// Package plots draws a report: one figure a file, all of them in the tables
// Plots and Compared. It reads model.Report and nothing else; gonum/plot is used here and in
// internal/pdfcanvas only. Figures are vectors.
package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"tidemark/model"
)

// A Plot is one figure. Draw uses a canvas of the Size it asked for; where the
// report lacks what the figure shows, it says so in the figure.
type Plot struct {
	Name, Doc string
	Size      func(*model.Report) (w, h vg.Length)
	Draw      func(draw.Canvas, *model.Report) error
}

// Plots are the figures of one run, in the order of the pages.
var Plots = []*Plot{
	Verdict, Probability, Two, Capacity, Readings, WhatIf,
	Timeline, DepthHist, ZoneShares, Families, Frames, Icicle,
}

// Compared are the figures of two runs, or of two captures of stacks.
var Compared = []*Plot{Comparison, Changes, Waterfall, StackChanges, History, Difference}

// Height returns the height of the figure in mm.
func (p *Plot) Height(r *model.Report) float64 {
	_, h := p.Size(r)
	return float64(h / vg.Millimeter)
}

// Record draws the figure into a recording, to be replayed elsewhere.
func (p *Plot) Record(r *model.Report) (*recorder.Canvas, error) {
	w, h := p.Size(r)
	rec := &recorder.Canvas{}
	if err := p.Draw(draw.NewCanvas(rec, w, h), r); err != nil {
		return nil, fmt.Errorf("plot %s: %w", p.Name, err)
	}
	return rec, nil
}

// sized is a Size in mm that does not depend on the report.
func sized(w, h float64) func(*model.Report) (vg.Length, vg.Length) {
	return func(*model.Report) (vg.Length, vg.Length) { return mm(w), mm(h) }
}

func mm(v float64) vg.Length { return vg.Length(v) * vg.Millimeter }
