package plots

import (
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"tidemark/internal/say"
	"tidemark/model"
)

// Two shows the two sides around the queue: who is busy, who waits, and what
// their GPUs do.
var Two = &Plot{
	Name: "sides",
	Doc:  "targets and drafters with busy, wait and GPU shares, the queue between them drawn to its depth",
	Size: sized(pageWidth, boxHeight),
	Draw: func(c draw.Canvas, r *model.Report) error {
		p := newPen(c)
		drawSide(p, 0, model.Target, r)
		drawQueue(p, boxWidth, pageWidth-2*boxWidth, r)
		drawSide(p, pageWidth-boxWidth, model.Drafter, r)
		return nil
	},
}

const (
	boxWidth  = 73.2
	boxHeight = 39.0
	boxInner  = 65.0 // of the bars
)

func drawSide(p pen, x float64, name string, r *model.Report) {
	fill, text, pale := side(name)
	p.round(x, 0, boxWidth, boxHeight, 0.9, rule)
	p.round(x+0.2, 0.2, boxWidth-0.4, boxHeight-0.4, 0.8, white)
	p.fill(x, 0, 1.3, boxHeight, fill)
	x += 4.6
	pill := p.pill(x+boxInner, name, r)
	title := "Targets"
	if name == model.Drafter {
		title = "Drafters"
	}
	end := p.text(x, 5.6, face{size: 12, bold: true, col: text}, title)
	p.text(end+1.8, 5.6, type78.in(muted), p.fit(type78, Workers(name, r), pill-end-3))
	sideSpeed(p, x, name, r)
	busyBar(p, x, name, r, fill, pale, text)
	deviceBar(p, x, r.Inside.Of(name))
}

// Workers says how many workers a side has, on which GPUs.
func Workers(name string, r *model.Report) string {
	t := r.Run.Topology
	workers, gpus := t.TargetWorkers, t.TargetGPUs
	if name == model.Drafter {
		workers, gpus = t.DrafterWorkers, t.DrafterGPUs
	}
	s := "count not recorded"
	if workers != nil {
		s = "× " + strconv.Itoa(*workers)
	}
	if len(gpus) > 0 {
		s += ", GPU " + say.Indices(gpus)
	}
	return s
}

// pill prints the side's part in the verdict and returns its left edge.
func (p pen) pill(right float64, name string, r *model.Report) float64 {
	fill, text, back := side(name)
	f := face{size: 8.3, bold: true, col: text}
	words := Part(name, r)
	if words == "" {
		return right
	}
	if r.Limiter.Side == name {
		back, f.col = fill, onFill(fill)
	}
	w := p.width(f, words) + 4
	p.round(right-w, 2.3, w, 4.7, 0.8, back)
	p.text(right-w+2, 5.7, f, words)
	return right - w
}

// Part is a side's part in the verdict, "" where it has none.
func Part(name string, r *model.Report) string {
	switch room := r.Limiter.Headroom.Of(name); {
	case r.Limiter.Side == name:
		return r.Limiter.Strength
	case r.Limiter.Side == model.Both:
		return "shares the limit"
	case room != nil && room.Mid > 0 && r.Limiter.Side != model.Unknown:
		return "room " + say.Gain(room.Mid)
	}
	return ""
}

func sideSpeed(p pen, x float64, name string, r *model.Report) {
	c := r.Limiter.CapacityItemsS.Of(name)
	unit := " items/s"
	if c == nil {
		c, unit = r.Limiter.CapacityTokensS.Of(name), " tok/s"
	}
	if c == nil {
		p.text(x, 12.9, type8.in(muted), "capacity not known")
		return
	}
	end := p.text(x, 12.9, face{size: 14.5, bold: true, col: ink}, say.SI(c.Mid)+unit)
	p.text(end+1.4, 12.9, type78.in(muted), p.fit(type78, CapacityWord(name, r.Limiter)+", "+say.Range(*c), x+boxInner-end-1.4))
}

// CapacityWord names a side's capacity; one that starves may have more.
func CapacityWord(name string, l model.Limiter) string {
	if l.Starved(name) {
		return "capacity or more"
	}
	return "capacity"
}

func busyBar(p pen, x float64, name string, r *model.Report, fill, pale, text color.NRGBA) {
	const y, h = 17.2, 5.0
	busy := r.Limiter.Busy.Of(name)
	if busy == nil {
		p.absent(x, y, boxInner, h, "busy share not recorded")
		p.frame(x, y, boxInner, h, 0.2, rule)
	} else {
		b := boxInner * min(max(busy.Mid, 0), 1)
		p.fill(x, y, boxInner, h, pale)
		p.fill(x, y, b, h, fill)
		p.frame(x, y, boxInner, h, 0.2, laneFill)
		p.barLabel(x, y+3.5, b, boxInner, type8.strong(), "busy "+say.Round(busy.Mid), fill, text)
		if p.width(type8, "wait")+3 < boxInner-b && b > 24 {
			p.text(x+b+1.6, y+3.5, type8.strong().in(text), "wait")
		}
	}
	words := Waits(name, r.Limiter.Wait)
	if p.width(type78, words) > boxInner {
		words = strings.Replace(words, "waits for prompts", "prompts", 1)
	}
	p.text(x, 26.4, type78.in(muted), p.fit(type78, words, boxInner))
}

