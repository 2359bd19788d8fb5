package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"tidemark/internal/scan"
)

// A jsonCursor walks over a JSON document in memory without building it. After
// the first error every step does nothing; where the document ends too early
// the error says so. Duplicate keys and the like are the caller's business.
type jsonCursor struct {
	b   []byte
	i   int
	err error
}

// next passes over white space and returns the byte that follows, 0 at the end.
func (j *jsonCursor) next() byte {
	for j.i < len(j.b) {
		switch c := j.b[j.i]; c {
		case ' ', '\t', '\r', '\n':
			j.i++
		default:
			return c
		}
	}
	return 0
}

func (j *jsonCursor) fail(want string) {
	switch {
	case j.err != nil:
	case j.i >= len(j.b):
		j.err = fmt.Errorf("cut short at byte %d, want %s", j.i, want)
	default:
		j.err = fmt.Errorf("byte %d: %q, want %s", j.i, j.b[j.i], want)
	}
	j.i = len(j.b)
}

// members calls fn for each member of the object that stands next, with the
// cursor before its value; fn must pass over the value.
func (j *jsonCursor) members(fn func(key string)) {
	j.list('{', '}', "an object", func() {
		key := j.text()
		if j.next() != ':' {
			j.fail("a colon")
			return
		}
		j.i++
		fn(key)
	})
}

// elements calls fn for each element of the array that stands next.
func (j *jsonCursor) elements(fn func()) { j.list('[', ']', "an array", fn) }

func (j *jsonCursor) list(open, end byte, what string, fn func()) {
	if j.next() != open {
		j.fail(what)
		return
	}
	j.i++
	if j.next() == end {
		j.i++
		return
	}
	for j.err == nil {
		at := j.i
		fn()
		if j.err == nil && j.i == at {
			j.fail("a value")
		}
		switch c := j.next(); {
		case j.err != nil:
		case c == ',':
			j.i++
		case c == end:
			j.i++
			return
		default:
			j.fail("a comma or the end of " + what)
		}
	}
}

// raw passes over a string and returns what stands between its quotes.
func (j *jsonCursor) raw() (s []byte, escaped bool) {
	if j.next() != '"' {
		j.fail("a string")
		return nil, false
	}
	from := j.i + 1
	for i := from; ; i++ {
		k := bytes.IndexByte(j.b[i:], '"')
		if k < 0 {
			j.i = len(j.b)
			j.fail("the end of a string")
			return nil, false
		}
		escaped = escaped || bytes.IndexByte(j.b[i:i+k], '\\') >= 0
		i += k
		back := 0
		for j.b[i-1-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			j.i = i + 1
			return j.b[from:i], escaped
		}
	}
}

// text returns a string's value; bad escapes stay as they are.
func (j *jsonCursor) text() string {
	s, escaped := j.raw()
	if escaped {
		var v string
		if json.Unmarshal(j.b[j.i-len(s)-2:j.i], &v) == nil {
			return v
		}
	}
	return string(valid(s))
}

// optionalText returns a string's value, "" for any other value.
func (j *jsonCursor) optionalText() string {
	if j.next() != '"' {
		j.skip()
		return ""
	}
	return j.text()
}

// number returns a number; ok is false for any other value, which is passed over.
func (j *jsonCursor) number() (v float64, ok bool) {
	if c := j.next(); c != '-' && c-'0' > 9 {
		j.skip()
		return 0, false
	}
	from := j.i
	for j.i < len(j.b) && (j.b[j.i]-'0' < 10 || bytes.IndexByte([]byte("+-.eE"), j.b[j.i]) >= 0) {
		j.i++
	}
	return scan.Float(j.b[from:j.i])
}

// skip passes over any value. Brackets are only counted, so nesting costs no stack.
func (j *jsonCursor) skip() {
	depth := 0
	for {
		switch c := j.next(); c {
		case 0:
			j.fail("a value")
			return
		case '"':
			j.raw()
		case '[', '{':
			depth++
			j.i++
		case ']', '}':
			if depth == 0 {
				j.fail("a value")
				return
			}
			depth--
			j.i++
		case ',', ':':
			if depth == 0 {
				j.fail("a value")
				return
			}
			j.i++
		default:
			j.word()
		}
		if depth == 0 || j.err != nil {
			return
		}
	}
}

// word passes over a number, true, false, null, and what some writers put there.
func (j *jsonCursor) word() {
	for j.i < len(j.b) {
		switch j.b[j.i] {
		case ',', ':', '[', ']', '{', '}', '"', ' ', '\t', '\r', '\n':
			return
		}
		_, n := utf8.DecodeRune(j.b[j.i:])
		j.i += n
	}
}

// span passes over a value and returns where it stands; a value that is cut
// short reaches to the end.
func (j *jsonCursor) span() (from, to int) {
	j.next()
	from = j.i
	j.skip()
	return from, j.i
}
