package ingest

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PySpyChrome is py-spy's chrome trace: stacks that begin and end.
var PySpyChrome = &Format{
	Name:   "py-spy-chrometrace",
	Doc:    "py-spy record -f chrometrace: the only format of py-spy with times",
	Record: "py-spy record -f chrometrace --rate 20 -d 60 -o profile.trace.json --pid PID",
	Detect: func(_ string, head []byte) bool { return isTrace(head) && isPySpyTrace(head) },
	Parse:  parsePySpyChrome,
}

// isPySpyTrace reports whether a trace's first event is py-spy's.
func isPySpyTrace(head []byte) bool {
	i := bytes.Index(head[:min(len(head), jsonOpening)], []byte(`"py-spy"`))
	if i < 0 {
		return false
	}
	before := bytes.TrimRight(head[:i], " \t\r\n")
	before, ok := bytes.CutSuffix(before, []byte(":"))
	return ok && bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte(`"cat"`))
}

// A chromeThread is a thread's open stack. py-spy keys what is open by the
// thread alone, so it is kept by thread here too, and its process is that of
// the events that begin frames.
type chromeThread struct {
	thread int32
	pid    int64
	mixed  bool // several processes have it
	open   []int32
	stacks []int32 // by depth
	since  int64
	line   int32
	at     int64
}

// A chromeStretch is a time in which a thread's stack did not change.
type chromeStretch struct {
	thread, stack, line int32
	at, from, to        int64
}

type chromeParser struct {
	out     *model.RunBuilder
	r       *eventReader
	e       traceEvent
	threads map[string]*chromeThread
	list    []chromeStretch
	tick    int64 // ns, 0 until it is known
	unknown int64
	odd     int
	frames  map[string]int32
	key     []byte
}

const (
	// chromeHold is how many stretches are held before they are added up.
	chromeHold = 1 << 20
	// chromeLeast is how many stretches tell the sampler's tick; fewer are read
	// under chromeTick, its default of 100 a second. chromeMost is the slowest
	// tick that anybody records with.
	chromeLeast = 20
	chromeTick  = int64(10e6)
	chromeMost  = int64(1e9)
	// chromeGap: over three ticks without a change a thread may have slept
	// (py-spy writes nothing for a sleeping thread).
	chromeGap = 3
)

func parsePySpyChrome(src *Source, out *model.RunBuilder) error {
	p := &chromeParser{out: out, r: newEventReader(src, docStart), threads: map[string]*chromeThread{}, frames: map[string]int32{}}
	out.Stacks.Captures = []model.Capture{{Writer: "py-spy chrometrace", Threads: true}}
	for {
		b, laid, ok := p.r.next()
		if !ok {
			break
		}
		if !p.e.parse(b, laid) || !p.e.hasTS {
			p.r.lose(p.r.at, "an event without a phase or a time")
			continue
		}
		p.event()
	}
	out.File.Clock.Kind = model.ClockElapsed
	out.File.Claimed = out.File.Lines
	p.finish()
	if p.r.err != nil {
		return fmt.Errorf("cut short after line %d: %w", out.File.Lines, p.r.err)
	}
	return nil
}

// event opens or closes a frame.
func (p *chromeParser) event() {
	e := &p.e
	t := p.thread()
	if t == nil {
		return
	}
	if e.ts < t.since {
		p.odd++
		return
	}
	switch e.phase {
	case 'B':
		p.close(t, e.ts)
		if len(t.open) < model.MaxDepth {
			f := p.frame()
			t.open, t.stacks = append(t.open, f), append(t.stacks, p.out.Stacks.Set.Push(t.top(), f))
		}
	case 'E':
		p.close(t, e.ts)
		f := p.frame()
		i := slices.Index(t.open, f)
		if n := len(t.open); n > 0 && t.open[n-1] == f {
			i = n - 1
		}
		if i < 0 {
			p.odd++
			return
		}
		t.open, t.stacks = t.open[:i], t.stacks[:i]
	}
}

func (t *chromeThread) top() int32 {
	if n := len(t.stacks); n > 0 {
		return t.stacks[n-1]
	}
	return 0
}

