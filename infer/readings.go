package infer

import (
	"slices"

	"tidemark/internal/stats"
	"tidemark/model"
)

func median(v []float64) float64 { return stats.Median(v) }

// Readings is what the run's sources say over time, each as a series: the
// queue's counters and depth, and the numbers of the training log.
type Readings struct {
	Queue *QueueReadings // the best source of depth, nil where there is none
	Log   *LogReadings   // nil where no log has a series
	Start int64          // ns, of the run's own record
	End   int64
}

// A runSeries is every source's series, before one is chosen.
type runSeries struct {
	queue *QueueReadings
	other *QueueChoice           // nil where no other queue runs beside it
	logs  map[int32]*LogReadings // by file
}

// SeriesOf collects the series of a run.
var SeriesOf = &Analyzer{
	Name: "series",
	Doc: `Queue counters and log series of every source, on the run's clock.

Where several sources give the depth, the one with wait counters is taken, then the one with most readings. Counters that are kept by worker or role are added up. A source whose clock could not be placed is left out.`,
	Run: func(p *Pass) (any, error) {
		list := queuesOf(p.Run)
		return &runSeries{bestQueue(list), chosenQueue(p.Run, list), logSeries(p.Run)}, nil
	},
}

// ReadingsOf chooses among the series of a run.
var ReadingsOf = &Analyzer{
	Name: "readings",
	Doc: `The series that the other analyzers use: the queue's, and those of one log.

Of several logs the one with most rates is taken, and what it lacks from the others of the same time. An average since the start is replaced by the rate between lines.`,
	Requires: []*Analyzer{SeriesOf, LogSenseOf},
	Run: func(p *Pass) (any, error) {
		sense, _ := Result[*LogSense](p, LogSenseOf)
		series, _ := Result[*runSeries](p, SeriesOf)
		r := &Readings{Queue: series.queue, Log: bestLog(series.logs, sense)}
		r.Start, r.End = extent(p.Run, r)
		if r.End <= r.Start {
			return nil, &SkipError{Needs: "a training log or queue counters with times", Record: "python train.py 2>&1 | tee train.log"}
		}
		return r, nil
	},
}

// bestLog returns the log with most readings of throughput, or of anything,
// with what it lacks from the others.
func bestLog(logs map[int32]*LogReadings, sense *LogSense) *LogReadings {
	var best *LogReadings
	files := slices.Sorted(mapKeys(logs))
	for _, f := range files {
		l := logs[f]
		sense.replace(l)
		if best == nil || l.worth() > best.worth() {
			best = l
		}
	}
	for _, f := range files {
		best.fill(logs[f])
	}
	return best
}

// telemetry tells the rows that are readings of a device or the host.
type telemetry struct {
	rows *model.Batch
	code int32 // of their source, -1 where there are none
}

func telemetryIn(run *model.Run, b *model.Batch) telemetry {
	return telemetry{b, run.Strings.Find(model.Telemetry)}
}

// record reports whether the rows of a record are such, by the first of them.
func (t telemetry) record(record int) bool {
	if t.code < 0 {
		return false
	}
	source, ok := t.rows.RecordText(model.MetricSource, record)
	return ok && source == t.code
}

// telemetryOnly reports whether a batch holds nothing else; a file of W&B holds both.
func telemetryOnly(run *model.Run, b *model.Batch) bool {
	code := run.Strings.Find(model.Telemetry)
	for r := range b.Rows() {
		if source, ok := b.Text(model.MetricSource, r); !ok || source != code {
			return false
		}
	}
	return true
}

// extent is the time that the run's own record covers: its log and counters,
// or, where it has neither, everything.
func extent(run *model.Run, r *Readings) (first, last int64) {
	own := func(i int) bool {
		file := run.Recorder(int32(i))
		return run.Files[i].Format == "train-log" || r.Log != nil && file == r.Log.File || r.Queue != nil && file == r.Queue.File
	}
	for _, pass := range []func(int) bool{own, func(int) bool { return true }} {
		for i, f := range run.Files {
			if !f.Clock.Placed || f.First == 0 || !pass(i) {
				continue
			}
			if first == 0 || f.First < first {
				first = f.First
			}
			last = max(last, f.Last)
		}
		if last > first {
			return first, last
		}
	}
	return first, last
}
