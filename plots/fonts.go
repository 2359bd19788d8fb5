package plots

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"tidemark/internal/say"
)

// A face is a size in points, a weight and a colour of Liberation Sans or Mono.
type face struct {
	size       float64
	bold, mono bool
	col        color.NRGBA
}

// The sizes of type; nothing is under 6.8 points.
var (
	type7  = face{size: 7.2, col: ink}
	type78 = face{size: 7.8, col: ink}
	type8  = face{size: 8.3, col: ink}
	head10 = face{size: 10.2, bold: true, col: ink}
)

func (f face) strong() face             { f.bold = true; return f }
func (f face) in(c color.NRGBA) face    { f.col = c; return f }
func (f face) points(size float64) face { f.size = size; return f }
func (f face) key() font.Font {
	k := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if f.mono {
		k.Variant = "Mono"
	}
	if f.bold {
		k.Weight = xfont.WeightBold
	}
	return k
}

// fonts measures and looks up type. Widths are sums of advances, without
// kerning, as PDF viewers set them.
type fonts struct {
	cache *font.Cache
	adv   map[glyph]float64
	buf   sfnt.Buffer
}

type glyph struct {
	r          rune
	bold, mono bool
}

func newFonts() *fonts {
	return &fonts{cache: font.NewCache(liberation.Collection()), adv: map[glyph]float64{}}
}

// advance is the width of a rune in units of the type's size.
func (t *fonts) advance(f face, r rune) float64 {
	k := glyph{r, f.bold, f.mono}
	if w, ok := t.adv[k]; ok {
		return w
	}
	o := t.cache.Lookup(f.key(), 10).Face
	em := fixed.Int26_6(o.UnitsPerEm())
	w := 0.5
	if i, err := o.GlyphIndex(&t.buf, r); err == nil {
		if a, err := o.GlyphAdvance(&t.buf, i, em, xfont.HintingNone); err == nil {
			w = float64(a) / float64(em)
		}
	}
	t.adv[k] = w
	return w
}

// width returns the width of s in mm.
func (t *fonts) width(f face, s string) float64 {
	w := 0.0
	for _, r := range s {
		w += t.advance(f, r)
	}
	return w * f.size * 25.4 / 72
}

// fit returns s, cut with an ellipsis where it is wider than w mm.
func (t *fonts) fit(f face, s string, w float64) string {
	if s == "" || t.width(f, s) <= w {
		return s
	}
	room := w - t.width(f, "…")
	if room < 0 {
		return ""
	}
	n := 0.0
	for i, r := range s {
		n += t.advance(f, r) * f.size * 25.4 / 72
		if n > room {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// wrap breaks s at spaces into lines of at most w mm, and long words behind a comma or the like;
// the last of at most n lines ends in an ellipsis where more was left.
func (t *fonts) wrap(f face, s string, w float64, n int) []string {
	var lines []string
	words := say.Words(s)
	cur := ""
	for len(words) > 0 {
		next := strings.TrimLeft(cur+" "+words[0], " ")
		switch {
		case t.width(f, next) <= w:
			cur, words = next, words[1:]
			continue
		case cur == "":
			cut := say.Break(words[0], t.head(f, words[0], w))
			cur, words[0] = words[0][:cut], words[0][cut:]
		}
		if len(lines) == n-1 {
			return append(lines, t.fit(f, strings.TrimSpace(cur+" "+strings.Join(words, " ")), w))
		}
		lines, cur = append(lines, cur), ""
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}

// head returns how many bytes of a word fit into w mm; at least one rune.
func (t *fonts) head(f face, word string, w float64) int {
	n := 0.0
	for i, r := range word {
		n += t.advance(f, r) * f.size * 25.4 / 72
		if n > w && i > 0 {
			return i
		}
	}
	return len(word)
}

// text sets s on its baseline and returns where it ends.
func (p pen) text(x, y float64, f face, s string) float64 {
	if s = say.Printable(s); s == "" {
		return x
	}
	p.c.SetColor(f.col)
	p.c.FillString(p.cache.Lookup(f.key(), vg.Points(f.size)), p.at(x, y), s)
	return x + p.width(f, s)
}

func (p pen) right(x, y float64, f face, s string) { p.text(x-p.width(f, s), y, f, s) }

func (p pen) center(x, y float64, f face, s string) { p.text(x-p.width(f, s)/2, y, f, s) }

// title sets a bold title and, muted behind it, what the panel shows.
func (p pen) title(x, y, w float64, f face, s, note string) {
	end := p.text(x, y, f, p.fit(f, s, w))
	n := type7.in(muted)
	p.text(end+1.8, y, n, p.fit(n, note, x+w-end-1.8))
}
