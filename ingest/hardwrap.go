package ingest

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"tidemark/internal/lines"
	"tidemark/internal/say"
	"tidemark/model"
)

// What shows that a terminal has cut a log's lines at its width: this many
// lines of exactly that many columns and none longer, the next of which begin
// unlike a record and unlike each other, some of them inside a word; while the
// lines after shorter ones begin alike, as records do. Text that is wrapped at
// words has lines of many lengths before its continuations, fixed columns have
// nothing but full lines, the second lines of records begin alike, and where
// lines were cut off the next one begins like any other.
const (
	leastColumns, mostColumns = 40, 512
	leastFull                 = 8
	alikeShare                = 0.8  // of the lines after shorter ones
	strangeShare              = 0.05 // of the full lines may be a whole record
	insideShare               = 0.1  // of the cuts at least are inside a word
	sameShare                 = 0.7  // of the lines after full ones at most begin alike
)

// A hardWrap is the width at which lines were cut, and how a record begins.
type hardWrap struct {
	width int
	begin lineBegin
}

// A lineBegin is the shape of a line's first characters: digits and letters
// alike, other signs as they are.
type lineBegin [6]byte

func beginOf(line []byte) (b lineBegin) {
	for i := range b {
		if i >= len(line) {
			break
		}
		switch c := line[i]; {
		case c-'0' < 10:
			b[i] = '0'
		case isLetter(c):
			b[i] = 'a'
		default:
			b[i] = c
		}
	}
	return b
}

// findHardWrap looks at the first lines of a file; ok is false where nothing,
// or not enough, shows that a terminal has cut them.
func findHardWrap(head []byte) (w hardWrap, ok bool) {
	list := bytes.SplitAfter(head, []byte{'\n'})
	if list = list[:len(list)-1]; len(list) < 2*leastFull {
		return w, false
	}
	for i, l := range list {
		list[i] = bytes.TrimRight(l, "\r\n")
		w.width = max(w.width, utf8.RuneCount(list[i]))
	}
	if w.width < leastColumns || w.width > mostColumns {
		return w, false
	}
	w.begin = commonBegin(list, w.width)
	short, alike, cuts, strange, inside, same := 0, 0, 0, 0, 0, 0
	after := map[lineBegin]int{}
	for i, l := range list[1:] {
		before := list[i]
		begins := beginOf(l) == w.begin
		switch {
		case len(l) == 0:
		case utf8.RuneCount(before) < w.width:
			short++
			alike += boolInt(begins)
		default:
			cuts++
			after[beginOf(l)]++
			same = max(same, after[beginOf(l)])
			strange += boolInt(begins && beginOf(before) == w.begin)
			inside += boolInt(!begins && wordSign(before[len(before)-1]) && wordSign(l[0]))
		}
	}
	return w, cuts >= leastFull && short >= leastFull && float64(alike) >= alikeShare*float64(short) &&
		float64(same) <= sameShare*float64(cuts) && float64(strange) <= strangeShare*float64(cuts) && float64(inside) >= insideShare*float64(cuts)
}

