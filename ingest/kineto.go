package ingest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strconv"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Kineto is a trace of torch.profiler, and chrome traces of complete or paired
// events of other writers.
var Kineto = &Format{
	Name:   "kineto",
	Doc:    "torch.profiler's export_chrome_trace, and other traces of chrome's format",
	Record: "torch.profiler.profile(activities=[CPU, CUDA], schedule=schedule(wait=5, warmup=2, active=5)) and export_chrome_trace(\"trace.json\")",
	Detect: func(_ string, head []byte) bool { return isTrace(head) && !isPySpyTrace(head) },
	Sure:   true,
	Parse:  parseKineto,
	Parts:  true,
	Cut:    cutTrace,
	Finish: finishTrace,
}

// isTrace reports whether a document is a list of events, or an object with one.
func isTrace(head []byte) bool {
	b := bytes.TrimLeft(head, " \t\r\n")
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return false
	}
	if b[0] == '{' && (bytes.Contains(b, []byte(`"traceEvents"`)) || bytes.Contains(b, []byte(`"deviceProperties"`)) && bytes.Contains(b, []byte(`"schemaVersion"`))) {
		return true
	}
	if b[0] == '[' {
		b = bytes.TrimLeft(b[1:], " \t\r\n")
	}
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	var e traceEvent
	end := objectEnd(b)
	if end <= 0 {
		end = len(b)
	}
	return e.parse(b[:end], false) && (e.hasTS || e.phase == 'M') && (len(e.pid) > 0 || len(e.tid) > 0)
}

// cutTrace says of a line whether an event begins with it, and whole events
// follow: Kineto's two blanks and a brace, or an event in a line of its own.
func cutTrace(line []byte) bool {
	if string(line) == "  {" {
		return true
	}
	b := bytes.TrimLeft(line, " \t")
	if len(line)-len(b) > 2 || !bytes.HasPrefix(b, []byte("{")) || !bytes.Contains(b, []byte(`"ph"`)) {
		return false
	}
	return objectEnd(b) > 0
}

// A traceParser reads one trace, or one part of it.
type traceParser struct {
	src   *Source
	out   *model.RunBuilder
	log   *model.TraceLog
	r     *eventReader
	e     traceEvent
	names traceNames
	track [2]*model.Track // of the event before, on a thread and on a device
	last  [2]trackText
}

// A trackText is a track's ids as they stand in the text.
type trackText struct{ pid, tid []byte }

func parseKineto(src *Source, out *model.RunBuilder) error {
	p := newTraceParser(src, out)
	for {
		b, laid, ok := p.r.next()
		if !ok {
			break
		}
		p.event(b, laid)
		if p.log.Full() {
			foldTrace(out)
		}
	}
	return p.done()
}

func newTraceParser(src *Source, out *model.RunBuilder) *traceParser {
	p := &traceParser{src: src, out: out, log: model.NewTraceLog(), names: traceNames{m: map[string]*traceName{}}}
	out.Spans, p.log.Fold = p.log, foldTrace
	mode := docStart
	if src.Header != "" {
		mode = docEvents
	}
	p.r = newEventReader(src, mode)
	p.r.closes = src.Header == listHeader
	p.r.tail = p.outside
	return p
}

// What a later part must know: that it begins between events, and whether a
// bracket ends them.
const (
	listHeader  = "list"
	linesHeader = "lines"
)

// done settles the counts once the source has ended.
func (p *traceParser) done() error {
	if p.r.mode < docEvents {
		p.src.Whole() // a first part that ends before the list of events
	}
	p.src.Bind(linesHeader)
	if p.r.closes {
		p.src.Bind(listHeader)
	}
	p.log.Lost += p.r.lost
	p.log.Open = p.r.mode == docEvents && p.r.closes
	p.out.File.Claimed = p.out.File.Lines
	if p.r.err != nil {
		return fmt.Errorf("cut short after line %d: %w", p.out.File.Lines, p.r.err)
	}
	return nil
}

// outside reads what the document says of itself.
func (p *traceParser) outside(b []byte) {
	if i := bytes.Index(b, []byte(`"baseTimeNanoseconds"`)); i >= 0 {
		rest := bytes.TrimLeft(b[i+len(`"baseTimeNanoseconds"`):], " \t\r\n:")
		v, _ := scalar(rest)
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && n > 0 && n < 4e18 {
			p.log.Base, p.log.Based = n, true
		}
	}
	if bytes.Contains(b, []byte(`"schemaVersion"`)) {
		p.log.Kineto = true
	}
	p.devices(b)
}

// devices reads the names of the devices out of deviceProperties.
func (p *traceParser) devices(b []byte) {
	i := bytes.Index(b, []byte(`"deviceProperties"`))
	if i < 0 {
		return
	}
	k := bytes.IndexByte(b[i:], '[')
	if k < 0 {
		return
	}
	b = b[i+k:]
	if n := objectEnd(b); n > 0 {
		b = b[:n]
	}
	for b = b[1:]; ; {
		k := bytes.IndexByte(b, '{')
		if k < 0 {
			return
		}
		n := objectEnd(b[k:])
		if n <= 0 {
			return
		}
		d := b[k : k+n]
		if id, ok := scan.Int(argument(d, "id")); ok && len(p.log.Devices) < model.MaxTraceTracks {
			p.log.Devices[id] = p.out.Strings.Code(jsonText(argument(d, "name")))
		}
		b = b[k+n:]
	}
}

