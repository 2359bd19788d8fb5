package plots

import (
	"image/color"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

// A lane is a stretch of the run over which some inputs were recorded.
type lane struct {
	names    []string
	from, to float64 // seconds; from > to where the time is not known
	seconds  float64 // length where only that is known, 0 if not
}

func (l lane) placed() bool { return l.to >= l.from }

// maxLanes is how many lanes a page shows.
const maxLanes = 6

// lanesOf returns one lane for inputs of about the same stretch, the placed ones first.
func lanesOf(r *model.Report) []lane {
	var placed, unplaced []lane
	tolerance := 0.03 * runSeconds(r)
	for _, in := range r.Inputs {
		if in.Rows == 0 {
			continue
		}
		l := laneOf(r, in)
		same := slices.IndexFunc(placed, func(o lane) bool {
			return math.Abs(o.from-l.from) <= tolerance && math.Abs(o.to-l.to) <= tolerance
		})
		switch {
		case !l.placed():
			unplaced = append(unplaced, l)
		case same >= 0:
			if !slices.Contains(placed[same].names, l.names[0]) {
				placed[same].names = append(placed[same].names, l.names[0])
			}
		default:
			placed = append(placed, l)
		}
	}
	slices.SortStableFunc(placed, func(a, b lane) int { return -cmpFloat(a.to-a.from, b.to-b.from) })
	return append(placed, unplaced...)
}

func laneOf(r *model.Report, in model.Input) lane {
	l := lane{names: []string{shortName(in)}, from: 1}
	start, err := time.Parse(time.RFC3339Nano, r.Run.Start)
	a, err1 := time.Parse(time.RFC3339Nano, in.First)
	b, err2 := time.Parse(time.RFC3339Nano, in.Last)
	if err == nil && err1 == nil && err2 == nil {
		l.from, l.to = a.Sub(start).Seconds(), max(b.Sub(start).Seconds(), a.Sub(start).Seconds())
		return l
	}
	if c := capture(r); c != nil && c.DurationS != nil && isStacks(in.Format) {
		l.seconds = *c.DurationS
	}
	return l
}

func capture(r *model.Report) *model.CaptureInfo {
	if r.CPU == nil {
		return nil
	}
	return r.CPU.Capture
}

func isStacks(format string) bool {
	f := strings.ToLower(format)
	return strings.Contains(f, "spy") || strings.Contains(f, "stack") || strings.Contains(f, "speedscope") || strings.Contains(f, "flame")
}

// shortName is what a reader calls an input: its kind where that is common, else its file.
func shortName(in model.Input) string {
	f := strings.ToLower(in.Format)
	for _, k := range []struct{ part, word string }{
		{"py-spy", "py-spy"}, {"pyspy", "py-spy"}, {"nvidia", "GPU"}, {"pidstat", "pidstat"}, {"queue", "queue"}, {"log", "log"},
	} {
		if strings.Contains(f, k.part) {
			return k.word
		}
	}
	return path.Base(in.Path)
}

// laneBand draws what was recorded when. A recording whose time is not known is
// drawn to scale on a dashed lane, not placed.
func laneBand(r *model.Report) band {
	lanes := lanesOf(r)
	more := max(0, len(lanes)-maxLanes)
	lanes = lanes[:len(lanes)-more]
	h := 8 + 3.9*float64(max(len(lanes), 1))
	return band{h, func(p pen, y float64, t timeAxis) {
		p.text(0, y+2.8, type8.strong(), "Recorded")
		for i, l := range lanes {
			p.lane(y+0.6+3.9*float64(i), t, l)
		}
		if len(lanes) == 0 {
			p.absent(plotLeft, y, plotRight-plotLeft, 3.4, "no input carries rows")
		}
		if more > 0 {
			p.text(0, y+6.2, type7.in(muted), "+"+say.Count(more)+" more")
		}
		foot := y + h - 6.6
		p.line(plotLeft, foot, plotRight, foot, 0.2, muted)
		p.timeLabels(t, foot+4.2, foot)
	}}
}

func (p pen) lane(y float64, t timeAxis, l lane) {
	mid := y + 1.3
	name := p.fit(type7.strong(), strings.Join(l.names, ", "), readingRight-readingLeft)
	if !l.placed() {
		p.unplaced(y, t, l)
		p.text(readingLeft, mid+0.9, type7.strong().in(captureInk), name)
		return
	}
	a, b := t.clamp(l.from), t.clamp(l.to)
	p.line(plotLeft, mid, plotRight, mid, 0.2, rule)
	p.fill(a, y, max(b-a, 0.4), 2.6, laneFill)
	p.text(readingLeft, mid+0.9, type7.in(muted), name)
	if b-a < 60 {
		p.laneWords(a, b, mid, muted, t.stamp(l.from)+" – "+t.stamp(l.to))
	}
}

// unplaced draws a recording somewhere in the run, as wide as it was long.
func (p pen) unplaced(y float64, t timeAxis, l lane) {
	mid := y + 1.3
	p.dash(plotLeft, mid, plotRight, mid, 0.3, captureInk)
	p.line(plotLeft, y+0.4, plotLeft, y+2.2, 0.35, captureInk)
	p.line(plotRight, y+0.4, plotRight, y+2.2, 0.35, captureInk)
	if l.seconds <= 0 {
		p.laneWords(plotLeft+20, plotLeft+20, mid, captureInk, "its time is not recorded")
		return
	}
	w := min(max(l.seconds/(t.hi-t.lo)*(plotRight-plotLeft), 0.6), plotRight-plotLeft)
	x := plotLeft + (plotRight-plotLeft-w)/2
	p.fill(x, y, w, 2.6, capturePale)
	p.frame(x, y, w, 2.6, 0.35, captureInk)
	p.laneWords(x, x+w, mid, captureInk, say.Short(l.seconds)+" s wide, somewhere in here: start not stamped")
}

// laneWords stand beside a bar from a to b, to the right where there is room.
func (p pen) laneWords(a, b, mid float64, col color.NRGBA, s string) {
	f := type7.in(col)
	w := p.width(f, s)
	x := b + 1.2
	if x+w > plotRight-3 {
		x = a - 1.2 - w
	}
	if x < plotLeft+2 {
		return
	}
	p.fill(x-0.6, mid-1.5, w+1.2, 3, white)
	p.text(x, mid+0.9, f, s)
}
