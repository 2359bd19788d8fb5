package plots

import (
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// History is a quantity over past runs, with the levels between its steps.
var History = &Plot{
	Name: "history",
	Doc:  "a quantity over past runs, oldest first, with its steps and drifts",
	Size: sized(pageWidth, 48),
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawHistory(newPen(c), r)
		return nil
	},
}

// HistoryNote says what the figure shows.
const HistoryNote = "each dot a run, oldest first; lines: the level between steps"

func drawHistory(p pen, r *model.Report) {
	const left, right, top, foot = 17.0, 150.0, 3.0, 38.0
	points := historyPoints(r)
	if len(points) == 0 {
		p.absent(left, top, right-left, foot-top, "no earlier run of the same pipeline")
		return
	}
	h := r.Comparison.History
	lo, hi := points[0].Value, points[0].Value
	for _, q := range points {
		lo, hi = min(lo, q.Value), max(hi, q.Value)
	}
	pad := max(0.1*(hi-lo), 0.005*hi)
	if lo >= 0 {
		pad = min(pad, lo) // none of these quantities is negative
	}
	lo, hi = around(lo-pad, hi+max(pad, 0.1*(hi-lo)), 4)
	y := scale{lo, hi, foot, top}
	x := scale{-0.5, float64(len(points)) - 0.5, left, right}
	label := kilo
	if h.Unit == "share" {
		label = percents
	}
	for _, k := range (ticks125{4, label}).Ticks(lo, hi) {
		p.line(left, y.at(k.Value), right, y.at(k.Value), 0.2, grid)
		p.right(left-1.5, y.at(k.Value)+0.9, type7.in(muted), k.Label)
	}
	p.shifts(x, y, h)
	for i, q := range points {
		col := muted
		if i == len(points)-1 {
			col = captureInk
		}
		p.dot(x.at(float64(i)), y.at(q.Value), 0.7, col, false)
	}
	p.historyNames(x, foot, points)
	last := points[len(points)-1]
	p.text(right+2, 4, type7.in(muted), p.fit(type7, h.Unit, pageWidth-right-2))
	p.text(right+2, min(max(y.at(last.Value)+1, 9), foot-4), type78.strong().in(captureInk), "new "+say.Level(last.Value, h.Unit))
	p.text(right+2, min(max(y.at(last.Value)+1, 9), foot-4)+3.6, type7.in(muted), "axis not from 0")
}

// historyPoints are the runs whose value can be drawn.
func historyPoints(r *model.Report) []model.HistoryPoint {
	if r.Comparison == nil || r.Comparison.History == nil {
		return nil
	}
	var out []model.HistoryPoint
	for _, q := range r.Comparison.History.Points {
		if !finite(q.Value) {
			return nil // the shifts count all runs
		}
		out = append(out, q)
	}
	return out
}

// shifts draws the level before and after each change, and where it lies.
func (p pen) shifts(x, y scale, h *model.History) {
	from := x.lo
	for i, s := range h.Changes {
		to := x.hi
		if i+1 < len(h.Changes) {
			to = float64(h.Changes[i+1].Index) - 0.5
		}
		at := min(max(float64(s.Index)-0.5, x.lo), x.hi)
		if s.Kind == "drift" {
			p.line(x.at(at), y.clamp(s.Before), x.clamp(to), y.clamp(s.After), 0.5, ink)
			p.text(x.at(at)+2, y.a-1.6, type7.strong(), p.fit(type7.strong(), "drift "+say.Shift(s.Change.Mid, h.Unit), x.b-x.at(at)-2))
			continue
		}
		p.line(x.clamp(from), y.clamp(s.Before), x.at(at), y.clamp(s.Before), 0.5, ink)
		p.line(x.at(at), y.clamp(s.After), x.clamp(to), y.clamp(s.After), 0.5, ink)
		p.dash(x.at(at), y.b, x.at(at), y.a, 0.35, ink)
		p.shiftName(x, x.at(at), y.a-1.6, s, h.Unit)
		from = at
	}
}

// shiftName stands on the side of the line that has more room.
func (p pen) shiftName(x scale, at, y float64, s model.HistoryShift, unit string) {
	f := type7.strong()
	words := s.Kind + " " + say.Shift(s.Change.Mid, unit) + " at " + s.Name
	if x.b-at >= at-x.a {
		p.text(at+1.2, y, f, p.fit(f, words, x.b-at-1.5))
	} else {
		p.right(at-1.2, y, f, p.fit(f, words, at-x.a-1.5))
	}
}

// historyNames sets the first run's name to the left and the last one's to the right.
func (p pen) historyNames(x scale, foot float64, points []model.HistoryPoint) {
	p.line(x.a, foot, x.b, foot, 0.2, rule)
	f, w := type7.in(muted), (x.b-x.a)/2-2
	first, last := points[0], points[len(points)-1]
	p.text(x.a, foot+3.4, f, p.fit(f, first.Name, w))
	p.right(x.b, foot+3.4, f, p.fit(f, last.Name, w))
	if len(first.Start) >= 10 && len(last.Start) >= 10 {
		p.text(x.a, foot+6.8, f, first.Start[:10])
		p.right(x.b, foot+6.8, f, last.Start[:10])
	}
}
