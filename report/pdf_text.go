package report

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"tidemark/internal/pdfcanvas"
	"tidemark/internal/say"
)

// The greys of text and rules.
var (
	ink   = color.NRGBA{0x1B, 0x1F, 0x23, 0xFF}
	muted = color.NRGBA{0x5B, 0x65, 0x70, 0xFF}
	rule  = color.NRGBA{0xC9, 0xCF, 0xD5, 0xFF}
	panel = color.NRGBA{0xF4, 0xF6, 0xF8, 0xFF}
)

// A style is how text is set: family and weight as fpdf knows them, size in points.
type style struct {
	family, weight string
	size           float64
	col            color.NRGBA
}

func plain(size float64) style { return style{pdfcanvas.Sans, "", size, ink} }
func bold(size float64) style  { return style{pdfcanvas.Sans, "B", size, ink} }
func grey(size float64) style  { return style{pdfcanvas.Sans, "", size, muted} }
func mono(size float64) style  { return style{pdfcanvas.Mono, "", size, ink} }

func (s style) in(c color.NRGBA) style { s.col = c; return s }

// text sets s on its baseline and returns where it ends.
func (d *document) text(x, y float64, st style, s string) float64 {
	if s = say.Printable(s); s == "" {
		return x
	}
	d.pdf.SetFont(st.family, st.weight, st.size)
	d.pdf.SetTextColor(int(st.col.R), int(st.col.G), int(st.col.B))
	d.pdf.Text(x, y, s)
	return x + d.pdf.GetStringWidth(s)
}

func (d *document) right(x, y float64, st style, s string) { d.text(x-d.width(st, s), y, st, s) }

func (d *document) width(st style, s string) float64 {
	d.pdf.SetFont(st.family, st.weight, st.size)
	return d.pdf.GetStringWidth(say.Printable(s))
}

// fit returns s, cut with an ellipsis where it is wider than w mm.
func (d *document) fit(st style, s string, w float64) string {
	if d.width(st, s) <= w {
		return s
	}
	r := []rune(s)
	lo, hi := 0, len(r) // r[:lo] fits, r[:hi] does not
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if d.width(st, string(r[:mid])+"…") <= w {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return ""
	}
	return strings.TrimRight(string(r[:lo]), " ") + "…"
}

// fitLeft cuts the beginning of a path, whose end tells more.
func (d *document) fitLeft(st style, s string, w float64) string {
	r := []rune(s)
	if d.width(st, s) <= w {
		return s
	}
	lo, hi := 0, len(r) // dropping hi runes fits
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if d.width(st, "…"+string(r[mid:])) <= w {
			hi = mid
		} else {
			lo = mid
		}
	}
	return "…" + string(r[hi:])
}

// wrap breaks s into at most n lines of w mm; the last ends in an ellipsis
// where more was left. A word longer than a line is broken behind a comma or
// the like.
func (d *document) wrap(st style, s string, w float64, n int) []string {
	var lines []string
	cur, words := "", say.Words(say.Printable(s))
	for len(words) > 0 {
		next := strings.TrimLeft(cur+" "+words[0], " ")
		if d.width(st, next) <= w {
			cur, words = next, words[1:]
			continue
		}
		if len(lines) == n-1 {
			rest := strings.Join(append([]string{cur}, words...), " ")
			return append(lines, d.fit(st, strings.TrimSpace(rest), w))
		}
		if cur == "" {
			head := strings.TrimSuffix(d.fit(st, words[0], w), "…")
			_, first := utf8.DecodeRuneInString(words[0])
			cut := say.Break(words[0], max(len(head), first))
			cur, words[0] = words[0][:cut], words[0][cut:]
			if words[0] == "" {
				words = words[1:]
			}
		}
		lines, cur = append(lines, cur), ""
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}

func (d *document) rule(y, w float64, c color.NRGBA) { d.line(pageLeft, y, pageRight, y, w, c) }

func (d *document) line(x1, y1, x2, y2, w float64, c color.NRGBA) {
	d.pdf.SetDrawColor(int(c.R), int(c.G), int(c.B))
	d.pdf.SetLineWidth(w)
	d.pdf.Line(x1, y1, x2, y2)
}

func (d *document) fill(x, y, w, h float64, c color.NRGBA) {
	d.pdf.SetFillColor(int(c.R), int(c.G), int(c.B))
	d.pdf.Rect(x, y, w, h, "F")
}

// tick marks what is sound, triangle what is not; neither relies on colour.
func (d *document) tick(x, y float64) {
	c := color.NRGBA{0x1F, 0x77, 0x6C, 0xFF}
	d.line(x, y-1.1, x+0.8, y-0.2, 0.45, c)
	d.line(x+0.8, y-0.2, x+2.2, y-2.1, 0.45, c)
}

func (d *document) triangle(x, y float64) {
	c := color.NRGBA{0x8F, 0x56, 0x00, 0xFF}
	d.line(x, y, x+2.4, y, 0.3, c)
	d.line(x, y, x+1.2, y-2.1, 0.3, c)
	d.line(x+2.4, y, x+1.2, y-2.1, 0.3, c)
}
