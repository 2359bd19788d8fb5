package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Austin is austin's text output. Every line is one interval of one thread
// and its length in µs, so metrics are summed and lines are not counted.
var Austin = &Format{
	Name:      "austin",
	Doc:       "austin and austinp up to 3.7, text output (modes wall, cpu and full)",
	Record:    "austin -i 10ms -p PID -x 60 -o austin.txt",
	Detect:    detectAustin,
	Parse:     parseAustin,
	LongLines: true,
}

func detectAustin(name string, head []byte) bool {
	whole := head
	lines, rows := 0, 0
	full := len(head) >= model.HeadSize
	for len(head) > 0 && lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full && lines > 0 {
			break
		}
		line = trimRight(line)
		switch {
		case bytes.HasPrefix(line, []byte("# austin: ")), austinMapLine(line):
			return !detectTrainLog(name, whole)
		case len(line) == 0 || line[0] == '#':
			continue
		}
		lines++
		if austinRows(line) {
			rows++
		}
	}
	return rows > 0 && 2*rows > lines && !detectTrainLog(name, whole)
}

// austinMapLine: austinp first says where everything lies, which may take more
// than the first bytes of a file.
func austinMapLine(line []byte) bool {
	value, ok := bytes.CutPrefix(line, []byte("# map: "))
	if ok {
		_, ok = austinRange(string(value))
	}
	return ok
}

