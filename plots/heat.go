package plots

import (
	"strings"

	"tidemark/internal/say"
)

// An activityMap is strips in groups under one title, each group a side.
type activityMap struct {
	title, note string
	groups      [][]strip
	h           float64 // of a strip with its gap
	bold        float64 // readings from here on are bold; 0: none
	absent      []string
	side        func(group int) (big, small string)
}

const groupGap = 1.9

func (m activityMap) band() band {
	rows := float64(count(m.groups))*m.h + float64(max(len(m.groups)-1, 0))*groupGap
	if len(m.groups) == 0 {
		rows = 9
	}
	return band{bandTitle + rows - 0.4, m.drawAt}
}

func (m activityMap) drawAt(p pen, y float64, t timeAxis) {
	p.title(0, y+3.4, readingRight, type8.strong(), m.title, m.note)
	y += 5.2
	if len(m.groups) == 0 {
		p.absent(plotLeft, y, plotRight-plotLeft, 8.6, m.absent...)
		return
	}
	for i, g := range m.groups {
		h := float64(len(g)) * m.h
		fill, text, _ := side(g[0].side)
		p.fill(plotLeft-1.8, y, 1, h-0.4, fill)
		for k, s := range g {
			m.row(p, y+float64(k)*m.h, t, s, k)
		}
		big, small := m.side(i)
		mid := y + h/2
		if h < 7.5 { // no room for two lines
			p.right(readingRight, mid+0.9, type78.strong().in(text), strings.TrimSpace(small+"  "+big))
		} else {
			p.right(readingRight, mid+0.2, head10.in(text), big)
			p.right(readingRight, mid+3.4, type7.in(text), small)
		}
		y += h + groupGap
	}
}

// row draws one strip; labels of low strips stand at every second.
func (m activityMap) row(p pen, y float64, t timeAxis, s strip, k int) {
	h := m.h - 0.4
	w := plotRight - plotLeft
	p.hatch(plotLeft, y, w, h, 1.1, 0.15, hatchInk)
	p.strip(y, h, t, s.cells)
	if m.h < 3.1 && k%2 == 1 {
		return
	}
	_, text, _ := side(s.side)
	base := y + h/2 + 0.9
	f := type7.in(text)
	p.right(plotLeft-2.4, base, f, p.fit(f, s.label, plotLeft-2.6))
	f = type7
	if m.bold > 0 && s.mean >= m.bold {
		f = f.strong()
	}
	p.text(readingLeft, base, f, say.Round(s.mean))
}

// strip draws cells by nearest neighbour, merged where the colour is the same.
// Each reaches a little under the next, so that viewers show no seams.
func (p pen) strip(y, h float64, t timeAxis, c []cell) {
	for i := 0; i < len(c); {
		level := heatLevel(c[i].mid())
		j := i + 1
		for j < len(c) && heatLevel(c[j].mid()) == level && c[j].from <= c[j-1].to+1e-9 {
			j++
		}
		a, b := t.clamp(c[i].from), t.clamp(c[j-1].to)
		if j < len(c) && c[j].from <= c[j-1].to+1e-9 {
			b = min(b+0.15, plotRight)
		}
		p.fill(a, y, max(b-a, 0.1), h, heat(level))
		i = j
	}
}

// mapKey is the colour bar of both activity maps.
func mapKey() band {
	return band{11, func(p pen, y float64, _ timeAxis) {
		const w, h, top = 58.0, 3.0, 2.4
		p.right(plotLeft-2.4, y+top+2.3, type7.in(muted), "share")
		for i := range heatLevels + 1 {
			a := plotLeft + w*float64(i)/(heatLevels+1)
			p.fill(a, y+top, plotLeft+w-a, h, heat(i))
		}
		p.frame(plotLeft, y+top, w, h, 0.15, laneFill)
		for i, label := range []string{"0", "20", "40", "60", "80", "100 %"} {
			x := plotLeft + w*float64(i)/5
			p.line(x, y+top+h, x, y+top+h+0.8, 0.2, muted)
			p.center(x, y+top+h+3.6, type7.in(muted), label)
		}
		p.hatch(plotLeft+w+9, y+top, 8, h, 1.1, 0.15, hatchInk)
		p.frame(plotLeft+w+9, y+top, 8, h, 0.15, laneFill)
		p.text(plotLeft+w+18.5, y+top+2.3, type7.in(muted), "not recorded")
		p.right(plotRight, y+top+2.3, type7.in(muted), "one scale for GPUs and threads")
	}}
}