// barLabel writes in the bar where it fits, else behind it.
func (p pen) barLabel(x, base, b, w float64, f face, s string, fill, text color.NRGBA) {
	tw := p.width(f, s)
	switch {
	case tw+3 <= b:
		p.text(x+1.5, base, f.in(onFill(fill)), s)
	default:
		p.text(x+min(b+1.5, w-tw-1), base, f.in(text), s)
	}
}

// Waits words what a side waits for, as shares of its time.
func Waits(name string, w model.Waits) string {
	if name == model.Drafter {
		if w.DrafterGate == nil {
			return "wait at the gate not recorded"
		}
		return "gate wait " + say.Share(*w.DrafterGate) + " of drafter time"
	}
	s := "wait on put not recorded"
	if w.TargetPut != nil {
		s = "blocked at put " + say.Share(*w.TargetPut)
	}
	if w.TargetInput != nil {
		s += "; waits for prompts " + say.Percent(w.TargetInput.Mid)
	}
	return s
}

func deviceBar(p pen, x float64, in *model.Inside) {
	const y, h = 28.4, 3.8
	if in == nil || in.GPUActive == nil {
		p.absent(x, y, boxInner, h, "GPU activity not recorded")
		p.frame(x, y, boxInner, h, 0.2, rule)
	} else {
		b := boxInner * min(max(in.GPUActive.Mid, 0), 1)
		fill := heat(heatLevel(in.GPUActive.Mid))
		p.fill(x, y, b, h, fill)
		p.frame(x, y, boxInner, h, 0.2, laneFill)
		p.barLabel(x, y+2.75, b, boxInner, type78.strong(), "GPU active "+say.Round(in.GPUActive.Mid), fill, ink)
	}
	words := Bound(in)
	f := type78.in(muted)
	if p.width(f, words) > boxInner {
		f = type7.in(muted)
	}
	p.text(x, 35.9, f, p.fit(f, words, boxInner))
}

// Bound says whether a side is bound by its devices or its host, and why.
func Bound(in *model.Inside) string {
	switch {
	case in == nil || in.Why == "" && (in.Bound == "" || in.Bound == model.Unknown):
		return "device or host: unknown"
	case in.Bound == "" || in.Bound == model.Unknown:
		return in.Why
	case in.Why == "":
		return in.Bound + "-bound"
	}
	return in.Bound + "-bound: " + in.Why
}

// drawQueue draws the queue to its depth, with both watermarks.
func drawQueue(p pen, x, w float64, r *model.Report) {
	const top, bottom = 6.4, 33.0
	mid, half := x+w/2, 9.6
	p.center(mid, 2.9, type8.strong(), "HS queue")
	q := r.Queue
	p.fill(mid-half, top, 2*half, bottom-top, panel)
	words := "depth not recorded"
	if q.Depth != nil {
		words = "depth " + say.Ends(q.Depth.P5, q.Depth.P95) + " (p5–p95)"
		if p.width(type7, words) > w-3 {
			words = strings.TrimPrefix(words, "depth ")
		}
		scaleTo := q.Depth.P95
		if q.Capacity != nil {
			scaleTo = max(*q.Capacity, 1)
		}
		v := scale{0, max(scaleTo, 1), bottom, top}
		p.fill(mid-half, v.clamp(q.Depth.P95), 2*half, bottom-v.clamp(q.Depth.P95), depthLine)
		if q.MinReady != nil {
			readyMark(p, mid, half, v, *q.MinReady, q.Depth.P95)
		}
	} else {
		p.absent(mid-half, top, 2*half, bottom-top)
	}
	p.frame(mid-half, top, 2*half, bottom-top, 0.2, laneFill)
	p.line(mid-half-1, top, mid+half+1, top, 0.4, ink)
	if q.Capacity != nil {
		p.queueWord(mid, top+3.3, "capacity "+say.Count(*q.Capacity), q, top, bottom)
	}
	p.center(mid, 36.4, type7.in(muted), p.fit(type7, words, w-3))
	p.arrow(x+0.8, mid-half-1.2, 21, 0.35, ink)
	p.center((x+mid-half)/2, 19.4, type7.in(muted), "put")
	p.arrow(mid+half+1.2, x+w-0.8, 21, 0.35, ink)
	p.center((mid+half+x+w)/2, 19.4, type7.in(muted), "get")
}

// queueWord writes the capacity, white where the queue is full up to there.
func (p pen) queueWord(mid, base float64, s string, q model.QueueInfo, top, bottom float64) {
	f := type7.in(muted)
	if q.Depth != nil && q.Capacity != nil && *q.Capacity > 0 {
		fillTop := bottom - (bottom-top)*min(q.Depth.P95 / *q.Capacity, 1)
		if fillTop < base+0.6 {
			f = type7.strong().in(ink)
		}
	}
	p.center(mid, base, f, s)
}

// readyMark draws min_ready, with its name on the side of the line that does
// not straddle the surface.
func readyMark(p pen, mid, half float64, v scale, ready, p95 float64) {
	y, surface := v.clamp(ready), v.clamp(p95)
	p.dash(mid-half-1, y, mid+half+1, y, 0.35, ink)
	s := "min_ready " + say.Count(ready)
	base := y - 0.9
	if surface < base && surface > base-2.8 && v.a-y > 3.6 {
		base = y + 3.1
	}
	if base-2.6 < v.b+4 { // under the name of the capacity
		base = y + 3.1
	}
	f := type7
	if base > surface {
		f = f.strong()
	}
	p.center(mid, base, f, s)
}
