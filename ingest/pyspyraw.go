package ingest

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"

	"tidemark/model"
)

// PySpyRaw is stacks in lines: frames from the root joined by ;, then a count.
// It is not read in parts, which would each learn the stacks anew: one pass
// knows every stack after the first time by its hash, and the hashes are worked
// out on all processors.
var PySpyRaw = &Format{
	Name:      "py-spy-raw",
	Doc:       "py-spy record -f raw, and collapsed stacks of other samplers",
	Record:    "py-spy record -f raw --threads --rate 20 --duration 60 --native -o pyspy.raw.txt --pid PID > pyspy.log",
	Detect:    detectPySpyRaw,
	Parse:     parsePySpyRaw,
	Finish:    finishPySpyRaw,
	Ahead:     newRawLookers,
	LongLines: true,
}

// Writers of stacks in lines, as their frames tell them.
const (
	pySpyRawWriter = "py-spy raw"
	torchStacks    = "torch export_stacks"
)

// tornShare is the share of samples with a torn stack from which a note is
// due (reference: py-spy's issues 56 and 772).
const tornShare = 0.02

func parsePySpyRaw(src *Source, out *model.RunBuilder) error {
	p := &rawParser{src: src, out: out, writer: model.Collapsed}
	p.room()
	for {
		if p.open.lines == 0 {
			src.pass(p.known)
		}
		line, ok := src.Next()
		if !ok {
			break
		}
		line = trimRight(line)
		switch {
		case p.open.lines > 0:
			p.more(line)
		case len(line) == 0 || line[0] == '#':
			out.Skip(1)
		default:
			p.record(line, rawPlace{int32(src.Line()), src.Offset(), 1}, src.looked())
		}
	}
	p.drop()
	p.finish()
	return src.Err()
}

// A stack in a line is some tens of frames of some tens of bytes. What of them
// is new is not known: the room is for a third, and at most for so many bytes.
const (
	frameBytes = 20
	stackBytes = 1 << 10
	mostRoom   = 64 << 20
)

// room makes room for the stacks of a large file. The runtime clears all of it,
// and growing costs twice.
func (p *rawParser) room() {
	if size := min(p.src.size, mostRoom); size > leastPart {
		stacks := int(size / stackBytes / 2)
		p.seen.room(stacks)
		p.weights = make([]float64, 0, stacks)
		p.out.Stacks.Room(stacks, int(size/frameBytes/3))
	}
}

// A rawParser turns lines into samples. A line seen before costs one hash of
// its bytes; only new ones are taken apart.
type rawParser struct {
	src    *Source
	out    *model.RunBuilder
	seen   digestTable // stack text: index of its sample, twice, and 1 where it is torn
	pieces digestTable // frame text: index in frames
	rows   digestTable // rows: thread
	frames []rawFrame
	codes  []int32
	root   rawFrame // the first of codes
	// the stack taken apart last, where its rows end (-1: not to be used), and its frames
	last       []byte
	lastRows   int
	lastPieces []rawPiece
	open       rawOpen
	writer     string
	weights    []float64 // of samples, which get them at the end
	threads    bool
	native     bool
	torn       float64 // weight of torn stacks
}

type rawFrame struct {
	code  int32
	whole bool // is a frame by itself
	lined bool // has file and line as py-spy writes them
	root  bool // may begin a stack
}

// A rawPlace is where a record begins, and how many lines it takes.
type rawPlace struct {
	line  int32
	off   int64
	lines int
}

// record reads one stack with its count. look is what another processor has
// found in it, if any.
func (p *rawParser) record(line []byte, at rawPlace, look rawLook) {
	stack, n, wrong := splitCount(line)
	if wrong != "" {
		if processPrefix(line) > 0 && p.begin(line, at) {
			return
		}
		p.reject(at, wrong, line)
		return
	}
	if n == 0 {
		p.out.Skip(at.lines)
		return
	}
	if look.n == 0 {
		look.sum, look.n = stackSum(stack), n
	}
	if !p.known(&look) {
		v, ok := p.unseen(stack, line, at, &look)
		if !ok {
			return
		}
		p.seen.put(look.sum, v)
		p.known(&look)
	}
	p.out.Claim(at.lines)
}

