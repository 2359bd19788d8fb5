// Package pdfcanvas replays what gonum/plot drew onto the pages of an fpdf
// document, as vectors and as text in embedded fonts.
//
// gonum/plot's own PDF backend garbles characters outside Latin-1, starts a
// document of its own and writes the date of the day.
package pdfcanvas

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"codeberg.org/go-fonts/liberation/liberationmonobold"
	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// The families of the embedded fonts, as fpdf knows them.
const (
	Sans = "sans"
	Mono = "mono"
)

// AddFonts embeds Liberation Sans and Mono, regular and bold.
func AddFonts(pdf *fpdf.Fpdf) {
	// fpdf keeps the slice and reads it while it subsets.
	pdf.AddUTF8FontFromBytes(Sans, "", slices.Clone(liberationsansregular.TTF))
	pdf.AddUTF8FontFromBytes(Sans, "B", slices.Clone(liberationsansbold.TTF))
	pdf.AddUTF8FontFromBytes(Mono, "", slices.Clone(liberationmonoregular.TTF))
	pdf.AddUTF8FontFromBytes(Mono, "B", slices.Clone(liberationmonobold.TTF))
}

// Replay draws a recording with its lower left corner at (x, y), in the unit of
// the document from the top left of the page. The recording's unit is the point.
func Replay(pdf *fpdf.Fpdf, rec *recorder.Canvas, x, y float64) error {
	k := pdf.GetConversionRatio()
	_, page := pdf.GetPageSize()
	c := &canvas{pdf: pdf, k: k, page: page * k, state: state{
		m: affine{1, 0, 0, 1, x * k, (page - y) * k}, color: color.Black, width: 1,
	}}
	if err := rec.ReplayOn(c); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return pdf.Error()
}

// canvas is a vg.Canvas on the current page. It keeps the graphics state of gonum
// itself and sets what fpdf needs before each operation: fpdf remembers the last
// colour it wrote, not the one that a restored state would bring back.
type canvas struct {
	pdf   *fpdf.Fpdf
	k     float64 // points per unit of the document
	page  float64 // height of the page, points
	state state
	stack []state
	err   error
}

type state struct {
	m      affine
	color  color.Color
	width  float64 // points
	dashes []vg.Length
	offset vg.Length
}

// affine maps (x, y) to (a·x + c·y + e, b·x + d·y + f), in points, y upwards.
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) mul(n affine) affine {
	return affine{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

// scale is by how much lengths grow.
func (m affine) scale() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

// to returns a point in the unit of the document, from the top left.
func (c *canvas) to(p vg.Point) (x, y float64) {
	m, px, py := c.state.m, p.X.Points(), p.Y.Points()
	return (m.a*px + m.c*py + m.e) / c.k, (c.page - (m.b*px + m.d*py + m.f)) / c.k
}

func (c *canvas) SetLineWidth(w vg.Length) { c.state.width = w.Points() }

func (c *canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.state.dashes, c.state.offset = pattern, offset
}

func (c *canvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.state.color = col
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.state.m = c.state.m.mul(affine{cos, sin, -sin, cos, 0, 0})
}

func (c *canvas) Translate(p vg.Point) {
	c.state.m = c.state.m.mul(affine{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}

func (c *canvas) Scale(x, y float64) { c.state.m = c.state.m.mul(affine{x, 0, 0, y, 0, 0}) }

func (c *canvas) Push() { c.stack = append(c.stack, c.state) }

func (c *canvas) Pop() {
	n := len(c.stack) - 1
	if n < 0 {
		c.err = fmt.Errorf("pdfcanvas: Pop without Push")
		return
	}
	c.state, c.stack = c.stack[n], c.stack[:n]
}

func (c *canvas) Stroke(p vg.Path) {
	if c.state.width <= 0 || len(p) == 0 {
		return
	}
	r, g, b := c.paint()
	s := c.state.m.scale()
	c.pdf.SetDrawColor(r, g, b)
	c.pdf.SetLineWidth(c.state.width * s / c.k)
	dashes := make([]float64, len(c.state.dashes))
	for i, d := range c.state.dashes {
		dashes[i] = d.Points() * s / c.k
	}
	c.pdf.SetDashPattern(dashes, c.state.offset.Points()*s/c.k)
	c.path(p)
	c.pdf.DrawPath("D")
	if len(dashes) > 0 {
		c.pdf.SetDashPattern(nil, 0)
	}
}

func (c *canvas) Fill(p vg.Path) {
	if len(p) == 0 {
		return
	}
	r, g, b := c.paint()
	c.pdf.SetFillColor(r, g, b)
	c.path(p)
	c.pdf.DrawPath("F")
}

// paint returns the colour, and sets how much shines through.
func (c *canvas) paint() (r, g, b int) {
	n := color.NRGBAModel.Convert(c.state.color).(color.NRGBA)
	if alpha, _ := c.pdf.GetAlpha(); math.Abs(alpha-float64(n.A)/255) > 1e-9 {
		c.pdf.SetAlpha(float64(n.A)/255, "Normal")
	}
	return int(n.R), int(n.G), int(n.B)
}

func (c *canvas) FillString(f font.Face, p vg.Point, s string) {
	if f.Font.Size <= 0 || s == "" {
		return
	}
	family, style := Sans, ""
	if f.Font.Variant == "Mono" {
		family = Mono
	}
	if f.Font.Weight >= xfont.WeightSemiBold {
		style = "B"
	}
	r, g, b := c.paint()
	m := c.state.m
	c.pdf.SetFont(family, style, f.Font.Size.Points()*m.scale())
	c.pdf.SetTextColor(r, g, b)
	x, y := c.to(p)
	if angle := math.Atan2(m.b, m.a) * 180 / math.Pi; math.Abs(angle) > 1e-6 {
		c.pdf.TransformBegin()
		c.pdf.TransformRotate(angle, x, y)
		defer c.pdf.TransformEnd()
	}
	c.pdf.Text(x, y, s)
}

// DrawImage is not needed by any figure: heat strips are merged cells.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {
	c.err = fmt.Errorf("pdfcanvas: an image in a figure: figures are vectors")
}
