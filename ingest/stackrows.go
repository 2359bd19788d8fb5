package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Rows are what a sampler puts before the frames of a stack: its processes,
// the outermost first, and its thread.

// rowsEnd returns how much of a stack its rows take, with the ; after them.
// ok is false where a process row is not closed, as when its command line
// holds a line feed; sure asks for more than a last quote to close it.
func rowsEnd(stack []byte, sure bool) (end int, ok bool) {
	for {
		n := processPrefix(stack[end:])
		if n == 0 {
			break
		}
		to, seen := processEnd(stack[end+n:])
		if to < 0 || sure && !seen {
			return end, false
		}
		end = min(end+n+to+1, len(stack))
	}
	if n := threadPrefix(stack[end:]); n > 0 {
		end += threadEnd(stack[end:])
	}
	return end, true
}

// processPrefix returns the length of `process 12:"` at the beginning of b, 0
// where b has no such.
func processPrefix(b []byte) int {
	const word = "process "
	if !bytes.HasPrefix(b, []byte(word)) {
		return 0
	}
	i := len(word)
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	if i == len(word) || !bytes.HasPrefix(b[i:], []byte(`:"`)) {
		return 0
	}
	return i + 2
}

// processEnd returns where the row ends that a process prefix began: after the
// first quote that the end of the stack, another row or a whole frame follows,
// else the last one, which is not sure. The command line is not escaped and may
// hold quotes and semicolons.
func processEnd(b []byte) (end int, sure bool) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return -1, false
		}
		from += i + 1
		if from == len(b) {
			return from, true
		}
		if b[from] != ';' {
			continue
		}
		next := b[from+1:]
		if processPrefix(next) > 0 || threadPrefix(next) > 0 || wholePiece(next) {
			return from, true
		}
		if bytes.IndexByte(next, '"') < 0 {
			return from, false
		}
	}
}

// threadPrefix returns the length of "thread (" or "thread " before an id at
// the beginning of b, or of "tid:", as CPython's own sampler writes; else 0.
func threadPrefix(b []byte) int {
	if bytes.HasPrefix(b, []byte("tid:")) && len(b) > 4 && b[4]-'0' < 10 {
		return 4
	}
	const word = "thread "
	if !bytes.HasPrefix(b, []byte(word)) {
		return 0
	}
	n := len(word)
	if n < len(b) && b[n] == '(' {
		n++
	}
	if n < len(b) && b[n]-'0' < 10 {
		return n
	}
	return 0
}

// threadEnd returns the length of the thread row that b begins with, with the
// ; after it. Its name may hold semicolons: it goes on to the next whole frame.
func threadEnd(b []byte) int {
	first := bytes.IndexByte(b, ';')
	if first < 0 {
		return len(b)
	}
	for i := first; ; {
		if wholePiece(b[i+1:]) {
			return i + 1
		}
		k := bytes.IndexByte(b[i+1:], ';')
		if k < 0 {
			return first + 1
		}
		i += k + 1
	}
}

// wholePiece reports whether the piece up to the next ; is a frame with a file.
func wholePiece(b []byte) bool {
	if i := bytes.IndexByte(b, ';'); i >= 0 {
		b = b[:i]
	}
	return fileBracket(b) > 0 && bytes.IndexByte(b, '\n') < 0
}

// threadOf reads the rows of a stack. Of several processes the innermost is
// the one that was sampled.
func threadOf(rows []byte) model.StackThread {
	var t model.StackThread
	for n := processPrefix(rows); n > 0; n = processPrefix(rows) {
		pid, _ := scan.Int(rows[len("process ") : n-2])
		end, _ := processEnd(rows[n:])
		if end < 0 { // not closed: all of it
			t.PID, t.Process = pid, string(valid(rows[n:]))
			return t
		}
		t.PID, t.Process = pid, string(valid(rows[n:n+end-1]))
		rows = rows[min(n+end+1, len(rows)):]
	}
	n := threadPrefix(rows)
	if n == 0 {
		return t
	}
	rest := bytes.TrimSuffix(rows[n:], []byte{';'})
	end := 0
	for end < len(rest) && rest[end] != ')' && rest[end] != ':' && rest[end] != ';' {
		end++
	}
	t.TID = string(valid(rest[:end]))
	rest = bytes.TrimPrefix(rest[end:], []byte{')'})
	if name, ok := bytes.CutPrefix(rest, []byte(": ")); ok {
		t.Name = string(valid(name))
	}
	return t
}
