package plots

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"tidemark/model"
)

const (
	margin = 6.0 // mm around figures that stand alone
	dpi    = 144 // of PNG
)

// WriteSVG draws figures below each other as one SVG.
func WriteSVG(w io.Writer, r *model.Report, figures ...*Plot) error {
	width, height := extent(r, figures)
	c := vgsvg.New(width, height)
	if err := stack(draw.New(c), r, figures); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(portable(b.Bytes()))
	return err
}

// WritePNG draws figures below each other as one PNG.
func WritePNG(w io.Writer, r *model.Report, figures ...*Plot) error {
	width, height := extent(r, figures)
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	if err := stack(draw.New(c), r, figures); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

func extent(r *model.Report, figures []*Plot) (w, h vg.Length) {
	for _, f := range figures {
		fw, fh := f.Size(r)
		w, h = max(w, fw), h+fh+mm(margin)
	}
	return w + mm(2*margin), h + mm(margin)
}

func stack(c draw.Canvas, r *model.Report, figures []*Plot) error {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	y := c.Max.Y - mm(margin)
	for _, f := range figures {
		w, h := f.Size(r)
		x := c.Min.X + mm(margin)
		at := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - h}, Max: vg.Point{X: x + w, Y: y}}}
		if err := f.Draw(at, r); err != nil {
			return fmt.Errorf("plot %s: %w", f.Name, err)
		}
		y -= h + mm(margin)
	}
	return nil
}
