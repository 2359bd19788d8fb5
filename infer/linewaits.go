package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/internal/shard"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A lineWait is one kind of record that prints how long its worker waited, and
// how long the rest of its time took: "got item queue_get_ms=85 fwd_bwd_ms=230
// optim_ms=21", "step=5: step=1.2s data=0.31s compute=0.88s".
type lineWait struct {
	lineLayout
	workers map[int64]*lineWorker // by file and source
	counted int                   // workers that have records in the steady state
	recent  [8]lineRecent
	first   model.Pos
	block   int // of the record before, -1
	begun   int // blocks
	n       int
	// How often the wait was longer, or shorter, than in the worker's record before.
	rises, falls int
	fits         waitFits
	mixed        bool // a worker prints records of several kinds
	// By the steps that records stand for, and by the records, as many as the log has.
	bySteps, byRecords lineSums
}

// fromLines measures waits by records that account for their workers' time.
func fromLines(p *Pass, u *WaitUse, topo *model.Topology, s *SteadyState) {
	if u.Put != nil && u.Gate != nil && u.Input != nil || !printsWaits(p.Run) {
		return
	}
	by := map[string][]*lineWait{}
	for _, x := range append(lineWaits(p.Run, s), sheetWaits(p.Run, s)...) {
		by[x.key] = append(by[x.key], x)
	}
	for _, key := range []string{keyPutWait, keyGateWait, keyInputWait} {
		dst, side := waitSlot(key, u, topo)
		if len(by[key]) == 0 || *dst != nil {
			continue
		}
		x := oneWait(by[key], s, side)
		w, closed := x.measure(s, side)
		if w == nil {
			continue
		}
		if slope, yes := x.fits.overlapping(); yes && !x.mixed && !x.oneName(s, side) {
			checkOverlap(p, key, slope)
			continue
		}
		*dst, u.FromLog = w, true
		if key == keyPutWait && len(x.parts) > 1 {
			u.Rest = w.rest(closed)
		}
	}
}

// waitSlot returns where a wait belongs and how many workers its side has, 0
// where that is not known.
func waitSlot(key string, u *WaitUse, topo *model.Topology) (dst **Wait, workers int) {
	known := topo.TargetWorkers
	switch key {
	case keyPutWait:
		dst = &u.Put
	case keyInputWait:
		dst = &u.Input
	case keyGateWait:
		dst, known = &u.Gate, topo.DrafterWorkers
	}
	if known != nil {
		workers = *known
	}
	return dst, workers
}

// rest is the share of time that records do not account for.
func (w *Wait) rest(closed float64) *Wait {
	open := max(1-closed, 0)
	return &Wait{
		Share:  model.Interval{Lo: 0, Mid: open, Hi: open},
		SD:     open / 2, // anything from nothing to all of it
		Source: w.Source, At: w.At,
	}
}

// oneName reports that all workers of a side print under one name.
func (x *lineWait) oneName(s *SteadyState, side int) bool {
	return x.counted == 1 && side > 1 && x.closed(s, len(s.Blocks)) > closedTo
}

// measure returns the share of waiting and the share of time that the records
// account for. The wait is nil where that is not all of their workers' time: of
// those that print, or of the whole side where it prints under one name.
func (x *lineWait) measure(s *SteadyState, side int) (w *Wait, closed float64) {
	closed, workers := x.closed(s, len(s.Blocks)), float64(x.counted)
	if x.oneName(s, side) {
		closed, workers = closed/float64(side), float64(side)
	}
	if x.n < leastLines || !(closed >= closedFrom && closed <= closedTo) || x.grows() {
		return nil, closed
	}
	w = &Wait{Source: x.first.File, At: []model.Pos{x.first}}
	var num, den []float64
	sums := x.sums()
	for i, b := range s.Blocks {
		if sums.spent[i] == 0 {
			w.Blocks = append(w.Blocks, math.NaN())
			continue
		}
		num, den = append(num, sums.waited[i]), append(den, b.seconds()*workers*max(closed, 1))
		w.Blocks = append(w.Blocks, num[len(num)-1]/den[len(den)-1])
	}
	w.Share = stats.Ratio(num, den)
	// What the records do not account for may be as much waiting as the rest.
	open := w.Share.Mid * math.Abs(1/closed-1) / 2
	w.SD = math.Hypot((w.Share.Hi-w.Share.Lo)/3.92, open)
	w.Share = model.Interval{Lo: w.Share.Mid - 1.96*w.SD, Mid: w.Share.Mid, Hi: w.Share.Mid + 1.96*w.SD}
	w.Share.Lo = max(w.Share.Lo, 0)
	w.clamp()
	return w, closed
}

