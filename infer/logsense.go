package infer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tidemark/model"
)

// A LogSense is what the logs' own numbers say about each other, whether or not
// they have times.
type LogSense struct {
	logs       []*sensedLog
	Cumulative []Cumulative
}

// LogSenseOf holds numbers of logs against each other.
var LogSenseOf = &Analyzer{
	Name: "log-sense",
	Doc: `Recognises averages since the start among the rates of a log, and takes the rate between lines from them.

An average since the start times the time since the start is work done, so its differences are the rate. Right where the time since the start is printed beside it, or the writer's name for it is known; else only a curve that rises or falls all the way and ever more slowly is taken for one.`,
	Run: func(p *Pass) (any, error) {
		s := &LogSense{logs: senseLogs(p.Run)}
		for _, l := range s.logs {
			s.Cumulative = append(s.Cumulative, l.cumulative()...)
		}
		return s, nil
	},
}

// A sensed series is one key of one log, in the order of the file.
type sensed struct {
	key, unit string
	role      senseRole
	log       *sensedLog
	at        []int32 // the record of each value, among those of the log
	v         []float64
}

// A logRecord is what the rows of one line or record of a log have in common.
// The lines of console text in a binary log lie in its records, several in one,
// so that the offset alone does not tell them apart.
type logRecord struct {
	file, line, source int32
	off, session       int64
	t                  int64 // noTime where there is none
	step               int64 // noStep where there is none
}

// record returns the record of a value.
func (s *sensed) record(i int) *logRecord { return &s.log.records[s.at[i]] }

// times are those of the records.
func (s *sensed) times() []int64 {
	t := make([]int64, len(s.at))
	for i := range t {
		t[i] = s.record(i).t
	}
	return t
}

const (
	noTime = math.MinInt64
	noStep = math.MinInt64
)

type senseRole uint8

const (
	senseNone senseRole = iota
	senseRate           // work a second
	senseMean           // a mean of step times since the start
	senseElapsed
	senseTokens // tokens of one step
	senseLoss
	senseNorm
	senseMFU
	senseStepTime
)

// A sensedLog is the series of one recording that are held against each other.
type sensedLog struct {
	run      *model.Run
	file     int32
	series   map[string]*sensed
	found    []sensedKey // by the code of a key, common to all logs
	order    []string
	records  []logRecord // with values of a series
	restarts []logRestart
	first    int64 // first time, noTime for none
	session  int64
	highest  int64 // step of the session
	lastT    int64
	used     bool
	room     int              // records that there will be
	rows     []model.Labelled // memory
	stepping []uint16         // memory
}

// A logRestart is where a session ends.
type logRestart struct {
	before, after int64 // highest step, and the first one after
	gap           float64
	at            model.Pos
}

// senseElapsedKeys are names of the time since the start.
var senseElapsedKeys = []string{"train_runtime", "train_time", "elapsed", "elapsed_time", "total_time", "total time", "runtime", "_runtime", "time_elapsed"}

// senseTokenKeys are names of the tokens of one step.
var senseTokenKeys = []string{"num_tokens_per_step", "tokens_per_step", "total_num_tokens", "num_tokens", "n_tokens", "step_tokens", "batch_tokens"}

// senseOf says what a key is good for.
func senseOf(key, unit string) senseRole {
	low := strings.ToLower(key)
	last := low[strings.LastIndexByte(low, '/')+1:]
	switch {
	case slices.Contains(senseElapsedKeys, last):
		return senseElapsed
	case slices.Contains(senseTokenKeys, last):
		return senseTokens
	case key == "loss":
		return senseLoss
	case key == "grad_norm":
		return senseNorm
	case last == "mfu" || strings.HasSuffix(last, "_mfu"):
		return senseMFU
	case key == "step_s":
		return senseStepTime
	case unit == "s" && strings.Contains(last, "step") && strings.Contains(last, "avg"):
		return senseMean
	case isRate(unit) || rateName(last):
		return senseRate
	}
	return senseNone
}

