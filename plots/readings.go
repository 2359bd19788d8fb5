package plots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Readings compares what each source says of one side's busy share.
var Readings = &Plot{
	Name: "readings",
	Doc:  "the busy share of a side by each source, beside the value they give together",
	Size: func(r *model.Report) (vg.Length, vg.Length) {
		_, rows := busyReadings(r)
		return mm(readingsWidth), mm(24 + readingPitch(len(rows))*float64(max(len(rows), 1)))
	},
	Draw: func(c draw.Canvas, r *model.Report) error {
		drawReadings(newPen(c), r)
		return nil
	},
}

const (
	readingsWidth = 60.0
	maxReadings   = 6
)

// readingPitch is the height of a row; many stand closer.
func readingPitch(rows int) float64 {
	if rows > 4 {
		return 4.3
	}
	return 5.6
}

// busyReadings returns the side with the most readings, the one that does not
// limit where both have as many, and its readings.
func busyReadings(r *model.Report) (string, []model.Entry) {
	by := map[string][]model.Entry{}
	for _, e := range r.Limiter.Ledger {
		if e.Busy != nil && finite(e.Busy.Lo, e.Busy.Mid, e.Busy.Hi) {
			by[e.Side] = append(by[e.Side], e)
		}
	}
	first, second := model.Drafter, model.Target
	if r.Limiter.Side == model.Drafter {
		first, second = second, first
	}
	if len(by[second]) > len(by[first]) {
		first = second
	}
	rows := by[first]
	return first, rows[:min(len(rows), maxReadings)]
}

func drawReadings(p pen, r *model.Report) {
	name, rows := busyReadings(r)
	title := strings.ToUpper(name[:1]) + name[1:] + " busy share, " + numeral(len(rows)) + " reading"
	if len(rows) != 1 {
		title += "s"
	}
	p.text(0, 3, type8.strong(), title)
	if len(rows) == 0 {
		p.absent(0, 6, readingsWidth, 16, missing(r, "wait", "queue", "stack")...)
		return
	}
	const x0, x1, top = 23.5, 50.0, 8.0
	lo, hi := rows[0].Busy.Lo, rows[0].Busy.Hi
	for _, e := range rows {
		lo, hi = min(lo, e.Busy.Lo), max(hi, e.Busy.Hi)
	}
	lo, hi = around(max(0, lo-0.02), min(1, hi+0.02), 3)
	v := scale{lo, min(hi, 1), x0, x1}
	pitch := readingPitch(len(rows))
	foot := top + pitch*float64(len(rows))
	fill, _, pale := side(name)
	if b := r.Limiter.Busy.Of(name); b != nil {
		p.fill(v.clamp(b.Lo)-0.15, top-1, v.clamp(b.Hi)-v.clamp(b.Lo)+0.3, foot-top, pale)
	}
	for _, k := range (ticks125{3, percents}).Ticks(v.lo, v.hi) {
		p.line(v.at(k.Value), top-1, v.at(k.Value), foot-1, 0.2, grid)
		p.center(v.at(k.Value), foot+2.2, type7.in(muted), k.Label)
	}
	for i, e := range rows {
		y := top + pitch*(float64(i)+0.35)
		p.text(0, y+1, type78, p.fit(type78, e.Source, x0-1.5))
		hollow := e.Busy.Hi-e.Busy.Lo < 1e-9 || e.Weight == 0
		if e.Busy.Hi > e.Busy.Lo {
			p.interval(v.clamp(e.Busy.Lo), v.clamp(e.Busy.Hi), y)
		}
		p.dot(v.clamp(e.Busy.Mid), y, 0.95, fill, hollow)
		p.right(readingsWidth, y+1, type78.strong(), say.Round(e.Busy.Mid))
	}
	for i, line := range p.wrap(type7, readingNotes(rows), readingsWidth, 3) {
		p.text(0, foot+6.4+3.3*float64(i), type7.in(muted), line)
	}
}

// readingNotes say what a reading rests on where that is not its wait itself.
func readingNotes(rows []model.Entry) string {
	var notes []string
	for _, e := range rows {
		hollow := e.Busy.Hi-e.Busy.Lo < 1e-9
		if e.Weight == 0 {
			notes = append(notes, e.Source+": set aside, "+e.Reading)
		} else if hollow || e.Weight < 0.5 {
			notes = append(notes, e.Source+": "+e.Reading)
		}
	}
	if len(notes) == 0 {
		return ""
	}
	return strings.Join(notes, "; ") + "."
}

func numeral(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
