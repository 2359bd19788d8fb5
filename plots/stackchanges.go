package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// StackChanges is what the threads of both sides did before and after.
var StackChanges = &Plot{
	Name: "stackchanges",
	Doc:  "mechanisms by role: shares of active samples, base and new, and worker-seconds an item",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		rows, more := stackRows(r)
		h := tableFoot(len(rows)) + 4.4
		if more > 0 {
			h += 3.4
		}
		return mm(pageWidth), mm(h)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawStackChanges(newPen(c), r)
		return nil
	},
}

const maxStackChanges = 16

// Columns of this figure: mechanisms are shorter than metrics, changes longer.
const (
	stackBase   = 62.0 // right edges
	stackNew    = 74.0
	stackPoints = 77.0 // left edge
)

// stackRows returns those that changed first, then the largest differences.
func stackRows(r *model.Report) ([]model.StackChange, int) {
	if r.Comparison == nil {
		return nil, 0
	}
	var rows []model.StackChange
	for _, s := range r.Comparison.Stacks {
		if s.Base != nil && s.New != nil && s.Change != nil {
			rows = append(rows, s)
		}
	}
	slices.SortStableFunc(rows, func(a, b model.StackChange) int {
		if a.Changed != b.Changed {
			return map[bool]int{true: -1, false: 1}[a.Changed]
		}
		return cmp.Compare(math.Abs(b.Change.Mid), math.Abs(a.Change.Mid))
	})
	n := min(len(rows), maxStackChanges)
	return rows[:n], len(rows) - n
}

func drawStackChanges(p pen, r *model.Report) {
	rows, more := stackRows(r)
	foot := tableFoot(len(rows))
	if len(rows) == 0 {
		p.absent(0, 0, pageWidth, foot, "no stacks of one role on both sides")
		return
	}
	h := type7.in(muted)
	p.text(0, 2.6, h, "role")
	p.text(12, 2.6, h, "mechanism")
	p.right(stackBase, 2.6, h, "base")
	p.right(stackNew, 2.6, h, "new")
	p.text(stackPoints, 2.6, h, "points, 95 %")
	p.right(qColumn, 2.6, h, "s an item")
	var changes []*model.Interval
	for _, s := range rows {
		changes = append(changes, s.Change)
	}
	v := changeAxis(changes)
	p.signedAxis(v, tableTop-2.2, foot-0.6, pointTick)
	for i, s := range rows {
		p.stackChange(v, tableTop+changePitch*float64(i)+1.2, s)
	}
	if more > 0 {
		p.text(0, foot+6.6, h, fmt.Sprintf("%d more mechanisms stand in the JSON report.", more))
	}
}

func pointTick(v float64) string {
	if s := gainTick(v); s != "0 %" {
		return s
	}
	return "0 pt"
}

func (p pen) stackChange(v scale, y float64, s model.StackChange) {
	f := type8
	if s.Changed {
		f = f.strong()
	}
	_, text, _ := side(s.Role)
	p.text(0, y, f.in(text), p.fit(f, s.Role, 11.5))
	p.text(12, y, f.points(7), p.fit(f.points(7), s.ID, stackBase-23))
	p.right(stackBase, y, f, say.Percent(s.Base.Mid))
	p.right(stackNew, y, f, say.Percent(s.New.Mid))
	p.text(stackPoints, y, f, p.fit(f, say.Points(s.Change.Mid)+" ("+say.PointsRange(*s.Change)+")", 34))
	if s.BaseS != nil && s.NewS != nil {
		p.right(qColumn, y, f, strings.Join([]string{say.SI(*s.BaseS), say.SI(*s.NewS)}, " → "))
	}
	p.mark(v, y-1.1, *s.Change)
}
