package plots

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// WhatIf shows the change of throughput that each change would bring, and where
// the other side takes over.
var WhatIf = &Plot{
	Name: "whatif",
	Doc:  "predicted change of throughput for each change, capped where the other side takes over",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		rows := whatIfs(r)
		h := whatIfTop + whatIfPitch(len(rows))*float64(max(len(rows), 2)) + 5
		return mm(pageWidth), mm(h + remarkPitch*float64(len(remarks(newFonts(), rows))))
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawWhatIf(newPen(c), r)
		return nil
	},
}

const (
	whatIfTop   = 3.6
	maxWhatIfs  = 8
	remarkPitch = 3.2
)

// whatIfPitch is the height of a row; many stand closer.
func whatIfPitch(rows int) float64 {
	if rows > 4 {
		return 4.3
	}
	return 5
}

// whatIfs returns the rows to draw. Of several speeds of one side the smallest
// and the largest stay, and one alone where they bring the same. What a side
// would gain without stragglers stays where it is known and something, a split
// that moves more GPUs where it brings more than the one before it that way.
func whatIfs(r *model.Report) []model.WhatIf {
	first, last := map[string]int{}, map[string]int{}
	for i, w := range r.WhatIf {
		if s := changed(w); s != "" {
			if _, ok := first[s]; !ok {
				first[s] = i
			}
			last[s] = i
		}
	}
	var out, splits []model.WhatIf
	for i, w := range r.WhatIf {
		s := changed(w)
		if w.Kind == "split" {
			splits = append(splits, w)
			if n := len(splits); n > 2 && !further(splits[n-3], w) {
				continue
			}
		}
		if w.Kind == "stragglers" && (w.Gain == nil || w.Gain.Hi < 0.01) {
			continue
		}
		if s == "" || i == first[s] || i == last[s] && further(r.WhatIf[first[s]], w) {
			out = append(out, w)
		}
	}
	out = settled(out)
	return out[:min(len(out), maxWhatIfs)]
}

// settled joins settings of the queue that change nothing into one row.
func settled(rows []model.WhatIf) []model.WhatIf {
	var out, idle []model.WhatIf
	for _, w := range rows {
		if (w.Kind == "watermark" || w.Kind == "capacity") && !w.Coupled && unchanged(w.Gain) {
			idle = append(idle, w)
		} else {
			out = append(out, w)
		}
	}
	if len(idle) < 2 {
		return rows
	}
	return append(out, model.WhatIf{Change: settings(idle), Kind: "capacity", Gain: &model.Interval{}})
}

// unchanged reports whether a gain is printed as 0.0 % without an interval.
func unchanged(g *model.Interval) bool {
	return g != nil && math.Abs(g.Mid) < visible && g.Hi-g.Lo <= narrow
}

// narrow is the widest interval of a gain that is not printed.
const narrow = 0.008

// settings names changes as ranges: min_ready 5–20, capacity 30–120.
func settings(rows []model.WhatIf) string {
	var names []string
	ends := map[string][]string{}
	for _, w := range rows {
		name, value, _ := strings.Cut(w.Change, " ")
		if ends[name] == nil {
			names = append(names, name)
		}
		ends[name] = append(ends[name], value)
	}
	for i, name := range names {
		v := ends[name]
		names[i] += " " + v[0]
		if len(v) > 1 {
			names[i] += "–" + v[len(v)-1]
		}
	}
	return strings.Join(names, ", ")
}

// changed is the side that a change of speed is about, "" for other changes.
func changed(w model.WhatIf) string {
	for _, s := range []string{model.Target, model.Drafter} {
		if w.Kind == "speed" && strings.HasPrefix(w.Change, s) {
			return s
		}
	}
	return ""
}

// further reports whether b brings visibly more than a.
func further(a, b model.WhatIf) bool {
	return a.Gain == nil || b.Gain == nil || b.Gain.Mid-a.Gain.Mid > 0.005
}

