package queuesim

import (
	"math"
	"math/rand/v2"
)

// What a worker's pending event means.
type phase uint8

const (
	atPrompt  phase = iota // the loader hands out a prompt
	atLock                 // a part of a service that needs no lock ends
	atHold                 // it gets the lock
	atDone                 // the service ends
	atRelease              // a pause ends
)

// A worker is one target or drafter. It has one pending event at most.
type worker struct {
	at      float64 // of the event, +Inf while it waits for others
	phase   phase
	drafter bool
	state   State
	since   float64 // when it entered the state
	pieces  int     // of the service that need the lock and are left
	hold    float64 // s of each
	free    float64 // s of the service that need none and are left
	strewn  bool    // the pieces lie anywhere
	length  float64 // of the item it works on or holds
	waited  float64 // at the queue, after the warm-up
}

// An engine is one run in progress.
type engine struct {
	*Config
	rec                   *Recorder
	w                     []worker
	target, drafter       lognormal
	loader, lengths       lognormal
	gaps                  *rand.Rand // between the pieces of a service that need the lock
	wander                [2]path
	now, start            float64 // start: end of the warm-up, +Inf before
	depth, puts, gets     int
	ring                  []float64 // lengths of the queued items
	born                  []float64 // when they were put
	head                  int
	blocked, waiting      fifo
	open                  bool
	arrived               int // drafters at the barrier
	lockFree, promptAt    float64
	pauseAt               float64
	ended                 [6]float64 // waits that have ended, worker-seconds
	total                 [2][6]float64
	depthTime             []float64
	depthSince            float64
	firstGets, firstDepth int
	residence             float64
}

// A fifo holds worker numbers; each worker stands in it once at most.
type fifo struct {
	list    []int
	head, n int
}

func newFIFO(size int) fifo { return fifo{list: make([]int, size)} }

func (f *fifo) push(v int) {
	f.list[(f.head+f.n)%len(f.list)] = v
	f.n++
}

func (f *fifo) pop() int {
	v := f.list[f.head]
	f.head = (f.head + 1) % len(f.list)
	f.n--
	return v
}

func newEngine(c *Config, rec *Recorder) *engine {
	n := c.Targets + c.Drafters
	e := &engine{
		Config: c, rec: rec, w: make([]worker, n), start: math.Inf(1), pauseAt: math.Inf(1),
		target:  newLognormal(c.Target.Mean, c.Target.CV, c.Target.List, c.Seed, 1),
		drafter: newLognormal(c.Drafter.Mean, c.Drafter.CV, c.Drafter.List, c.Seed, 2),
		ring:    make([]float64, c.Capacity), born: make([]float64, c.Capacity),
		blocked: newFIFO(n), waiting: newFIFO(n), depthTime: make([]float64, c.Capacity+1),
		wander: [2]path{newPath(c.Target.Wander, c.Seed, 5), newPath(c.Drafter.Wander, c.Seed, 6)},
	}
	if c.LoaderRate > 0 {
		e.loader = newLognormal(1/c.LoaderRate, c.LoaderCV, nil, c.Seed, 3)
	}
	e.lengths = newLognormal(1, c.LengthCV, nil, c.Seed, 4)
	e.gaps = rand.New(rand.NewPCG(c.Seed, 7))
	if c.Pause.Every > 0 {
		e.pauseAt = c.Pause.Every
	}
	if c.Warm == 0 && c.WarmItems == 0 {
		e.begin()
	}
	for i := range e.w {
		e.w[i].drafter = i >= c.Targets
		e.w[i].at = math.Inf(1)
		if e.w[i].drafter {
			e.ask(i)
		} else {
			e.request(i)
		}
	}
	return e
}

// run handles events in the order of their times.
func (e *engine) run() {
	end := math.Inf(1)
	if e.Horizon > 0 {
		end = e.Horizon
	}
	for e.Items == 0 || e.gets < e.Items {
		i := e.next()
		t := e.w[i].at
		if math.IsInf(t, 1) || t > end {
			e.advance(min(t, end))
			return
		}
		e.advance(t)
		e.handle(i)
	}
}

// next returns the worker whose event comes first. With ten workers a scan is
// faster than a heap.
func (e *engine) next() int {
	best, at := 0, e.w[0].at
	for i := 1; i < len(e.w); i++ {
		if e.w[i].at < at {
			best, at = i, e.w[i].at
		}
	}
	return best
}

// advance moves the clock. A run that is stuck goes to its horizon, or stays.
func (e *engine) advance(t float64) {
	if math.IsInf(t, 1) {
		return
	}
	if e.rec != nil && e.rec.Every > 0 {
		e.rec.until(t, e)
	}
	if math.IsInf(e.start, 1) && t >= e.Warm && e.gets >= e.WarmItems {
		at := e.now
		if e.WarmItems == 0 {
			at = e.Warm
		}
		e.now = at
		e.begin()
	}
	e.now = t
}

