package ingest

import (
	"bytes"
	"math"

	"tidemark/internal/scan"
)

// A traceEvent is one event's fields as they stand in the text.
type traceEvent struct {
	phase          byte
	cat, name      []byte
	pid, tid       []byte
	ts, dur        int64 // ns
	hasTS, hasDur  bool
	args           []byte // from { on; to its end or further
	broken, passed bool   // passed: of a phase that is only counted
}

// objectEnd returns how long the object is that b begins with, 0 where b ends
// before it, and less where its brackets or strings do not fit together: then
// so many bytes are worth no second look.
func objectEnd(b []byte) int {
	var open uint64 // a bit for each open bracket, 1 for braces
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := quoted(b[i:])
			if n <= 0 {
				return n
			}
			if inverted(b[i+1 : i+n-1]) {
				return -1
			}
			i += n - 1
		case '{', '[':
			if depth++; depth > 60 {
				return -1
			}
			open <<= 1
			if b[i] == '{' {
				open |= 1
			}
		case '}', ']':
			if open&1 == 1 != (b[i] == '}') {
				return -1
			}
			open >>= 1
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// quoted returns how long the string is that b begins with, 0 where b ends before.
func quoted(b []byte) int {
	for i := 1; ; i++ {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return 0
		}
		i += k
		if b[i-1] != '\\' {
			return i + 1
		}
		back := 1
		for b[i-1-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			return i + 1
		}
	}
}

// inverted reports whether a string is what stands between two: an odd number
// of quotes was inside a name before it, and it ends where an event begins.
func inverted(s []byte) bool {
	if len(s) == 0 || s[len(s)-1] != '{' {
		return false
	}
	return boundary(s[:len(s)-1])
}

// parse reads an event. laid says that its lines are Kineto's, so that nothing
// but its arguments follows them. It reports whether it is an event.
func (e *traceEvent) parse(b []byte, laid bool) bool {
	*e = traceEvent{}
	if laid && e.parseLaid(b) {
		return true
	}
	return e.parseMembers(b, laid)
}

func (e *traceEvent) parseMembers(b []byte, laid bool) bool {
	*e = traceEvent{}
	for i := 1; ; {
		for i < len(b) && (b[i] <= ' ' || b[i] == ',') {
			i++
		}
		if i >= len(b) || b[i] == '}' {
			break
		}
		if b[i] != '"' {
			e.broken = true
			break
		}
		from := i + 1
		for i = from; i < len(b) && b[i] != '"'; i++ {
		}
		if i >= len(b) {
			e.broken = true
			break
		}
		key := b[from:i]
		for i++; i < len(b) && (b[i] <= ' ' || b[i] == ':'); i++ {
		}
		if i >= len(b) {
			e.broken = true
			break
		}
		n := e.member(key, b[i:], laid)
		if n < 0 {
			break
		}
		i += n
	}
	return e.phase != 0 && !(e.broken && !e.hasTS)
}

// member reads the value that b begins with and returns its length, -1 where
// nothing is wanted after it.
func (e *traceEvent) member(key, b []byte, laid bool) int {
	switch b[0] {
	case '"':
		n := 0
		if string(key) == "name" {
			n = looseString(b)
		} else {
			n = quoted(b)
		}
		if n <= 0 {
			e.broken = true
			return -1
		}
		e.set(key, b[1:n-1], true)
		if e.passed {
			return -1
		}
		return n
	case '{', '[':
		if string(key) == "args" {
			e.args = b
			if laid && e.hasTS && (e.hasDur || e.phase != 'X') {
				return -1
			}
		}
		n := objectEnd(b)
		if n <= 0 {
			e.broken = true
			return -1
		}
		if string(key) == "args" {
			e.args = b[:n]
		}
		return n
	}
	n := 0
	for n < len(b) && b[n] != ',' && b[n] > ' ' && b[n] != '}' {
		n++
	}
	e.set(key, b[:n], false)
	return max(n, 1)
}

