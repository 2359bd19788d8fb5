package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PerfScript is the text of perf script. It samples time on a processor only,
// so its totals never mix with those of py-spy, which also counts threads that
// are about to run.
var PerfScript = &Format{
	Name:      "perf-script",
	Doc:       "perf script, text of a perf record with call graphs",
	Record:    "perf record -F 99 -g -p PID -- sleep 60 && perf script --header > perf.txt (python -X perf shows Python's functions)",
	Detect:    detectPerfScript,
	Parse:     parsePerfScript,
	LongLines: true,
}

func detectPerfScript(name string, head []byte) bool {
	whole := head
	lines, ours, records := 0, 0, 0
	full := len(head) >= model.HeadSize
	for len(head) > 0 && lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full && lines > 0 {
			break
		}
		if line = trimRight(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		lines++
		if _, ok := perfFrame(line); ok && records > 0 {
			ours++
		} else if _, ok := perfRecord(line); ok {
			records++
			ours++
		}
	}
	stacks := records > 0 && ours > records && 2*ours > lines
	return (stacks || records > 2 && 10*records > 9*lines) && !detectTrainLog(name, whole)
}

// perfEvents are the events whose samples are time on a processor, the best first.
var perfEvents = []string{"cycles", "cpu-cycles", "cpu_core/cycles/", "cpu_atom/cycles/", "cpu-clock", "task-clock", "instructions"}

func parsePerfScript(src *Source, out *model.RunBuilder) error {
	p := &perfParser{src: src, out: out, index: map[perfKey]int{}, threads: map[string]model.StackThread{}, frames: map[string]int32{}}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		p.line(trimRight(line))
	}
	p.end()
	return errors.Join(p.finish(), src.Err())
}

// A perfEvent is what was sampled of one event.
type perfEvent struct {
	name    string
	records int
	lines   int
	weight  float64 // sum of the periods
	periods int     // records with one
	samples []perfSample
}

type perfSample struct {
	thread model.StackThread
	model.Sample
	period float64 // sum
}

// A perfKey tells samples apart: stacks of one thread under one event.
type perfKey struct {
	event  int
	stack  int32
	thread model.StackThread
}

// A perfParser reads records: a line that says who and when, frames from the
// leaf on, an empty line.
type perfParser struct {
	src     *Source
	out     *model.RunBuilder
	events  []perfEvent
	index   map[perfKey]int
	threads map[string]model.StackThread
	frames  map[string]int32 // by text
	rate    float64

	// of the record in work
	open   bool
	event  int
	thread model.StackThread
	period float64
	codes  []int32 // leaf first
	at     int32
	off    int64
	lines  int

	python bool // frames of Python are there
	tower  bool // … or only its interpreter's
	native bool
}

func (p *perfParser) line(line []byte) {
	switch {
	case len(line) == 0:
		p.end()
		p.out.Skip(1)
	case line[0] == '#':
		p.header(line)
		p.out.Skip(1)
	case p.open && (line[0] == ' ' || line[0] == '\t') && p.frame(line):
		p.lines++
	default:
		p.record(line)
	}
}

// header takes the rate from the command line of perf record.
func (p *perfParser) header(line []byte) {
	_, args, ok := bytes.Cut(line, []byte("# cmdline : "))
	if !ok {
		return
	}
	words := strings.Fields(string(args))
	for i, w := range words {
		value, ok := strings.CutPrefix(w, "--freq=")
		switch {
		case w == "--":
			return
		case (w == "-F" || w == "--freq") && i+1 < len(words):
			value, ok = words[i+1], true
		case !ok && strings.HasPrefix(w, "-F"):
			value, ok = w[2:], true
		}
		if v, digits := scan.Float([]byte(value)); ok && digits && v > 0 {
			p.rate = v
		}
	}
}

// frame reads one frame of the open record; srcline's extra lines are none.
func (p *perfParser) frame(line []byte) bool {
	text := bytes.TrimLeft(line, " \t")
	n := hexLen(text)
	if n < len(text) {
		text = text[n:] // the address does not tell frames apart
	}
	code, ok := p.frames[string(text)]
	if !ok {
		f, is := perfFrame(line)
		if !is {
			return false
		}
		p.native = p.native || f.native
		p.python = p.python || !f.native
		p.tower = p.tower || bytes.HasPrefix(f.function, []byte("_PyEval_EvalFrame"))
		code = p.out.Stacks.Set.Frame(f.frame(p.out.Strings))
		if len(p.frames) >= maxDigests {
			clear(p.frames)
		}
		p.frames[string(text)] = code
	}
	if len(p.codes) < model.MaxDepth {
		p.codes = append(p.codes, code)
	}
	return true
}

