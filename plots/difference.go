package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Difference is what changed from one capture of stacks to another.
var Difference = &Plot{
	Name: "difference",
	Doc:  "two captures of stacks: shares of active samples, and cores where both are known",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		rows, more := diffRows(r)
		h := tableFoot(len(rows)) + 8
		if more > 0 {
			h += 3.4
		}
		return mm(pageWidth), mm(h)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawDifference(newPen(c), r)
		return nil
	},
}

const maxDiffRows = 44

func diffRows(r *model.Report) ([]model.DiffRow, int) {
	if r.CPU == nil || r.CPU.Diff == nil {
		return nil, 0
	}
	rows := r.CPU.Diff.Rows
	n := min(len(rows), maxDiffRows)
	return rows[:n], len(rows) - n
}

// The columns of two captures, right edges in mm.
const (
	diffBase, diffNew, diffPoints       = 74.0, 87.0, 101.0
	diffBaseCores, diffCores, diffGrown = 114.0, 126.0, 139.0
)

func drawDifference(p pen, r *model.Report) {
	rows, more := diffRows(r)
	foot := tableFoot(len(rows))
	if len(rows) == 0 {
		p.absent(0, 0, pageWidth, foot, "no cost in either capture")
		return
	}
	withCores := r.CPU.Diff.Base.Cores != nil && r.CPU.Diff.New.Cores != nil
	v := diffAxis(rows, withCores)
	p.diffHead(v, foot, withCores)
	for i, d := range rows {
		y := tableTop + changePitch*float64(i) + 1.2
		if i > 0 && d.Kind != rows[i-1].Kind {
			p.line(0, y-3.6, v.b, y-3.6, 0.2, rule)
		}
		p.diffRow(v, y, d, withCores)
	}
	note := "Hollow: base; filled: new; lines: 95 %. Bold: the intervals keep apart. Functions: their own samples."
	p.text(0, foot+6.6, type7.in(muted), note)
	if more > 0 {
		p.text(0, foot+10, type7.in(muted), fmt.Sprintf("%d more stand in the JSON report.", more))
	}
}

func diffAxis(rows []model.DiffRow, withCores bool) scale {
	hi := 0.02
	for _, d := range rows {
		if finite(d.Base.Hi, d.New.Hi) {
			hi = max(hi, d.Base.Hi, d.New.Hi)
		}
	}
	_, hi = around(0, min(hi, 1), 4)
	if withCores {
		return scale{0, hi, diffGrown + 4, 175}
	}
	return scale{0, hi, diffPoints + 6, 175}
}

func (p pen) diffHead(v scale, foot float64, withCores bool) {
	h := type7.in(muted)
	p.text(0, 2.6, h, "cost")
	p.right(diffBase, 2.6, h, "share")
	p.right(diffNew, 2.6, h, "new")
	p.right(diffPoints, 2.6, h, "points")
	if withCores {
		p.right(diffBaseCores, 2.6, h, "cores")
		p.right(diffCores, 2.6, h, "new")
		p.right(diffGrown, 2.6, h, "change")
	}
	for _, k := range (ticks125{4, percents}).Ticks(v.lo, v.hi) {
		p.line(v.at(k.Value), tableTop-2.2, v.at(k.Value), foot-0.6, 0.2, grid)
		p.center(v.at(k.Value), foot+2.4, h, k.Label)
	}
}

func (p pen) diffRow(v scale, y float64, d model.DiffRow, withCores bool) {
	f, x := type8, 0.0
	if d.Clear {
		f = f.strong()
	}
	if d.Kind == "function" {
		x = 2
	}
	p.text(x, y, f, p.fit(f, d.Label, diffBase-13-x))
	p.right(diffBase, y, f, say.Round(d.Base.Mid))
	p.right(diffNew, y, f, say.Round(d.New.Mid))
	p.right(diffPoints, y, f, say.Points(d.Points))
	if withCores && d.BaseCores != nil && d.NewCores != nil {
		p.right(diffBaseCores, y, f, say.SI(*d.BaseCores))
		p.right(diffCores, y, f, say.SI(*d.NewCores))
		if d.Change != nil {
			p.right(diffGrown, y, f, say.Gain(*d.Change))
		}
	}
	for i, share := range []model.Interval{d.Base, d.New} {
		if !finite(share.Lo, share.Mid, share.Hi) {
			continue
		}
		at := y - 2 + 1.6*float64(i)
		p.line(v.clamp(share.Lo), at, v.clamp(share.Hi), at, 0.35, ink)
		p.dot(v.clamp(share.Mid), at, 0.65, muted, i == 0)
	}
}
