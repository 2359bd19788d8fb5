package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Changes is what changed between two sets of runs: a table, each row with its
// interval on one axis.
var Changes = &Plot{
	Name: "changes",
	Doc:  "what changed: base, new, change with its interval, q",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		rows, more := changeRows(r)
		return mm(pageWidth), mm(tableFoot(len(rows)) + 5.5 + 3.4*float64(len(changeNotes(more))))
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawChanges(newPen(c), r)
		return nil
	},
}

const (
	tableTop    = 5.6 // below the headings of a table
	changePitch = 4.6
	maxChanges  = 28
)

// The columns of a table with an axis to its right, mm.
const (
	baseColumn   = 66.0 // right edges
	newColumn    = 81.0
	changeColumn = 84.5 // left edge
	qColumn      = 131.0
	axisFrom     = 137.0
	axisTo       = 175.0
)

// tableFoot is the end of a table of so many rows, which has room for a word where it
// has none.
func tableFoot(rows int) float64 { return tableTop + changePitch*float64(max(rows, 1)) }

// changeRows returns the rows to draw, and how many more there are.
func changeRows(r *model.Report) ([]model.MetricChange, int) {
	if r.Comparison == nil {
		return nil, 0
	}
	rows := r.Comparison.Shown()
	n := min(len(rows), maxChanges)
	return rows[:n], len(rows) - n
}

func changeNotes(more int) []string {
	notes := []string{"q: p of no change, adjusted for how many are compared (Benjamini and Hochberg). Bold: changed, q at most 0.05. pt: points. All quantities: JSON report."}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more changes stand in the JSON report.", more))
	}
	return notes
}

func drawChanges(p pen, r *model.Report) {
	rows, more := changeRows(r)
	foot := tableFoot(len(rows))
	if len(rows) == 0 {
		p.absent(0, 0, pageWidth, foot, "no quantity was measured on both sides")
		return
	}
	h := type7.in(muted)
	p.right(baseColumn, 2.6, h, "base")
	p.right(newColumn, 2.6, h, "new")
	p.text(changeColumn, 2.6, h, "change, 95 %")
	p.right(qColumn, 2.6, h, "q")
	var changes []*model.Interval
	for _, m := range rows {
		changes = append(changes, m.Change)
	}
	v := changeAxis(changes)
	if slices.ContainsFunc(changes, func(c *model.Interval) bool { return c != nil }) {
		p.signedAxis(v, tableTop-2.2, foot-0.6, gainTick)
	}
	for i, m := range rows {
		p.change(v, tableTop+changePitch*float64(i)+1.2, m)
	}
	for i, s := range changeNotes(more) {
		p.text(0, foot+6.6+3.4*float64(i), h, p.fit(h, s, pageWidth))
	}
}

// changeAxis reaches as far to both sides as ChangeSpan says.
func changeAxis(changes []*model.Interval) scale {
	span := ChangeSpan(changes)
	return scale{-span, span, axisFrom, axisTo}
}

// ChangeSpan is how far an axis of changes reaches: all middles are on it, and
// all but the widest quarter of the intervals; what lies beyond has an arrow head.
func ChangeSpan(changes []*model.Interval) float64 {
	span := 0.02
	var reach []float64
	for _, c := range changes {
		if c != nil && finite(c.Lo, c.Mid, c.Hi) {
			span = max(span, 1.1*math.Abs(c.Mid))
			reach = append(reach, max(math.Abs(c.Lo), math.Abs(c.Hi)))
		}
	}
	if slices.Sort(reach); len(reach) > 0 {
		span = max(span, reach[3*(len(reach)-1)/4])
	}
	_, hi := around(0, min(span, 1), 2)
	return hi
}

// signedAxis draws the ticks of an axis around zero, and its zero line.
func (p pen) signedAxis(v scale, top, foot float64, label func(float64) string) {
	for _, k := range (ticks125{4, label}).Ticks(v.lo, v.hi) {
		p.line(v.at(k.Value), top, v.at(k.Value), foot, 0.2, grid)
		p.center(v.at(k.Value), foot+3, type7.in(muted), k.Label)
	}
	p.line(v.at(0), top, v.at(0), foot, 0.3, ink)
}

func (p pen) change(v scale, y float64, m model.MetricChange) {
	f := type8
	if m.Changed {
		f = f.strong()
	}
	p.text(0, y, f, p.fit(f, m.Label, 49))
	p.right(baseColumn, y, f, p.fit(f, say.Quantity(m, m.Base), 15))
	p.right(newColumn, y, f, p.fit(f, say.Quantity(m, m.New), 15))
	if m.Change == nil {
		p.text(changeColumn, y, f, p.fit(f, say.Change(m), pageWidth-changeColumn))
		return
	}
	p.text(changeColumn, y, f, p.fit(f, say.Change(m), 37))
	p.right(qColumn, y, f, say.Q(m.Q))
	p.mark(v, y-1.1, *m.Change)
}

// mark draws a value with its interval; ends beyond the axis are arrow heads.
func (p pen) mark(v scale, y float64, i model.Interval) {
	if !finite(i.Lo, i.Mid, i.Hi) {
		return
	}
	p.span(v, y, i)
	p.dot(v.clamp(i.Mid), y, 0.85, ink, false)
}

func (p pen) span(v scale, y float64, i model.Interval) {
	a, b := v.clamp(i.Lo), v.clamp(i.Hi)
	if b-a > 0.05 {
		p.interval(a, b, y)
	}
	if i.Lo < v.lo {
		p.past(a-1.2, y, -1, ink)
	}
	if i.Hi > v.hi {
		p.past(b+1.2, y, 1, ink)
	}
}