// thread returns the thread of the event.
func (p *chromeParser) thread() *chromeThread {
	e := &p.e
	pid := trackID(e.pid)
	t := p.threads[string(e.tid)]
	if t == nil {
		if len(p.threads) >= model.MaxTraceTracks {
			p.odd++
			return nil
		}
		t = &chromeThread{pid: pid, since: math.MinInt64}
		t.thread = p.out.Stacks.Thread(model.StackThread{PID: pid, TID: string(valid(e.tid))})
		p.threads[string(e.tid)] = t
	}
	t.mixed = t.mixed || pid != t.pid
	return t
}

// close ends the stretch of a thread's stack at a time.
func (p *chromeParser) close(t *chromeThread, at int64) {
	if at == t.since {
		return
	}
	if len(t.stacks) > 0 {
		if !t.mixed {
			p.list = append(p.list, chromeStretch{t.thread, t.top(), t.line, t.at, t.since, at})
		}
		if len(p.list) >= chromeHold {
			p.add()
		}
	}
	t.since = at
	pos := p.r.pos(p.r.at)
	t.line, t.at = int32(min(pos.Line, math.MaxInt32)), pos.Byte
}

// frame returns the code of the event's frame.
func (p *chromeParser) frame() int32 {
	e := &p.e
	p.key = append(append(p.key[:0], e.name...), 0)
	p.key = append(p.key, e.args...)
	if f, ok := p.frames[string(p.key)]; ok {
		return f
	}
	f := frameText{function: []byte(jsonText(e.name)), file: []byte(jsonText(argument(e.args, "filename")))}
	if n, ok := scan.Int(argument(e.args, "line")); ok && n > 0 && n < math.MaxInt32 {
		f.line = int32(n)
	}
	f.native = len(f.file) > 0 && nativeFile(f.file, f.line) || isAddress(f.function)
	code := p.out.Stacks.Set.Frame(f.frame(p.out.Strings))
	p.out.Stacks.Captures[0].Native = p.out.Stacks.Captures[0].Native || f.native
	if len(p.frames) < model.MaxTraceNames {
		p.frames[string(p.key)] = code
	}
	return code
}

// add turns the stretches held into samples. The tick is the median stretch.
// Of one longer than chromeGap ticks only its first is known: the thread may
// have slept, and nothing is written for a sleeping thread.
func (p *chromeParser) add() {
	if p.tick == 0 {
		p.tick = chromeTick
		if len(p.list) >= chromeLeast {
			all := make([]int64, len(p.list))
			for i, s := range p.list {
				all[i] = s.to - s.from
			}
			slices.Sort(all)
			p.tick = min(max(all[len(all)/2], 1000), chromeMost)
		}
	}
	for _, s := range p.list {
		d := s.to - s.from
		if d > chromeGap*p.tick {
			p.unknown += d - p.tick
			d = p.tick
		}
		n := max(1, math.Round(float64(d)/float64(p.tick)))
		i := p.out.Stacks.Add(model.Sample{Thread: s.thread, Stack: s.stack, N: n, Seconds: float64(d) / 1e9, Line: s.line, Byte: s.at})
		if len(p.out.Stacks.Times) < chromeHold {
			p.out.Stacks.Times = append(p.out.Stacks.Times, model.SampleTime{Sample: i, From: s.from, To: s.from + d})
		}
	}
	p.list = p.list[:0]
}

// finish adds what is left and says what was not clear.
func (p *chromeParser) finish() {
	p.add()
	f := p.out.File
	open, mixed := 0, 0
	for _, t := range p.threads {
		open += len(t.open)
		if t.mixed {
			mixed++
		}
	}
	if p.r.mode == docEvents {
		f.Note("the list of events is not closed: the file was cut, or its writer stopped")
	}
	if p.r.lost > 0 {
		f.Note(fmt.Sprintf("events that could not be read: %d, reading went on at the next", p.r.lost))
	}
	if open > 0 || p.odd > 0 {
		f.Note(fmt.Sprintf("frames left open at the end: %d; events that close no open frame or go back in time: %d", open, p.odd))
	}
	if mixed > 0 {
		f.Note(fmt.Sprintf("threads whose id several processes have: %d; py-spy mixes their stacks, so from there on they are left out", mixed))
	}
	if p.unknown > 0 {
		f.Note(fmt.Sprintf("%s of thread time without a change for over %d ticks of %s is unknown: asleep, or in one long call", seconds(p.unknown), chromeGap, seconds(p.tick)))
	}
	if len(p.out.Stacks.Samples) == 0 {
		f.Note("no samples")
		p.out.Stacks.Captures = nil
		p.out.Stacks.Threads = nil
	}
}
