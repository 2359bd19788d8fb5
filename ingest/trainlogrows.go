package ingest

import (
	"math"

	"tidemark/internal/scan"
	"tidemark/model"
)

// record reads the pairs of a line.
func (p *logParser) record(s *logShape, b []byte, source int32, t int64, hasT bool) bool {
	step, stepped := p.step(s, b)
	if s.bar && stepped {
		p.settle(step, t, hasT)
		if s.bare && p.bar == s.template && p.barN == step {
			p.chain = true
			return true
		}
		p.bar, p.barN = s.template, step
	}
	if s.template == nil {
		p.out.File.Note("more kinds of records than are kept apart; those that came late are left out")
		return false
	}
	from := p.mark()
	sum, epoch, rows := p.rows(s, b, source, t, hasT, step, stepped)
	if p.number > p.near+1 || !stepped && !s.bar {
		p.waitFor(s, stepped, rows, from)
	} else if stepped && !s.bar && (s.indent || s.fragment) {
		p.settle(step, t, hasT)
	}
	if stepped && rows > 0 {
		p.waiting = p.waiting && !stepped
		p.out.Log.Steps = append(p.out.Log.Steps, model.StepMark{Line: int32(p.number), Template: s.code, Step: step, Epoch: epoch, Bar: s.bar})
	}
	if s.template.Wants() {
		p.state(s, b)
	}
	var mark model.Mark
	if !s.template.Moves {
		if mark = (model.Mark{Step: step, Stepped: stepped, HasT: hasT, Sum: sum}); hasT {
			mark.T = p.raw(s, t)
		}
	}
	s.template.Count(mark)
	p.seen = append(p.seen[:min(len(p.seen), 31)], s.code)
	p.chain = rows > 0
	return true
}

// raw is a time that does not change when parts are joined.
func (p *logParser) raw(s *logShape, t int64) int64 {
	if s.form == 0 && (s.stamp == stampClock || s.stamp == stampMonth || s.stamp == stampSyslog) {
		return p.tod
	}
	return t % 86400e9
}

// step reads the counter of a line.
func (p *logParser) step(s *logShape, b []byte) (int64, bool) {
	if !s.counts {
		return 0, false
	}
	at := p.cutOut(b, s.step)
	if s.grouped {
		v, ok := ungroup(at)
		return int64(v), ok && v < 1<<53
	}
	return scan.Int(at)
}

// logValues are the numbers of a line, with the codes of their keys and units: those of
// the shape, or in memory of their own where a number could not be read.
type logValues struct {
	v                 []float64
	keys, units       []int32
	ownKeys, ownUnits []int32
}

// lose leaves field i out, the first one unless others were before.
func (x *logValues) lose(i int, lost bool) bool {
	if !lost {
		x.ownKeys, x.ownUnits = append(x.ownKeys[:0], x.keys...), append(x.ownUnits[:0], x.units...)
		x.keys, x.units = x.ownKeys[:i], x.ownUnits[:i]
	}
	return true
}

// mostValues is how many rows are added at a time.
const mostValues = 256

// rows adds one row for each number and the reading of a queue. It returns
// the sum of the numbers and how many there were.
func (p *logParser) rows(s *logShape, b []byte, source int32, t int64, hasT bool, step int64, stepped bool) (sum, epoch float64, rows int) {
	epoch = math.NaN()
	depth, capacity, minimum := math.NaN(), math.NaN(), math.NaN()
	x := &p.values
	x.v, x.keys, x.units = x.v[:0], s.keys, s.units
	lost := false
	for i := range s.fields {
		f := &s.fields[i]
		v, ok := p.value(f, b)
		if !ok {
			lost = x.lose(i, lost)
			continue
		}
		x.v = append(x.v, v)
		if lost {
			x.keys, x.units = append(x.keys, f.key), append(x.units, f.unit)
		}
		if v == v {
			sum += v
		}
		switch f.role {
		case fieldRow:
		case fieldDepth:
			depth = v
		case fieldCapacity:
			capacity = v
		case fieldMinimum:
			minimum = v
		case fieldEpoch:
			epoch = v
		}
	}
	if s.layout != nil && !lost {
		b, first := p.out.Metrics.AddLaid(s.layout, p.number, p.offset)
		p.fill(s, b, first, x.v, source, t, hasT, step, stepped)
	} else {
		for from := 0; from < len(x.v); from += mostValues {
			to := min(from+mostValues, len(x.v))
			b, first := p.out.Metrics.AddAll(to-from, p.number, p.offset)
			b.PutTexts(model.MetricKey, first, x.keys[from:to])
			b.PutTexts(model.MetricUnit, first, x.units[from:to])
			p.fill(s, b, first, x.v[from:to], source, t, hasT, step, stepped)
		}
	}
	if s.depth >= 0 && depth == depth {
		p.queueRow(s, t, hasT, depth, capacity, minimum)
	}
	return sum, epoch, len(x.v)
}

