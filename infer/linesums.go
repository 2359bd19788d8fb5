package infer

import (
	"maps"
	"math"
	"slices"

	"tidemark/model"
)

// lineSums are worker-seconds in each block of the steady state.
type lineSums struct {
	waited []float64
	spent  []float64 // all that the records account for
	all    float64   // sum of spent
}

func newLineSums(blocks int) lineSums {
	return lineSums{waited: make([]float64, blocks), spent: make([]float64, blocks)}
}

func (x *lineSums) add(block int, times, waited, spent float64) {
	x.waited[block] += times * waited
	x.spent[block] += times * spent
	x.all += times * spent
}

// sums are those that account for more: records in part of a long log stand for
// those left out by their steps, or, where a step has several, by their number.
func (x *lineWait) sums() *lineSums {
	if x.byRecords.all > x.bySteps.all {
		return &x.byRecords
	}
	return &x.bySteps
}

// A lineWorker is one who prints records: a source in a file.
type lineWorker struct {
	every         float64 // of so many records one is held
	step          int64   // of the last record that had one
	waited        float64 // of the last record
	stepped, seen bool
	counted       bool // has records in the steady state
	point         fitPoint
}

// heldOf returns the workers of whose records of a template only a part is held.
func heldOf(run *model.Run, template int32) map[int64]*lineWorker {
	workers := map[int64]*lineWorker{}
	for _, h := range run.Held {
		if h.Template == template {
			workers[lineWorkerOf(h.File, h.Source)] = &lineWorker{every: float64(h.Every)}
		}
	}
	return workers
}

func lineWorkerOf(file, source int32) int64 { return int64(file)<<32 | int64(uint32(source)) }

// worker returns who prints a record.
func (x *lineWait) worker(b *model.Reader, record int) *lineWorker {
	source, ok := b.RecordText(model.MetricSource, record)
	if !ok {
		source = model.NoSource
	}
	k := lineWorkerOf(b.File, source)
	slot := &x.recent[uint32(source)%uint32(len(x.recent))]
	if slot.worker == nil || slot.key != k {
		w := x.workers[k]
		if w == nil {
			w = &lineWorker{every: 1}
			x.workers[k] = w
		}
		*slot = lineRecent{k, w}
	}
	return slot.worker
}

// A lineRecent is a worker who printed one of the last records, by its key in workers.
type lineRecent struct {
	key    int64
	worker *lineWorker
}

// steps returns for how many steps a record stands, 1 where it prints none.
func (w *lineWorker) steps(step int64, ok bool) float64 {
	n := 1.0
	if ok {
		if w.stepped && step > w.step {
			n = float64(step - w.step)
		}
		w.step, w.stepped = step, true
	}
	return n
}

// compare holds a wait against that of the worker's record before.
func (x *lineWait) compare(w *lineWorker, waited float64) {
	rises, falls := 0, 0 // without a branch, which would be guessed wrong
	if waited > w.waited {
		rises = 1
	}
	if waited < w.waited {
		falls = 1
	}
	if w.seen {
		x.rises, x.falls = x.rises+rises, x.falls+falls
	}
	w.waited, w.seen = waited, true
}

// grows reports a running total under a wait's name, or the mean of one: it rises
// time and again and falls as good as never, as when the process is started again.
func (x *lineWait) grows() bool { return x.rises >= leastRises && x.falls*fallsFew < x.rises }

const (
	leastRises = 8
	fallsFew   = 20
)

// oneWait puts the waits of one side together: those of all kinds of record,
// since a worker may print records in turn that differ by a field, or those of
// different workers where one kind accounts for all of its workers' time.
// What accounts best for the time is taken: a kind of its own may be that of the
// short waits.
func oneWait(list []*lineWait, s *SteadyState, side int) *lineWait {
	all := list[0].copy()
	for _, y := range list[1:] {
		all.join(y)
	}
	var some *lineWait
	for _, y := range list {
		if w, _ := y.measure(s, side); w == nil {
			continue
		}
		if some == nil {
			some = y.copy()
		} else if !some.shares(y) {
			some.join(y)
		}
	}
	if some == nil {
		return all
	}
	_, a := all.measure(s, side)
	if _, b := some.measure(s, side); math.Abs(a-1) < math.Abs(b-1) {
		return all
	}
	return some
}

// shares reports whether a worker prints records of both kinds.
func (x *lineWait) shares(y *lineWait) bool {
	for k, w := range y.workers {
		if old := x.workers[k]; w.counted && old != nil && old.counted {
			return true
		}
	}
	return false
}

func (x *lineWait) copy() *lineWait {
	c := *x
	c.workers = maps.Clone(x.workers)
	c.bySteps, c.byRecords = x.bySteps.clone(), x.byRecords.clone()
	return &c
}

func (x *lineWait) join(y *lineWait) {
	x.mixed = x.mixed || x.shares(y)
	for k, w := range y.workers {
		if old := x.workers[k]; w.counted && (old == nil || !old.counted) {
			x.workers[k] = w
			x.counted++
		}
	}
	x.n, x.rises, x.falls = x.n+y.n, x.rises+y.rises, x.falls+y.falls
	x.fits.join(&y.fits)
	x.bySteps.join(&y.bySteps)
	x.byRecords.join(&y.byRecords)
}

func (x *lineSums) clone() lineSums {
	return lineSums{slices.Clone(x.waited), slices.Clone(x.spent), x.all}
}

func (x *lineSums) join(y *lineSums) {
	for i, v := range y.spent {
		x.waited[i] += y.waited[i]
		x.spent[i] += v
	}
	x.all += y.all
}
