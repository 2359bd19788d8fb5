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

// LogReadings are the log's series that inference uses, by canonical key.
type LogReadings struct {
	File  int32
	Keys  map[string]Points
	Units map[string]string
	First map[string]model.Pos
	Steps Points // step counter
}

// A runSeries is every source's series, before one is chosen.
type runSeries struct {
	queue *QueueReadings
	logs  map[int32]*LogReadings // by file
}

// SeriesOf collects the series of a run.
var SeriesOf = &Analyzer{
	Name: "series",
	Doc: `Queue counters and log series of every source, on the run's clock.

Where several sources give the depth, the one with wait counters is taken, then the one with most readings. Counters that are kept by worker or role are added up. A source whose clock could not be placed is left out.`,
	Run: func(p *Pass) (any, error) {
		return &runSeries{bestQueue(p.Run), logSeries(p.Run)}, nil
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

// logSeries reads the metrics of every log.
func logSeries(run *model.Run) map[int32]*LogReadings {
	logs := map[int32]*LogReadings{}
	keys := logKeys{make([]int32, run.Strings.Len()), make([]*Points, run.Strings.Len())}
	for file, batches := range logBatches(run) {
		l := &LogReadings{File: file, Keys: map[string]Points{}, Units: map[string]string{}, First: map[string]model.Pos{}}
		logs[file] = l
		l.read(run, batches, keys)
	}
	return logs
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
	source []int32 // of a batch's rows, nil where none has one
	code   int32
}

func telemetryIn(run *model.Run, b *model.Batch) telemetry {
	return telemetry{b.Texts(model.MetricSource), run.Strings.Find(model.Telemetry)}
}

func (t telemetry) row(r int) bool { return t.source != nil && t.source[r] == t.code }

// telemetryOnly reports whether a batch holds nothing else; a file of W&B holds both.
func telemetryOnly(run *model.Run, b *model.Batch) bool {
	t := telemetryIn(run, b)
	for r := range b.Rows() {
		if !t.row(r) {
			return false
		}
	}
	return true
}

// fill takes series that inference asks for from another log of the same time.
func (l *LogReadings) fill(o *LogReadings) {
	if n := len(l.Steps.T); o != l && n > 0 {
		for _, key := range []string{keyItems, keyPutWait, keyGateWait, keyInputWait, keyDepth} {
			p := o.Keys[key]
			_, has := l.Keys[key]
			if m := len(p.T); has || m == 0 || p.T[0] > l.Steps.T[n-1] || p.T[m-1] < l.Steps.T[0] {
				continue
			}
			l.Keys[key], l.Units[key], l.First[key] = p, o.Units[key], o.First[key]
		}
	}
}

func (l *LogReadings) worth() int {
	n := len(l.Steps.T)
	for k, p := range l.Keys {
		if k == keyTokens || k == keyItems {
			n += 1000 * len(p.T)
		}
	}
	return n
}

// Keys of the log series that inference uses, as the log format names them.
const (
	keyTokens    = "tok_s"
	keyItems     = "items_s"
	keyPutWait   = "put_wait"
	keyGateWait  = "gate_wait"
	keyInputWait = "input_wait"
	keyLoss      = "loss"
	keyDepth     = "depth"
)

// logBatches are the batches of metrics by the recording they are of, without those
// of devices and of files whose clock could not be placed.
func logBatches(run *model.Run) map[int32][]*model.Batch {
	by := map[int32][]*model.Batch{}
	for _, b := range run.Metrics.Batches {
		if placed(run, b) && !telemetryOnly(run, b) {
			file := run.Recorder(b.File)
			by[file] = append(by[file], b)
		}
	}
	return by
}

// logKeys are the series of one log by the code of their key, and how long
// they get, 0 for one that is not used. One pair serves all logs in turn.
type logKeys struct {
	rows   []int32
	series []*Points
}

func (l *LogReadings) read(run *model.Run, batches []*model.Batch, keys logKeys) {
	var codes []int32
	for _, b := range batches {
		for _, code := range b.Texts(model.MetricKey) {
			if keys.rows[code]++; keys.rows[code] == 1 {
				codes = append(codes, code)
			}
		}
	}
	for _, code := range codes {
		if !used(run.Text(code)) {
			keys.rows[code] = 0
		}
	}
	last := int64(-1)
	for _, b := range batches {
		last = l.batch(run, b, keys, last)
	}
	for _, code := range codes {
		if p := keys.series[code]; p != nil {
			l.Keys[run.Text(code)] = *p
		}
		keys.rows[code], keys.series[code] = 0, nil
	}
}

// used reports whether inference asks for the series of a key.
func used(key string) bool {
	switch key {
	case keyTokens, keyItems, keyPutWait, keyGateWait, keyInputWait, keyLoss, keyDepth:
		return true
	}
	return residence(key)
}

// batch adds a batch to the series. last is the time of the last step, and so
// is what it returns.
func (l *LogReadings) batch(run *model.Run, b *model.Batch, keys logKeys, last int64) int64 {
	device := telemetryIn(run, b)
	for r, code := range b.Texts(model.MetricKey) {
		if device.row(r) {
			continue
		}
		x := recordOf(b, r)
		if x.t == noTime {
			continue
		}
		if n := keys.rows[code]; n > 0 {
			l.value(run, b, r, x.t, &keys.series[code], int(n))
		}
		if x.t != last && x.step != noStep {
			l.Steps.add(x.t, float64(x.step))
			last = x.t
		}
	}
	return last
}

// value adds the value of a row to its series, which gets room for n readings.
func (l *LogReadings) value(run *model.Run, b *model.Batch, r int, t int64, series **Points, n int) {
	v, ok := b.Float(model.MetricValue, r)
	if !ok {
		return
	}
	if *series == nil {
		*series = l.open(run, b, r, n)
	}
	(*series).add(t, v)
}

// open begins the series of a row's key, with room for n readings.
func (l *LogReadings) open(run *model.Run, b *model.Batch, r, n int) *Points {
	code, _ := b.Text(model.MetricKey, r)
	unit, _ := b.Text(model.MetricUnit, r)
	key := run.Text(code)
	l.First[key], l.Units[key] = run.Pos(b, r), run.Text(unit)
	p := pointsFor(n)
	return &p
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
