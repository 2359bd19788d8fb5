package report

import (
	"bufio"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"tidemark/model"
)

// Sizes of a flame graph in pixels.
const (
	flameWidth   = 1200.0
	flameRow     = 17.0
	flameHead    = 44.0 // title and legend
	flameChar    = 6.6  // of the monospaced font
	flameLeast   = 20.0 // narrower boxes have no text
	flameFont    = 11.0
	flameLegend  = 34.0
	flamePadding = 10.0
)

// writeFlame draws a flame graph from the root down. Every frame has a title,
// which browsers show and search.
func writeFlame(w io.Writer, r *model.Report) error {
	b := bufio.NewWriter(w)
	c := chartOf(r)
	rows := 1
	if c != nil {
		rows = c.rows
	}
	height := flameHead + flameRow*float64(rows) + flamePadding
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" id="flame" viewBox="0 0 %g %g" width="%g" height="%g" font-family="ui-monospace, 'Liberation Mono', Menlo, Consolas, monospace" font-size="%g">`+"\n",
		flameWidth, height, flameWidth, height, flameFont)
	fmt.Fprintf(b, `<rect width="%g" height="%g" fill="#fff"/>`+"\n", flameWidth, height)
	b.WriteString(`<defs><pattern id="open" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#fff"/><rect width="1.2" height="5" fill="#C9CFD5"/></pattern></defs>` + "\n")
	fmt.Fprintf(b, `<text x="2" y="15" font-weight="bold" font-size="13">%s</text>`+"\n", svgText(shorten(r.Verdict.Headline, 150)))
	if c == nil {
		fmt.Fprintf(b, `<text x="2" y="%g">no stacks</text>`+"\n", flameLegend)
	} else {
		c.legend(b)
		for i, box := range c.boxes {
			box.write(b, i)
		}
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

func (c *flameChart) legend(b *bufio.Writer) {
	if c.diff {
		fmt.Fprintf(b, `<text x="2" y="%g">width: mean of both shares; red: more in the new one, blue: less; full colour at 10 points</text>`+"\n", flameLegend)
		return
	}
	x := 2.0
	for _, l := range c.words {
		fmt.Fprintf(b, `<rect x="%g" y="%g" width="10" height="10" fill="%s"/><text x="%g" y="%g">%s</text>`+"\n", x, flameLegend-9, l.fill, x+14, flameLegend, svgText(l.word))
		x += 14 + flameChar*float64(len(l.word)) + 18
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" fill="#5B6570">width: %s; grey: several mechanisms</text>`+"\n", x, flameLegend, svgText(c.unit))
}

// write draws a box. Its place stands beside it as numbers, for the script of
// the page.
func (f flameBox) write(b *bufio.Writer, i int) {
	x, w := round2(f.x*flameWidth), round2(f.w*flameWidth)
	y := flameHead + flameRow*float64(f.depth)
	fmt.Fprintf(b, `<g class="f" data-i="%d" data-p="%d"><title>%s</title><rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`,
		i, f.parent, svgText(f.title), x, y, math.Max(w-0.3, 0.1), flameRow-1, f.fill)
	if w >= flameLeast {
		fmt.Fprintf(b, `<text x="%g" y="%g" fill="%s">%s</text>`, round2(x+3), y+flameRow-5, hex(f.text), svgText(clip(f.name, int((w-5)/flameChar))))
	}
	b.WriteString("</g>\n")
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }

// clip cuts a name to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 2 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// svgText escapes a text, and leaves out what XML cannot hold.
func svgText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}
