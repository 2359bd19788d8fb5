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

// LogReadings are the log's series by canonical key.
type LogReadings struct {
	File  int32
	Keys  map[string]Points
	Units map[string]string
	First map[string]model.Pos
	Steps Points // step counter
}

// ReadingsOf collects the series of a run.
var ReadingsOf = &Analyzer{
	Name: "readings",
	Doc: `Collects queue counters and log series on the run's clock.

Where several sources give the depth, the one with wait counters is taken, then the one with most readings. Counters that are kept by worker or role are added up. Of several logs the one with most rates is taken, and what it lacks from the others of the same time. An average since the start is replaced by the rate between lines. A source whose clock could not be placed is left out.`,
	Requires: []*Analyzer{LogSenseOf},
	Run: func(p *Pass) (any, error) {
		sense, _ := Result[*LogSense](p, LogSenseOf)
		r := &Readings{Queue: bestQueue(p.Run), Log: bestLog(p.Run, sense)}
		r.Start, r.End = extent(p.Run, r)
		if r.End <= r.Start {
			return nil, &SkipError{Needs: "a training log or queue counters with times", Record: "python train.py 2>&1 | tee train.log"}
		}
		return r, nil
	},
}

// bestLog reads the metrics of the log with most readings of throughput, or of
// anything, and what it lacks from the others.
func bestLog(run *model.Run, sense *LogSense) *LogReadings {
	logs := map[int32]*LogReadings{}
	for _, b := range run.Metrics.Batches {
		if !placed(run, b) || telemetryOnly(run, b) {
			continue
		}
		l := logs[b.File]
		if l == nil {
			l = &LogReadings{File: b.File, Keys: map[string]Points{}, Units: map[string]string{}, First: map[string]model.Pos{}}
			logs[b.File] = l
		}
		l.read(run, b)
	}
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

// telemetry reports whether a row is a reading of a device or the host.
func telemetry(run *model.Run, b *model.Batch, r int) bool {
	source, ok := b.Text(model.MetricSource, r)
	return ok && run.Text(source) == model.Telemetry
}

// telemetryOnly reports whether a batch holds nothing else; a file of W&B holds both.
func telemetryOnly(run *model.Run, b *model.Batch) bool {
	for r := range b.Rows() {
		if !telemetry(run, b, r) {
			return false
		}
	}
	return true
}

// fill takes series that inference asks for from another log of the same time.
func (l *LogReadings) fill(o *LogReadings) {
	if n := len(l.Steps.T); o != l && n > 0 {
		for _, key := range []string{keyItems, keyPutWait, keyGateWait, keyInputWait, "depth"} {
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
)

func (l *LogReadings) read(run *model.Run, b *model.Batch) {
	last := int64(-1)
	known := map[int32]*Points{} // by code: a batch has few keys and many rows
	defer func() {
		for code, p := range known {
			l.Keys[run.Text(code)] = *p
		}
	}()
	for r := range b.Rows() {
		t, ok := b.Int(model.MetricT, r)
		if !ok || telemetry(run, b, r) {
			continue
		}
		code, _ := b.Text(model.MetricKey, r)
		if v, ok := b.Float(model.MetricValue, r); ok {
			p := known[code]
			if p == nil {
				p = l.open(run, b, r, code)
				known[code] = p
			}
			p.add(t, v)
		}
		if s, ok := b.Int(model.MetricStep, r); ok && t != last {
			l.Steps.add(t, float64(s))
			last = t
		}
	}
}

// open returns the series of a key so far, and notes where a new one begins.
func (l *LogReadings) open(run *model.Run, b *model.Batch, r int, code int32) *Points {
	key := run.Text(code)
	if _, ok := l.First[key]; !ok {
		l.First[key] = run.Pos(b, r)
		u, _ := b.Text(model.MetricUnit, r)
		l.Units[key] = run.Text(u)
	}
	p := l.Keys[key]
	return &p
}

// extent is the time that the run's own record covers: its log and counters,
// or, where it has neither, everything.
func extent(run *model.Run, r *Readings) (first, last int64) {
	own := func(f *model.File) bool {
		return f.Format == "train-log" || r.Log != nil && f == run.Files[r.Log.File] || r.Queue != nil && f == run.Files[r.Queue.File]
	}
	for _, pass := range []func(*model.File) bool{own, func(*model.File) bool { return true }} {
		for _, f := range run.Files {
			if !f.Clock.Placed || f.First == 0 || !pass(f) {
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
