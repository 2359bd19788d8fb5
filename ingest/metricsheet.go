package ingest

import (
	"bytes"
	"math"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// A metricSheet writes the records of structured files of metrics: CSV, JSON
// lines, TensorBoard, W&B and their like. Names, units and canonical keys are
// those of the training log.
type metricSheet struct {
	out   *model.RunBuilder
	names map[string]sheetName
	stamp scan.Stamp
	// of the record in work
	values  []sheetValue
	numbers []float64 // memory
	layouts sheetLayouts
	t       int64
	hasT    bool
	kind    model.ClockKind
	step    int64
	rank    int // of the step's key, 0 for none
	epoch   float64
	source  int32
	session sheetSession
	label   []byte      // rank=3 and its like, of the record
	ranks   tagSessions // by label
	summary bool        // the record sums up the run
	// single says that a record is one number, whose name is no column: even a
	// step or a rank is then a metric
	single bool
	// counters says that names of counters need no _total: a table with times
	// and depths has them
	counters bool
	queue    sheetQueue
}

// A sheetName is what a name stands for.
type sheetName struct {
	role   sheetRole
	rank   int // of a step
	key    int32
	unit   int32
	scale  float64
	queue  queueRole // of a reading of a queue
	which  int32     // its name
	alone  bool      // the name says that it is a queue's
	summed int32     // key in a record that sums up the run, 0 for the same
	// total is the column of a counter of a queue, 0 for none
	total      int
	totalScale float64
}

type sheetRole uint8

const (
	sheetMetric sheetRole = iota
	sheetStep
	sheetTime
	sheetLabel
	sheetSummary
	sheetEpoch // a metric, and what tells that a counter begins anew
	sheetNone
)

type sheetValue struct {
	key, unit int32
	summed    int32
	value     float64
}

// sheetLayouts are the layouts of records that a file has had: those of the last ones,
// since records of a few kinds take turns.
type sheetLayouts struct {
	recent [8]struct {
		keys, units []int32
		layout      *model.Layout
	}
	next int
}

// of returns the layout of values, under the names that they have in a summary of the run
// where that is one.
func (x *sheetLayouts) of(values []sheetValue, summary bool) *model.Layout {
	for i := range x.recent {
		if r := &x.recent[i]; r.layout != nil && len(r.keys) == len(values) && laidAs(values, summary, r.keys, r.units) {
			return r.layout
		}
	}
	r := &x.recent[x.next]
	x.next = (x.next + 1) % len(x.recent)
	r.keys, r.units = make([]int32, len(values)), make([]int32, len(values))
	for i, v := range values {
		r.keys[i], r.units[i] = v.in(summary), v.unit
	}
	r.layout = model.NewLayout(r.keys, r.units)
	return r.layout
}

func laidAs(values []sheetValue, summary bool, keys, units []int32) bool {
	for i, v := range values {
		if v.in(summary) != keys[i] || v.unit != units[i] {
			return false
		}
	}
	return true
}

// in is the key of a value, in a summary of the run or elsewhere.
func (v *sheetValue) in(summary bool) int32 {
	if summary && v.summed != 0 {
		return v.summed
	}
	return v.key
}

// maxSheetNames is how many names of one file are kept apart.
const maxSheetNames = 1 << 15

func newMetricSheet(out *model.RunBuilder) *metricSheet {
	return &metricSheet{out: out, names: map[string]sheetName{}, epoch: math.NaN(), ranks: tagSessions{tags: map[int32]*tagSteps{}}}
}

// sheetSteps are counters beside those that stepRank knows: W&B's counts calls
// of log, so any other one is better.
const sheetCallRank = -1

// name returns what a name stands for.
func (m *metricSheet) name(b []byte) sheetName {
	n, ok := m.names[string(b)]
	if !ok {
		n = m.newName(string(valid(b)))
		if len(m.names) < maxSheetNames {
			m.names[string(b)] = n
		}
	}
	return n
}

func (m *metricSheet) newName(s string) sheetName {
	switch low := strings.ToLower(s); {
	case m.single:
	case low == "_step":
		return sheetName{role: sheetStep, rank: sheetCallRank}
	case stepRank(s) > 0:
		return sheetName{role: sheetStep, rank: stepRank(s)}
	case labels[low]:
		return sheetName{role: sheetLabel, key: m.out.Strings.Code(low), scale: 1}
	case low == "epoch" || strings.HasSuffix(low, "/epoch"):
		return sheetName{role: sheetEpoch, key: m.out.Strings.Code("epoch"), scale: 1}
	}
	key, unit, scale := sheetKey(s)
	n := sheetName{key: m.out.Strings.Code(key), unit: m.out.Strings.Code(unit), scale: scale}
	switch {
	case m.single:
		if low := strings.ToLower(s); low == "epoch" || strings.HasSuffix(low, "/epoch") {
			n.key = m.out.Strings.Code("epoch")
		}
	case s == "total_flos":
		n.role = sheetSummary
	case s == "train_loss":
		n.summed = m.out.Strings.Code(s)
	}
	q := queueOf(s, m.counters)
	if n.total, n.totalScale, n.which = q.total, q.scale, m.out.Strings.Code(q.queue); unit == "" && q.queue != queueRequests && q.queue != queueBlocks {
		n.queue, n.alone = q.role, q.alone
	}
	if !m.single && sheetTimes[strings.ReplaceAll(strings.ToLower(s), " ", "_")] {
		n.role = sheetTime
	}
	return n
}

var sheetTimes = wordSet("timestamp _timestamp time ts wall_time wall unix_time datetime date created_at time/wall")

// sheetKey returns the canonical key, the base unit and the scale of a name,
// as the training log has them. A path of evaluation is a part of the name.
func sheetKey(name string) (key, unit string, scale float64) {
	if name == "train/train_loss" { // HF's mean over the run
		return name, "", 1
	}
	for path, to := range map[string]string{"eval/": "eval_", "val/": "val_", "valid/": "val_", "validation/": "val_"} {
		if rest, ok := strings.CutPrefix(name, path); ok {
			if k, u, s := new(compiler).named(to+rest, &logNumber{scale: 1}); k != to+rest {
				return k, u, s
			}
		}
	}
	return new(compiler).named(name, &logNumber{scale: 1})
}

// number takes a number under a name into the record.
func (m *metricSheet) number(name []byte, v float64) { m.take(m.name(name), v) }

func (m *metricSheet) take(n sheetName, v float64) {
	switch n.role {
	case sheetStep:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			m.counted(int64(v), n.rank)
		}
		return
	case sheetTime:
		if v > 1e8 && v < 4e18 && m.dated(v) {
			return // else it is a duration, as mmdet's time of an iteration
		}
	case sheetLabel:
		if v == math.Trunc(v) && v >= 0 && v < 1e6 {
			m.labelled(n, int64(v))
			return
		}
	case sheetSummary:
		m.summary = true
	case sheetEpoch:
		m.epoch = v
	}
	m.values = append(m.values, sheetValue{n.key, n.unit, n.summed, v * n.scale})
	if (n.queue != queueNothing || n.total > 0) && v >= 0 {
		m.queue.take(n, v)
	}
}

