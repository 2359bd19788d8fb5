package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A pen draws in mm from the top left of a canvas, as pages are measured.
type pen struct {
	c draw.Canvas
	*fonts
}

func newPen(c draw.Canvas) pen { return pen{c: c, fonts: newFonts()} }

func (p pen) at(x, y float64) vg.Point {
	return vg.Point{X: p.c.Min.X + mm(bound(x)), Y: p.c.Max.Y - mm(bound(y))}
}

// bound keeps what a wild report leads to within a few metres of the page: no
// viewer draws NaN, and PDF has no exponents.
func bound(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -3000), 3000)
}

// sub returns the canvas of a rectangle, for a figure within a figure or a plot.Plot.
func (p pen) sub(x, y, w, h float64) draw.Canvas {
	return draw.Canvas{Canvas: p.c.Canvas, Rectangle: vg.Rectangle{Min: p.at(x, y+h), Max: p.at(x+w, y)}}
}

func (p pen) poly(col color.Color, closed ...vg.Point) {
	if len(closed) < 3 {
		return
	}
	p.c.SetColor(col)
	p.c.Fill(outline(closed, true))
}

func outline(pts []vg.Point, closed bool) vg.Path {
	var path vg.Path
	for i, q := range pts {
		if i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	if closed {
		path.Close()
	}
	return path
}

func (p pen) fill(x, y, w, h float64, col color.Color) {
	if w > 0 && h > 0 {
		p.poly(col, p.at(x, y), p.at(x+w, y), p.at(x+w, y+h), p.at(x, y+h))
	}
}

// frame strokes a rectangle within its edges.
func (p pen) frame(x, y, w, h, width float64, col color.Color) {
	i := width / 2
	p.stroke(col, width, nil, true, p.at(x+i, y+i), p.at(x+w-i, y+i), p.at(x+w-i, y+h-i), p.at(x+i, y+h-i))
}

// stroke draws a line of some width in mm; dashes in mm.
func (p pen) stroke(col color.Color, width float64, dashes []float64, closed bool, pts ...vg.Point) {
	if len(pts) < 2 {
		return
	}
	d := make([]vg.Length, len(dashes))
	for i := range d {
		d[i] = mm(dashes[i])
	}
	p.c.SetColor(col)
	p.c.SetLineWidth(mm(width))
	p.c.SetLineDash(d, 0)
	p.c.Stroke(outline(pts, closed))
}

func (p pen) line(x1, y1, x2, y2, width float64, col color.Color) {
	p.stroke(col, width, nil, false, p.at(x1, y1), p.at(x2, y2))
}

func (p pen) dash(x1, y1, x2, y2, width float64, col color.Color) {
	p.stroke(col, width, []float64{1.2, 0.8}, false, p.at(x1, y1), p.at(x2, y2))
}

// dot draws a filled circle with a white edge, or a hollow one.
func (p pen) dot(x, y, r float64, col color.Color, hollow bool) {
	disc := func(r float64, col color.Color) {
		var path vg.Path
		path.Move(p.at(x+r, y))
		path.Arc(p.at(x, y), mm(r), 0, 2*math.Pi)
		path.Close()
		p.c.SetColor(col)
		p.c.Fill(path)
	}
	disc(r+0.2, ink)
	if hollow {
		disc(r-0.1, white)
		return
	}
	disc(r, col)
}

// round fills a rectangle with round corners.
func (p pen) round(x, y, w, h, r float64, col color.Color) {
	var path vg.Path
	path.Move(p.at(x+r, y+h))
	path.Arc(p.at(x+w-r, y+h-r), mm(r), -math.Pi/2, math.Pi/2)
	path.Arc(p.at(x+w-r, y+r), mm(r), 0, math.Pi/2)
	path.Arc(p.at(x+r, y+r), mm(r), math.Pi/2, math.Pi/2)
	path.Arc(p.at(x+r, y+h-r), mm(r), math.Pi, math.Pi/2)
	path.Close()
	p.c.SetColor(col)
	p.c.Fill(path)
}

// hatch fills a rectangle with lines at 45 degrees, pitch mm apart.
func (p pen) hatch(x, y, w, h, pitch, width float64, col color.Color) {
	if w <= 0 || h <= 0 {
		return
	}
	// One line a pitch would be countless in a figure drawn to a wild size.
	pitch = max(pitch, (w+h)/2000)
	var path vg.Path
	for o := pitch; o < w+h; o += pitch {
		path.Move(p.at(x+max(o-h, 0), y+min(o, h)))
		path.Line(p.at(x+min(o, w), y+max(o-w, 0)))
	}
	p.c.SetColor(col)
	p.c.SetLineWidth(mm(width))
	p.c.SetLineDash(nil, 0)
	p.c.Stroke(path)
}

// absent marks an area as not recorded, with the words where they fit: what is
// missing, and below it the command that records it.
func (p pen) absent(x, y, w, h float64, words ...string) {
	p.hatch(x, y, w, h, 1.1, 0.15, hatchInk)
	const pitch = 3.6
	room := int((h + 0.4) / pitch)
	if len(words) == 0 || room == 0 {
		return
	}
	f, command := type7.in(muted), face{size: 7, mono: true, col: ink}
	lines := []string{p.fit(f, words[0], w-4)}
	if len(words) > 1 && room > 1 {
		lines = append(lines, p.wrap(command, words[1], w-8, min(room-1, 4))...)
	}
	top := y + h/2 - float64(len(lines)-1)*pitch/2 + 0.9
	for i, s := range lines {
		if i > 0 {
			f = command
		}
		tw, yy := p.width(f, s), top+float64(i)*pitch
		p.fill(x+w/2-tw/2-1, yy-2.7, tw+2, 3.6, white)
		p.center(x+w/2, yy, f, s)
	}
}

// interval draws a horizontal interval with end ticks and a white edge.
func (p pen) interval(x1, x2, y float64) {
	t := 0.85
	for _, s := range []struct {
		w   float64
		col color.Color
	}{{0.8, white}, {0.35, ink}} {
		p.line(x1, y, x2, y, s.w, s.col)
		p.line(x1, y-t, x1, y+t, s.w, s.col)
		p.line(x2, y-t, x2, y+t, s.w, s.col)
	}
}

// arrow draws an arrow to the right.
func (p pen) arrow(x1, x2, y, width float64, col color.Color) {
	p.line(x1, y, x2-1.4, y, width, col)
	p.poly(col, p.at(x2, y), p.at(x2-1.8, y-0.9), p.at(x2-1.8, y+0.9))
}

// down and up mark values beyond the lower and the upper end of an axis.
func (p pen) down(x, y float64, col color.Color) {
	p.poly(col, p.at(x-0.9, y-1.5), p.at(x+0.9, y-1.5), p.at(x, y))
}

func (p pen) up(x, y float64, col color.Color) {
	p.poly(col, p.at(x-0.9, y+1.5), p.at(x+0.9, y+1.5), p.at(x, y))
}

// past marks a value beyond the right end of an axis, or for sign -1 the left one.
func (p pen) past(x, y, sign float64, col color.Color) {
	p.poly(col, p.at(x, y), p.at(x-1.5*sign, y-0.9), p.at(x-1.5*sign, y+0.9))
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