// event sorts one event in.
func (p *traceParser) event(b []byte, laid bool) {
	e := &p.e
	if !e.parse(b, laid) {
		p.r.lose(p.r.at, "an event without a phase or a time")
		return
	}
	p.log.Events++
	switch e.phase {
	case 'X':
		p.complete(laid)
	case 'B', 'E':
		p.paired()
	case 'M':
		p.meta()
	}
}

func (p *traceParser) complete(laid bool) {
	e := &p.e
	switch {
	case !e.hasTS:
		p.log.Events--
		p.r.lose(p.r.at, "no ts, want microseconds")
		return
	case !e.hasDur:
		p.log.Odd++
		return
	}
	cat := categoryOf(e.cat)
	if cat == catNone || len(e.pid) > 0 && isWord(e.pid) {
		return
	}
	name := p.names.of(e.name, p.out.Strings)
	kind := name.kindIn(cat, p.out.Strings)
	if name.step >= 0 && cat == catNote && len(p.log.Steps) < model.MaxTraceNames {
		p.log.Steps = append(p.log.Steps, model.TraceStep{Number: name.step, From: e.ts, To: e.ts + max(e.dur, 0)})
	}
	t := p.trackOf(kind.OnDevice())
	link := uint32(0)
	switch kind {
	case model.SpanLaunch, model.SpanCopyCall, model.SpanKernel, model.SpanSet, model.SpanCopy:
		link = linkOf(e.correlation(laid))
	}
	if kind == model.SpanCopy || kind == model.SpanSet {
		if n, ok := scan.Int(argument(e.args, "bytes")); ok {
			p.log.Copy(t.TrackKey, name.code, n)
		}
	}
	p.log.Kineto = p.log.Kineto || cat > catOp
	p.log.Add(t, model.NewTraceSpan(kind, e.ts, e.dur, name.code, link))
}

// paired keeps a begin or an end; they are matched when all are there.
func (p *traceParser) paired() {
	e := &p.e
	if !e.hasTS {
		p.log.Events--
		p.r.lose(p.r.at, "no ts, want microseconds")
		return
	}
	kind := model.SpanBegin
	if e.phase == 'E' {
		kind = model.SpanEnd
	}
	t := p.trackOf(false)
	t.Pairs = true
	p.log.Add(t, model.NewTraceSpan(kind, e.ts, 0, p.names.of(e.name, p.out.Strings).code, 0))
}

// meta reads the names of processes and threads.
func (p *traceParser) meta() {
	e := &p.e
	process, thread := string(e.name) == "process_name", string(e.name) == "thread_name"
	if !process && !thread || len(p.log.Threads) >= model.MaxTraceTracks || len(p.log.Processes) >= model.MaxTraceTracks {
		return
	}
	name := argument(e.args, "name")
	if len(name) == 0 {
		return
	}
	code := p.out.Strings.Code(threadTitle(jsonText(name)))
	if process {
		p.log.Processes[trackID(e.pid)] = code
		return
	}
	k := model.TrackKey{PID: trackID(e.pid), TID: trackID(e.tid)}
	p.log.Threads[k] = code
}

// threadTitle takes a name out of Kineto's "thread 4688 (pt_autograd_0)".
func threadTitle(s string) string {
	if len(s) > 8 && s[:7] == "thread " && s[len(s)-1] == ')' {
		for i := 7; i < len(s); i++ {
			if s[i] == '(' && s[i-1] == ' ' {
				return s[i+1 : len(s)-1]
			}
			if s[i] != ' ' && s[i]-'0' > 9 {
				break
			}
		}
	}
	return s
}

// trackOf returns the track of an event. Most lie on the one of the event before.
func (p *traceParser) trackOf(device bool) *model.Track {
	i := 0
	if device {
		i = 1
	}
	l := &p.last[i]
	if p.track[i] != nil && bytes.Equal(l.pid, p.e.pid) && bytes.Equal(l.tid, p.e.tid) {
		return p.track[i]
	}
	l.pid, l.tid = append(l.pid[:0], p.e.pid...), append(l.tid[:0], p.e.tid...)
	k := model.TrackKey{PID: trackID(p.e.pid), TID: trackID(p.e.tid), Device: device}
	if len(p.log.Tracks) >= model.MaxTraceTracks && !p.log.Has(k) {
		k = model.TrackKey{PID: -1, TID: -1, Device: device}
	}
	p.track[i] = p.log.Track(k)
	return p.track[i]
}

// isWord reports whether a pid is no number, as those of rows that are no
// process: "Spans", "Traces". Only torch's first exporter gave processes words.
func isWord(b []byte) bool {
	return b[0] != '-' && b[0]-'0' > 9 && !bytes.HasPrefix(b, []byte("CPU"))
}

// trackID returns an id as a number: as printed, else one of its own under 0.
func trackID(b []byte) int64 {
	if n, ok := scan.Int(b); ok {
		return n
	}
	if len(b) == 0 {
		return 0
	}
	if n, ok := scan.Int(bytes.TrimPrefix(b, []byte("stream "))); ok {
		return n
	}
	h := fnv.New32a()
	h.Write(b)
	return -1<<32 - int64(h.Sum32())
}

// linkOf returns the low half of a correlation number, 0 for none.
func linkOf(b []byte) uint32 {
	n, ok := scan.Int(b)
	if !ok {
		return 0
	}
	return uint32(n)
}
