package ingest

import (
	"math"

	"tidemark/internal/scan"
	"tidemark/model"
)

// apply reads a line of a known shape: starts hold where its literals begin.
// It reports whether the line gave anything.
func (p *logParser) apply(s *logShape, b []byte) bool {
	if s.cuts {
		p.block()
	}
	if s.sampler {
		return p.samplerNote(b)
	}
	t, hasT := p.time(s)
	source := p.source(s, b)
	if s.empty {
		p.carry, p.carryAt = source, p.number
		return false
	}
	claimed := false
	if len(p.traces) > 0 || s.trace == traceStart {
		switch p.traced(s, b, source, t, hasT) {
		case traceTook:
			return true
		case traceEnded:
			claimed = true
		}
	}
	if s.pairs {
		claimed = p.record(s, b, source, t, hasT) || claimed
	} else {
		p.chain = false
	}
	if s.event != 0 {
		p.event(s.event, b[p.place(s.text):], source, t, hasT)
		claimed = true
	}
	return claimed
}

// block forgets what lines inherit.
func (p *logParser) block() {
	for i := range p.traces {
		p.flush(&p.traces[i])
	}
	p.logBlock = logBlock{seen: p.seen[:0], traces: p.traces[:0]}
}

// time returns the time of a line: its own, or that of the lines right before
// it where it goes on with their record.
func (p *logParser) time(s *logShape) (int64, bool) {
	var t int64
	switch {
	case s.form > 0 || s.stamp == stampDated:
		t = p.lead
		p.clock(model.ClockLocal)
		if p.zoned {
			p.clock(model.ClockUTC)
		}
	case s.stamp == stampClock || s.stamp == stampMonth:
		t = p.out.Day.At(p.tod)
		p.clock(model.ClockDay)
		p.out.Log.Odd = true
	case s.stamp == stampCompact || s.stamp == stampColons:
		t = p.tod
		p.clock(model.ClockLocal)
	case s.stamp == stampEpoch:
		t = p.tod
		p.clock(model.ClockUTC)
	case s.stamp == stampElapsed:
		t = elapsedBase + p.tod
		p.clock(model.ClockElapsed)
		p.out.Log.Odd = true
	default:
		return p.inherit(s)
	}
	p.t, p.hasT, p.near, p.seen = t, true, p.number, p.seen[:0]
	return t, true
}

func (p *logParser) clock(k model.ClockKind) {
	if p.out.File.Clock.Kind < k {
		p.out.File.Clock.Kind = k
	}
}

// inherit returns the time of the block for a line without its own. A record
// in plain column 1 goes on with another only right after it, and not with a
// template that was there already: then time has passed unseen. A bar, drawn
// again and again, has only its own.
func (p *logParser) inherit(s *logShape) (int64, bool) {
	if s.same {
		p.seen = p.seen[:0]
	}
	near := p.hasT && p.number <= p.near+1 && p.near > 0 && s.stamp != stampBar
	if s.pairs && near && !s.same {
		near = (s.indent || p.chain) && !p.repeats(s.code)
	}
	if near {
		p.near = p.number
		return p.t, true
	}
	if s.stamp != stampBar {
		return 0, false
	}
	p.clock(model.ClockElapsed)
	p.out.Log.Odd = true
	p.t, p.hasT, p.near, p.seen = elapsedBase+p.tod, true, p.number, p.seen[:0]
	return p.t, true
}

func (p *logParser) repeats(code int32) bool {
	for _, c := range p.seen {
		if c == code {
			return true
		}
	}
	return false
}

// source returns the code of who printed the line.
func (p *logParser) source(s *logShape, b []byte) int32 {
	if len(s.source) == 0 {
		if p.carry != 0 && p.number <= p.carryAt+1 {
			return p.carry
		}
		return 0
	}
	if s.fixed {
		return s.origin
	}
	return p.join(s, b, p.starts)
}

func (p *logParser) join(s *logShape, b []byte, starts []int32) int32 {
	if len(s.source) == 0 {
		return 0
	}
	cut := func(sp logSpan) []byte {
		return b[starts[sp.from.run]+sp.from.off : starts[sp.to.run]+sp.to.off]
	}
	if len(s.source) == 1 {
		return p.code(cut(s.source[0]))
	}
	p.name = p.name[:0]
	for i, sp := range s.source {
		if i > 0 {
			p.name = append(p.name, ' ')
		}
		p.name = append(p.name, cut(sp)...)
	}
	return p.code(p.name)
}