// begin ends the warm-up.
func (e *engine) begin() {
	e.start, e.firstGets, e.firstDepth, e.depthSince = e.now, e.gets, e.depth, e.now
}

func (e *engine) handle(i int) {
	w := &e.w[i]
	switch w.phase {
	case atPrompt:
		e.serve(i)
	case atLock:
		start := max(e.now, e.lockFree)
		e.lockFree = start + w.hold
		if start == e.now {
			e.hold(w)
			return
		}
		e.enter(i, WaitLock)
		w.at, w.phase = start, atHold
	case atHold:
		e.enter(i, Busy)
		e.hold(w)
	case atRelease:
		e.serve(i)
	case atDone:
		if w.drafter {
			e.finish(i)
		} else {
			e.put(i)
		}
	}
}

// hold takes the lock for one piece, and works on to the next one.
func (e *engine) hold(w *worker) {
	w.pieces--
	e.work(w, e.now+w.hold)
}

// work goes on without the lock, up to the next of the pieces that need it: they
// lie anywhere in what is left, and a single one at its end.
func (e *engine) work(w *worker, from float64) {
	gap := w.free
	if w.pieces > 0 && w.strewn {
		gap *= 1 - math.Pow(e.gaps.Float64(), 1/float64(w.pieces))
	}
	w.free -= gap
	w.at, w.phase = from+gap, atDone
	if w.pieces > 0 {
		w.phase = atLock
	}
}

// enter moves a worker to a state, and books the time in the last one.
func (e *engine) enter(i int, s State) {
	w := &e.w[i]
	if d := e.now - max(w.since, e.start); d > 0 {
		e.book(w, d)
	}
	if w.state != Busy {
		e.ended[w.state] += e.now - w.since
	}
	w.state, w.since = s, e.now
	e.rec.change(e.now, i, s)
}

func (e *engine) book(w *worker, d float64) {
	side := Target
	if w.drafter {
		side = Drafter
	}
	e.total[side][w.state] += d
	if w.state == WaitPut || w.state == WaitGate {
		w.waited += d
	}
}

// serve begins a service.
func (e *engine) serve(i int) {
	w := &e.w[i]
	svc, draw, k, side := &e.Target, &e.target, i, Target
	if w.drafter {
		svc, draw, k, side = &e.Drafter, &e.drafter, i-e.Targets, Drafter
	}
	d := draw.draw() * w.length / svc.speed(k) / e.wander[side].until(e.now)
	if svc.Drift != 0 && e.Horizon > 0 {
		d *= math.Exp(svc.Drift * e.now / e.Horizon)
	}
	e.enter(i, Busy)
	w.at, w.phase = e.now+d, atDone
	if svc.Lock > 0 {
		w.pieces = 1
		if w.strewn = svc.Hold > 0; w.strewn {
			w.pieces = max(int(math.Ceil(svc.Lock*d/svc.Hold)), 1)
		}
		w.hold, w.free = svc.Lock*d/float64(w.pieces), (1-svc.Lock)*d
		e.work(w, e.now)
	}
}

func (e *engine) result() Result {
	if math.IsInf(e.start, 1) {
		return Result{}
	}
	for i := range e.w {
		e.enter(i, e.w[i].state)
	}
	e.holdDepth()
	r := Result{Seconds: e.now - e.start, Items: e.gets - e.firstGets, Depth: e.depthTime, FirstDepth: e.firstDepth, LastDepth: e.depth}
	if r.Seconds <= 0 {
		return r
	}
	r.Rate = float64(r.Items) / r.Seconds
	share := func(side int, s State, n int) float64 { return e.total[side][s] / (float64(n) * r.Seconds) }
	r.Put, r.Input = share(Target, WaitPut, e.Targets), share(Target, WaitInput, e.Targets)
	r.Gate = share(Drafter, WaitGate, e.Drafters)
	r.Lock = [2]float64{share(Target, WaitLock, e.Targets), share(Drafter, WaitLock, e.Drafters)}
	for i := range e.w {
		side := Target
		if e.w[i].drafter {
			side = Drafter
		}
		r.Busy[side] = append(r.Busy[side], 1-e.w[i].waited/r.Seconds)
	}
	for d := range r.Depth {
		r.Depth[d] /= r.Seconds
		r.Queued += float64(d) * r.Depth[d]
	}
	if r.Items > 0 {
		r.Residence = e.residence / float64(r.Items)
	}
	return r
}
