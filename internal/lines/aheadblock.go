package lines

import (
	"bytes"
	"io"
)

// A block is a range of the file. It is a worker's or the reader's, who hand it
// over by channels.
type block[T any] struct {
	look  Looker[T]
	buf   []byte
	from  int64
	lines []looked[T] // that begin after its first line end
	next  int         // the first of them that was not returned
	start int         // in buf, of what was not returned
	err   error
	fault any // a panic
	ready chan struct{}
}

// A looked is a line: where its text ends in the block, and the line after it begins.
type looked[T any] struct {
	end, next int32
	note      T
}

// work reads blocks until none is left.
func (a *Ahead[T]) work() {
	for {
		select {
		case <-a.stop:
			return
		case b := <-a.free:
			if !a.do(b) {
				return
			}
		}
	}
}

// help reads a block, and reports false where there is none to read or to read
// into.
func (a *Ahead[T]) help() bool {
	select {
	case b := <-a.free:
		return a.do(b)
	default:
		return false
	}
}

// do reads the next block of the file into b, and reports false at the end.
func (a *Ahead[T]) do(b *block[T]) bool {
	if !a.begin(b) {
		return false
	}
	b.read(a.at)
	b.ready <- struct{}{}
	return true
}

// begin makes b the next block of the file.
func (a *Ahead[T]) begin(b *block[T]) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.size - a.pos
	if left <= 0 {
		if !a.all {
			close(a.order)
		}
		a.all = true
		return false
	}
	if b.buf == nil {
		b.buf = make([]byte, a.step)
	}
	b.buf, b.from = b.buf[:min(left, int64(a.step))], a.pos
	a.pos += int64(len(b.buf))
	a.order <- b
	return true
}

// read reads a block and finds its lines. A panic is for the reader.
func (b *block[T]) read(at io.ReaderAt) {
	defer func() { b.fault = recover() }()
	n, err := at.ReadAt(b.buf, b.from)
	if n == len(b.buf) || err == io.EOF {
		err = nil
	}
	b.buf, b.err = b.buf[:n], err
	b.cut()
}

// cut finds the lines of a block, and looks at those that begin in it.
func (b *block[T]) cut() {
	b.look.Begin()
	b.lines, b.next, b.start = b.lines[:0], 0, 0
	from := bytes.IndexByte(b.buf, '\n') + 1
	if from == 0 {
		return
	}
	for {
		i := bytes.IndexByte(b.buf[from:], '\n')
		if i < 0 {
			return
		}
		end := from + i
		if i > 0 && b.buf[end-1] == '\r' {
			end--
		}
		b.lines = append(b.lines, looked[T]{int32(end), int32(from + i + 1), b.look.Look(b.buf[from:end])})
		from += i + 1
	}
}
