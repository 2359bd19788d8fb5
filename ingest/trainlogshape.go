package ingest

import (
	"encoding/binary"
	"math"
	"strings"

	"tidemark/model"
)

// A logShape is how to read all lines that differ in their digits alone. Most
// lines of a log have the shape of an earlier one; for those only the numbers
// are read again.
type logShape struct {
	form  uint8       // how the leading time is printed: see leadStamp
	lits  []string    // the text before each run of digits, and after the last one
	steps []matchStep // one for each of lits
	class []runClass
	words map[int]string // the digits of runs in keys

	stamp  logStamp // of a time that does not lead
	at     logSpan
	cuts   bool // a part may begin here
	unsure bool // with other digits there might be a time: not kept
	level  byte
	source []logSpan
	names  *sourceNames // of lines before, of a source with digits
	origin int32        // code of the source where it has no digits
	fixed  bool         // … and that is known
	indent bool
	same   bool // a blank stands for the time of the line before
	empty  bool // nothing but a prefix

	pairs    bool // has pairs: gives rows or facts
	fields   []logField
	keys     []int32       // of the fields,
	units    []int32       // and theirs
	layout   *model.Layout // both, nil where there are none or too many
	stated   []logStatement
	step     logSpan
	grouped  bool // the step has commas
	counts   bool // has a step
	template *model.Template
	code     int32      // of the template
	parser   *logParser // that the template belongs to
	fragment bool       // continues a dict
	bar      bool
	bare     bool // a bar without pairs
	timed    bool // a bar behind a stamp, with the time elapsed
	elapsed  logSpan

	queue                    int32 // code of the queue's name, 0 for none
	gauge                    bool  // the depth is one only where it changes
	depth, capacity, minimum int   // fields, -1 where there is none

	event   int32 // code of the kind, 0 for none
	trace   traceMark
	sampler bool
	text    logPlace // where the text begins
}

// A logPlace is a place in any line of a shape: so many bytes after the run of
// digits before it.
type logPlace struct{ run, off int32 }

type logSpan struct{ from, to logPlace }

// A logField is one number that becomes a row.
type logField struct {
	at        logSpan
	kind      logNumberKind
	constant  float64
	scale     float64
	key, unit int32
	role      fieldRole
	run       int32 // the run of digits that the number is, or begins with,
	runs      uint8 // and how many: 2 with a fraction, 0 where it is more than digits
	short     bool  // that run has at most shortRun digits
	stamp     bool  // is the time of the line
	inverse   bool  // printed as a rate, kept as seconds
}

// A fieldRole says what a number is beside a row.
type fieldRole uint8

const (
	fieldRow fieldRole = iota
	fieldEpoch
	fieldDepth // of the reading of a queue, as the two below
	fieldCapacity
	fieldMinimum
)

// A logStatement is one pair in words.
type logStatement struct {
	key string
	at  logSpan
}

// A runClass says which runs of digits a shape allows at a place, where the
// grammar looks at more than that there are digits.
type runClass uint8

const (
	runShort  runClass = iota // up to 8 digits, or a fraction of any length
	runMiddle                 // 9 to 15: may be a time
	runLong                   // more than an exact float holds
	runThree                  // a group of three after a comma
	runBroken                 // after a comma between digits, but no such group
	runWord                   // part of a key: these digits and no others
	runTimed                  // beside a colon: that many more is the length
)

const (
	shortRun = 8
	exactRun = 15
	maxRun   = 64
)

// classOf returns the class of a run of n digits between two literals. prev is
// the length of the run before and class its class.
func classOf(n int, before, after string, prev int, class runClass) runClass {
	switch {
	case before == ",":
		if n == 3 && (class == runThree || prev <= 3 && class == runShort) {
			return runThree
		}
		return runBroken
	case strings.HasSuffix(before, ":") || strings.HasPrefix(after, ":"):
		return runTimed + runClass(min(n, maxRun))
	case before == "." || n <= shortRun:
		return runShort
	case n <= exactRun:
		return runMiddle
	}
	return runLong
}

// split cuts b at its runs of digits.
func (s *logShape) split(b []byte) {
	var runs []int
	from := 0
	for i := 0; i < len(b); {
		if !isDigit(b[i]) {
			i++
			continue
		}
		j := i
		for j < len(b) && isDigit(b[j]) {
			j++
		}
		s.lits, runs = append(s.lits, string(b[from:i])), append(runs, j-i)
		from, i = j, j
	}
	s.lits = append(s.lits, string(b[from:]))
	s.class = make([]runClass, len(runs))
	prev, class := 0, runShort
	for k, n := range runs {
		before := s.lits[k]
		if k == 0 && before == "," {
			before = ""
		}
		class = classOf(n, before, s.lits[k+1], prev, class)
		s.class[k], prev = class, n
	}
	s.measure()
}

// A matchStep is a literal and the run of digits behind it, as they are compared.
type matchStep struct {
	low, lowMask, high, highMask uint64 // the first 16 bytes of the literal
	tailLow, tailHigh            uint64 // the last 16 of one that is longer
	size                         int    // of the literal
	// Runs of least digits, and up to so many more, are of the class that stands here.
	least, more uint32
}

