package infer

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"tidemark/internal/shard"
	"tidemark/internal/stats"
	"tidemark/model"
)

// QueueReadings is one source of queue readings. A series that it lacks is empty.
type QueueReadings struct {
	File                                int32
	Name                                string
	Depth                               Points
	Capacity, MinReady                  levels
	Puts, Gets, PutWait, GetWait, Input Points
	First                               model.Pos
	Rows                                int
	Resets                              []model.Pos // rows in which a counter falls
	FromLog                             bool
	odd                                 [nSeries]noCounts
	labelled                            bool    // of one worker, or of one role
	summed                              []int32 // files whose counters were added up
	t                                   []int64 // ns, of all rows with a time
	last                                [nSeries]float64
}

// Waits reports whether the source has counters of waiting.
func (q *QueueReadings) Waits() bool { return len(q.PutWait.T) > 1 && len(q.GetWait.T) > 1 }

// queueKey tells queues of different recordings, names and labels apart.
type queueKey struct {
	file         int32
	name         int32
	role, worker int32
}

// queuesOf lists the queues of a run, the best recorded first.
func queuesOf(run *model.Run) []*QueueReadings {
	all, runs := queueRuns(run)
	var fell [nSeries][]fallenRow
	shard.Each(nSeries, func(i int) { fell[i] = takeSeries(run, runs, i) })
	noteResets(run, runs, slices.Concat(fell[:]...))
	var list []*QueueReadings
	for _, q := range all {
		q.settle()
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *QueueReadings) int {
		return cmp.Or(boolCompare(b.Waits(), a.Waits()), cmp.Compare(len(b.Depth.T), len(a.Depth.T)),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name), cmp.Compare(a.First.Line, b.First.Line))
	})
	return list
}

