package pdfcanvas

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// page draws on a page of 100 by 100 points, the figure's corner at (10, 10)
// from the lower left, and returns the page's operators.
func page(t *testing.T, draw func(vg.Canvas)) string {
	t.Helper()
	b, err := document(draw)
	if err != nil {
		t.Fatal(err)
	}
	s := string(b)
	from := strings.Index(s, "stream\n")
	to := strings.Index(s, "endstream")
	if from < 0 || to < from {
		t.Fatalf("no content stream in\n%.500s", s)
	}
	return s[from+len("stream\n") : to]
}

func document(draw func(vg.Canvas)) ([]byte, error) {
	pdf := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: 100, Ht: 100}})
	pdf.SetCompression(false)
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(time.Unix(0, 0).UTC())
	pdf.SetModificationDate(time.Unix(0, 0).UTC())
	AddFonts(pdf)
	pdf.AddPage()
	rec := &recorder.Canvas{}
	draw(rec)
	if err := Replay(pdf, rec, 10, 90); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := pdf.Output(&b)
	return b.Bytes(), err
}

func line(x0, y0, x1, y1 vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	return p
}

var (
	red  = color.NRGBA{R: 255, A: 255}
	blue = color.NRGBA{B: 255, A: 255}
)

func want(t *testing.T, ops string, parts ...string) {
	t.Helper()
	at := 0
	for _, p := range parts {
		i := strings.Index(ops[at:], p)
		if i < 0 {
			t.Fatalf("want %q after the first %d bytes of\n%s", p, at, ops)
		}
		at += i + len(p)
	}
}

// TestColourAfterPop: the colour, width and dashes of before Push come back.
func TestColourAfterPop(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		c.SetColor(red)
		c.SetLineWidth(2)
		c.Push()
		c.SetColor(blue)
		c.SetLineWidth(1)
		c.SetLineDash([]vg.Length{3, 2}, 1)
		c.Stroke(line(0, 0, 10, 0))
		c.Pop()
		c.Stroke(line(0, 5, 10, 5))
	})
	want(t, ops, "0.000 0.000 1.000 RG", "1.00 w", "[3.00 2.00] 1.00 d", "10.00 10.00 m", "20.00 10.00 l", "S",
		"[] 0.00 d", "1.000 0.000 0.000 RG", "2.00 w", "10.00 15.00 m", "20.00 15.00 l", "S")
}

func TestTransforms(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		c.Translate(vg.Point{X: 20, Y: 10})
		c.Rotate(math.Pi / 2)
		c.Scale(2, 2)
		c.SetLineWidth(1)
		c.Stroke(line(0, 0, 5, 0))
	})
	want(t, ops, "2.00 w", "30.00 20.00 m", "30.00 30.00 l")
}

// TestCircle: a full arc stays on its circle and ends where it began.
func TestCircle(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		var p vg.Path
		p.Move(vg.Point{X: 50, Y: 40})
		p.Arc(vg.Point{X: 40, Y: 40}, 10, 0, 2*math.Pi)
		p.Close()
		c.Fill(p)
	})
	curves := regexp.MustCompile(`(?m)^([\d. ]+) c$`).FindAllStringSubmatch(ops, -1)
	if len(curves) != 4 {
		t.Fatalf("%d curves, want 4, in\n%s", len(curves), ops)
	}
	x, y := 60.0, 50.0
	for _, c := range curves {
		v := make([]float64, 6)
		for i, f := range strings.Fields(c[1]) {
			v[i], _ = strconv.ParseFloat(f, 64)
		}
		mid := math.Hypot((x+3*v[0]+3*v[2]+v[4])/8-50, (y+3*v[1]+3*v[3]+v[5])/8-50)
		if math.Abs(mid-10) > 0.02 || math.Abs(math.Hypot(v[4]-50, v[5]-50)-10) > 0.02 {
			t.Errorf("curve %v leaves the circle: middle at radius %.3f", c[1], mid)
		}
		x, y = v[4], v[5]
	}
	if math.Hypot(x-60, y-50) > 0.02 {
		t.Errorf("ends at %v, %v", x, y)
	}
}

// TestCurves: a quadratic curve becomes the cubic of the same shape.
func TestCurves(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		var p vg.Path
		p.Move(vg.Point{})
		p.QuadTo(vg.Point{X: 15, Y: 30}, vg.Point{X: 30})
		p.CubeTo(vg.Point{X: 40}, vg.Point{X: 50, Y: 10}, vg.Point{X: 60, Y: 10})
		c.SetLineWidth(1)
		c.Stroke(p)
	})
	want(t, ops, "10.00 10.00 m", "20.00000 30.00000 30.00000 30.00000 40.00000 10.00000 c", "50.00000 10.00000 60.00000 20.00000 70.00000 20.00000 c")
}

func face(bold, mono bool) font.Face {
	k := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if mono {
		k.Variant = "Mono"
	}
	if bold {
		k.Weight = xfont.WeightBold
	}
	return font.NewCache(liberation.Collection()).Lookup(k, 8)
}

// TestText: text stays text, beyond Latin-1 too, and turns with the canvas.
func TestText(t *testing.T) {
	draw := func(c vg.Canvas) {
		c.SetColor(blue)
		c.FillString(face(true, false), vg.Point{X: 5, Y: 5}, "11.7–12.0 →")
		c.Rotate(math.Pi / 2)
		c.FillString(face(false, true), vg.Point{X: 5, Y: 5}, "x")
	}
	ops := page(t, draw)
	want(t, ops, "8.00 Tf", "0.000 0.000 1.000 rg", "BT 15.00 15.00 Td", "\x20\x13", "\x21\x92", "q", " cm", "BT 5.00 15.00 Td")
	a, err := document(draw)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := document(draw)
	if !bytes.Equal(a, b) {
		t.Error("other bytes the second time")
	}
}

func TestTransparency(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		c.SetColor(color.NRGBA{R: 255, A: 51})
		c.Fill(vg.Rectangle{Max: vg.Point{X: 9, Y: 9}}.Path())
		c.SetColor(red)
		c.Fill(vg.Rectangle{Max: vg.Point{X: 9, Y: 9}}.Path())
	})
	if n := strings.Count(ops, " gs"); n != 2 {
		t.Errorf("%d changes of transparency, want 2, in\n%s", n, ops)
	}
}

func TestNothingToDraw(t *testing.T) {
	ops := page(t, func(c vg.Canvas) {
		c.SetLineWidth(0)
		c.Stroke(line(0, 0, 5, 5))
		c.Fill(nil)
		c.FillString(face(false, false), vg.Point{}, "")
		c.SetColor(nil)
	})
	if strings.Contains(ops, " m\n") || strings.Contains(ops, "BT") {
		t.Errorf("drew\n%s", ops)
	}
}

func TestMisuse(t *testing.T) {
	for name, draw := range map[string]func(vg.Canvas){
		"pop":   func(c vg.Canvas) { c.Pop() },
		"image": func(c vg.Canvas) { c.DrawImage(vg.Rectangle{}, image.NewGray(image.Rect(0, 0, 1, 1))) },
	} {
		if _, err := document(draw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