func drawWhatIf(p pen, r *model.Report) {
	rows := whatIfs(r)
	pitch := whatIfPitch(len(rows))
	foot := whatIfTop + pitch*float64(max(len(rows), 2))
	if len(rows) == 0 {
		p.absent(0, 1, pageWidth, foot-1, "no prediction: neither side's capacity is known")
		return
	}
	v, t := gainAxis(rows, takeOver(r)), takeOver(r)
	for _, k := range (ticks125{6, gainTick}).Ticks(v.lo, v.hi) {
		p.line(v.at(k.Value), whatIfTop, v.at(k.Value), foot, 0.2, grid)
		p.center(v.at(k.Value), foot+3.1, type7.in(muted), k.Label)
	}
	p.takeOver(v, foot, t)
	for i, w := range rows {
		p.whatIf(v, whatIfTop+pitch*float64(i)-(5-pitch)/2, w)
	}
	p.line(v.at(0), whatIfTop-0.6, v.at(0), foot, 0.3, ink)
	for i, s := range remarks(p.fonts, rows) {
		p.text(v.a, foot+6.4+remarkPitch*float64(i), type7.in(muted), s)
	}
}

// gainAxis holds all gains, and where the other side takes over if a change
// comes near it.
func gainAxis(rows []model.WhatIf, t *takenOver) scale {
	lo, hi := 0.0, 0.1
	for _, w := range rows {
		if w.Gain != nil && finite(w.Gain.Lo, w.Gain.Hi) {
			lo, hi = min(lo, w.Gain.Lo), max(hi, w.Gain.Hi)
		}
	}
	if t != nil && t.room.Mid < 1.2*hi {
		hi = max(hi, t.room.Hi)
	}
	lo, hi = around(max(lo, -1), min(hi, 5)*1.1, 6)
	return scale{lo, hi, 47, 143}
}

// remarks say once, below all rows, what the hollow bars have in common.
func remarks(f *fonts, rows []model.WhatIf) []string {
	var list []string
	for _, w := range rows {
		if w.Coupled && w.Range != "" && !slices.Contains(list, w.Range) {
			list = append(list, w.Range)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return f.wrap(type7, "Hollow: "+strings.Join(list, "; ")+".", pageWidth-47, 2)
}

func gainTick(v float64) string {
	s := say.Count(100 * v)
	switch {
	case s == "0":
		return "0 %"
	case v > 0:
		return "+" + s
	}
	return s
}

func (p pen) whatIf(v scale, y float64, w model.WhatIf) {
	const h = 3.2
	y += 0.9
	p.right(v.a-2.5, y+2.5, type78, p.fit(type78, w.Change, v.a-3))
	zero := v.at(0)
	if w.Gain == nil || !finite(w.Gain.Lo, w.Gain.Mid, w.Gain.Hi) {
		note := "not known"
		if w.Range != "" {
			note += ": " + w.Range
		}
		p.text(zero+2, y+2.5, type7.in(muted), p.fit(type7, note, pageWidth-zero-2))
		return
	}
	fill := whatIfColor(w)
	a, b := min(zero, v.clamp(w.Gain.Mid)), max(zero, v.clamp(w.Gain.Mid))
	if w.Coupled {
		p.fill(a, y, b-a, h, white)
		p.frame(a, y, max(b-a, 0.5), h, 0.4, fill)
	} else {
		p.fill(a, y, max(b-a, 0.4), h, fill)
	}
	end := b
	if w.Gain.Hi-w.Gain.Lo > 0.002 {
		p.interval(v.clamp(w.Gain.Lo), v.clamp(w.Gain.Hi), y+h/2)
		end = max(b, v.clamp(w.Gain.Hi))
	}
	value := say.Gain(w.Gain.Mid)
	if w.Gain.Hi-w.Gain.Lo > narrow {
		value += " (" + say.RoundRange(*w.Gain) + ")"
	}
	f := type78.strong()
	p.right(pageWidth, y+2.5, f, value)
	if !w.Coupled {
		p.text(end+2, y+2.5, type7.in(muted), p.fit(type7, w.Range, pageWidth-p.width(f, value)-end-4))
	}
}

// whatIfColor is the colour of the side that is changed, or that limits after a re-split.
func whatIfColor(w model.WhatIf) color.NRGBA {
	name := changed(w)
	switch {
	case w.Kind == "stragglers" && strings.Contains(w.Change, model.Target):
		name = model.Target
	case w.Kind == "stragglers":
		name = model.Drafter
	case name == "":
		name = w.NextLimit
	}
	fill, _, _ := side(name)
	return fill
}