// commonBegin is how most lines begin that come after shorter ones than width.
func commonBegin(list [][]byte, width int) (best lineBegin) {
	n := map[lineBegin]int{}
	for i, l := range list[1:] {
		if b := beginOf(l); len(l) > 0 && utf8.RuneCount(list[i]) < width {
			if n[b]++; n[b] > n[best] {
				best = b
			}
		}
	}
	return best
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wordSign reports a letter, a digit, what stands within a number, or a byte
// of a longer character.
func wordSign(c byte) bool { return isLetter(c) || c-'0' < 10 || c == '.' || c == '_' || c >= 0x80 }

// join returns a text without the line ends that a terminal has put in.
func (w hardWrap) join(text []byte) []byte {
	r := &rejoiner{hardWrap: w, lr: lines.NewReader(bytes.NewReader(text), model.MaxLine, 0), file: &model.File{}}
	out := make([]byte, 0, len(text))
	for {
		line, ok := r.Next()
		if !ok {
			return out
		}
		out = append(append(out, line...), '\n')
	}
}

// A rejoiner reads lines that a terminal has cut as the lines that they were.
type rejoiner struct {
	hardWrap
	lr     *lines.Reader
	file   *model.File
	buf    []byte
	held   heldLine // read, but not yet returned
	now    heldLine // where the line returned last begins
	joined int      // lines that belong to the one before them, of the line returned last
	all    int      // of all lines
	// what was counted when that line was returned
	claimed, rejected int
}

type heldLine struct {
	ok      bool
	ended   bool
	text    []byte
	line    int
	off     int64
	tooLong int64 // its whole length if it was cut at the limit, else 0
}

// Next returns a line with those that go on from it. One over the limit goes
// on from none: a terminal would have cut it.
func (r *rejoiner) Next() ([]byte, bool) {
	r.count()
	if !r.held.ok && !r.hold() {
		return nil, false
	}
	r.now, r.held.ok, r.joined = r.held, false, 0
	r.buf = append(r.buf[:0], r.held.text...)
	for full := r.full(r.buf); full && r.hold(); {
		if beginOf(r.held.text) == r.begin || r.held.tooLong > 0 || len(r.buf) > model.MaxLine/2 {
			break
		}
		r.buf = append(r.buf, r.held.text...)
		r.held.ok, r.now.ended = false, r.held.ended
		r.joined++
		full = r.full(r.held.text)
	}
	r.all += r.joined
	return r.buf, true
}

func (r *rejoiner) full(line []byte) bool {
	return len(line) >= r.width && utf8.RuneCount(line) == r.width
}

// hold reads the next line as it stands in the file.
func (r *rejoiner) hold() bool {
	line, ok := r.lr.Next()
	if ok {
		r.held = heldLine{true, r.lr.Ended(), append(r.held.text[:0], line...), r.lr.Line(), r.lr.Offset(), r.lr.TooLong()}
	}
	return ok
}

// Line returns the number of the first of the lines joined to the one returned last.
func (r *rejoiner) Line() int { return r.now.line }

// Offset returns where the line returned last begins.
func (r *rejoiner) Offset() int64 { return r.now.off }

// TooLong returns the whole length of a line that was cut at the limit, else 0.
func (r *rejoiner) TooLong() int64 { return r.now.tooLong }

// Ended reports whether the last of the lines joined has an end.
func (r *rejoiner) Ended() bool { return r.now.ended }

// Err returns the error that ended the reading early.
func (r *rejoiner) Err() error { return r.lr.Err() }

// Lend gives it memory to read into.
func (r *rejoiner) Lend(block []byte) { r.lr.Lend(block) }

// note says what was done.
func (r *rejoiner) note() {
	r.file.Note(fmt.Sprintf("a terminal of %d columns has cut the lines inside words: %s lines are joined to the ones they go on from", r.width, say.Count(r.all)))
}

// detectHardWrap tells whether a terminal has cut a log's lines, and where the
// format of a file is open, whether it is a log once they are joined.
func detectHardWrap(name string, head []byte, f *Format) (*Format, *hardWrap) {
	if f != nil && f != TrainLog {
		return f, nil
	}
	w, ok := findHardWrap(head)
	if !ok {
		return f, nil
	}
	if joined, err := detect(name, w.join(head), true); err != nil || joined != TrainLog {
		return f, nil
	}
	return TrainLog, &w
}

// count counts the lines that were joined to the one returned last as what
// became of that one.
func (r *rejoiner) count() {
	f := r.file
	switch {
	case f.Rejected > r.rejected:
		f.Rejected += r.joined
	case f.Claimed > r.claimed:
		f.Claimed += r.joined
	default:
		f.Skipped += r.joined
	}
	f.Lines += r.joined
	r.joined = 0
	r.rejected, r.claimed = f.Rejected, f.Claimed
}