// looseString returns the length of a string that may hold quotes which were not
// escaped: it ends at one that a comma and a key, a colon or the end of the
// event follows.
func looseString(b []byte) int {
	for i := 0; ; {
		n := quoted(b[i:])
		if n <= 0 {
			return 0
		}
		i += n
		j := i
		for j < len(b) && b[j] <= ' ' {
			j++
		}
		if j >= len(b) || b[j] == '}' || b[j] == ']' {
			return i
		}
		if b[j] == ',' {
			for j++; j < len(b) && b[j] <= ' '; j++ {
			}
			if j >= len(b) || b[j] == '"' && isKey(b[j:]) || b[j] == '}' {
				return i
			}
		}
		i-- // the quote that seemed to close opens the rest
	}
}

// isKey reports whether b begins with a string and a colon.
func isKey(b []byte) bool {
	n := quoted(b)
	if n <= 0 {
		return false
	}
	for n < len(b) && b[n] <= ' ' {
		n++
	}
	return n < len(b) && b[n] == ':'
}

func (e *traceEvent) set(key, v []byte, text bool) {
	switch string(key) {
	case "ph":
		if text && len(v) > 0 {
			e.phase = v[0]
			e.passed = bytes.IndexByte([]byte("XBEM"), e.phase) < 0
		}
	case "cat":
		e.cat = v
	case "name":
		e.name = v
	case "pid":
		e.pid = v
	case "tid":
		e.tid = v
	case "ts":
		e.ts, e.hasTS = micros(v)
	case "dur":
		e.dur, e.hasDur = micros(v)
	}
}

// maxMicros is the largest time in us, in the year 2096 since the epoch: sums
// and differences of such times stay in range.
const maxMicros = 4e15

// micros reads a number of microseconds as ns. Numbers that no clock shows are
// none; digits beyond the nanosecond are dropped.
func micros(b []byte) (ns int64, ok bool) {
	i, neg := 0, len(b) > 0 && b[0] == '-'
	if neg {
		i++
	}
	from := i
	for ; i < len(b) && b[i]-'0' < 10; i++ {
		if ns = ns*10 + int64(b[i]-'0'); ns > maxMicros {
			return 0, false
		}
	}
	if i == from {
		return 0, false
	}
	ns *= 1000
	if i < len(b) && b[i] == '.' {
		i++
		for scale := int64(100); i < len(b) && b[i]-'0' < 10; i++ {
			ns += int64(b[i]-'0') * scale
			scale /= 10
		}
	}
	if i < len(b) { // an exponent, or no number
		v, ok := scan.Float(b)
		if !ok || math.Abs(v) > maxMicros {
			return 0, false
		}
		return int64(math.Round(v * 1000)), true
	}
	if neg {
		ns = -ns
	}
	return ns, true
}

// correlation returns the number that a launch and what it launched share.
// Kineto writes it after some others, so in its own layout it is looked for by
// its name; elsewhere the arguments are walked through.
func (e *traceEvent) correlation(laid bool) []byte {
	if !laid {
		return argument(e.args, "correlation")
	}
	i := bytes.Index(e.args, []byte(`correlation": `))
	if i < 1 || e.args[i-1] != '"' {
		return nil
	}
	v, _ := scalar(e.args[i+len(`correlation": `):])
	return v
}

// argument returns a member of an event's arguments, without quotes; nil where
// there is none at their first level.
func argument(args []byte, want string) []byte {
	if len(args) == 0 || args[0] != '{' {
		return nil
	}
	for i := 1; i < len(args); {
		switch c := args[i]; {
		case c <= ' ' || c == ',' || c == ':':
			i++
			continue
		case c != '"':
			return nil
		}
		n := quoted(args[i:])
		if n <= 0 {
			return nil
		}
		key := args[i+1 : i+n-1]
		for i += n; i < len(args) && (args[i] <= ' ' || args[i] == ':'); i++ {
		}
		v, n := scalar(args[i:])
		if string(key) == want {
			return v
		}
		if n <= 0 {
			return nil
		}
		i += n
	}
	return nil
}

// scalar returns the scalar that b begins with, without quotes, and the length
// of any value.
func scalar(b []byte) (v []byte, n int) {
	if len(b) == 0 {
		return nil, 0
	}
	switch b[0] {
	case '"':
		if n = quoted(b); n > 0 {
			v = b[1 : n-1]
		}
		return v, n
	case '{', '[':
		return nil, objectEnd(b)
	}
	for n < len(b) && b[n] > ' ' && b[n] != ',' && b[n] != '}' && b[n] != ']' {
		n++
	}
	return b[:n], n
}
