package pdfcanvas

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// path appends p to the page's current path.
func (c *canvas) path(p vg.Path) {
	var last vg.Point
	for i, e := range p {
		switch e.Type {
		case vg.MoveComp:
			x, y := c.to(e.Pos)
			c.pdf.MoveTo(x, y)
			last = e.Pos
		case vg.LineComp:
			x, y := c.to(e.Pos)
			c.pdf.LineTo(x, y)
			last = e.Pos
		case vg.ArcComp:
			last = c.arc(e, i == 0)
		case vg.CurveComp:
			c.curve(last, e)
			last = e.Pos
		case vg.CloseComp:
			c.pdf.ClosePath()
		}
	}
}

// curve appends a Bézier curve; one with a single control point is quadratic
// and is raised to a cubic, the only kind PDF has.
func (c *canvas) curve(from vg.Point, e vg.PathComp) {
	var c1, c2 vg.Point
	switch len(e.Control) {
	case 1:
		q := e.Control[0]
		c1 = from.Add(q.Sub(from).Scale(2. / 3))
		c2 = e.Pos.Add(q.Sub(e.Pos).Scale(2. / 3))
	case 2:
		c1, c2 = e.Control[0], e.Control[1]
	default:
		x, y := c.to(e.Pos)
		c.pdf.LineTo(x, y)
		return
	}
	c.cubic(c1, c2, e.Pos)
}

func (c *canvas) cubic(c1, c2, to vg.Point) {
	x1, y1 := c.to(c1)
	x2, y2 := c.to(c2)
	x, y := c.to(to)
	c.pdf.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
}

// arc appends a circular arc as cubics of at most a quarter turn, and returns
// its end. A line leads to its start unless the arc opens the path.
func (c *canvas) arc(e vg.PathComp, first bool) vg.Point {
	at := func(a float64) vg.Point {
		return e.Pos.Add(vg.Point{X: e.Radius * vg.Length(math.Cos(a)), Y: e.Radius * vg.Length(math.Sin(a))})
	}
	x, y := c.to(at(e.Start))
	if first {
		c.pdf.MoveTo(x, y)
	} else {
		c.pdf.LineTo(x, y)
	}
	n := max(1, int(math.Ceil(math.Abs(e.Angle)/(math.Pi/2))))
	step := e.Angle / float64(n)
	// The distance of the control points that keeps a cubic on the circle.
	h := e.Radius * vg.Length(4./3*math.Tan(step/4))
	for i := range n {
		a, b := e.Start+float64(i)*step, e.Start+float64(i+1)*step
		c1 := at(a).Add(vg.Point{X: -h * vg.Length(math.Sin(a)), Y: h * vg.Length(math.Cos(a))})
		c2 := at(b).Sub(vg.Point{X: -h * vg.Length(math.Sin(b)), Y: h * vg.Length(math.Cos(b))})
		c.cubic(c1, c2, at(b))
	}
	return at(e.Start + e.Angle)
}