// fill gives the rows of the metrics table from first on values, and what they have in
// common.
func (p *logParser) fill(s *logShape, b *model.Batch, first int, v []float64, source int32, t int64, hasT bool, step int64, stepped bool) {
	end := first + len(v)
	if hasT {
		b.FillInt(model.MetricT, first, end, t)
	}
	if source != 0 {
		b.FillText(model.MetricSource, first, end, source)
	}
	b.FillText(model.MetricTemplate, first, end, s.code)
	if stepped {
		b.FillInt(model.MetricStep, first, end, step)
	}
	b.PutFloats(model.MetricValue, first, v)
}

func (p *logParser) queueRow(s *logShape, t int64, hasT bool, depth, capacity, minimum float64) {
	q := p.out.Queue.Add(p.number, p.offset)
	if hasT {
		q.SetInt(model.QueueT, t)
	}
	if s.queue != 0 {
		q.SetText(model.QueueName, s.queue)
	}
	q.SetFloat(model.QueueDepth, depth)
	if capacity == capacity {
		q.SetFloat(model.QueueCapacity, capacity)
	}
	if minimum == minimum {
		q.SetFloat(model.QueueMinReady, minimum)
	}
	p.out.Log.Queue = append(p.out.Log.Queue, s.code)
}

// short reads the number of a field that is a few digits, as most are; ok is false where its
// fraction has more.
func (p *logParser) short(f *logField) (v float64, ok bool) {
	if f.runs == 1 {
		return f.scale * float64(int64(p.ints[f.run])), true
	}
	digits := int(p.starts[f.run+2]-p.starts[f.run+1]) - len(".")
	if digits > scan.Exact-shortRun {
		return 0, false
	}
	return f.scale * scan.Fixed(p.ints[f.run], p.ints[f.run+1], digits), true
}

// value reads the number of a field, in its base unit.
func (p *logParser) value(f *logField, b []byte) (float64, bool) {
	if f.short && !p.cut {
		if v, ok := p.short(f); ok {
			return v, true
		}
	}
	if f.kind == numberConstant {
		return f.constant, true
	}
	from, to := p.place(f.at.from), p.place(f.at.to)
	if p.cut && to == len(b) {
		return 0, false
	}
	var v float64
	var ok bool
	switch f.kind {
	case numberGrouped:
		v, ok = ungroup(b[from:to])
	case numberDuration:
		v, ok = duration(b[from:to])
	default:
		if f.runs == 0 || to-from > scan.Exact {
			v, ok = scan.Float(b[from:to])
			break
		}
		if ok = true; f.runs == 2 {
			v = scan.Fixed(p.ints[f.run], p.ints[f.run+1], to-int(p.starts[f.run+1])-1)
		} else {
			v = float64(int64(p.ints[f.run])) // far from the last bit
		}
	}
	if f.scale != 1 {
		v *= f.scale
	}
	if f.inverse {
		return 1 / v, ok && v > 0
	}
	return v, ok
}

// state keeps what a record says in words, in case it is said once only.
func (p *logParser) state(s *logShape, b []byte) {
	x := s.template
	for i := range s.stated {
		st := &s.stated[i]
		f := model.Fact{Key: st.key, Value: clean(unquote(string(p.cutOut(b, st.at)))), Line: int32(p.number), Byte: p.offset}
		x.Stated = append(x.Stated, model.Statement{Fact: f, Record: x.N})
	}
}

func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
