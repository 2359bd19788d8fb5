package ingest

import (
	"bytes"
	"fmt"
	"io"

	"tidemark/internal/lines"
	"tidemark/internal/scan"
	"tidemark/model"
)

// A Source is one file, or one part of a large file, as its format's Parse
// sees it: text, decompressed and transcoded.
type Source struct {
	Name string // base name, without .gz and the like
	// Header is what an earlier part had bound when this one begins: the text
	// the parser itself passed to Bind. It is empty at the start of a file.
	Header string
	// Part is 0 for a whole file or its first part.
	Part int
	// Learned is what the parser of the first part has left with Learn for those
	// of the others, several of which use it at a time; nil for the first part.
	Learned any
	learned any
	out     *model.RunBuilder
	r       io.Reader
	lr      lineReader
	plain   *lines.Reader         // lr, where lines come as they stand in the file, else nil
	ahead   *lines.Ahead[rawLook] // lr, where other processors look at lines, else nil
	trimmed bool                  // the line returned last is not as others have looked at it
	block   []byte                // lent, for those that read r themselves
	text    []byte                // all of it, where it is in memory, else nil
	clean   bool                  // no line of text has a NUL byte
	bound   string
	size    int64 // bytes, 0 where it is not known
	part    bool  // the source is not the whole file
	whole   bool  // … and should be: see Whole
	allRows bool  // every row is wanted, however many there are
	// of a later part: the file, and where in it the part begins
	before io.ReaderAt
	from   int64
	// of a file whose lines a container's log has wrapped
	unwrap unwrap
	clock  scan.Stamp
	when   smiWhen // of the line returned last
}

// A lineReader returns lines, and says of the last of them where it stands.
type lineReader interface {
	Next() ([]byte, bool)
	Line() int
	Offset() int64
	TooLong() int64
	Ended() bool
	Err() error
}

// newSource returns a source that reads r, whose first byte is at off.
func newSource(f *Format, out *model.RunBuilder, name string, r io.Reader, off int64) *Source {
	lr := lines.NewReader(r, f.lineLimit(), off)
	return &Source{Name: name, out: out, r: r, lr: lr, plain: lr}
}

// hold gives the source all of its text; err is what ended that early.
func (s *Source) hold(text []byte, err error) {
	s.text, s.clean = text, bytes.IndexByte(text, 0) < 0
	s.plain.Hold(text, err)
}

// lend gives the source memory to read into, until it is done.
func (s *Source) lend(block []byte) {
	s.block = block
	s.lr.(interface{ Lend([]byte) }).Lend(block)
}

// Bind says what a later part of the same file must know: column headers,
// dates. The last text bound reaches the next part as its Header.
func (s *Source) Bind(header string) { s.bound = header }

// Learn leaves what may spare later parts of the same file work. It must not
// change what they read.
func (s *Source) Learn(x any) { s.learned = x }

// Before returns the last n bytes of the file before this part, fewer where
// the file begins: what a parser must look back at because it changes too
// often to be bound.
func (s *Source) Before(n int) []byte {
	if s.before == nil {
		return nil
	}
	b := make([]byte, min(int64(n), s.from))
	k, err := s.before.ReadAt(b, s.from-int64(len(b)))
	if err != nil && k < len(b) {
		return nil
	}
	return b
}

// Whole says that this file must be read in one piece: what a line means
// depends on lines anywhere in it. It reports whether the source is the whole
// file; where it is not, the parser may return at once, for the file will be
// read again.
func (s *Source) Whole() bool {
	s.whole = true
	return !s.part
}

// Next returns the next line that is fit to be parsed, without its end. Lines
// over the limit, and lines with NUL bytes in them, are rejected here.
func (s *Source) Next() ([]byte, bool) {
	for {
		line, ok := s.read()
		if !ok {
			return nil, false
		}
		s.trimmed = false
		s.out.File.Lines++
		if s.unwrap != nil {
			if rest, w, ok := s.unwrap(&s.clock, line); ok {
				line, s.when = rest, w
			}
		}
		switch {
		case s.tooLong() > 0:
			s.Reject("a line of %d bytes, want at most %d", s.tooLong(), len(line))
		case !s.clean && bytes.IndexByte(line, 0) >= 0:
			trimmed := bytes.Trim(line, "\x00")
			if len(trimmed) > 0 && bytes.IndexByte(trimmed, 0) < 0 {
				s.warn("%d NUL bytes beside the text, as a crash or a full disk leaves them", len(line)-len(trimmed))
				s.trimmed = true
				return trimmed, true
			}
			s.Reject("NUL bytes, as a crash or a full disk leaves them")
		default:
			return line, true
		}
	}
}

