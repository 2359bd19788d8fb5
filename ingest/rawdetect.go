package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// DifferentialStacks is a comparison of two captures in one file.
var DifferentialStacks = &Format{
	Name:   "differential-stacks",
	Doc:    "collapsed stacks with two counts a line, as difffolded.pl writes",
	Refuse: "two counts on each line: two captures in one file; give the two captures themselves",
	Detect: func(_ string, head []byte) bool {
		l := lookAtStacks(head)
		return l.claim() && l.differential()
	},
	Parse: func(*Source, *model.RunBuilder) error { return nil },
}

func detectPySpyRaw(_ string, head []byte) bool {
	l := lookAtStacks(head)
	return l.claim() && !l.differential()
}

// A stackLook counts what the first lines of a file look like.
type stackLook struct {
	lines   int
	counted int  // end in a count
	two     int  // end in two
	shaped  int  // counted, and with frames joined by ; or as py-spy writes them
	pyspy   int  // with a row of a process or thread, or a frame with file and line
	opened  bool // the first line opens a process row that goes on
	alien   int  // of another format
	first   bool // the first one is
}

// lookLines is how many lines tell the format.
const lookLines = 200

func lookAtStacks(head []byte) stackLook {
	var l stackLook
	full := len(head) >= model.HeadSize
	for len(head) > 0 && l.lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full && l.lines > 0 {
			break // cut by the end of the head
		}
		if line = trimRight(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		l.line(line, !ended && full)
	}
	return l
}

// line looks at one line; cut says that only its beginning is known.
func (l *stackLook) line(line []byte, cut bool) {
	l.lines++
	if line[0] == '{' || line[0] == '[' || austinRows(line) {
		l.alien++
		l.first = l.first || l.lines == 1
	}
	stack, _, wrong := splitCount(line)
	if wrong != "" && !cut {
		l.opened = l.opened || l.lines == 1 && processPrefix(line) > 0
		return
	}
	if cut {
		if stack = line[:bytes.LastIndexByte(line, ';')+1]; len(stack) == 0 {
			return
		}
	}
	l.counted++
	rows := processPrefix(stack) > 0 || threadPrefix(stack) > 0
	lined := linedFrames(stack)
	if rows || lined {
		l.pyspy++
	}
	semi := bytes.IndexByte(stack, ';') >= 0 && !bytes.Contains(stack, []byte("; "))
	if rows || lined || semi || len(stack) == 0 {
		l.shaped++
	}
	if i := bytes.LastIndexByte(stack, ' '); i > 0 {
		if _, ok := scan.Float(stack[i+1:]); ok {
			l.two++
		}
	}
}

// linedFrames reports whether all pieces of a stack are frames with a file,
// and one has a line or a file as Python and its libraries have.
func linedFrames(stack []byte) bool {
	lined := false
	for len(stack) > 0 {
		var piece []byte
		piece, stack = cutPiece(stack)
		i := fileBracket(piece)
		if i < 0 {
			return false
		}
		f := splitFrame(piece)
		lined = lined || f.line > 0 || bytes.HasSuffix(f.file, []byte(".py")) || bytes.Contains(f.file, []byte(".so"))
	}
	return lined
}

// austinRows reports whether a line begins with the rows of austin, whose
// metric is no count.
func austinRows(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte{'P'})
	_, rest, digits := leadingNumber(rest)
	return ok && digits && bytes.HasPrefix(rest, []byte(";T"))
}

// claim reports whether the file holds stacks: half of its first lines end in
// a count, and most of those have frames. Of a log's lines among them a few may
// look like another format.
func (l *stackLook) claim() bool {
	if l.first || 10*l.alien > l.lines || l.counted == 0 || l.shaped == 0 {
		return false
	}
	return (2*l.counted >= l.lines || l.opened) && 10*l.shaped >= 6*l.counted
}

// differential reports whether (nearly) every line has two counts and none is
// py-spy's, whose old thread rows end in a number of their own.
func (l *stackLook) differential() bool {
	return l.pyspy == 0 && 20*l.two >= 19*l.counted
}