// record opens a record, unless the line is none.
func (p *perfParser) record(line []byte) {
	r, ok := perfRecord(line)
	if !ok {
		switch {
		case p.open && (line[0] == ' ' || line[0] == '\t'):
			p.out.Skip(1) // a source line
		case bytes.Contains(line, []byte("properly terminated")):
			p.out.File.Note("perf says that its recording was not ended properly: it may be cut short")
			p.out.Skip(1)
		default:
			p.end()
			p.src.Reject("%q, want COMM PID/TID [CPU] TIME: EVENT:", clip(valid(line)))
		}
		return
	}
	p.end()
	p.open, p.codes, p.lines = true, p.codes[:0], 1
	p.at, p.off = int32(p.src.Line()), p.src.Offset()
	p.event, p.period = p.eventOf(r.event), r.period
	who, ok := p.threads[string(r.who)]
	if !ok {
		who = model.StackThread{PID: r.pid, TID: string(r.tid), Name: string(valid(r.comm))}
		p.threads[string(r.who)] = who
	}
	p.thread = who
	if len(r.payload) > 0 {
		if _, is := perfFrame(r.payload); is {
			p.frame(r.payload)
		}
	}
}

func (p *perfParser) eventOf(name []byte) int {
	for i := range p.events {
		if p.events[i].name == string(name) {
			return i
		}
	}
	if len(p.events) == maxPerfEvents {
		return maxPerfEvents - 1
	}
	p.events = append(p.events, perfEvent{name: string(valid(name))})
	return len(p.events) - 1
}

// maxPerfEvents is how many events are kept apart; perf itself takes some tens.
const maxPerfEvents = 256

// end adds the open record to its event.
func (p *perfParser) end() {
	if !p.open {
		return
	}
	p.open = false
	slices.Reverse(p.codes)
	e := &p.events[p.event]
	e.records++
	e.lines += p.lines
	if p.period > 0 {
		e.weight += p.period
		e.periods++
	}
	k := perfKey{p.event, p.out.Stacks.Set.Stack(p.codes), p.thread}
	i, ok := p.index[k]
	if !ok {
		i = len(e.samples)
		p.index[k] = i
		e.samples = append(e.samples, perfSample{thread: p.thread, Sample: model.Sample{Stack: k.stack, Line: p.at, Byte: p.off}})
	}
	e.samples[i].N++
	e.samples[i].period += p.period
}

// best returns the event that is time on a processor, -1 where none is.
func (p *perfParser) best() int {
	for _, name := range perfEvents {
		for i := range p.events {
			if p.events[i].name == name {
				return i
			}
		}
	}
	return -1
}

// finish takes the samples of one event. Where all of them have a period it is
// their weight, scaled so that a sample counts one on average; those of clocks
// are ns.
func (p *perfParser) finish() error {
	if len(p.events) == 0 {
		p.out.File.Note("no records: an idle process, or one that perf may not read")
		return nil
	}
	best := p.best()
	var others []string
	for i := range p.events {
		if i != best {
			p.out.Skip(p.events[i].lines)
			others = append(others, fmt.Sprintf("%s (%d)", p.events[i].name, p.events[i].records))
		}
	}
	if best < 0 {
		return fmt.Errorf("samples of %s, which are no time on a processor: perf record -F 99 -e cycles -g", strings.Join(others, ", "))
	}
	e := &p.events[best]
	p.out.Claim(e.lines)
	weighed := e.periods == e.records && e.weight > 0
	for _, s := range e.samples {
		if weighed {
			s.N = s.period * float64(e.records) / e.weight
		}
		if weighed && strings.HasSuffix(e.name, "-clock") {
			s.Seconds = s.period * 1e-9
		}
		s.Thread = p.out.Stacks.Thread(s.thread)
		p.out.Stacks.Add(s.Sample)
	}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, model.Capture{Writer: "perf script", Rate: p.rate, Threads: true, Native: p.native})
	p.notes(e.name, others)
	return nil
}

func (p *perfParser) notes(event string, others []string) {
	p.out.File.Note("perf samples time on a processor only: waits are not in it (event " + event + ")")
	if len(others) > 0 {
		p.out.File.Note("samples of other events are left out, for they are not added: " + strings.Join(others, ", "))
	}
	if p.tower && !p.python {
		p.out.File.Note("Python's functions are not visible: run python -X perf (3.12 or later), or sample with py-spy --native")
	}
}
