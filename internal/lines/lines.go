// Package lines cuts a stream into lines without copying them: large blocks,
// sub-slices, no allocation per line.
package lines

import (
	"bytes"
	"io"
)

// BlockSize is how much a Reader reads at a time.
const BlockSize = 256 << 10

// A Reader returns the lines of a stream. A line ends at LF or CR LF; a lone
// CR stays in the line. The zero byte count of the last line tells a cut one:
// see Ended.
type Reader struct {
	r     io.Reader
	max   int
	buf   []byte
	start int // of the unread bytes in buf
	end   int
	off   int64 // of buf[start] in the stream
	line  int
	ended bool
	eof   bool
	err   error
	// of the line returned last
	at      int64
	tooLong int64
}

// NewReader returns a reader of r whose lines are at most limit bytes long.
// off is the offset of r's first byte in the input it is a part of.
func NewReader(r io.Reader, limit int, off int64) *Reader {
	return &Reader{r: r, max: limit, off: off}
}

// Hold gives the reader all that there is, before the first line: nothing is read, and
// lines stay good. err is what ended the text early, nil for a whole one.
func (l *Reader) Hold(text []byte, err error) {
	l.buf, l.end, l.eof, l.err = text, len(text), true, err
}

// Lend gives the reader memory to read into, before the first line. The last
// line is good until it is lent again.
func (l *Reader) Lend(block []byte) { l.buf = block }

// Next returns the next line without its end; the slice is good until the next
// call. A line longer than the limit comes back cut, with TooLong its length.
func (l *Reader) Next() ([]byte, bool) {
	l.tooLong = 0
	from := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+from:l.end], '\n'); i >= 0 {
			return l.take(from+i, 1), true
		}
		from = l.end - l.start
		if l.eof {
			if from == 0 {
				return nil, false
			}
			l.ended = false
			return l.take(from, 0), true
		}
		if from > l.max {
			return l.skip(), true
		}
		l.fill()
	}
}

// BeginLine begins the next line where all text is held, and returns what is left, as far as the
// line may go: the caller finds the end. EndLine or UndoLine must follow, unless it is nil.
func (l *Reader) BeginLine() []byte {
	if !l.eof {
		return nil
	}
	l.at, l.line, l.tooLong = l.off, l.line+1, 0
	return l.buf[l.start:min(l.end, l.start+l.max+1)]
}

// EndLine ends the line that BeginLine has begun after n bytes, behind which a line end of so
// many bytes stands.
func (l *Reader) EndLine(n, end int) {
	l.off += int64(n + end)
	l.start += n + end
	l.ended = true
}

// UndoLine leaves the line that BeginLine has begun to Next.
func (l *Reader) UndoLine() { l.line-- }

// take returns the next n bytes and passes over them and end bytes more.
func (l *Reader) take(n, end int) []byte {
	s := l.buf[l.start : l.start+n]
	l.at = l.off
	l.off += int64(n + end)
	l.start += n + end
	l.line++
	if end > 0 {
		l.ended = true
		if n > 0 && s[n-1] == '\r' {
			s = s[:n-1]
		}
	}
	if n > l.max {
		l.tooLong, s = int64(n), s[:l.max]
	}
	return s
}

// skip drops the rest of a line that is too long, and returns its beginning.
func (l *Reader) skip() []byte {
	head := bytes.Clone(l.buf[l.start : l.start+l.max])
	l.at, l.line = l.off, l.line+1
	for {
		if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
			l.off += int64(i + 1)
			l.start += i + 1
			l.ended = true
			l.tooLong = l.off - l.at - 1
			return head
		}
		l.off += int64(l.end - l.start)
		l.start = l.end
		if l.eof {
			l.ended = false
			l.tooLong = l.off - l.at
			return head
		}
		l.fill()
	}
}

func (l *Reader) fill() {
	if l.buf == nil {
		l.buf = make([]byte, BlockSize)
	}
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	for empty := 0; n == 0 && err == nil; empty++ {
		if n, err = l.r.Read(l.buf[l.end:]); empty == 100 {
			err = io.ErrNoProgress
		}
	}
	l.end += n
	if err != nil { // also beside bytes: not every reader says it twice
		l.eof = true
		if err != io.EOF { // io.ErrUnexpectedEOF is a packed file that was cut
			l.err = err
		}
	}
}

// Line is the 1-based number of the line returned last, Offset where it begins.
func (l *Reader) Line() int { return l.line }

// Offset returns where the line returned last begins.
func (l *Reader) Offset() int64 { return l.at }

// TooLong returns the whole length of the line returned last if it was cut at
// the limit, else 0.
func (l *Reader) TooLong() int64 { return l.tooLong }

// Ended reports whether the line returned last had an end; only the last line
// of a stream may have none.
func (l *Reader) Ended() bool { return l.ended }

// Err returns the error that ended the stream, nil at its plain end.
func (l *Reader) Err() error { return l.err }
