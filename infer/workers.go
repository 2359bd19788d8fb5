package infer

import (
	"cmp"
	"fmt"
	"slices"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// Workers reads the workers' own counters.
var Workers = &Analyzer{
	Name: "workers",
	Doc: `Items and busy share of each worker, where queue readings are kept by worker, and those far behind their side's median.

Over the steady state. A side is stated by the rows' role, else by what the worker counts: puts are a target's, gets a drafter's. A straggler is 15 % under the median of three workers or more; one that waits more than the others is starved, not slow.`,
	Requires: []*Analyzer{ReadingsOf, Steady},
	Run: func(p *Pass) (any, error) {
		s, ok := Result[*SteadyState](p, Steady)
		if !ok {
			return nil, &SkipError{Needs: "a steady state"}
		}
		list := workersOf(p.Run, s)
		if len(list) == 0 {
			return nil, &SkipError{Needs: "counters of each worker", Record: "the queue's counters with a column worker (and role), one row per worker and reading"}
		}
		for _, w := range list {
			p.Out.Workers = append(p.Out.Workers, w.worker())
		}
		for _, side := range []string{model.Target, model.Drafter} {
			stragglers(p, list, side)
		}
		return list, nil
	},
}

// A workerCount is the growth of one worker's counters over the steady state.
type workerCount struct {
	side, name        string
	first             model.Pos
	from, to          int64
	puts, gets        growth
	putWait, gateWait growth
}

// growth sums up the rises of a counter; a fall is a restart and adds nothing.
type growth struct {
	last, sum float64
	n         int
}

func (g *growth) add(v float64) {
	if g.n > 0 && v > g.last {
		g.sum += v - g.last
	}
	g.last = v
	g.n++
}

// maxWorkers bounds what is kept of labels that are no workers.
const maxWorkers = 4096

func queueReader() *model.Reader {
	return model.NewReader(
		model.Queue, model.QueueT, model.QueueName, model.QueueRole, model.QueueWorker, model.QueueDepth, model.QueueCapacity,
		model.QueueMinReady, model.QueuePuts, model.QueueGets, model.QueuePutWait, model.QueueGetWait, model.QueueInputWait,
	)
}

func workersOf(run *model.Run, s *SteadyState) []*workerCount {
	all := map[queueKey]*workerCount{}
	b := queueReader()
	for _, batch := range run.Queue.Batches {
		if !placed(run, batch) || !batch.Has(model.QueueWorker) {
			continue
		}
		b.Read(batch)
		for r := range b.Rows() {
			t, ok := b.Int(model.QueueT, r)
			if !ok || t < s.From || t > s.To {
				continue
			}
			name, ok := b.Text(model.QueueWorker, r)
			if !ok || run.Text(name) == "" {
				continue
			}
			k := queueKeyOf(run.Recorder(b.File), b, r)
			w := all[k]
			if w == nil {
				if len(all) >= maxWorkers {
					continue
				}
				role, _ := b.Text(model.QueueRole, r)
				w = &workerCount{name: run.Text(name), side: cmp.Or(wordRole(run.Text(role)), wordRole(run.Text(name))), first: run.Pos(batch, r), from: t}
				all[k] = w
			}
			w.add(b, r, t)
		}
	}
	var list []*workerCount
	for _, w := range all {
		if w.settle() {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *workerCount) int {
		return cmp.Or(cmp.Compare(b.side, a.side), cmp.Compare(a.name, b.name), cmp.Compare(a.first.File, b.first.File), cmp.Compare(a.first.Line, b.first.Line))
	})
	return list
}

func (w *workerCount) add(b *model.Reader, r int, t int64) {
	w.from, w.to = min(w.from, t), max(w.to, t)
	for _, c := range []struct {
		col int
		to  *growth
	}{{model.QueuePuts, &w.puts}, {model.QueueGets, &w.gets}, {model.QueuePutWait, &w.putWait}, {model.QueueGetWait, &w.gateWait}} {
		if v, ok := b.Float(c.col, r); ok {
			c.to.add(v)
		}
	}
}

// settle finds the side, and reports whether there is anything to count.
func (w *workerCount) settle() bool {
	if w.side != model.Target && w.side != model.Drafter {
		switch {
		case w.puts.sum > 0 && w.gets.sum == 0:
			w.side = model.Target
		case w.gets.sum > 0 && w.puts.sum == 0:
			w.side = model.Drafter
		default:
			return false
		}
	}
	items, _ := w.counts()
	return w.to > w.from && items.n > 1
}

// counts are the counters of the worker's own end of the queue.
func (w *workerCount) counts() (items, wait growth) {
	if w.side == model.Target {
		return w.puts, w.putWait
	}
	return w.gets, w.gateWait
}

func (w *workerCount) rate() float64 {
	items, _ := w.counts()
	return items.sum / (float64(w.to-w.from) / 1e9)
}

// busy is 1 - the share of waiting, nil where that is not counted or impossible.
func (w *workerCount) busy() *float64 {
	_, wait := w.counts()
	share := wait.sum / (float64(w.to-w.from) / 1e9)
	if wait.n < 2 || share > 1+waitSlack {
		return nil
	}
	return new(1 - min(share, 1))
}

func (w *workerCount) worker() model.Worker {
	return model.Worker{Side: w.side, Worker: w.name, ItemsS: new(w.rate()), Busy: w.busy()}
}

// stragglers reports the workers of a side that are far behind its median.
func stragglers(p *Pass, list []*workerCount, side string) {
	var rates, busy []float64
	for _, w := range list {
		if w.side == side {
			rates = append(rates, w.rate())
			if b := w.busy(); b != nil {
				busy = append(busy, *b)
			}
		}
	}
	if len(rates) < minWorkers {
		return
	}
	typical := stats.Median(rates)
	for _, w := range list {
		if w.side != side || w.rate() >= (1-straggler)*typical {
			continue
		}
		why, advice := "", "Look at that worker's device (clock, power, other processes) and its share of long items; in step with others, it sets their pace."
		if b := w.busy(); b != nil && len(busy) == len(rates) {
			m := stats.Median(busy)
			why = fmt.Sprintf(", and it is busy %s of its time against %s", say.Percent(*b), say.Percent(m))
			if *b < m-straggler {
				why, advice = why+": it is starved, not slow", "See why this worker comes late to the queue: order of waking, placement, its own input."
			}
		}
		p.Find(model.Finding{
			ID: "workers.straggler",
			Claim: fmt.Sprintf("Worker %s makes %.3g items/s, %s under the median %.3g of the %d %s workers%s.",
				w.name, w.rate(), say.Percent(1-w.rate()/typical), typical, len(rates), side, why),
			Evidence: []model.Evidence{{What: "items/s of the worker", Value: w.rate(), Unit: "items/s", At: []model.Pos{w.first}}},
			Advice:   advice,
		})
	}
}
