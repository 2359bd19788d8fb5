package infer

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"tidemark/internal/stats"
)

// A freeRun is the longest stretch in which the depth lay between the
// watermarks, so that neither side waited for the queue: there the depth is a
// walk whose drift is the difference of the sides' capacities.
type freeRun struct {
	moved   float64 // items, change of the depth
	seconds float64
	scatter float64 // items²/s: variance of the change a second, NaN where not known
	spans   []span
}

// wander is how far a walk without drift gets in that time (standard deviation).
func (f *freeRun) wander() float64 { return math.Sqrt(f.scatter * f.seconds) }

// tells reports whether the stretch says how the sides compare. One of many is
// chosen, so it counts where it is most of a run of so many seconds, or went
// further than a walk without drift does. room lies between the watermarks.
func (f *freeRun) tells(room, seconds float64) bool {
	if !(f.scatter > 0) || f.seconds < freeLeast*seconds {
		return false
	}
	return f.seconds > freeTime*seconds || math.Abs(f.moved) > max(freeMoved*room, 3*f.wander())
}

// freeLags is how many changes of the depth the scatter is taken from: long
// enough that single items do not count, enough for an error of a fifth.
const freeLags = 40

// fewChanges is from how many changes a scatter is taken (chosen: fewer have no
// variance to speak of).
const fewChanges = 4

// longestFree finds it in spans, lo and hi out of reach.
func longestFree(depth Points, spans []span, lo, hi float64) freeRun {
	gap := int64(holdGap(depth) * 1e9)
	var longest Points
	for _, x := range spans {
		p := depth.between(x.from, x.to)
		for from := 0; from < len(p.T); {
			if v := p.V[from]; v <= lo+1 || v >= hi-1 {
				from++
				continue
			}
			part := untilTouched(p, from, lo, hi, gap)
			if n := len(longest.T); len(part.T) > 2 && (n == 0 || part.T[len(part.T)-1]-part.T[0] > longest.T[n-1]-longest.T[0]) {
				longest = part
			}
			from += max(len(part.T), 1)
		}
	}
	return freeRunOf([]Points{longest}, depth.step())
}

// releasedFree joins the stretches that begin where pauses ended and last until
// either watermark is touched: their beginnings are not chosen, and a walk up to
// its first touch is one without bias (Wald's identity).
func releasedFree(depth Points, released []span, lo, hi float64) freeRun {
	gap := int64(holdGap(depth) * 1e9)
	var parts []Points
	for _, x := range released {
		if p := untilTouched(depth.between(x.from, x.to), 0, lo, hi, gap); len(p.T) > 2 {
			parts = append(parts, p)
		}
	}
	return freeRunOf(parts, depth.step())
}

// untilTouched returns the readings from one on up to the first at a watermark,
// or to a gap.
func untilTouched(p Points, from int, lo, hi float64, gap int64) Points {
	to := from
	for to < len(p.T) && p.V[to] > lo+1 && p.V[to] < hi-1 && (to == from || p.T[to]-p.T[to-1] <= gap) {
		to++
	}
	return Points{p.T[from:to], p.V[from:to]}
}

// freeRunOf takes the scatter from changes over equal times.
func freeRunOf(parts []Points, step float64) freeRun {
	f := freeRun{scatter: math.NaN()}
	for _, p := range parts {
		if n := len(p.T); n > 0 {
			f.moved += p.V[n-1] - p.V[0]
			f.seconds += float64(p.T[n-1]-p.T[0]) / 1e9
			f.spans = append(f.spans, span{p.T[0], p.T[n-1]})
		}
	}
	lag := int64(math.Max(f.seconds/freeLags, step) * 1e9)
	var changes []float64
	for _, p := range parts {
		at := 0
		for i := range p.T {
			if d := p.T[i] - p.T[at]; d >= lag {
				changes = append(changes, (p.V[i]-p.V[at])/math.Sqrt(float64(d)/1e9))
				at = i
			}
		}
	}
	switch n := len(changes); {
	case n >= freeLags/4:
		sd := stats.MAD(changes)
		f.scatter = math.Max(sd*sd, 1e-9)
	case n >= fewChanges: // of so few the variance may be half of what it should
		f.scatter = math.Max(2*stat.Variance(changes, nil), 1e-9)
	}
	return f
}