// known adds the samples of a stack that was seen before.
func (p *rawParser) known(look *rawLook) bool {
	if look.n == 0 {
		return false
	}
	v, ok := p.seen.get(look.sum)
	if ok {
		p.weights[v>>1] += look.n
		if v&1 != 0 {
			p.torn += look.n
		}
	}
	return ok
}

// unseen takes a stack apart and returns its sample, without weight yet.
func (p *rawParser) unseen(stack, line []byte, at rawPlace, look *rawLook) (v int32, ok bool) {
	end, torn := look.rows, false
	if look.by != nil {
		torn = p.gather(stack, look)
	} else {
		closed := false
		if end, closed = rowsEnd(stack, at.lines > 1); !closed {
			if !p.begin(line, at) {
				p.reject(at, `a process row without its closing quote, want process PID:"COMMAND";`, line)
			}
			return 0, false
		}
		torn = p.split(stack, end)
	}
	if len(p.codes) > model.MaxDepth {
		p.reject(at, "more frames than a sampler follows, want at most 4096", line)
		return 0, false
	}
	if p.stray(end) {
		p.reject(at, "a text without a file among py-spy's frames, want NAME (FILE:LINE) and a count", line)
		return 0, false
	}
	s := model.Sample{Thread: p.thread(stack[:end]), Stack: p.out.Stacks.Set.Stack(p.codes), Line: at.line, Byte: at.off}
	v = p.out.Stacks.Add(s)
	if int(v) == len(p.weights) {
		p.weights = append(p.weights, 0)
	}
	v <<= 1
	if torn {
		v |= 1
	}
	return v, true
}

// stray reports whether the stack taken apart last, whose rows end at rows, is
// the line of a log among py-spy's stacks, which a number happens to end.
func (p *rawParser) stray(rows int) bool {
	return rows == 0 && p.writer == pySpyRawWriter && len(p.codes) == 1 && !p.root.whole
}

func (p *rawParser) reject(at rawPlace, wrong string, line []byte) {
	p.out.File.Rejected += at.lines - 1
	line, _, _ = bytes.Cut(line, []byte{'\n'})
	p.out.Reject(&model.SyntaxError{
		Pos: model.Pos{File: p.out.File.Path, Line: int(at.line), Byte: at.off},
		Msg: wrong + ": " + string(valid([]byte(clip(line)))),
	})
}

// thread returns the thread that rows name.
func (p *rawParser) thread(rows []byte) int32 {
	sum := xxh3.Hash128(rows)
	t, ok := p.rows.get(sum)
	if !ok {
		th := threadOf(rows)
		p.threads = p.threads || th.TID != ""
		if len(rows) > 0 && !bytes.HasPrefix(rows, []byte("tid:")) {
			p.writer = pySpyRawWriter
		}
		t = p.out.Stacks.Thread(th)
		p.rows.put(sum, t)
	}
	return t
}

// finish adds the capture.
func (p *rawParser) finish() {
	if len(p.weights) == 0 {
		return
	}
	for i, n := range p.weights {
		p.out.Stacks.Samples[i].N = n
	}
	c := model.Capture{Writer: p.writer, Threads: p.threads, Native: p.native, Errors: p.torn}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, c)
}

// finishPySpyRaw says what the whole file tells.
func finishPySpyRaw(out *model.RunBuilder) {
	if len(out.Stacks.Captures) == 0 {
		return
	}
	total := 0.0
	for i := range out.Stacks.Samples {
		total += out.Stacks.Samples[i].N
	}
	c := out.Stacks.Captures[0]
	if c.Writer == torchStacks {
		finishTorch(out)
	}
	if c.Errors > tornShare*total {
		out.File.Note(fmt.Sprintf("torn stacks: %.1f %% of the samples begin in the middle of a stack, as --nonblocking leaves them", 100*c.Errors/total))
	}
}
