package infer

import (
	"math"
	"slices"

	"tidemark/model"
)

// LogReadings are the log's series that inference uses, by canonical key.
type LogReadings struct {
	File  int32
	Keys  map[string]Points
	Units map[string]string
	First map[string]model.Pos
	Steps Points // step counter
	odd   []oddReading
}

// An odd reading was printed and is no measurement: the first of its key.
type oddReading struct {
	key   string
	value float64
	at    model.Pos
	n     int
}

// logSeries reads the metrics of every log.
func logSeries(run *model.Run) map[int32]*LogReadings {
	logs := map[int32]*LogReadings{}
	keys := logKeys{newTextSet(run, used), make([]int32, run.Strings.Len()), make([]*Points, run.Strings.Len())}
	for file, batches := range logBatches(run) {
		l := &LogReadings{File: file, Keys: map[string]Points{}, Units: map[string]string{}, First: map[string]model.Pos{}}
		logs[file] = l
		l.read(run, batches, keys)
	}
	return logs
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
// they get. They serve all logs in turn.
type logKeys struct {
	used   *textSet
	rows   []int32
	series []*Points
}

func (l *LogReadings) read(run *model.Run, batches []*model.Batch, keys logKeys) {
	var codes []int32
	var rows []uint16
	lists := make([][]uint16, len(batches)) // rows of each batch with keys that are used
	steps := 0
	for i, b := range batches {
		rows = b.RecordsWith(rows[:0], model.MetricStep)
		steps += len(rows)
		rows = b.RowsWith(rows[:0], model.MetricKey, keys.used.has)
		lists[i] = slices.Clone(rows)
		for _, r := range rows {
			code, _ := b.Text(model.MetricKey, int(r))
			if keys.rows[code]++; keys.rows[code] == 1 {
				codes = append(codes, code)
			}
		}
	}
	l.Steps = pointsFor(steps)
	last := int64(-1)
	reader := model.NewReader(model.Metrics, model.MetricT, model.MetricSource, model.MetricStep, model.MetricValue)
	for i, b := range batches {
		reader.Read(b)
		l.values(run, reader, keys, lists[i])
		rows = b.RecordsWith(rows[:0], model.MetricStep)
		last = l.steps(run, reader, rows, last)
	}
	for _, code := range codes {
		if p := keys.series[code]; p != nil {
			p.sorted()
			l.Keys[run.Text(code)] = *p
		}
		keys.rows[code], keys.series[code] = 0, nil
	}
	l.Steps.sorted()
}

// used reports whether inference asks for the series of a key.
func used(key string) bool {
	switch key {
	case keyTokens, keyItems, keyPutWait, keyGateWait, keyInputWait, keyLoss, keyDepth:
		return true
	}
	return residence(key)
}

// values adds rows of a batch to the series.
func (l *LogReadings) values(run *model.Run, b *model.Reader, keys logKeys, rows []uint16) {
	device := telemetryIn(run, b)
	for _, row := range rows {
		r := int(row)
		if t, ok := b.Int(model.MetricT, r); ok && !device.record(r) {
			code, _ := b.Batch.Text(model.MetricKey, r)
			l.value(run, b, r, t, keys, code)
		}
	}
}

// steps adds the steps of a batch, those of its records that have one. last is the time of
// the last step, and so is what it returns.
func (l *LogReadings) steps(run *model.Run, b *model.Reader, records []uint16, last int64) int64 {
	device := telemetryIn(run, b)
	for _, k := range records {
		r := b.FirstRow(int(k))
		t, ok := b.Int(model.MetricT, r)
		if !ok || t == last || device.record(r) {
			continue
		}
		step, _ := b.Int(model.MetricStep, r)
		l.Steps.add(t, float64(step))
		last = t
	}
	return last
}

// value adds the value of a row to the series of its key.
func (l *LogReadings) value(run *model.Run, b *model.Reader, r int, t int64, keys logKeys, code int32) {
	v, ok := b.Float(model.MetricValue, r)
	if !ok {
		return
	}
	if !(v >= 0 && v < maxCount) {
		if key := run.Text(code); !measured(key, v) {
			l.leaveOut(key, v, run.Pos(b.Batch, r))
			return
		}
	}
	series := keys.series[code]
	if series == nil {
		series = l.open(run, b.Batch, r, int(keys.rows[code]))
		keys.series[code] = series
	}
	series.add(t, v)
}

// measured reports whether a value can be what its key says: a rate, a wait or
// a depth is not below 0 nor beyond counting, and a loss is a number.
func measured(key string, v float64) bool {
	if key == keyLoss {
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return v >= 0 && v < maxCount
}

func (l *LogReadings) leaveOut(key string, v float64, at model.Pos) {
	for i := range l.odd {
		if o := &l.odd[i]; o.key == key {
			o.n++
			return
		}
	}
	l.odd = append(l.odd, oddReading{key, v, at, 1})
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
