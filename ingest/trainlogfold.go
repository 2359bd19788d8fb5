package ingest

import (
	"fmt"
	"maps"
	"slices"

	"tidemark/model"
)

// logLimits are how many rows and steps of a log are held. Where there are
// more, one in two records of the kinds that have most is dropped, as often as
// needed and evenly over the log; the next one's rates take in theirs. Chance
// names the one that goes: what recurs with every eighth record would else be
// seen in all that are held, or in none.
type logLimits struct{ metrics, queue, steps int }

// A logFold is the model.Folder of a log.
type logFold struct {
	limits  logLimits
	next    logLimits // limits, or more where folding could not drop enough
	metrics rowFold
	queue   rowFold
	folded  bool
}

func newLogFold(limits logLimits) *logFold {
	return &logFold{
		limits: limits, next: limits,
		metrics: rowFold{groups: map[uint64]*foldGroup{}}, queue: rowFold{groups: map[uint64]*foldGroup{}},
	}
}

// Full implements model.Folder.
func (f *logFold) Full(out *model.RunBuilder) bool {
	return out.Metrics.Rows() > f.next.metrics || out.Queue.Rows() > f.next.queue || len(out.Log.Steps) > f.next.steps
}

// Fold implements model.Folder.
func (f *logFold) Fold(out *model.RunBuilder) {
	f.fold(out, len(out.Metrics.Batches), len(out.Queue.Batches))
}

// fold drops rows of the first batches of the metrics and the queue. It returns
// how many batches of the metrics are gone.
func (f *logFold) fold(out *model.RunBuilder, metrics, queue int) (gone int) {
	f.folded = true
	before := out.Metrics.Rows() + out.Queue.Rows()
	f.metrics.rate = rateUnits(out.Strings)
	gone = f.metrics.fold(out.Metrics, metrics, f.limits.metrics, metricRecords, func(bool) {})
	codes, kept, n := out.Log.Queue, out.Log.Queue[:0], 0
	f.queue.fold(out.Queue, queue, f.limits.queue, func() foldRecord { return queueRecords(codes) }, func(keep bool) {
		if keep {
			kept = append(kept, codes[n])
		}
		n++
	})
	out.Log.Queue = append(kept, codes[n:]...)
	out.Log.Steps = foldSteps(out.Log.Steps)
	out.Dropped += before - out.Metrics.Rows() - out.Queue.Rows()
	more := func(limit, held int) int { return max(limit, held+limit/4) }
	f.next = logLimits{
		more(f.limits.metrics, out.Metrics.Rows()), more(f.limits.queue, out.Queue.Rows()), more(f.limits.steps, len(out.Log.Steps)),
	}
	return gone
}

// drop folds what a parser has read so far, but for batches that may change.
func (p *logParser) drop() {
	last := len(p.out.Metrics.Batches) - 1
	if p.waiting {
		last = min(last, p.waitAt.batch)
	}
	p.waitAt.batch -= p.fold.fold(p.out, max(last, 0), max(len(p.out.Queue.Batches)-1, 0))
}

// A logFailures counts errors and tracebacks in a stretch of a log, as long as
// a part at most.
type logFailures struct {
	stretch int64
	n       int
}

// more reports whether another one is kept. A log may hold millions, each with
// a text of its own.
func (f *logFailures) more(p *logParser) bool {
	if p.fold == nil {
		return true
	}
	if at := p.offset / mostPart; at > f.stretch {
		*f = logFailures{stretch: at}
	}
	f.n++
	if f.n > model.MaxLogFailures {
		p.out.Dropped++
		p.out.File.Note(fmt.Sprintf("more than %d errors in %d MiB of the log: the first are kept of each such stretch; with --tables all are", model.MaxLogFailures, mostPart>>20))
	}
	return f.n <= model.MaxLogFailures
}

// held lists the kinds of record that are held in part.
func (f *logFold) held() (list []model.Held) {
	for _, key := range slices.Sorted(maps.Keys(f.metrics.groups)) {
		if g := f.metrics.groups[key]; g.every > 1 {
			list = append(list, model.Held{Template: int32(key >> 32), Source: int32(uint32(key)), Every: g.every})
		}
	}
	return list
}

// note says what is held of a log.
func (f *logFold) note(out *model.RunBuilder) {
	every := 1
	for _, fold := range []*rowFold{&f.metrics, &f.queue} {
		for _, g := range fold.groups {
			every = max(every, g.every)
		}
	}
	held := out.Metrics.Rows() + out.Queue.Rows()
	out.File.Note(fmt.Sprintf("a long log: %d of %d rows are held, of the most frequent records one in %d, evenly; with --tables all are", held, out.Rows(), every))
}

// metricRecords tells records by template, source and place.
func metricRecords() foldRecord {
	line, off, last := int32(-1), int64(-1), uint64(0)
	return func(b *model.Batch, k, _ int) (uint64, bool) {
		template, _ := b.RecordText(model.MetricTemplate, k)
		source, ok := b.RecordText(model.MetricSource, k)
		if !ok {
			source = model.NoSource
		}
		key := uint64(template)<<32 | uint64(uint32(source))
		atLine, atOff := b.RecordLine(k), b.RecordByte(k)
		same := atLine == line && atOff == off && key == last
		line, off, last = atLine, atOff, key
		return key, same
	}
}

// queueRecords takes each row for a record of the template with its code.
func queueRecords(codes []int32) foldRecord {
	return func(_ *model.Batch, _, n int) (uint64, bool) { return uint64(codes[n]), false }
}

// keptSteps is how many last steps of a stretch are kept: two of them differ,
// unless a counter stands still for as many records.
const keptSteps = 8

// foldSteps drops steps from the middle of stretches in which the counter of a
// template does not fall: what tells a restart are the steps around it.
func foldSteps(steps []model.StepMark) []model.StepMark {
	rises, drop := map[int32][]int{}, make([]bool, len(steps))
	for i, s := range steps {
		rise := rises[s.Template]
		if n := len(rise); n > 0 && (s.Step < steps[rise[n-1]].Step || s.Epoch < steps[rise[n-1]].Epoch) {
			rise = rise[:0]
		}
		if len(rise) > keptSteps {
			drop[rise[1]] = true
			rise = slices.Delete(rise, 1, 2)
		}
		rises[s.Template] = append(rise, i)
	}
	kept := steps[:0]
	for i, s := range steps {
		if !drop[i] {
			kept = append(kept, s)
		}
	}
	return kept
}