// trend enters the drift of the depth between the watermarks, where the ratio
// of capacities is the ratio of items put to items taken: over the longest
// stretch there, over what follows the pauses, or over all of a steady state
// that touched neither.
func (e *evidence) trend(r *Readings, u *DepthUse, pace *Pace, s *SteadyState, n noise) {
	if u == nil || u.Pinned || r == nil || r.Queue == nil {
		return
	}
	lo := u.MinReady
	if u.Gate == "start" || u.Gate == "none" {
		lo = 0
	}
	f := longestFree(r.Queue.Depth, s.Running, lo, u.Capacity)
	seconds := secondsOf(s.Running)
	free := u.untouched() && f.scatter > 0 && f.seconds > freeTime*seconds
	if e.counts {
		if free && e.slight() {
			e.free(1)
		}
		return
	}
	if g := releasedFree(r.Queue.Depth, s.Released, lo, u.Capacity); !free && g.scatter > 0 && g.seconds > freeTime*secondsOf(s.Released) {
		f, free = g, true
	}
	switch {
	case free:
		e.free(1)
		e.drift(f, pace, u, lo)
	case f.tells(u.Capacity-lo, seconds):
		e.free(f.within(s.Spans))
		e.drift(f, pace, u, lo)
	case u.untouched() && pace != nil && pace.ItemsS != nil:
		e.moved(u, pace.ItemsS.Mid*s.Seconds(), n)
	}
}

// untouched reports whether the depth stayed between the watermarks.
func (u *DepthUse) untouched() bool { return u.AtCap <= touchedFull && u.BelowGate <= touchedGate }

// moved enters the change of a depth over all items.
func (e *evidence) moved(u *DepthUse, items float64, n noise) {
	if items < driftItems {
		return
	}
	t := term{source: "depth trend", what: "ratio", value: math.Log1p(max(u.Moved/items, -0.9)), sd: math.Hypot(math.Sqrt(n.sum/items), ratioError)}
	e.enter(t, fmt.Sprintf("the depth moved by %+.0f over %.0f items and touched neither watermark", u.Moved, items), nil, u.At)
}

// driftItems: under so many, a drift is less than a walk by chance (chosen: the
// ratio is then off by 0.1 and more).
const driftItems = 50

// drift enters a depth that ran between the watermarks. Where nothing counts
// items their number is as little known as K, but not the one over the other:
// the scatter of the depth is that of the items in that time, and K that of the
// buffer, so what the depth did tells the product of ratio and K.
func (e *evidence) drift(f freeRun, pace *Pace, u *DepthUse, lo float64) {
	t := term{source: "depth trend", what: "drift", power: 1}
	words := fmt.Sprintf("the depth moved by %+.0f in %.0f s between the watermarks, where its scatter makes ±%.0f", f.moved, f.seconds, f.wander())
	if pace != nil && pace.ItemsS != nil {
		items := pace.ItemsS.Mid * f.seconds
		if items < driftItems {
			return
		}
		t.what, t.value, t.sd = "ratio", math.Log1p(max(f.moved/items, -0.9)), math.Hypot(f.wander()/items, ratioError)
		words = fmt.Sprintf("the depth moved by %+.0f over %.0f items between the watermarks", f.moved, items)
	} else {
		per := 2 * buffer(u.Capacity, lo, u.Gate) / (f.scatter * f.seconds)
		t.value, t.sd = f.moved*per, math.Max(f.wander(), math.Sqrt(math.Abs(f.moved)))*per
	}
	e.enter(t, words, nil, u.At)
}

// within is the part of spans that the stretch takes.
func (f *freeRun) within(spans []span) float64 {
	var both float64
	for _, x := range f.spans {
		for _, s := range spans {
			both += max(float64(min(x.to, s.to)-max(x.from, s.from))/1e9, 0)
		}
	}
	return min(both/max(secondsOf(spans), 1e-9), 1)
}

// free: while neither end of the queue is touched, activity tells nothing of the
// waits that the sides will have once it is full or empty.
func (e *evidence) free(part float64) {
	e.unbound = part
	e.terms = slices.DeleteFunc(e.terms, func(t term) bool {
		return t.what == "coupling" || t.what == "height" && part > freeTime
	})
	for i := range e.terms {
		e.terms[i].free = part
	}
}

// slight reports whether the smaller of both measured waits is as small as that
// of a queue which touched neither end.
func (e *evidence) slight() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return t.what == "coupling" && t.value > touchedGate })
}