// code interns text that is valid UTF-8, or is made so.
func (p *logParser) code(b []byte) int32 {
	for _, c := range b {
		if c >= 0x80 {
			return p.out.Strings.Code(clean(string(b)))
		}
	}
	return p.out.Strings.CodeBytes(b)
}

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
	mark := model.Mark{Step: step, Stepped: stepped, HasT: hasT, Sum: sum}
	if hasT {
		mark.T = p.raw(s, t)
	}
	s.template.Count(mark)
	p.seen = append(p.seen[:min(len(p.seen), 31)], s.code)
	p.chain = rows > 0
	return true
}

// raw is a time that does not change when parts are joined.
func (p *logParser) raw(s *logShape, t int64) int64 {
	if s.form == 0 && (s.stamp == stampClock || s.stamp == stampMonth) {
		return p.tod
	}
	return t % (86400e9)
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

// rows adds one row for each number and the reading of a queue. It returns
// the sum of the numbers and how many there were.
func (p *logParser) rows(s *logShape, b []byte, source int32, t int64, hasT bool, step int64, stepped bool) (sum, epoch float64, rows int) {
	m, epoch := p.out.Metrics, math.NaN()
	depth, capacity, minimum := math.NaN(), math.NaN(), math.NaN()
	for i := range s.fields {
		f := &s.fields[i]
		v, ok := p.value(f, b)
		if !ok {
			continue
		}
		r := m.Add(p.number, p.offset)
		if hasT {
			r.SetInt(model.MetricT, t)
		}
		if source != 0 {
			r.SetText(model.MetricSource, source)
		}
		r.SetText(model.MetricTemplate, s.code)
		if stepped {
			r.SetInt(model.MetricStep, step)
		}
		r.SetText(model.MetricKey, f.key)
		r.SetFloat(model.MetricValue, v)
		r.SetText(model.MetricUnit, f.unit)
		rows++
		if v == v {
			sum += v
		}
		switch {
		case i == s.depth:
			depth = v
		case i == s.capacity:
			capacity = v
		case i == s.minimum:
			minimum = v
		case f.epoch:
			epoch = v
		}
	}
	if s.depth >= 0 && depth == depth {
		p.queueRow(s, t, hasT, depth, capacity, minimum)
	}
	return sum, epoch, rows
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

// value reads the number of a field, in its base unit.
func (p *logParser) value(f *logField, b []byte) (float64, bool) {
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
		v, ok = scan.Float(b[from:to])
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

// mark returns where the next row will stand.
func (p *logParser) mark() rowMark {
	m := p.out.Metrics
	n := len(m.Batches)
	if n == 0 {
		return rowMark{0, 0}
	}
	return rowMark{n - 1, m.Batches[n-1].Rows()}
}

// waitFor remembers rows without a step, and with them those right before.
func (p *logParser) waitFor(s *logShape, stepped bool, rows int, from rowMark) {
	if stepped || rows == 0 {
		p.waiting = false
		return
	}
	if p.waiting && p.number <= p.waitLine+1 && (s.indent || s.fragment) {
		p.waitLine = p.number
		return
	}
	p.waiting, p.waitLine, p.waitAt = true, p.number, from
}

// settle gives the step of this line, and its time where they have none, to
// the rows before it that wait for one.
func (p *logParser) settle(step, t int64, hasT bool) {
	if !p.waiting || p.number > p.waitLine+1 {
		p.waiting = false
		return
	}
	p.waiting = false
	batches := p.out.Metrics.Batches
	for i := p.waitAt.batch; i < len(batches); i++ {
		from := 0
		if i == p.waitAt.batch {
			from = p.waitAt.row
		}
		for r := from; r < batches[i].Rows(); r++ {
			if _, ok := batches[i].Int(model.MetricStep, r); ok {
				continue
			}
			batches[i].PutInt(model.MetricStep, r, step)
			if !batches[i].OK(model.MetricT, r) && hasT {
				batches[i].PutInt(model.MetricT, r, t)
			}
		}
	}
}

// event adds a row of the events table.
func (p *logParser) event(kind int32, text []byte, source int32, t int64, hasT bool) {
	if len(text) > 200 {
		text = text[:200]
	}
	e := p.out.Events.Add(p.number, p.offset)
	if hasT {
		e.SetInt(model.EventT, t)
	}
	e.SetText(model.EventKind, kind)
	e.SetText(model.EventText, p.code(text))
	if source != 0 {
		e.SetText(model.EventSource, source)
	}
}

// samplerNote reads a message of py-spy that stands in the log.
func (p *logParser) samplerNote(b []byte) bool {
	n := model.SamplerNote{Line: int32(p.number)}
	samplerLine(b, &n)
	if n.Rate == 0 && n.Lag == 0 && !n.Done && n.Failed == "" {
		return false
	}
	p.out.Stacks.AddNote(n)
	p.event(p.words.sampler, b, 0, p.t, p.hasT && p.number <= p.near+1)
	return true
}