// A lineKind is the records of one template.
type lineKind struct {
	number int         // in the order of their first ones
	waits  []*lineWait // that they print
}

// lineWaits collects the waits that the records of all logs print, in the order
// of their first ones. The kinds of record are shared out among a few who read them at the
// same time: what a kind gives does not hang on the others.
func lineWaits(run *model.Run, s *SteadyState) []*lineWait {
	readers := 1
	if run.Metrics.Rows() >= sharedRows {
		readers = 2
	}
	found := make([][]*lineKind, readers)
	shard.Each(readers, func(i int) { found[i] = lineKinds(run, s, i, readers) })
	kinds := slices.Concat(found...)
	slices.SortFunc(kinds, func(a, b *lineKind) int { return cmp.Compare(a.number, b.number) })
	var list []*lineWait
	for _, k := range kinds {
		list = append(list, k.waits...)
	}
	return list
}

// sharedRows is from how many rows on it is worth that each reader passes over all of them.
const sharedRows = 1 << 16

// lineKinds reads the kinds of record that fall to one of some readers, in the order of
// their first ones.
func lineKinds(run *model.Run, s *SteadyState, reader, readers int) (list []*lineKind) {
	kinds, n := make([]*lineKind, run.Strings.Len()), 0 // by template
	mine := make([]uint8, len(kinds))                   // 1 for those to look at: new ones, and those with waits
	for i := range mine {
		mine[i] = 1
	}
	other := &lineKind{} // that somebody else reads
	var records []int32
	b := model.NewReader(model.Metrics, model.MetricT, model.MetricSource, model.MetricTemplate, model.MetricValue)
	for _, batch := range run.Metrics.Batches {
		if !batch.Has(model.MetricTemplate) || !placed(run, batch) || telemetryOnly(run, batch) {
			continue
		}
		b.Read(batch)
		templates := b.RecordTexts(model.MetricTemplate)
		records = recordsOf(records, templates, mine)
		offs, next := b.RecordBytes(), 0
		for _, record := range records {
			at := int(record)
			if at < next {
				continue // goes on with the one before
			}
			template := templates[at]
			if mine[template] == 0 {
				continue // since this batch
			}
			k := kinds[template]
			next = recordEnd(b, offs, at)
			from, to := b.FirstRow(at), b.FirstRow(next)
			if k == nil {
				if k = other; n%readers == reader {
					k = newLineKind(run, batch, from, to, s)
					k.number = n
					list = append(list, k)
				}
				kinds[template] = k
				n++
				if len(k.waits) == 0 {
					mine[template] = 0
				}
			}
			for _, x := range k.waits {
				if x.key != "" {
					x.add(b, at, from, to, s)
				}
			}
		}
	}
	return list
}

// recordsOf returns the records with a template that is mine, in the memory of records.
func recordsOf(records, templates []int32, mine []uint8) []int32 {
	records = slices.Grow(records[:0], len(templates))[:len(templates)]
	n := 0
	for at, template := range templates { // without a branch, which would be guessed wrong
		records[n] = int32(at)
		n += int(mine[template])
	}
	return records[:n]
}

