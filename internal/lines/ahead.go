package lines

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

// mostWorkers is how many processors read ahead at most: more would wait for
// the one that takes the lines.
const mostWorkers = 12

// A Looker looks at lines before it is their turn. What it finds must not depend
// on the lines before, and may be in its own memory until it begins anew.
type Looker[T any] interface {
	Begin()
	Look(line []byte) T
}

// An Ahead returns the lines of a file as a Reader does. Meanwhile other
// processors read on, and look at every line that lies in one block. So does the
// caller's where the next block is not ready.
type Ahead[T any] struct {
	at   io.ReaderAt
	size int64
	max  int
	step int

	mu      sync.Mutex // of pos, all and the order
	pos     int64
	all     bool // blocks have begun
	order   chan *block[T]
	free    chan *block[T]
	stop    chan struct{}
	workers sync.WaitGroup

	now  *block[T]
	line int
	err  error
	text []byte // of a line in several blocks
	// of the line returned last
	place   int64
	tooLong int64
	ended   bool
	note    T
}

// NewAhead returns a reader of the first size bytes of at, whose lines are at
// most limit bytes long, in blocks of step bytes. It must be closed. It makes a
// few lookers.
func NewAhead[T any](at io.ReaderAt, size int64, limit, step int, looker func() Looker[T]) *Ahead[T] {
	workers := min(runtime.GOMAXPROCS(0)-1, mostWorkers)
	n := 2*workers + 3
	a := &Ahead[T]{
		at: at, size: size, max: limit, step: step, now: &block[T]{},
		order: make(chan *block[T], n), free: make(chan *block[T], n), stop: make(chan struct{}),
	}
	for range n {
		a.free <- &block[T]{look: looker(), ready: make(chan struct{}, 1)}
	}
	for range workers {
		a.workers.Go(a.work)
	}
	return a
}

// Close ends the reading ahead, and waits for it.
func (a *Ahead[T]) Close() {
	close(a.stop)
	a.workers.Wait()
}

// Next returns the next line without its end; the slice is good until the next
// call. A line longer than the limit comes back cut, with TooLong its length.
func (a *Ahead[T]) Next() ([]byte, bool) {
	b := a.now
	if b.start == 0 || b.next == len(b.lines) {
		return a.across()
	}
	l := &b.lines[b.next]
	from := b.start
	b.next, b.start = b.next+1, int(l.next)
	a.line, a.place, a.ended, a.tooLong, a.note = a.line+1, b.from+int64(from), true, 0, l.note
	if n := int(l.next) - 1 - from; n > a.max {
		a.tooLong = int64(n)
		return b.buf[from : from+a.max], true
	}
	return b.buf[from:l.end], true
}

// Pass passes over the next lines as long as known says so of what look has
// found in them, and returns how many those are. It stops before a line over
// the limit, and before one that nobody has looked at.
func (a *Ahead[T]) Pass(known func(*T) bool) int {
	b := a.now
	if b.start == 0 {
		return 0
	}
	first, start := b.next, b.start
	for ; b.next < len(b.lines); b.next++ {
		l := &b.lines[b.next]
		if int(l.next)-1-start > a.max || !known(&l.note) {
			break
		}
		start = int(l.next)
	}
	n := b.next - first
	if n > 0 {
		b.start, a.line, a.ended = start, a.line+n, true
	}
	return n
}

// across returns a line that goes on in the next block, or begins with one.
func (a *Ahead[T]) across() ([]byte, bool) {
	place, ended := a.now.from+int64(a.now.start), false
	a.text = a.text[:0]
	n := a.join(a.now.buf[a.now.start:])
	for !ended && a.fetch() {
		end := bytes.IndexByte(a.now.buf, '\n')
		if ended = end >= 0; !ended {
			end = len(a.now.buf)
		}
		n += a.join(a.now.buf[:end])
		a.now.start = min(end+1, len(a.now.buf))
	}
	if n == 0 && !ended {
		return nil, false
	}
	var none T
	a.line, a.place, a.ended, a.tooLong, a.note = a.line+1, place, ended, 0, none
	s := a.text
	switch {
	case n > int64(a.max):
		a.tooLong = n
	case ended:
		s = bytes.TrimSuffix(s, []byte{'\r'})
	}
	return s, true
}

// join adds to the line in several blocks, but no more than the limit, and
// returns by how much the line is longer.
func (a *Ahead[T]) join(piece []byte) int64 {
	a.text = append(a.text, piece[:min(len(piece), a.max-len(a.text))]...)
	return int64(len(piece))
}

// fetch goes on to the next block.
func (a *Ahead[T]) fetch() bool {
	a.now.start = len(a.now.buf)
	if a.err != nil {
		return false
	}
	b, ok := await(a, a.order)
	if !ok {
		return false
	}
	await(a, b.ready)
	if b.fault != nil {
		panic(b.fault)
	}
	if a.now.ready != nil {
		a.free <- a.now
	}
	a.now, a.err = b, b.err
	return true
}

// await returns what comes by a channel, and helps until it does.
func await[T, V any](a *Ahead[T], c <-chan V) (v V, ok bool) {
	for {
		select {
		case v, ok = <-c:
			return v, ok
		default:
		}
		if !a.help() {
			v, ok = <-c
			return v, ok
		}
	}
}

// Note returns what was found in the line returned last, the zero T where
// nobody has looked at it.
func (a *Ahead[T]) Note() T { return a.note }

// Line is the 1-based number of the line returned last, Offset where it begins.
func (a *Ahead[T]) Line() int { return a.line }

// Offset returns where the line returned last begins.
func (a *Ahead[T]) Offset() int64 { return a.place }

// TooLong returns the whole length of the line returned last if it was cut at
// the limit, else 0.
func (a *Ahead[T]) TooLong() int64 { return a.tooLong }

// Ended reports whether the line returned last had an end; only the last line
// of a file may have none.
func (a *Ahead[T]) Ended() bool { return a.ended }

// Err returns the error that ended the reading, nil at its plain end.
func (a *Ahead[T]) Err() error { return a.err }