func isRate(unit string) bool { return unit == "tokens/s" || unit == "items/s" || unit == "steps/s" }

func rateName(s string) bool {
	for _, w := range []string{"per_second", "per_sec", "persec", "throughput", "tok/s", "tokens/s", "samples/s", "tps", "tgs"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// metricReader reads all columns.
func metricReader() *model.Reader {
	return model.NewReader(
		model.Metrics, model.MetricT, model.MetricSource, model.MetricTemplate, model.MetricSession, model.MetricStep,
		model.MetricKey, model.MetricValue, model.MetricUnit,
	)
}

// senseLogs collects the series of all logs; readings of devices are none.
func senseLogs(run *model.Run) []*sensedLog {
	var logs []*sensedLog
	by, found := map[int32]*sensedLog{}, make([]sensedKey, run.Strings.Len())
	keys := newTextSet(run, func(key string) bool { return senseOf(key, "s") != senseNone })
	units := newTextSet(run, isRate)
	type part struct {
		log  *sensedLog       // nil for a batch that is of none
		rows []model.Labelled // that are held against each other
	}
	parts := make([]part, len(run.Metrics.Batches))
	for i, b := range run.Metrics.Batches {
		if telemetryOnly(run, b) {
			continue
		}
		file := run.Recorder(b.File)
		l := by[file]
		if l == nil {
			l = &sensedLog{run: run, file: file, series: map[string]*sensed{}, found: found, first: noTime, lastT: noTime}
			by[file] = l
			logs = append(logs, l)
		}
		parts[i] = part{l, l.choose(b, keys, units)}
	}
	for i, b := range run.Metrics.Batches {
		if x := parts[i]; x.log != nil {
			x.log.read(b, x.rows)
		}
	}
	return logs
}

// choose returns the rows of a batch with one of keys or units, and counts those of each key.
func (l *sensedLog) choose(b *model.Batch, keys, units *textSet) []model.Labelled {
	l.rows = b.Labelled(l.rows[:0], model.MetricKey, model.MetricUnit, func(key, unit int32) bool { return keys.has(key) || units.has(unit) })
	for i, r := range l.rows {
		k := &l.found[r.Key]
		if k.log != l {
			*k = sensedKey{log: l}
		}
		if k.room++; i == 0 || r.Record != l.rows[i-1].Record {
			l.room++
		}
	}
	return slices.Clone(l.rows)
}

// read takes rows of a batch.
func (l *sensedLog) read(b *model.Batch, list []model.Labelled) {
	device, last := telemetryIn(l.run, b), -1
	l.begin(b, device)
	l.records = slices.Grow(l.records, l.room-len(l.records))
	for _, row := range list {
		at := int(row.Record)
		if device.record(at) {
			continue
		}
		if at != last {
			l.records, last = append(l.records, recordOf(b, at)), at
		}
		k := &l.found[row.Key]
		if k.log != l {
			*k = sensedKey{log: l}
		}
		if !k.looked || k.unit != row.Unit {
			k.looked, k.unit, k.series = true, row.Unit, l.find(l.run.Text(row.Key), l.run.Text(row.Unit), k.room)
		}
		if k.series != nil {
			k.series.add(b, int(row.Row))
		}
	}
}

func recordOf(b *model.Batch, record int) logRecord {
	x := logRecord{file: b.File, line: b.RecordLine(record), off: b.RecordByte(record), t: noTime, step: noStep}
	x.session, _ = b.RecordInt(model.MetricSession, record)
	x.source, _ = b.RecordText(model.MetricSource, record)
	if t, ok := b.RecordInt(model.MetricT, record); ok {
		x.t = t
	}
	if step, ok := b.RecordInt(model.MetricStep, record); ok {
		x.step = step
	}
	return x
}

// begin takes note of the first time of the log, and follows its steps.
func (l *sensedLog) begin(b *model.Batch, device telemetry) {
	for k := 0; k < b.Records() && l.first == noTime; k++ {
		if !device.record(k) {
			l.first = recordOf(b, k).t
		}
	}
	l.stepping = b.RecordsWith(l.stepping[:0], model.MetricStep)
	for _, k := range l.stepping {
		at := int(k)
		if device.record(at) {
			continue
		}
		step, _ := b.RecordInt(model.MetricStep, at)
		session, _ := b.RecordInt(model.MetricSession, at)
		t, ok := b.RecordInt(model.MetricT, at)
		if !ok {
			t = noTime
		}
		l.stepped(b, at, step, session, t)
	}
}

// add adds the value of a row of the log's last record.
func (s *sensed) add(b *model.Batch, row int) {
	if v, ok := b.Float(model.MetricValue, row); ok {
		s.at, s.v = append(s.at, int32(len(s.log.records)-1)), append(s.v, v)
	}
}

// A sensedKey is what was found of a key the last time.
type sensedKey struct {
	log    *sensedLog
	unit   int32
	looked bool    // series is that of the key with this unit
	series *sensed // nil for a key that nothing is held against
	room   int     // rows with the key
}

// find returns the series of a key, which gets room for so many rows.
func (l *sensedLog) find(key, unit string, room int) *sensed {
	role := senseOf(key, unit)
	if role == senseNone {
		return nil
	}
	if s := l.series[key]; s != nil {
		return s
	}
	s := &sensed{key: key, unit: unit, role: role, log: l, at: make([]int32, 0, room), v: make([]float64, 0, room)}
	l.series[key] = s
	l.order = append(l.order, key)
	return s
}

// stepped follows the sessions.
func (l *sensedLog) stepped(b *model.Batch, record int, step, session, t int64) {
	switch {
	case !l.used:
		l.used, l.session, l.highest = true, session, step
	case session > l.session:
		x := logRestart{before: l.highest, after: step, at: l.run.Pos(b, b.FirstRow(record))}
		if t != noTime && l.lastT != noTime && t > l.lastT {
			x.gap = float64(t-l.lastT) / 1e9
		}
		l.restarts = append(l.restarts, x)
		l.session, l.highest = session, step
	default:
		l.highest = max(l.highest, step)
	}
	if t != noTime {
		l.lastT = t
	}
}

func (l *sensedLog) path() string { return l.run.Files[l.file].Path }

func (l *sensedLog) pos(s *sensed, i int) model.Pos {
	r := s.record(i)
	return model.Pos{File: l.run.Files[r.file].Path, Line: int(r.line), Byte: r.off}
}

// role returns the series of a role, in the order of the file.
func (l *sensedLog) role(role senseRole) []*sensed {
	var list []*sensed
	for _, k := range l.order {
		if s := l.series[k]; s.role == role {
			list = append(list, s)
		}
	}
	return list
}

// A sensedPlace is where a record stands: in its file, or in one of several
// that a rotated recording has, oldest first.
type sensedPlace struct {
	file, line int32
	off, step  int64
}

func (s *sensed) place(i int) sensedPlace {
	r := s.record(i)
	return sensedPlace{r.file, r.line, r.off, r.step}
}

func (a sensedPlace) compare(b sensedPlace) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.off, b.off), cmp.Compare(a.step, b.step))
}

// beside returns, for each value of s, the value of o in the same record, NaN
// where there is none. Both are in the order of the file.
func (s *sensed) beside(o *sensed) []float64 {
	out := make([]float64, len(s.v))
	k := 0
	for i := range s.v {
		for k < len(o.v) && o.place(k).compare(s.place(i)) < 0 {
			k++
		}
		out[i] = math.NaN()
		if k < len(o.v) && o.place(k) == s.place(i) {
			out[i] = o.v[k]
		}
	}
	return out
}