// beginLine begins the next line where its end may be found by reading it, and returns the text
// from there on, which has no NUL byte. endLine or undoLine must follow, unless it is nil.
func (s *Source) beginLine() []byte {
	if !s.clean || s.plain == nil || s.unwrap != nil {
		return nil
	}
	return s.plain.BeginLine()
}

// endLine ends the line that beginLine has begun after n bytes and a line end.
func (s *Source) endLine(n, end int) {
	s.plain.EndLine(n, end)
	s.trimmed = false
	s.out.File.Lines++
}

// undoLine leaves the line that beginLine has begun to Next.
func (s *Source) undoLine() { s.plain.UndoLine() }

// read returns the next line of the file.
func (s *Source) read() ([]byte, bool) {
	if s.plain != nil {
		return s.plain.Next()
	}
	return s.lr.Next()
}

// pass counts the next lines as claimed that known takes, by what other
// processors have found in them, and stops at the first other one.
func (s *Source) pass(known func(*rawLook) bool) {
	if s.ahead == nil {
		return
	}
	n := s.ahead.Pass(known)
	s.out.File.Lines += n
	s.out.Claim(n)
}

// looked returns what other processors have found in the line returned last.
func (s *Source) looked() rawLook {
	if s.ahead == nil || s.trimmed || s.tooLong() > 0 {
		return rawLook{}
	}
	return s.ahead.Note()
}

// stamped returns the time that a container's log put in front of the line
// returned last, zero where there is none.
func (s *Source) stamped() smiWhen {
	if s.when.kind == model.ClockDay {
		return smiWhen{s.out.Day.At(s.when.t), model.ClockDay}
	}
	return s.when
}

// Cut reports whether the line returned last is the last of the file and has
// no end: a writer was stopped there, so its last cell may be short.
func (s *Source) Cut() bool {
	if s.plain != nil {
		return !s.plain.Ended()
	}
	return !s.lr.Ended()
}

// tooLong returns the whole length of the line returned last if it was cut at
// the limit, else 0.
func (s *Source) tooLong() int64 {
	if s.plain != nil {
		return s.plain.TooLong()
	}
	return s.lr.TooLong()
}

// Line returns the number of the line returned last, from 1 in this part.
func (s *Source) Line() int {
	if s.plain != nil {
		return s.plain.Line()
	}
	return s.lr.Line()
}

// Offset returns where the line returned last begins in the file.
func (s *Source) Offset() int64 {
	if s.plain != nil {
		return s.plain.Offset()
	}
	return s.lr.Offset()
}

// Pos returns the place of the line returned last.
func (s *Source) Pos() model.Pos {
	return model.Pos{File: s.out.File.Path, Line: s.Line(), Byte: s.Offset()}
}

// Reject counts the line returned last as not read, with the reason.
func (s *Source) Reject(format string, args ...any) {
	s.out.Reject(&model.SyntaxError{Pos: s.Pos(), Msg: fmt.Sprintf(format, args...)})
}

// warn keeps a remark on the line returned last, which is read all the same.
func (s *Source) warn(format string, args ...any) {
	s.out.Warn(&model.SyntaxError{Pos: s.Pos(), Msg: fmt.Sprintf(format, args...)})
}

// oddCell warns of a cell that is not what its column holds, and counts it.
func (s *Source) oddCell(format string, args ...any) {
	e := model.SyntaxError{Pos: s.Pos(), Msg: fmt.Sprintf(format, args...)}
	s.out.File.OddCells.Add(e)
	s.out.Warn(&e)
}

// Err returns the error that ended the source early.
func (s *Source) Err() error { return s.lr.Err() }

// All returns the whole content, for a document. Its lines are counted.
func (s *Source) All() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(s.r, model.MaxDocument+1))
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	s.out.File.Lines += n
	if err == nil && len(b) > model.MaxDocument {
		err = fmt.Errorf("over %d MiB, want a smaller document", model.MaxDocument>>20)
	}
	return b, err
}
