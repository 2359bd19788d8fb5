package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Capacity sets throughput beside what either side could do.
var Capacity = &Plot{
	Name: "capacity",
	Doc:  "throughput, the capacities of both sides and the high-water mark on one axis",
	Size: sized(pageWidth, 21),
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawCapacity(newPen(c), r)
		return nil
	},
}

// A reading is a value with its interval on a shared axis.
type reading struct {
	label string
	v     *model.Interval
	fill  color.NRGBA
}

func drawCapacity(p pen, r *model.Report) {
	rows, unit := capacityRows(r)
	const x0, x1, top, pitch = 46.0, 160.0, 5.2, 4.6
	lo, hi, any := 0.0, 0.0, false
	for _, w := range rows {
		if w.v != nil && finite(w.v.Lo, w.v.Mid, w.v.Hi) {
			lo, hi = reach(lo, hi, any, *w.v)
			any = true
		}
	}
	if !any {
		p.absent(0, 2, pageWidth, 16, missing(r, "throughput", "log", "counter")...)
		return
	}
	if w := r.Throughput.HighWater; w != nil && unit == r.Throughput.Unit {
		lo, hi = min(lo, w.Value), max(hi, w.Value)
	}
	pad := max(0.12*(hi-lo), 0.02*hi)
	lo, hi = around(max(0, lo-pad), hi+pad, 5)
	v := scale{lo, hi, x0, x1}
	p.capacityAxis(v, top-1.5, top+3*pitch, unit)
	mark := highWater(p, v, top, pitch, r, unit)
	for i, w := range rows {
		p.reading(v, mark, top+pitch*(float64(i)+0.2), w)
	}
	headroom(p, v, top+pitch*1.72, r, rows)
}

func reach(lo, hi float64, any bool, v model.Interval) (float64, float64) {
	if !any {
		return v.Lo, v.Hi
	}
	return min(lo, v.Lo), max(hi, v.Hi)
}

func capacityRows(r *model.Report) ([]reading, string) {
	c, x, unit := r.Limiter.CapacityTokensS, r.Throughput.Steady, "tok/s"
	if c.Target == nil && c.Drafter == nil && (x == nil || r.Throughput.Unit != "tok/s") {
		c, unit = r.Limiter.CapacityItemsS, "items/s"
		if r.Throughput.Items != nil {
			x = r.Throughput.Items
		}
	}
	target := "Target capacity"
	if r.Limiter.Starved(model.Target) {
		target += ", or more"
	}
	return []reading{{"Throughput", x, ink}, {target, c.Target, targetFill}, {"Drafter capacity", c.Drafter, drafterFill}}, unit
}

func (p pen) capacityAxis(v scale, y, foot float64, unit string) {
	ticks := ticks125{5, kilo}.Ticks(v.lo, v.hi)
	for i, k := range ticks {
		label := k.Label
		p.line(v.at(k.Value), y, v.at(k.Value), foot-1.2, 0.2, grid)
		p.center(v.at(k.Value), foot+1.9, type7.in(muted), label)
		if i == len(ticks)-1 {
			p.text(v.at(k.Value)+p.width(type7, label)/2+1.2, foot+1.9, type7.in(muted), unit)
		}
	}
}

// highWater draws the mark and returns where; far off where there is none.
func highWater(p pen, v scale, top, pitch float64, r *model.Report, unit string) float64 {
	w := r.Throughput.HighWater
	if w == nil || unit != r.Throughput.Unit {
		return -pageWidth
	}
	x := v.clamp(w.Value)
	p.dash(x, top-4.6, x, top+3*pitch-1.2, 0.35, ink)
	s := "high-water " + say.Short(w.Value)
	if f := type7.strong(); x+1.4+p.width(f, s) <= pageWidth {
		p.text(x+1.4, top-2.6, f, s)
	} else {
		p.right(x-1.4, top-2.6, f, s)
	}
	return x
}

// reading draws one row: name, interval, dot and value, which keeps clear of the
// line at avoid.
func (p pen) reading(v scale, avoid, y float64, w reading) {
	p.right(v.a-4, y+1, type78, w.label)
	if w.v == nil || !finite(w.v.Lo, w.v.Mid, w.v.Hi) {
		p.text(v.a+1, y+1, type7.in(muted), "not known")
		return
	}
	a, b := v.clamp(w.v.Lo), v.clamp(w.v.Hi)
	hollow := b-a < 0.05
	if !hollow {
		p.interval(a, b, y)
	}
	p.dot(v.clamp(w.v.Mid), y, 0.95, w.fill, hollow)
	f, s := type78.strong(), say.SI(w.v.Mid)
	if w := p.width(f, s); avoid > b+0.5 && avoid < b+2.5+w && a-2-w > v.a {
		p.right(a-2, y+1, f, s)
	} else {
		p.text(b+2, y+1, f, s)
	}
}

// headroom is an arrow from the limiter's capacity to the other side's.
func headroom(p pen, v scale, y float64, r *model.Report, rows []reading) {
	t := takeOver(r)
	from, to := rows[1].v, rows[2].v
	if r.Limiter.Side == model.Drafter {
		from, to = to, from
	}
	if from == nil || to == nil || t == nil {
		return
	}
	s := "headroom " + say.Gain(t.room.Mid)
	if t.room.Hi > t.room.Lo {
		s += " (" + say.RoundRange(t.room) + ")"
	}
	f := type7.in(muted)
	a, b := v.clamp(from.Mid), v.clamp(to.Lo)-0.6
	if b-a < 6 {
		return
	}
	p.line(a, y-0.85, a, y+0.85, 0.3, muted)
	p.arrow(a, b, y, 0.3, muted)
	if x := b - p.width(f, s) - 3; x > a+readingRoom {
		p.text(x, y-0.7, f, s)
	}
}

// readingRoom is what the value beside a dot takes.
const readingRoom = 12.0
