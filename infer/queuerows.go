package infer

import (
	"cmp"
	"fmt"
	"slices"

	"tidemark/model"
)

// A queueRun is rows of a batch, one behind the other, that are of one queue.
type queueRun struct {
	q        *QueueReadings
	batch    *model.Batch
	from, to int
	had      int  // times of the queue before these
	timed    bool // each row has one
}

// queueRuns lists the queues of a run and the rows of each, whose times and
// settings are taken.
func queueRuns(run *model.Run) (all map[queueKey]*QueueReadings, list []queueRun) {
	all = map[queueKey]*QueueReadings{}
	b := model.NewReader(model.Queue, model.QueueT, model.QueueName, model.QueueRole, model.QueueWorker, model.QueueCapacity, model.QueueMinReady)
	for _, batch := range run.Queue.Batches {
		if !placed(run, batch) {
			continue
		}
		b.Read(batch)
		for from := 0; from < b.Rows(); {
			k, to := sameQueue(run.Recorder(b.File), b, from)
			q := queueOf(run, all, k, b, from)
			list = append(list, q.begin(b, from, to))
			from = to
		}
	}
	return all, list
}

// begin takes the times and settings of the rows from and up to to.
func (q *QueueReadings) begin(b *model.Reader, from, to int) queueRun {
	had := len(q.t)
	if t := b.Ints(model.QueueT); t != nil {
		q.t = append(q.t, t[from:to]...)
	} else {
		for r := from; r < to; r++ {
			if t, ok := b.Int(model.QueueT, r); ok {
				q.t = append(q.t, t)
			}
		}
	}
	q.Rows = len(q.t)
	q.Capacity.count(b, model.QueueCapacity, from, to)
	q.MinReady.count(b, model.QueueMinReady, from, to)
	return queueRun{q, b.Batch, from, to, had, q.Rows-had == to-from}
}

// A fallenRow is one whose counter is lower than that of the row before.
type fallenRow struct{ run, row int }

// noCounts are cells of a series that are no count; the first is in run at.
type noCounts struct {
	model.Odd
	at int
}

func (o *noCounts) add(run int, pos model.Pos, format string, args ...any) {
	if o.N == 0 {
		o.at = run
	}
	o.Add(model.SyntaxError{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// takeSeries takes the series i of all queues, and returns the rows in which it
// falls though it only grows. Several take other series at the same time.
func takeSeries(run *model.Run, runs []queueRun, i int) (fell []fallenRow) {
	col := queueSeries[i]
	b := model.NewReader(model.Queue, col)
	if col == model.QueueDepth {
		b = model.NewReader(model.Queue, col, model.QueueCapacity)
	}
	for n := range runs {
		x := &runs[n]
		s := x.q.series()[i]
		if !x.batch.Has(col) && len(s.V) == 0 {
			continue
		}
		if b.Batch != x.batch {
			b.Read(x.batch)
		}
		x.q.take(run, b, i, n, x)
		if i >= counters && b.Has(col) {
			fell = x.q.falls(b, i, n, x, fell)
		}
	}
	return fell
}

// take takes the series i of run n. A series that has had a value in every row so
// far has no times of its own: it shares those of the rows.
func (q *QueueReadings) take(run *model.Run, b *model.Reader, i, n int, x *queueRun) {
	s, col, from, to := q.series()[i], queueSeries[i], x.from, x.to
	v := b.Floats(col)
	beyond := col == model.QueueDepth && beyondCapacity(b, from, to)
	if x.timed && v != nil && s.T == nil && len(s.V) == x.had && counts(v[from:to]) && !beyond {
		s.V = append(s.V, v[from:to]...)
		return
	}
	q.own(s)
	for r := from; r < to; r++ {
		t, ok := b.Batch.Int(model.QueueT, r)
		v, ok2 := b.Float(col, r)
		switch {
		case ok2 && !isCount(v):
			q.odd[i].add(n, run.Pos(b.Batch, r), "%.4g, want a count", v)
		case ok2 && beyond && beyondCapacity(b, r, r+1):
			c, _ := b.Float(model.QueueCapacity, r)
			q.odd[i].add(n, run.Pos(b.Batch, r), "depth %.0f, want items in a queue that holds %.0f", v, c)
		case ok && ok2:
			s.add(t, v)
		}
	}
}

// falls adds the rows of run n in which the series i is lower than before. What is
// no count is left out, and said to be.
func (q *QueueReadings) falls(b *model.Reader, i, n int, x *queueRun, fell []fallenRow) []fallenRow {
	last, r := q.last[i], x.from
	for v := b.Floats(queueSeries[i]); v != nil && r < x.to && v[r] >= last && v[r] < maxCount; r++ {
		last = v[r]
	}
	for ; r < x.to; r++ {
		v, ok := b.Float(queueSeries[i], r)
		if !ok || !isCount(v) {
			continue
		}
		if v < last {
			fell = append(fell, fallenRow{n, r})
		}
		last = v
	}
	q.last[i] = last
	return fell
}

// noteResets notes the rows in which any counter falls.
func noteResets(run *model.Run, runs []queueRun, fell []fallenRow) {
	slices.SortFunc(fell, func(a, b fallenRow) int { return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.row, b.row)) })
	for _, f := range slices.Compact(fell) {
		x := &runs[f.run]
		x.q.Resets = append(x.q.Resets, run.Pos(x.batch, f.row))
	}
}

// allNoCounts are all cells of a queue's series that are no count.
func (q *QueueReadings) allNoCounts() (o model.Odd) {
	at := 0
	for i := range q.odd {
		s := &q.odd[i]
		if s.N > 0 && (o.N == 0 || s.at < at || s.at == at && s.First.Pos.Line < o.First.Pos.Line) {
			at, o.First = s.at, s.First
		}
		o.N += s.N
	}
	return o
}
