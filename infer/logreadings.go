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
	// others are how many readings of waits are in seconds, by key: not shares of time,
	// which the series of a wait are.
	others map[string]int
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
	keys := newLogKeys(run)
	for file, batches := range logBatches(run) {
		l := &LogReadings{File: file, Keys: map[string]Points{}, Units: map[string]string{}, First: map[string]model.Pos{}, others: map[string]int{}}
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
	waits  *textSet // of which only shares of time, with this unit, make a series
	ratio  int32
	rows   []int32
	series []*Points
	others []int32 // readings of waits in seconds
	codes  []int32 // for which one of these is set
}

func newLogKeys(run *model.Run) *logKeys {
	n := run.Strings.Len()
	return &logKeys{
		used: newTextSet(run, used), waits: newTextSet(run, isWait), ratio: run.Strings.Find("ratio"),
		rows: make([]int32, n), series: make([]*Points, n), others: make([]int32, n),
	}
}

func (l *LogReadings) read(run *model.Run, batches []*model.Batch, keys *logKeys) {
	var rows []model.Labelled
	var records []uint16
	lists := make([][]model.Labelled, len(batches)) // rows of each batch that go into series
	steps := 0
	for i, b := range batches {
		records = b.RecordsWith(records[:0], model.MetricStep)
		steps += len(records)
		rows = b.Labelled(rows[:0], model.MetricKey, model.MetricUnit, func(key, _ int32) bool { return keys.used.has(key) })
		lists[i] = slices.Clone(l.choose(run, b, keys, rows))
	}
	l.Steps = pointsFor(steps)
	last := int64(-1)
	for i, b := range batches {
		l.values(run, b, keys, lists[i])
		records = b.RecordsWith(records[:0], model.MetricStep)
		last = l.steps(run, b, records, last)
	}
	l.settle(run, keys)
	l.Steps.sorted()
}

// settle puts the series in order and makes room for those of another log.
func (l *LogReadings) settle(run *model.Run, keys *logKeys) {
	for _, code := range keys.codes {
		key := run.Text(code)
		if p := keys.series[code]; p != nil {
			p.sorted()
			l.Keys[key] = *p
		}
		l.others[key] = int(keys.others[code])
		keys.rows[code], keys.series[code], keys.others[code] = 0, nil, 0
	}
	keys.codes = keys.codes[:0]
}

// note keeps in mind that something will be counted of a code.
func (k *logKeys) note(code int32) {
	if k.rows[code] == 0 && k.others[code] == 0 {
		k.codes = append(k.codes, code)
	}
}

// used reports whether inference asks for the series of a key.
func used(key string) bool {
	switch key {
	case keyTokens, keyItems, keyLoss, keyDepth:
		return true
	}
	return isWait(key) || residence(key)
}

func isWait(key string) bool { return key == keyPutWait || key == keyGateWait || key == keyInputWait }

// choose returns those of rows that go into series, in their memory, and looks at the
// others: waits in seconds, which lineWaits measures by the whole record.
func (l *LogReadings) choose(run *model.Run, b *model.Batch, keys *logKeys, rows []model.Labelled) []model.Labelled {
	device, n := telemetryIn(run, b), 0
	var values []float64 // where each row has one, and nothing else must be asked
	if device.code < 0 && b.Full(model.MetricT) {
		values = b.Floats(model.MetricValue)
	}
	for _, x := range rows {
		if !keys.waits.has(x.Key) || x.Unit == keys.ratio {
			rows[n] = x
			n++
			keys.note(x.Key)
			keys.rows[x.Key]++
			continue
		}
		r := int(x.Row)
		if values != nil && values[r] >= 0 && values[r] < maxCount && keys.others[x.Key] > 0 {
			keys.others[x.Key]++
			continue
		}
		v, ok := b.Float(model.MetricValue, r)
		if !ok || !b.OK(model.MetricT, r) || device.record(int(x.Record)) {
			continue
		}
		if !(v >= 0 && v < maxCount) {
			l.leaveOut(run.Text(x.Key), v, run.Pos(b, r))
			continue
		}
		keys.note(x.Key)
		if keys.others[x.Key]++; keys.others[x.Key] == 1 {
			l.First[run.Text(x.Key)] = run.Pos(b, r) // until a series of the key begins
		}
	}
	return rows[:n]
}

// values adds rows of a batch to the series.
func (l *LogReadings) values(run *model.Run, b *model.Batch, keys *logKeys, rows []model.Labelled) {
	device := telemetryIn(run, b)
	for _, x := range rows {
		at := int(x.Record)
		if t, ok := b.RecordInt(model.MetricT, at); ok && !device.record(at) {
			l.value(run, b, x, t, keys)
		}
	}
}

// steps adds the steps of a batch, those of its records that have one. last is the time of
// the last step, and so is what it returns.
func (l *LogReadings) steps(run *model.Run, b *model.Batch, records []uint16, last int64) int64 {
	device := telemetryIn(run, b)
	for _, k := range records {
		at := int(k)
		t, ok := b.RecordInt(model.MetricT, at)
		if !ok || t == last || device.record(at) {
			continue
		}
		step, _ := b.RecordInt(model.MetricStep, at)
		l.Steps.add(t, float64(step))
		last = t
	}
	return last
}

// value adds the value of a row to the series of its key.
func (l *LogReadings) value(run *model.Run, b *model.Batch, x model.Labelled, t int64, keys *logKeys) {
	v, ok := b.Float(model.MetricValue, int(x.Row))
	if !ok {
		return
	}
	if !(v >= 0 && v < maxCount) {
		if key := run.Text(x.Key); !measured(key, v) {
			l.leaveOut(key, v, run.Pos(b, int(x.Row)))
			return
		}
	}
	series := keys.series[x.Key]
	if series == nil {
		series = l.open(run, b, x, int(keys.rows[x.Key]))
		keys.series[x.Key] = series
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
func (l *LogReadings) open(run *model.Run, b *model.Batch, x model.Labelled, n int) *Points {
	key := run.Text(x.Key)
	l.First[key], l.Units[key] = run.Pos(b, int(x.Row)), run.Text(x.Unit)
	p := pointsFor(n)
	return &p
}
