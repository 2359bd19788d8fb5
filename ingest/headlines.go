package ingest

import (
	"bytes"
	"iter"
	"strings"
)

// firstLines gives at most n lines of a head.
func firstLines(head []byte, n int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; len(head) > 0 && i < n; i++ {
			line, rest, _ := bytes.Cut(head, []byte{'\n'})
			if head = rest; !yield(line) {
				return
			}
		}
	}
}

// wholeLines gives at most n lines of a head, but not a last one that its end may
// have cut, unless that is the only one.
func wholeLines(head []byte, n int) iter.Seq[[]byte] {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	return firstLines(head, n)
}

// headLines gives the first lines that trim leaves something of; a cut last
// line counts as one.
func headLines(head []byte, trim func([]byte) []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := 0; len(head) > 0 && n < lookLines; {
			line, rest, _ := bytes.Cut(head, []byte{'\n'})
			head = rest
			if line = trim(line); len(line) == 0 {
				continue
			}
			n++
			if !yield(line) {
				return
			}
		}
	}
}

// fromLine is a head from the first of its lines that begins with one of these letters,
// where that is among the first six: a date may stand first.
func fromLine(head []byte, letters string) []byte {
	for n := 0; n < 5 && len(head) > 0 && strings.IndexByte(letters, head[0]) < 0; n++ {
		_, head, _ = bytes.Cut(head, []byte{'\n'})
	}
	return head
}