func parseAustin(src *Source, out *model.RunBuilder) error {
	p := &austinParser{src: src, austinCapture: austinCapture{out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		line = trimRight(line)
		switch {
		case len(line) == 0:
			out.Skip(1)
		case line[0] == '#':
			out.Skip(1)
			key, value, _ := bytes.Cut(bytes.TrimLeft(line, "# "), []byte(": "))
			p.meta(string(valid(key)), string(valid(value)))
		default:
			p.row(line)
		}
	}
	if err := p.finish(); err != nil {
		out.File.Rejected += out.File.Claimed
		out.File.Claimed = 0
		return err
	}
	return src.Err()
}

// An austinCapture is what both of austin's outputs share: what they say about
// themselves, and how a sample is added.
type austinCapture struct {
	out      *model.RunBuilder
	interval float64 // s, 0 unknown
	mode     string
	native   bool
	notes    []string
	codes    []int32
	memory   bool             // a weight under 0: bytes, no time
	frames   map[string]int32 // by text
	maps     []austinMap      // by address
}

// austinLate and austinErrors are the shares of late and failed samples from
// which a note is due (reference: austin's own advice, over 10 % and 5 %).
const (
	austinLate   = 0.10
	austinErrors = 0.05
)

// meta takes one line or event of metadata.
func (a *austinCapture) meta(key, value string) {
	switch key {
	case "map":
		a.mapped(value)
	case "mode":
		a.mode = value
	case "memory":
		a.memory = a.memory || value == "1" || value == "on"
	case "interval":
		if v, ok := scan.Float([]byte(strings.TrimSuffix(value, " μs"))); ok && v > 0 {
			a.interval = v * 1e-6
		}
	case "saturation":
		a.share(value, austinLate, "samples taken late: %.0f %%, so that intervals are longer than asked for")
	case "errors":
		a.share(value, austinErrors, "samples with an error: %.0f %%, which are not in the file")
	}
}

// share keeps a note where "bad/total" is over a limit.
func (a *austinCapture) share(value string, limit float64, format string) {
	bad, total, _ := strings.Cut(value, "/")
	b, ok := scan.Float([]byte(bad))
	n, ok2 := scan.Float([]byte(total))
	if ok && ok2 && n > 0 && b > limit*n {
		a.notes = append(a.notes, fmt.Sprintf(format, 100*b/n))
	}
}

// add adds the stack in codes, root first, with its time in s, and returns
// where it is among the samples.
func (a *austinCapture) add(t model.StackThread, hint model.Hint, seconds float64, line int, off int64) int32 {
	s := model.Sample{
		Thread: a.out.Stacks.Thread(t), Stack: a.out.Stacks.Set.Stack(a.codes), Hint: hint,
		Seconds: seconds, Line: int32(line), Byte: off,
	}
	return a.out.Stacks.Add(s)
}

// finish adds the capture. With a known interval a sample is one of it.
func (a *austinCapture) finish() error {
	if a.memory || a.mode == "memory" {
		a.out.Stacks.Samples = nil
		return fmt.Errorf("austin in memory mode: bytes, not time; want austin without -m")
	}
	if len(a.out.Stacks.Samples) == 0 {
		a.out.File.Note("no samples: an idle or short process, or one that austin may not read")
		return nil
	}
	c := model.Capture{Writer: "austin", Threads: true, Native: a.native}
	if a.interval > 0 {
		c.Rate = 1 / a.interval
		for i := range a.out.Stacks.Samples {
			s := &a.out.Stacks.Samples[i]
			s.N = s.Seconds / a.interval
		}
	}
	a.out.Stacks.Captures = append(a.out.Stacks.Captures, c)
	if a.mode == "wall" || a.mode == "full" {
		a.out.File.Note("mode " + a.mode + ": waiting threads are sampled as well")
	}
	for _, n := range a.notes {
		a.out.File.Note(n)
	}
	return nil
}

// frame adds a frame of "file", a function and a line to codes.
func (a *austinCapture) frame(f frameText) bool {
	if len(a.codes) == model.MaxDepth {
		return false
	}
	a.native = a.native || f.native
	a.codes = append(a.codes, a.out.Stacks.Set.Frame(f.frame(a.out.Strings)))
	return true
}

// An austinParser reads the text output.
type austinParser struct {
	src *Source
	austinCapture
	seen digestTable // thread and stack, with the hint: index of the sample
}

// row reads "P4100;T0:4171;train.py:main:310;… 100".
func (p *austinParser) row(line []byte) {
	i := bytes.LastIndexByte(line, ' ')
	if i < 0 || !austinRows(line) {
		p.src.Reject("%q, want P<pid>;T<thread>;frames and a metric", clip(line))
		return
	}
	micros, hint, ok := p.metric(line[i+1:])
	if !ok {
		p.src.Reject("metric %q, want µs, or µs,idle,bytes", clip(line[i+1:]))
		return
	}
	if micros <= 0 {
		p.out.Claim(1)
		return
	}
	sum := xxh3.Hash128(line[:i])
	sum.Lo ^= uint64(hint) << 56
	if at, ok := p.seen.get(sum); ok {
		p.out.Stacks.Samples[at].Seconds += micros * 1e-6
		p.out.Claim(1)
		return
	}
	t, frames := austinThread(line[:i])
	if !p.stack(frames) {
		p.src.Reject("more frames than a sampler follows, want at most %d", model.MaxDepth)
		return
	}
	p.seen.put(sum, p.add(t, hint, micros*1e-6, p.src.Line(), p.src.Offset()))
	p.out.Claim(1)
}

// stack takes the frames of a row into codes.
func (p *austinParser) stack(frames []byte) bool {
	if p.frames == nil || len(p.frames) > maxDigests {
		p.frames = map[string]int32{}
	}
	p.codes = p.codes[:0]
	for len(frames) > 0 {
		var piece []byte
		if piece, frames = cutPiece(frames); len(piece) == 0 {
			continue
		}
		code, ok := p.frames[string(piece)]
		if ok && len(p.codes) < model.MaxDepth {
			p.codes = append(p.codes, code)
			continue
		}
		if !p.frame(p.settle(austinFrame(piece))) {
			return false
		}
		p.frames[string(piece)] = p.codes[len(p.codes)-1]
	}
	return true
}

// metric reads the time of a row, alone or with the idle flag and the memory.
func (p *austinParser) metric(b []byte) (micros float64, hint model.Hint, ok bool) {
	first, rest, full := bytes.Cut(b, []byte{','})
	micros, ok = scan.Float(first)
	if ok && micros < 0 && !full {
		p.memory = true
	}
	if full {
		idle, _, two := bytes.Cut(rest, []byte{','})
		ok = ok && two
		if hint = model.HintActive; string(idle) != "0" {
			hint = model.HintIdle
		}
	}
	return micros, hint, ok && (micros >= 0 || !full)
}

// austinThread reads "P4100;T0:4171", or without the interpreter's number.
func austinThread(row []byte) (t model.StackThread, frames []byte) {
	pid, rest := cutPiece(row)
	t.PID, _ = scan.Int(pid[1:])
	tid, frames := cutPiece(rest)
	tid = tid[1:]
	if i := bytes.IndexByte(tid, ':'); i >= 0 {
		tid = tid[i+1:]
	}
	t.TID = string(valid(tid))
	return t, frames
}

// austinFrame takes "file:function:line" apart, from the right: files may hold
// colons. ":GC:" and ":INVALID:" stand for what has no place.
func austinFrame(b []byte) frameText {
	if b[0] == ':' && b[len(b)-1] == ':' {
		return frameText{function: b, whole: true}
	}
	k := bytes.LastIndexByte(b, ':')
	n, ok := scan.Int(b[k+1:])
	if k <= 0 || !ok || n < 0 || n >= 1<<31 {
		return frameText{function: b}
	}
	file, name := []byte(nil), b[:k]
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		file, name = name[:i], name[i+1:]
	}
	return frameText{function: name, file: file, line: int32(n), whole: true}
}
