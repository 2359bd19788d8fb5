package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// ZoneShares are the shares of time at the watermarks and in the zones, and the
// waits beside them, on one scale.
var ZoneShares = &Plot{
	Name: "zones",
	Doc:  "shares of time in each zone and at both watermarks, and the waits, on one scale",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		return mm(pageWidth), mm(shareTop + sharePitch*float64(len(shareRows(r))) + 6)
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawShares(newPen(c), r)
		return nil
	},
}

const (
	shareTop   = 1.0
	sharePitch = 5.2
)

// A shareRow is one share, or the head of a group where it has no name.
type shareRow struct {
	group, name, note string
	share             *model.Interval
	fill              color.NRGBA
}

func shareRows(r *model.Report) []shareRow {
	q := r.Queue
	rows := []shareRow{{group: "Zones", note: "share of the time of " + Judged(r)}}
	for _, z := range zonesOf(q) {
		row := shareRow{name: z.name, note: zoneRange(z), fill: z.ink}
		if z.name == "between" {
			row.fill = z.fill
		}
		if q.Zones != nil {
			row.share = point(z.share(*q.Zones))
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		rows = append(rows, shareRow{name: "zones", note: "capacity or min_ready not recorded"})
	}
	rows = append(rows, shareRow{group: "At the watermarks", note: "dwell"},
		shareRow{name: "min_ready", note: "there or one below", share: pointOf(q.AtMinReady), fill: zoneMarkInk},
		shareRow{name: "capacity", note: "full to the last place", share: pointOf(q.AtCapacity), fill: zoneFullInk},
		shareRow{group: "Waits", note: "share of worker time"},
		shareRow{name: "drafters, gate", note: "no item, or fewer than min_ready", share: r.Limiter.Wait.DrafterGate, fill: drafterFill},
		shareRow{name: "targets, put", note: "queue full", share: r.Limiter.Wait.TargetPut, fill: targetFill})
	return append(rows, shareRow{name: "targets, input", note: "no prompt", share: r.Limiter.Wait.TargetInput, fill: upstreamFill})
}

func point(v float64) *model.Interval { return &model.Interval{Lo: v, Mid: v, Hi: v} }

func pointOf(v *float64) *model.Interval {
	if v == nil {
		return nil
	}
	return point(*v)
}

func zoneRange(z zone) string {
	if z.name == "full" {
		return "depth " + say.Short(z.lo) + " and more"
	}
	return "depth " + say.Short(z.lo) + " to " + say.Short(z.hi)
}

func drawShares(p pen, r *model.Report) {
	const x0, x1 = 74.0, 150.0
	v := scale{0, 1, x0, x1}
	rows := shareRows(r)
	foot := shareTop + sharePitch*float64(len(rows))
	for _, k := range (ticks125{5, percents}).Ticks(0, 1) {
		p.line(v.at(k.Value), shareTop+1, v.at(k.Value), foot, 0.2, grid)
		p.center(v.at(k.Value), foot+3.4, type7.in(muted), k.Label)
	}
	for i, row := range rows {
		y := shareTop + sharePitch*float64(i)
		if row.group != "" {
			p.fill(0, y, pageWidth, sharePitch, white)
			p.title(0, y+4.2, x0, type8.strong(), row.group, row.note)
			continue
		}
		p.text(2, y+3.4, type78, row.name)
		p.text(27, y+3.4, type7.in(muted), p.fit(type7, row.note, x0-28))
		p.share(v, y+0.7, row)
	}
	p.line(x0, shareTop+1, x0, foot, 0.25, muted)
}

func (p pen) share(v scale, y float64, row shareRow) {
	const h = 3.6
	if row.share == nil {
		p.hatch(v.a, y, v.b-v.a, h, 1.1, 0.15, hatchInk)
		p.text(v.b+2.2, y+2.7, type7.in(muted), "not recorded")
		return
	}
	b := v.clamp(row.share.Mid)
	p.fill(v.a, y, b-v.a, h, row.fill)
	value := say.Percent(row.share.Mid)
	end := b
	if row.share.Hi-row.share.Lo > 0.002 {
		end = v.clamp(row.share.Hi)
		p.interval(v.clamp(row.share.Lo), end, y+h/2)
		value += " (" + say.PercentRange(*row.share) + ")"
	}
	f := type78.strong()
	p.fill(end+1.2, y, p.width(f, value)+1.2, h, white)
	p.text(end+1.8, y+2.7, f, value)
}
