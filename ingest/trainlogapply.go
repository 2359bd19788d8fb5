package ingest

import (
	"encoding/binary"

	"tidemark/model"
)

// apply reads a line of a known shape: starts hold where its literals begin.
// It reports whether the line gave anything.
func (p *logParser) apply(s *logShape, b []byte) bool {
	if s.cuts {
		p.block()
	}
	t, hasT := p.time(s)
	if s.timed && p.redraw.drawn {
		if v, ok := duration(p.cutOut(b, s.elapsed)); ok {
			if at, ok := p.redraw.at(p.number, int64(v*1e9)); ok {
				t, p.t = at, at
			}
		}
	}
	if s.sampler {
		return p.samplerNote(b)
	}
	source := p.source(s, b)
	if s.empty {
		p.carry, p.carryAt = source, p.number
		return false
	}
	if len(p.traces) > 0 || s.trace == traceStart {
		if p.traced(s, b, source, t, hasT) {
			return true
		}
	}
	claimed := false
	if s.pairs {
		claimed = p.record(s, b, source, t, hasT)
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
	case s.stamp == stampClock || s.stamp == stampMonth || s.stamp == stampSyslog:
		t = p.out.Day.At(p.tod)
		p.clock(model.ClockDay)
		p.out.Log.Odd = true
	case s.stamp == stampCompact || s.stamp == stampColons || s.stamp == stampSlashed:
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
	p.redraw.stamped(p.number, t)
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
	t, ok := p.redraw.at(p.number, p.tod)
	if !ok {
		t = elapsedBase + p.tod
		p.clock(model.ClockElapsed)
		p.out.Log.Odd = true
	}
	p.t, p.hasT, p.near, p.seen = t, true, p.number, p.seen[:0]
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
		return p.named(s, cut(s.source[0]))
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

// sourceNames are sources that a shape has had, by their last byte: of workers, which are
// numbered, only that differs.
type sourceNames [16]sourceName

type sourceName struct {
	text [16]byte
	n    int
	code int32
}

// is reports whether the name is b, which is as long.
func (x *sourceName) is(b []byte) bool {
	if len(b) < 8 {
		return string(x.text[:len(b)]) == string(b)
	}
	end := len(b) - 8
	return binary.LittleEndian.Uint64(x.text[:]) == binary.LittleEndian.Uint64(b) && binary.LittleEndian.Uint64(x.text[end:]) == binary.LittleEndian.Uint64(b[end:])
}

// named is code for the source of a shape.
func (p *logParser) named(s *logShape, b []byte) int32 {
	if len(b) == 0 || len(b) > 16 {
		return p.code(b)
	}
	if s.names == nil {
		s.names = &sourceNames{}
	}
	x := &s.names[b[len(b)-1]%16]
	if x.n != len(b) || !x.is(b) {
		x.n, x.code = copy(x.text[:], b), p.code(b)
	}
	return x.code
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
	if (kind == p.words.failure || kind == p.words.traceback) && !p.failures.more(p) {
		return
	}
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