// newLineKind returns the kind of a record.
func newLineKind(run *model.Run, batch *model.Batch, from, to int, s *SteadyState) *lineKind {
	k, b := &lineKind{}, metricReader()
	b.Read(batch)
	template, _ := b.Text(model.MetricTemplate, from)
	for _, layout := range layoutsOf(run, b, from, to) {
		k.waits = append(k.waits, newLineWait(layout, heldOf(run, template), run.Pos(b.Batch, from), s))
	}
	return k
}

func newLineWait(layout lineLayout, workers map[int64]*lineWorker, first model.Pos, s *SteadyState) *lineWait {
	return &lineWait{
		lineLayout: layout, workers: workers, first: first, block: -1,
		bySteps: newLineSums(len(s.Blocks)), byRecords: newLineSums(len(s.Blocks)),
	}
}

// After triedBlocks blocks, records that account for less than leastClosed of
// their workers' time are given up: with others of a few kinds they will not.
const (
	triedBlocks = 3
	leastClosed = 0.1
)

// closed returns the part of their workers' time that the records of the blocks
// before one account for.
func (x *lineWait) closed(s *SteadyState, before int) float64 {
	var seconds, spent float64
	for i, v := range x.sums().spent[:before] {
		if v > 0 {
			seconds, spent = seconds+s.Blocks[i].seconds(), spent+v
		}
	}
	return spent / seconds / float64(x.counted)
}

// recordEnd returns the record behind one: what is kept as several records of one place
// and template is one.
func recordEnd(b *model.Reader, offs []int64, at int) int {
	next := at + 1
	for next < len(offs) && offs[next] == offs[at] && sameRecord(b, at, next) {
		next++
	}
	return next
}

// sameRecord is for two records with one offset.
func sameRecord(b *model.Reader, at, next int) bool {
	a, r := b.FirstRow(at), b.FirstRow(next)
	x, _ := b.Text(model.MetricTemplate, a)
	y, _ := b.Text(model.MetricTemplate, r)
	return x == y && b.Line(a) == b.Line(r)
}

// add adds the record at, which has rows from from up to to, to the block of its time. One
// that prints a step stands for all steps since its worker's last one.
func (x *lineWait) add(b *model.Reader, at, from, to int, s *SteadyState) {
	w := x.worker(b, at)
	steps := w.steps(b.Batch.RecordInt(model.MetricStep, at)) // of few records
	t, ok := b.RecordInt(model.MetricT, at)
	if to-from != x.rows {
		return
	}
	waited, _ := b.Float(model.MetricValue, from+x.wait)
	x.compare(w, waited)
	if !ok {
		return
	}
	k := x.block
	if k < 0 || t <= s.Blocks[k].from || t > s.Blocks[k].to { // not that of the record before
		if k = blockAt(s.Blocks, t); k < 0 {
			return
		}
		x.block = k
		if x.begun++; x.begun == triedBlocks+1 && x.closed(s, k) < leastClosed {
			x.key = ""
			return
		}
	}
	spent := 0.0
	for _, r := range x.parts {
		v, _ := b.Float(model.MetricValue, from+r)
		spent += v
	}
	if waited >= 0 && waited <= spent {
		if !w.counted {
			w.counted = true
			x.counted++
		}
		x.n++
		if steps > 1 || w.every > 1 {
			w.point.n = 0
		} else {
			x.fit(w, t, s, k, waited, spent)
		}
		x.bySteps.add(k, steps, waited, spent)
		x.byRecords.add(k, w.every, waited, spent)
	}
}

// blockAt returns the block that holds the time before t, -1 for none.
func blockAt(blocks []span, t int64) int {
	i, _ := slices.BinarySearchFunc(blocks, t, func(b span, t int64) int { return cmp.Compare(b.to, t) })
	if i < len(blocks) && blocks[i].from < t {
		return i
	}
	return -1
}
