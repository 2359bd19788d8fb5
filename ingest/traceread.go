package ingest

import (
	"bytes"
	"io"

	"tidemark/internal/lines"
	"tidemark/model"
)

// An eventReader hands out the events of a chrome trace one by one, out of a
// buffer that does not grow with the file. It takes an object with
// traceEvents, a bare array, events one after another, and what is left of any
// of them where the file is cut, or where strings hold raw quotes: then it goes
// on at the next boundary between two events and counts what it passed over.
type eventReader struct {
	src        *Source
	buf        []byte
	start, end int   // of the unread bytes in buf
	at         int   // where in buf the event returned last begins
	off        int64 // of buf[0] in the source
	feeds      int   // line feeds before buf[end]
	eof        bool
	err        error
	mode       docMode
	closes     bool // the list has a bracket at its end
	fresh      bool // nothing stands before buf[start]
	long       int  // events that were given up after a long search
	lost       int64
	tail       func(b []byte) // is shown all text outside the list of events
}

type docMode uint8

const (
	docStart  docMode = iota
	docHeader         // in the object, before its list of events
	docEvents         // between events
	docTail           // after the list
)

// maxLong is how many long searches for the end of an event may be taken up
// again at the next boundary: more would make a hostile file quadratic.
const maxLong = 64

const noEnd = "an event without an end, want one before the next event, the end of the file and 1 MiB"

func newEventReader(src *Source, mode docMode) *eventReader {
	if src.text != nil {
		r := &eventReader{src: src, buf: src.text, mode: mode, fresh: true}
		r.take(len(src.text))
		r.finish(src.Err())
		return r
	}
	buf := src.block
	if buf == nil {
		buf = make([]byte, lines.BlockSize)
	}
	return &eventReader{src: src, buf: buf, mode: mode, fresh: true}
}

// fill reads on, keeping what is unread; it reports whether there is more than before.
func (r *eventReader) fill() bool {
	if r.eof {
		return false
	}
	if r.start > 0 {
		r.off += int64(r.start)
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := io.ReadFull(r.src.r, r.buf[r.end:])
	r.take(n)
	if err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		r.finish(err)
	}
	return n > 0
}

// take adds n bytes to what is unread.
func (r *eventReader) take(n int) {
	feeds := bytes.Count(r.buf[r.end:r.end+n], []byte{'\n'})
	r.feeds += feeds
	r.src.out.File.Lines += feeds
	r.end += n
}

// finish says that no more comes, and why, nil for a plain end.
func (r *eventReader) finish(err error) {
	r.eof, r.err = true, err
	if r.end > 0 && r.buf[r.end-1] != '\n' {
		r.src.out.File.Lines++
	}
}

// next returns the next event, from { to }, good until the next call. laid says
// that its lines are as Kineto writes them.
func (r *eventReader) next() (event []byte, laid, ok bool) {
	for {
		switch r.mode {
		case docStart:
			ok = r.begin()
		case docHeader:
			ok = r.header()
		case docTail:
			ok = r.after()
		default:
			if event, laid, ok = r.event(); event != nil {
				return event, laid, true
			}
		}
		if !ok {
			return nil, false, false
		}
	}
}

// begin finds out what the document is.
func (r *eventReader) begin() bool {
	for {
		b := bytes.TrimLeft(r.buf[r.start:r.end], " \t\r\n\x00")
		if len(b) == 0 {
			r.start = r.end
			if !r.fill() {
				return false
			}
			continue
		}
		r.start = r.end - len(b)
		switch {
		case b[0] == '[':
			r.start++
			r.mode, r.closes = docEvents, true
		case b[0] == '{' && !startsWithEvent(b):
			r.mode = docHeader
		default:
			r.mode = docEvents
		}
		return true
	}
}

// startsWithEvent reports whether an object is an event rather than a document:
// its phase comes before any list of events.
func startsWithEvent(b []byte) bool {
	b = b[:min(len(b), model.HeadSize)]
	ph := bytes.Index(b, []byte(`"ph"`))
	list := bytes.Index(b, []byte(`"traceEvents"`))
	return ph >= 0 && (list < 0 || ph < list)
}

// header passes over the document's own members to the list of events.
func (r *eventReader) header() bool {
	key := []byte(`"traceEvents"`)
	for {
		b := r.buf[r.start:r.end]
		i := bytes.Index(b, key)
		if i >= 0 {
			rest := b[i+len(key):]
			t := bytes.TrimLeft(rest, " \t\r\n")
			if len(t) > 0 && t[0] == ':' {
				t = bytes.TrimLeft(t[1:], " \t\r\n")
			}
			switch {
			case len(t) > 0 && t[0] == '[':
				r.show(b[:i])
				r.start = r.end - len(t) + 1
				r.mode, r.fresh, r.closes = docEvents, false, true
				return true
			case len(t) > 0 || r.eof:
				r.show(b[:i+len(key)])
				r.start += i + len(key)
				continue
			}
		} else {
			r.pass(len(b))
		}
		if !r.fill() {
			r.show(r.buf[r.start:r.end])
			r.start = r.end
			return false
		}
	}
}

// overlapBytes is what is kept of text that was searched, for a key that the
// end of the buffer cut.
const overlapBytes = 256

