package plots

import (
	"bytes"
	"fmt"
	"html"
	"strconv"

	"tidemark/internal/lazy"
)

// svgText is a text element as vgsvg writes it.
var svgText = lazy.Regexp(`<text ([^>\n]*)\n\tstyle="font-family:(Liberation (?:Sans|Mono));font-variant:[a-z]+;font-weight:([a-z]+);font-style:normal;font-size:([0-9.]+)px;([^"]*)">([^<]*)</text>`)

// portable makes an SVG look the same where Liberation is not installed: it
// names fonts of the same widths to fall back on, keeps spaces, and gives each
// text the length it was measured to have.
func portable(svg []byte) []byte {
	f := newFonts()
	svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg xml:space="preserve" `), 1)
	return svgText().ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgText().FindSubmatch(element)
		size, err := strconv.ParseFloat(string(m[4]), 64)
		if err != nil {
			return element
		}
		family := "'Liberation Sans',Arial,Helvetica,sans-serif"
		st := face{size: size, bold: string(m[3]) == "bold", mono: string(m[2]) == "Liberation Mono"}
		if st.mono {
			family = "'Liberation Mono','Courier New',monospace"
		}
		length := f.width(st, html.UnescapeString(string(m[6]))) * 72 / 25.4
		return fmt.Appendf(nil, `<text %s textLength="%.2f" lengthAdjust="spacingAndGlyphs" style="font-family:%s;font-weight:%s;font-size:%spx;%s">%s</text>`,
			m[1], length, family, m[3], m[4], m[5], m[6])
	})
}