func bestQueue(list []*QueueReadings) *QueueReadings {
	if len(list) == 0 {
		return nil
	}
	return ofWorkers(list[0], list)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// A levels is the readings of a setting that hardly ever changes.
type levels map[float64]int // by value

// median is NaN where there is no reading.
func (l levels) median() float64 {
	v, w := make([]float64, 0, len(l)), make([]float64, 0, len(l))
	for _, x := range slices.Sorted(maps.Keys(l)) {
		v, w = append(v, x), append(w, float64(l[x]))
	}
	if len(v) == 0 {
		return math.NaN()
	}
	return stats.Weighted(v, w, 0.5)[0]
}

// count adds the values of the rows from and up to to.
func (l *levels) count(b *model.Reader, col, from, to int) {
	last, n := 0.0, 0
	if v := b.Floats(col); v != nil {
		last, n, from = sameFrom(v, from, to)
	}
	for r := from; r < to; r++ {
		v, ok := b.Float(col, r)
		if !ok || !(v >= 0 && v < maxCount) {
			continue
		}
		if v != last && n > 0 {
			l.add(last, n)
			n = 0
		}
		last, n = v, n+1
	}
	l.add(last, n)
}

// sameFrom returns the value at from, if it may be a setting, how many times it
// stands there in turn, and the index behind.
func sameFrom(v []float64, from, to int) (last float64, n, next int) {
	if from == to || !(v[from] >= 0 && v[from] < maxCount) {
		return 0, 0, from
	}
	for next = from; next < to && v[next] == v[from]; {
		next++
	}
	return v[from], next - from, next
}

func (l *levels) add(v float64, n int) {
	if n == 0 || len(*l) > maxLevels {
		return
	}
	if *l == nil {
		*l = levels{}
	}
	(*l)[v] += n
}

// maxLevels: a setting with more values than this is none.
const maxLevels = 1 << 12

// nSeries is how many series a source may have.
const nSeries = 6

// queueSeries are the columns behind QueueReadings.series, in its order.
var queueSeries = [nSeries]int{
	model.QueueDepth, model.QueuePuts, model.QueueGets, model.QueuePutWait, model.QueueGetWait, model.QueueInputWait,
}

// counters is the first of queueSeries that only grows.
const counters = 1

func (q *QueueReadings) series() [nSeries]*Points {
	return [nSeries]*Points{&q.Depth, &q.Puts, &q.Gets, &q.PutWait, &q.GetWait, &q.Input}
}

func queueKeyOf(file int32, b *model.Reader, r int) queueKey {
	name, _ := b.Text(model.QueueName, r)
	role, _ := b.Text(model.QueueRole, r)
	worker, _ := b.Text(model.QueueWorker, r)
	return queueKey{file, name, role, worker}
}

// sameQueue returns the key of a row in a recording's file, and the first row
// after it with another one.
func sameQueue(file int32, b *model.Reader, from int) (k queueKey, to int) {
	to = b.Rows()
	for _, col := range [...]int{model.QueueName, model.QueueRole, model.QueueWorker} {
		codes := b.Texts(col)
		for r := from; r < min(to, len(codes)); r++ {
			if codes[r] != codes[from] {
				to = r
			}
		}
	}
	return queueKeyOf(file, b, from), to
}

// queueOf returns the readings with a key; the first of a run get room for all
// rows, since there is mostly one queue.
func queueOf(run *model.Run, all map[queueKey]*QueueReadings, k queueKey, b *model.Reader, r int) *QueueReadings {
	q := all[k]
	if q == nil {
		q = &QueueReadings{File: k.file, Name: run.Text(k.name), First: run.Pos(b.Batch, r), FromLog: run.Files[b.File].Format == "train-log"}
		q.labelled = run.Text(k.role) != "" || run.Text(k.worker) != ""
		if len(all) == 0 {
			n := run.Queue.Rows()
			q.t = make([]int64, 0, n)
			for i, col := range queueSeries {
				if b.Has(col) {
					q.series()[i].V = make([]float64, 0, n)
				}
			}
		}
		all[k] = q
	}
	return q
}

// maxCount bounds what a counter or a depth may be: 2^53, up to which a float
// counts exactly. Readings below 0 or above are no readings.
const maxCount = 1 << 53

// maxOver is how many times its capacity a queue may seem to hold, as where one
// counts items and the other batches. Beyond that it is no depth: bytes, or a
// counter of 32 bits below 0.
const maxOver = 1000

// beyondCapacity reports whether any row has a depth that cannot be beside its
// own capacity.
func beyondCapacity(b *model.Reader, from, to int) bool {
	if !b.Has(model.QueueCapacity) {
		return false
	}
	if d, c := b.Floats(model.QueueDepth), b.Floats(model.QueueCapacity); d != nil && c != nil {
		for r := from; r < to; r++ {
			if d[r] > maxOver*c[r] && c[r] > 0 && d[r] < maxCount {
				return true
			}
		}
		return false
	}
	for r := from; r < to; r++ {
		d, ok := b.Float(model.QueueDepth, r)
		c, ok2 := b.Float(model.QueueCapacity, r)
		if ok && ok2 && c > 0 && d > maxOver*c && d < maxCount {
			return true
		}
	}
	return false
}

// own gives a series that shares the times of the rows its own.
func (q *QueueReadings) own(s *Points) {
	if s.T == nil {
		s.T = append(make([]int64, 0, cap(s.V)), q.t[:len(s.V)]...)
	}
}

// isCount reports whether a value may be a count.
func isCount(v float64) bool { return v >= 0 && v < maxCount }

// counts reports whether all values may be counts.
func counts(v []float64) bool {
	for _, x := range v {
		if !isCount(x) {
			return false
		}
	}
	return true
}

// settle gives every series its times, in order.
func (q *QueueReadings) settle() {
	sorted := slices.IsSorted(q.t)
	for _, s := range q.series() {
		switch {
		case len(s.V) == 0:
			*s = Points{}
		case s.T == nil && sorted:
			s.T = q.t[:len(s.V):len(s.V)]
		default:
			q.own(s)
			s.sorted()
		}
	}
}
