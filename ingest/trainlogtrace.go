package ingest

// An openTrace is a traceback in work: where it began, and what it was about.
type openTrace struct {
	source    int32
	line      int
	offset    int64
	t         int64
	hasT      bool
	signature []byte // nil until the exception was named
}

// traced gives a line to the traceback of its source: header, frames and
// exception are one event, and so is one that was raised while another was
// handled. It reports whether the line is of it. Lines where a part may begin
// have ended all tracebacks before.
func (p *logParser) traced(s *logShape, b []byte, source int32, t int64, hasT bool) bool {
	o := p.openTrace(source)
	if o == nil {
		if s.trace == traceStart {
			p.traces = append(p.traces, openTrace{source: source, line: p.number, offset: p.offset, t: t, hasT: hasT})
			return true
		}
		return false
	}
	text := b[min(p.place(s.text), len(b)):]
	switch {
	case len(text) == 0:
		return false
	case s.stamp != stampNone && !s.indent:
		p.endTrace(source)
		return false
	case s.trace == traceStart, s.trace == traceChain:
		o.signature = nil // the exception that was raised last is the one that counts
		return true
	case s.trace == traceIndent && o.signature == nil:
		return true
	case o.signature == nil && namesException(text):
		o.signature = append(o.signature, text[:min(len(text), 200)]...)
		return true
	}
	p.endTrace(source)
	return false
}

func (p *logParser) openTrace(source int32) *openTrace {
	for i := range p.traces {
		if p.traces[i].source == source {
			return &p.traces[i]
		}
	}
	return nil
}

func (p *logParser) endTrace(source int32) {
	for i := range p.traces {
		if p.traces[i].source == source {
			p.flush(&p.traces[i])
			p.traces = append(p.traces[:i], p.traces[i+1:]...)
			return
		}
	}
}

// flush writes the event of a traceback.
func (p *logParser) flush(o *openTrace) {
	text := o.signature
	if text == nil {
		text = []byte("Traceback without its exception")
	}
	line, offset := p.number, p.offset
	p.number, p.offset = o.line, o.offset
	p.event(p.words.traceback, text, o.source, o.t, o.hasT)
	p.number, p.offset = line, offset
}

// namesException reports whether text begins with a dotted name that stands
// alone or before a colon.
func namesException(text []byte) bool {
	i := 0
	for i < len(text) && i < 160 && (isLetter(text[i]) || isDigit(text[i]) || text[i] == '_' || text[i] == '.') {
		i++
	}
	return i > 2 && isLetter(text[0]) && (i == len(text) || text[i] == ':' && (i+1 == len(text) || text[i+1] == ' '))
}