// never is the least length of runs whose class is always looked up.
const never = math.MaxUint32

// measure works out the steps, once the classes stand.
func (s *logShape) measure() {
	s.steps = make([]matchStep, len(s.lits))
	for k, lit := range s.lits {
		x := &s.steps[k]
		x.setLiteral(lit)
		if x.least = never; k == len(s.class) {
			break
		}
		switch class := s.class[k]; {
		case class == runShort:
			x.least, x.more = 1, shortRun-1
		case class > runTimed && class < runTimed+maxRun && lit != ",":
			x.least = uint32(class - runTimed)
		}
	}
}

func (x *matchStep) setLiteral(lit string) {
	var text, mask, tail [16]byte
	for i := range copy(text[:], lit) {
		mask[i] = 0xff
	}
	copy(tail[:], lit[max(0, len(lit)-16):])
	x.low, x.high = binary.LittleEndian.Uint64(text[:]), binary.LittleEndian.Uint64(text[8:])
	x.lowMask, x.highMask = binary.LittleEndian.Uint64(mask[:]), binary.LittleEndian.Uint64(mask[8:])
	x.tailLow, x.tailHigh = binary.LittleEndian.Uint64(tail[:]), binary.LittleEndian.Uint64(tail[8:])
	x.size = len(lit)
}

// begins reports whether b begins with the step's literal, which is lit.
func (x *matchStep) begins(b []byte, lit string) bool {
	if len(b) < len(lit) {
		return false
	}
	if b = b[:len(lit)]; len(b) <= 16 || len(b) > 32 {
		return string(b) == lit
	}
	return binary.LittleEndian.Uint64(b) == x.low && binary.LittleEndian.Uint64(b[8:]) == x.high &&
		binary.LittleEndian.Uint64(b[len(b)-16:]) == x.tailLow && binary.LittleEndian.Uint64(b[len(b)-8:]) == x.tailHigh
}

// match reports whether b has the shape, where its literals begin, and what its runs of
// digits are as numbers, where they have at most 19.
func (s *logShape) match(b []byte, starts []int32, ints []uint64) bool {
	i, prev, last := 0, 0, len(s.steps)-1
	all := b[:cap(b)] // short literals at the end of a line are compared with what stands behind it, and masked
	starts, ints = starts[:last+1], ints[:last+1]
	for k := range s.steps {
		x := &s.steps[k]
		starts[k] = int32(i)
		if x.size <= 16 && len(all)-i >= 16 {
			text := all[i : i+16]
			if (binary.LittleEndian.Uint64(text)^x.low)&x.lowMask|(binary.LittleEndian.Uint64(text[8:])^x.high)&x.highMask != 0 {
				return false
			}
		} else if !x.begins(b[i:], s.lits[k]) {
			return false
		}
		if i += x.size; k == last {
			break
		}
		run, n := i, uint64(0)
		for ; i < len(b) && b[i]-'0' < 10; i++ {
			n = 10*n + uint64(b[i]-'0')
		}
		ints[k] = n
		if i == run {
			return false // as where the literal goes beyond the line
		}
		if uint32(i-run)-x.least > x.more && !s.allows(k, b[run:i], prev) {
			return false
		}
		prev = i - run
	}
	return i == len(b)
}

// allows reports whether a run is of the class that stands at its place.
func (s *logShape) allows(k int, run []byte, prev int) bool {
	if s.class[k] == runWord {
		return string(run) == s.words[k]
	}
	before, class := s.lits[k], runShort
	if k > 0 {
		class = s.class[k-1]
	} else if before == "," {
		before = ""
	}
	return classOf(len(run), before, s.lits[k+1], prev, class) == s.class[k]
}

// places turns offsets in the line a shape was made from into places.
type places struct {
	starts []int32 // of the literals
	lits   []string
}

func (s *logShape) places(b []byte) places {
	starts := make([]int32, len(s.lits))
	s.match(b, starts, make([]uint64, len(s.lits)))
	return places{starts, s.lits}
}

// digitsAt returns the run of digits that a number is, or begins with, and how many runs it
// is: two with a fraction, none where there is more than digits in it.
func (s *logShape) digitsAt(at logSpan) (run int32, runs uint8) {
	run = at.from.run
	if int(at.from.off) != len(s.lits[run]) {
		return 0, 0
	}
	switch at.to {
	case logPlace{run + 1, 0}:
		return run, 1
	case logPlace{run + 2, 0}:
		if s.lits[run+1] == "." {
			return run, 2
		}
	}
	return 0, 0
}

// at returns the place of an offset, which is never inside a run of digits but
// at its ends.
func (p places) at(off int) logPlace {
	lo, hi := 0, len(p.starts)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if int(p.starts[mid]) <= off {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return logPlace{int32(lo), int32(off) - p.starts[lo]}
}

func (p places) span(from, to int) logSpan { return logSpan{p.at(from), p.at(to)} }