// pass drops n searched bytes but for the last.
func (r *eventReader) pass(n int) {
	if n > overlapBytes {
		r.show(r.buf[r.start : r.start+n])
		r.start += n - overlapBytes
	}
}

func (r *eventReader) show(b []byte) {
	if r.tail != nil {
		r.tail(b)
	}
}

// after passes over what follows the list. Another event there means that the
// list had not ended: a lost event was taken for its end.
func (r *eventReader) after() bool {
	for {
		b := r.buf[r.start:r.end]
		if open := eventIn(b); open >= 0 {
			r.show(b[:open])
			r.start += open
			r.mode = docEvents
			return true
		}
		r.pass(len(b))
		if !r.fill() {
			r.show(r.buf[r.start:r.end])
			r.start = r.end
			return false
		}
	}
}

// eventIn returns where the first object begins that may be an event, -1 for none: of one
// that the text before has lost the beginning of, its phase has no brace before it.
func eventIn(b []byte) int {
	first := bytes.IndexByte(b, '{')
	if first < 0 {
		return -1
	}
	i := bytes.Index(b[first:], []byte(`"ph"`))
	if i < 0 {
		return -1
	}
	return bytes.LastIndexByte(b[:first+i], '{')
}

// event returns the next event of the list. Without one, ok says that the mode
// has changed or that something was passed over.
func (r *eventReader) event() (event []byte, laid, ok bool) {
	i, garbage := r.start, false
	feed := -1 << 40 // the last line feed
	if r.fresh {
		feed = r.start - 1
	}
	for {
		if i == r.end {
			r.fresh = r.fresh && !garbage
			i -= r.start
			feed -= r.start
			if !r.fill() {
				r.start = r.end
				return nil, false, false
			}
			i, feed = i+r.start, feed+r.start
			continue
		}
		switch r.buf[i] {
		case '\n':
			feed = i
			fallthrough
		case ' ', '\t', '\r', ',', 0, 0x1e:
			i++
			continue
		case '{':
			r.fresh = false
			return r.frame(i, i-feed == 3 && r.buf[i-1] == ' ')
		case ']':
			r.start = i + 1
			r.mode = docTail
			return nil, false, true
		}
		if !garbage {
			garbage = true
			r.lose(i, "text between events, want a comma and an event")
		}
		k := bytes.IndexAny(r.buf[i:r.end], "{]")
		if k < 0 {
			k = r.end - i
			r.start = r.end
		}
		i += k
	}
}

// frame returns the event that begins at i. indented says that two blanks and
// nothing else stand before it in its line.
func (r *eventReader) frame(i int, indented bool) (event []byte, laid, ok bool) {
	r.start = i
	for {
		b := r.buf[r.start:min(r.end, r.start+model.MaxTraceEvent)]
		if len(b) < 2 && !r.eof {
			r.fill()
			continue
		}
		laid = indented && len(b) > 1 && b[1] == '\n'
		var n int
		if laid {
			n = laidEnd(b, r.eof && r.start+len(b) == r.end)
		} else {
			n = objectEnd(b)
		}
		switch {
		case n > 0:
			r.at = r.start
			r.start += n
			return b[:n], laid, true
		case n < 0:
			r.lose(r.start, noEnd)
			r.start += -n
			return nil, false, r.resync()
		case !r.eof && len(b) < model.MaxTraceEvent:
			r.fill()
			continue
		}
		r.lose(r.start, noEnd)
		r.start++
		if r.long++; r.long > maxLong {
			r.start = r.end
		}
		return nil, false, r.resync()
	}
}

// resync goes on to the next boundary of two events: a closed object, a comma
// and an opened one, or a line that opens one.
func (r *eventReader) resync() bool {
	for {
		b := r.buf[r.start:r.end]
		for i := 0; ; i++ {
			k := bytes.IndexByte(b[i:], '{')
			if k < 0 {
				break
			}
			i += k
			before := bytes.TrimRight(b[:i], " \t\r")
			if n := len(before); n > 0 && before[n-1] == '\n' || boundary(before) {
				r.start += i
				return true
			}
		}
		r.pass(len(b))
		if !r.fill() {
			r.start = r.end
			return false
		}
	}
}

// boundary reports whether b ends in a closed object and a comma.
func boundary(b []byte) bool {
	b = bytes.TrimRight(b[max(0, len(b)-overlapBytes):], " \t\r\n")
	if len(b) == 0 || b[len(b)-1] != ',' {
		return false
	}
	b = bytes.TrimRight(b[:len(b)-1], " \t\r\n")
	return len(b) > 0 && b[len(b)-1] == '}'
}

// lose counts an event that could not be read, with its place.
func (r *eventReader) lose(i int, why string) {
	r.lost++
	r.src.out.Warn(&model.SyntaxError{Pos: r.pos(i), Msg: why})
}

// pos returns the place of buf[i].
func (r *eventReader) pos(i int) model.Pos {
	if len(r.src.out.File.Warnings) >= model.MaxWarnings {
		return model.Pos{File: r.src.out.File.Path}
	}
	line := 1
	if r.feeds > 0 {
		line += r.feeds - bytes.Count(r.buf[i:r.end], []byte{'\n'})
	}
	return model.Pos{File: r.src.out.File.Path, Line: line, Byte: r.src.from + r.off + int64(i)}
}
