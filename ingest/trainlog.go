package ingest

import (
	"bytes"
	"encoding/binary"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// TrainLog reads what a training process prints, by grammar: prefixes, times,
// levels, pairs of a key and a value, dicts, progress bars, tracebacks.
//
// A line is first held against the shapes of earlier lines, and only a new
// shape goes through the grammar. What a line means depends on the line alone,
// so that shapes may come and go; what it inherits (a time, a source) comes
// from the lines right before it and never over a line with a leading time,
// so that parts may be cut there. Which keys are series, and sessions, are
// settled at the end of the file.
var TrainLog = &Format{
	Name:   "train-log",
	Doc:    "plain log of a training process: times, levels, key=value pairs, dicts, Megatron columns, progress bars, tracebacks",
	Record: "keep standard output and error of the training process: python train.py 2>&1 | tee train.log",
	Detect: detectTrainLog,
	Parse:  parseTrainLog,
	Parts:  true,
	Cut:    cutTrainLog,
	Finish: finishTrainLog,
	Last:   true,
}

const (
	maxLogText64 = 64 << 10 // of a line, what the grammar looks at
	maxShapes    = 4096     // kept at a time; when there are more, all are forgotten
	maxShape     = 16 << 10 // longest line whose shape is kept
)

func parseTrainLog(src *Source, out *model.RunBuilder) error {
	p := newLogParser(src, out)
	for {
		line, ok := src.Next()
		if !ok {
			p.block()
			src.Learn(p.shapes)
			return src.Err()
		}
		p.line(line)
	}
}

// A logParser reads one log, or a part of one.
type logParser struct {
	src      *Source
	out      *model.RunBuilder
	stamp    scan.Stamp
	shapes   map[uint64][]*logShape
	kept     int
	starts   []int32
	ints     []uint64 // see logShape.match
	buf      []byte   // a line without its escapes
	squash   []byte   // a line without the drawn part of its bar
	name     []byte   // a source of several pieces
	words    logWords
	values   logValues
	fold     *logFold        // nil where every row is wanted
	marked   bool            // the last new line had an escape, a backspace or a carriage return
	recent   [8][4]*logShape // of the last lines, by how the rest of them begins
	failures logFailures

	// of the line in work
	lead   int64 // its leading time
	zoned  bool
	number int
	offset int64 // of the segment in the file
	cut    bool  // ends in the middle: its last number may be short

	logBlock
	redraw logRedraw
	tod    int64
}

// logWords are codes of texts that are needed again and again.
type logWords struct{ traceback, sampler, failure int32 }

// A logBlock is what lines inherit from the lines before them. It is empty
// again at each line that a part may begin with.
type logBlock struct {
	t        int64
	hasT     bool
	near     int     // the last line that had t or inherited it
	chain    bool    // that line was a record
	seen     []int32 // templates of records since the time was printed
	carry    int32   // source of a line that was only a prefix
	carryAt  int
	bar      *model.Template
	barN     int64
	waiting  bool // rows without a step, which a bar or the rest of the record may tell
	waitLine int
	waitAt   rowMark
	traces   []openTrace
}

// A rowMark is a place in the metrics table.
type rowMark struct {
	batch int
	row   int
}

func newLogParser(src *Source, out *model.RunBuilder) *logParser {
	out.Log = &model.Templates{}
	p := &logParser{
		src: src, out: out, shapes: map[uint64][]*logShape{}, starts: make([]int32, 64), ints: make([]uint64, 64),
		words: logWords{out.Strings.Code("traceback"), out.Strings.Code("sampler"), out.Strings.Code("error")},
	}
	if src == nil {
		return p
	}
	if !src.allRows {
		p.fold = newLogFold(logLimits{model.MaxLogRows, model.MaxLogQueue, model.MaxLogSteps})
		out.Log.Folder = p.fold
	}
	known, _ := src.Learned.(map[uint64][]*logShape)
	for k, list := range known { // whose codes hold here: see model.PartSeed
		p.shapes[k] = slices.Clone(list)
		p.kept += len(list)
	}
	return p
}

// adopt is a shape of the first part's parser as one of this part's.
func (p *logParser) adopt(s *logShape) *logShape {
	own := *s
	own.parser, own.names = p, nil
	if s.layout != nil {
		own.layout = s.layout.Own()
	}
	if s.template != nil {
		own.bind(p)
	}
	return &own
}

// bind finds the shape's template among those of a parser.
func (s *logShape) bind(p *logParser) {
	s.template = p.out.Log.Template(s.code)
	if s.template != nil && s.gauge {
		s.template.Gauge = true
	}
}

// line reads one physical line: one text, or several that a carriage return
// has put over one another.
func (p *logParser) line(line []byte) {
	if p.fold != nil && p.fold.Full(p.out) {
		p.drop()
	}
	p.number, p.offset = p.src.Line(), p.src.Offset()
	p.redraw.line, p.redraw.drawn = line, false
	claimed, known := false, false
	if !p.marked && len(line) <= maxLogText64 {
		claimed, known = p.known(line)
	}
	if !known {
		claimed, line = p.drawn(line)
		p.cut = p.src.Cut()
		claimed = p.segment(line) || claimed
	}
	p.cut = false
	if claimed {
		p.out.Claim(1)
	} else {
		p.out.Skip(1)
	}
}

// known reads a line of a shape that another one had: no shape has an escape, a backspace
// or a carriage return in it.
func (p *logParser) known(line []byte) (claimed, ok bool) {
	s, end := p.lookUp(line)
	if s == nil {
		return false, false
	}
	p.cut = p.src.Cut()
	return p.apply(s, line[end:]), true
}

// drawn reads what a line has put over, and returns the text that it ends with.
func (p *logParser) drawn(line []byte) (claimed bool, last []byte) {
	if p.marked = bytes.IndexByte(line, 0x1b) >= 0 || bytes.IndexByte(line, '\b') >= 0; p.marked {
		p.buf = unescape(p.buf[:0], line)
		line = p.buf
	}
	p.redraw.line, p.redraw.drawn = line, bytes.IndexByte(line, '\r') >= 0
	p.marked = p.marked || p.redraw.drawn
	for {
		i := bytes.IndexByte(line, '\r')
		if i < 0 {
			return claimed, line
		}
		claimed = p.segment(line[:i]) || claimed
		line = line[i+1:]
		p.offset += int64(i + 1)
	}
}

// segment reads one text and reports whether it gave anything.
func (p *logParser) segment(b []byte) bool {
	if len(b) > maxLogText64 {
		b = b[:maxLogText64]
	}
	s, end := p.lookUp(b)
	if s == nil {
		if short := p.withoutBar(b); short != nil {
			b = short
			s, end = p.lookUp(b)
		}
	}
	if s == nil {
		_, _, _, form := leadStamp(&p.stamp, b)
		s = p.compile(b, end, form)
		p.keep(s, b, end)
		if !p.fits(s, b[end:]) {
			return false
		}
	}
	return p.apply(s, b[end:])
}

// lookUp returns the shape of a text, nil where it is a new one, and where its leading time
// ends.
func (p *logParser) lookUp(b []byte) (s *logShape, end int) {
	ns, end, zoned, form := leadStamp(&p.stamp, b)
	p.lead, p.zoned = ns, zoned
	return p.find(b, end, form), end
}

// withoutBar returns a line without the drawn part of its bar, which has many
// looks, nil where there is none.
func (p *logParser) withoutBar(b []byte) []byte {
	if !bytes.Contains(b, []byte("%|")) {
		return nil
	}
	bar, ok := barAt(b, 0)
	if !ok || bar.glyphs.to == bar.glyphs.from {
		return nil
	}
	p.squash = append(append(p.squash[:0], b[:bar.glyphs.from]...), b[bar.glyphs.to:]...)
	return p.squash
}

// bucket is where shapes are kept that begin as b does: up to the first digit.
func bucket(b []byte, form uint8) uint64 {
	h := uint64(14695981039346656037) ^ uint64(form)
	for i := 0; i < len(b) && i < 24 && b[i]-'0' > 9; i++ {
		h = (h ^ uint64(b[i])) * 1099511628211
	}
	return h
}

// find returns the shape that b has, nil where it is a new one. Lines of a few shapes
// take turns, so that those of the last ones that begin as b does are tried first.
func (p *logParser) find(b []byte, end int, form uint8) *logShape {
	rest := b[end:]
	last := &p.recent[0]
	if len(rest) >= 8 {
		last = &p.recent[binary.LittleEndian.Uint64(rest)*0x9e3779b97f4a7c15>>61] // by the golden ratio, which spreads them
	}
	for i, s := range last {
		if s != nil && s.form == form && p.fits(s, rest) {
			if i > 0 {
				last[i-1], last[i] = s, last[i-1]
			}
			return s
		}
	}
	s := p.among(rest, form)
	if s != nil {
		copy(last[1:], last[:])
		last[0] = s
	}
	return s
}

// among is find among all shapes that are kept.
func (p *logParser) among(rest []byte, form uint8) *logShape {
	list := p.shapes[bucket(rest, form)]
	for i, s := range list {
		if s.form == form && p.fits(s, rest) {
			if s.parser != p {
				s = p.adopt(s)
				list[i] = s
			}
			if i > 0 {
				copy(list[1:i+1], list[:i])
				list[0] = s
			}
			return s
		}
	}
	return nil
}

// fits reports whether b has the shape, its time included.
func (p *logParser) fits(s *logShape, b []byte) bool {
	if len(p.starts) < len(s.steps) {
		p.starts, p.ints = make([]int32, 2*len(s.steps)), make([]uint64, 2*len(s.steps))
	}
	if !s.match(b, p.starts, p.ints) {
		return false
	}
	if s.stamp == stampNone {
		return true
	}
	at := p.cutOut(b, s.at)
	var n int
	ok := false
	if s.stamp == stampDated {
		p.lead, n, p.zoned, ok = p.stamp.DateTime(at)
	} else {
		p.tod, n, ok = readStamp(s.stamp, at)
	}
	return ok && n == len(at)
}

// keep keeps a shape, unless another line with its letters may be read otherwise.
func (p *logParser) keep(s *logShape, b []byte, end int) {
	if len(b) > maxShape || s.unsure {
		return
	}
	if p.kept >= maxShapes {
		clear(p.shapes)
		p.kept = 0
	}
	k := bucket(b[end:], s.form)
	if list := p.shapes[k]; len(list) < 64 {
		p.shapes[k] = append(list, s)
		p.kept++
		return
	}
	list := p.shapes[k]
	list[len(list)-1] = s
}

func (p *logParser) place(at logPlace) int { return int(p.starts[at.run] + at.off) }

func (p *logParser) cutOut(b []byte, sp logSpan) []byte { return b[p.place(sp.from):p.place(sp.to)] }

// unescape appends line without terminal escapes and what backspaces took back.
func unescape(dst, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\b':
			if len(dst) > 0 {
				dst = dst[:len(dst)-1]
			}
		case c == 0x1b:
			i = escapeEnd(line, i)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// escapeEnd returns the last byte of the escape that begins at i.
func escapeEnd(b []byte, i int) int {
	if i+1 >= len(b) {
		return i
	}
	switch b[i+1] {
	case '[':
		for i += 2; i < len(b) && (b[i] < 0x40 || b[i] > 0x7e); i++ {
		}
		return i
	case ']':
		for i += 2; i < len(b) && b[i] != 7 && b[i] != 0x1b; i++ {
		}
		if i+1 < len(b) && b[i] == 0x1b && b[i+1] == '\\' {
			i++
		}
		return i
	case '(', ')':
		return min(i+2, len(b)-1)
	}
	return i + 1
}
