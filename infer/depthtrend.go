package infer

import (
	"fmt"
	"math"

	"tidemark/internal/stats"
)

// A freeRun is the longest stretch in which the depth lay between the
// watermarks, so that neither side waited for the queue: there the depth is a
// walk whose drift is the difference of the sides' capacities.
type freeRun struct {
	moved   float64 // items, change of the depth
	seconds float64
	scatter float64 // items²/s: variance of the change a second, NaN where not known
}

// wander is how far a walk without drift gets in that time (standard deviation).
func (f *freeRun) wander() float64 { return math.Sqrt(f.scatter * f.seconds) }

// tells reports whether the stretch says how the sides compare. One of many is
// chosen, so it counts where it is most of a run of so many seconds, or went
// further than a walk without drift does. room lies between the watermarks.
func (f *freeRun) tells(room, seconds float64) bool {
	if !(f.scatter > 0) {
		return false
	}
	return f.seconds > freeTime*seconds || math.Abs(f.moved) > max(freeMoved*room, 3*f.wander())
}

// freeLags is how many changes of the depth the scatter is taken from: long
// enough that single items do not count, enough for an error of a fifth.
const freeLags = 40

// freeRunOf finds it in spans, lo and hi out of reach.
func freeRunOf(depth Points, spans []span, lo, hi float64) freeRun {
	gap := int64(holdGap(depth) * 1e9)
	var longest Points
	for _, x := range spans {
		p := depth.between(x.from, x.to)
		for from := 0; from < len(p.T); {
			to := from
			for to < len(p.T) && p.V[to] > lo+1 && p.V[to] < hi-1 && (to == from || p.T[to]-p.T[to-1] <= gap) {
				to++
			}
			if n := len(longest.T); to-from > 2 && (n == 0 || p.T[to-1]-p.T[from] > longest.T[n-1]-longest.T[0]) {
				longest = Points{p.T[from:to], p.V[from:to]}
			}
			from = max(to, from+1)
		}
	}
	f := freeRun{scatter: math.NaN()}
	if n := len(longest.T); n > 0 {
		f.moved, f.seconds = longest.V[n-1]-longest.V[0], float64(longest.T[n-1]-longest.T[0])/1e9
		f.measure(longest, depth.step())
	}
	return f
}

// measure takes the scatter from changes over equal times.
func (f *freeRun) measure(p Points, step float64) {
	lag := int64(math.Max(f.seconds/freeLags, step) * 1e9)
	var changes []float64
	at := 0
	for i := range p.T {
		if d := p.T[i] - p.T[at]; d >= lag {
			changes = append(changes, (p.V[i]-p.V[at])/math.Sqrt(float64(d)/1e9))
			at = i
		}
	}
	if len(changes) >= freeLags/4 {
		sd := stats.MAD(changes)
		f.scatter = math.Max(sd*sd, 1e-9)
	}
}

// trend enters the drift of the depth between the watermarks, where the ratio
// of capacities is the ratio of items put to items taken: over the longest
// stretch there, or over all of a steady state that touched neither.
func (e *evidence) trend(r *Readings, u *DepthUse, pace *Pace, s *SteadyState, n noise) {
	if e.counts || u == nil || r == nil || r.Queue == nil {
		return
	}
	lo := u.MinReady
	if u.Gate == "start" || u.Gate == "none" {
		lo = 0
	}
	f := freeRunOf(r.Queue.Depth, s.Running, lo, u.Capacity)
	if f.tells(u.Capacity-lo, secondsOf(s.Running)) {
		e.drift(f, pace, n, u)
		return
	}
	if pace == nil || pace.ItemsS == nil || u.AtCap > 0.01 || u.BelowGate > 0.02 {
		return
	}
	items := pace.ItemsS.Mid * s.Seconds()
	if items < 50 {
		return
	}
	change := u.Last - u.First
	ratio := math.Log1p(max(change/items, -0.9))
	e.enter(term{source: "depth trend", what: "ratio", value: ratio, sd: math.Hypot(math.Sqrt(n.sum/items), ratioError)},
		fmt.Sprintf("the depth moved by %+.0f over %.0f items and touched neither watermark", change, items), nil, u.At)
}

// drift enters a depth that ran from near one watermark towards the other.
// Where nothing counts items its rate is taken from the depth's own scatter,
// which makes it too high where several items are taken at once: then the
// ratio is at least that far from 1.
func (e *evidence) drift(f freeRun, pace *Pace, n noise, u *DepthUse) {
	t := term{source: "depth trend", what: "ratio", power: 1}
	words := "the depth moved by %+.0f over %.0f items between the watermarks"
	items := 0.0
	if pace != nil && pace.ItemsS != nil {
		items = pace.ItemsS.Mid * f.seconds
		t.value = math.Log1p(max(f.moved/items, -0.9))
	} else {
		items = f.scatter / n.sum * f.seconds
		t.value, t.bound = math.Log1p(max(f.moved/items, -0.9))*math.Exp(-rateSpread), 1
		if f.moved < 0 {
			t.bound = -1
		}
		words = "the depth moved by %+.0f over about %.0f items, by its scatter, between the watermarks"
	}
	if items < 50 {
		return
	}
	t.sd = math.Hypot(f.wander()/items, ratioError)
	e.enter(t, fmt.Sprintf(words, f.moved, items), nil, u.At)
}