// counted takes a step; the counter with the best name counts.
func (m *metricSheet) counted(step int64, rank int) {
	if m.rank == 0 || rank > m.rank {
		m.step, m.rank = step, rank
	}
}

// dated takes a time as a number of s, ms, us or ns since 1970.
func (m *metricSheet) dated(v float64) bool {
	unit := 1e9
	switch {
	case v > 1e17:
		unit = 1
	case v > 1e14:
		unit = 1e3
	case v > 1e11:
		unit = 1e6
	}
	whole, frac := math.Modf(v)
	t := int64(whole)*int64(unit) + int64(math.Round(frac*unit))
	if t < 0 || t > 4e18 {
		return false
	}
	m.at(t, model.ClockUTC)
	return true
}

func (m *metricSheet) at(t int64, kind model.ClockKind) {
	m.t, m.hasT, m.kind = t, true, kind
}

// words takes a text under a name: a time, a number in quotes, or nothing.
func (m *metricSheet) words(name, text []byte) { m.read(m.name(name), text) }

func (m *metricSheet) read(n sheetName, text []byte) {
	if n.role == sheetTime {
		if t, k, zoned, ok := m.stamp.DateTime(text); ok && k == len(text) {
			kind := model.ClockLocal
			if zoned {
				kind = model.ClockUTC
			}
			m.at(t, kind)
			return
		}
	}
	if v, ok := sheetNumber(text); ok {
		m.take(n, v)
	}
}

// sheetNumber reads a number, nan and inf as Python, JSON and CSV writers spell them.
func sheetNumber(b []byte) (float64, bool) {
	if v, ok := scan.Float(b); ok {
		return v, true
	}
	neg := bytes.HasPrefix(b, []byte{'-'})
	if v, n := constantAt(bytes.TrimPrefix(b, []byte{'-'})); n > 0 && n == len(bytes.TrimPrefix(b, []byte{'-'})) {
		if neg {
			v = -v
		}
		return v, true
	}
	return 0, false
}

// drop forgets the record in work.
func (m *metricSheet) drop() {
	m.values, m.hasT, m.rank, m.epoch = m.values[:0], false, 0, math.NaN()
	m.queue.list, m.label, m.summary = m.queue.list[:0], m.label[:0], false
}

// write adds values of the record in work as rows.
func (m *metricSheet) write(values []sheetValue, source int32, session int64, line int, off int64) {
	b, first := m.out.Metrics.AddLaid(m.layouts.of(values, m.summary), line, off)
	end := first + len(values)
	if m.hasT {
		b.FillInt(model.MetricT, first, end, m.t)
	}
	if source != 0 {
		b.FillText(model.MetricSource, first, end, source)
	}
	b.FillInt(model.MetricSession, first, end, session)
	if m.rank != 0 {
		b.FillInt(model.MetricStep, first, end, m.step)
	}
	m.numbers = m.numbers[:0]
	for _, v := range values {
		m.numbers = append(m.numbers, v.value)
	}
	b.PutFloats(model.MetricValue, first, m.numbers)
}

// flush writes the record in work at a place and returns how many rows it made.
func (m *metricSheet) flush(line int, off int64) int {
	source, session := m.origin()
	if m.hasT {
		m.out.File.Clock.Kind = max(m.out.File.Clock.Kind, m.kind)
	}
	for rest := m.values; len(rest) > 0; rest = rest[min(len(rest), mostValues):] {
		m.write(rest[:min(len(rest), mostValues)], source, session, line, off)
	}
	if m.hasT {
		worker := source
		if len(m.label) == 0 {
			worker = 0
		}
		m.queue.rows(m.out, m.t, worker, line, off)
	}
	n := len(m.values)
	m.drop()
	return n
}
