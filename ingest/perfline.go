package ingest

import (
	"bytes"

	"tidemark/internal/scan"
)

// A perfLine is the first line of a record of perf script, taken apart.
type perfLine struct {
	who     []byte // comm, pid and tid as they stand
	comm    []byte
	pid     int64
	tid     []byte
	period  float64 // 0 where none is printed
	event   []byte
	payload []byte // what follows the event
}

// perfRecord reads "COMM [PID/]TID [CPU] TIME: [PERIOD] EVENT: payload", from
// the right, since names of threads may hold blanks, digits and brackets. Very
// old perf prints no time.
func perfRecord(line []byte) (r perfLine, ok bool) {
	if len(line) == 0 {
		return r, false
	}
	before, after, ok := perfTime(line)
	if !ok {
		before, after, ok = perfUntimed(line)
	}
	if !ok || !r.thread(bytes.TrimRight(before, " \t")) {
		return r, false
	}
	return r, r.sampled(after)
}

// perfTime finds " 198789.478194:" behind a thread.
func perfTime(line []byte) (before, after []byte, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], ':')
		if i < 0 {
			return nil, nil, false
		}
		end := from + i
		from = end + 1
		k := end
		dots := 0
		for k > 0 && (isDigit(line[k-1]) || line[k-1] == '.') {
			if line[k-1] == '.' {
				dots++
			}
			k--
		}
		if dots == 1 && k > 0 && line[k-1] == ' ' && isDigit(line[k]) && line[end-1] != '.' && (from == len(line) || line[from] == ' ') {
			return line[:k], line[from:], true
		}
	}
}

// perfUntimed reads "java 19983 cycles:": the event is the last word.
func perfUntimed(line []byte) (before, after []byte, ok bool) {
	line = trimRight(line)
	i := bytes.LastIndexByte(line, ' ')
	if i <= 0 || line[len(line)-1] != ':' {
		return nil, nil, false
	}
	before = bytes.TrimRight(line[:i], " ")
	if k := bytes.LastIndexByte(before, ' '); k > 0 && someDigits(before[k+1:]) && bytes.HasSuffix(bytes.TrimRight(before[:k], " "), []byte{']'}) {
		return before[:k], line[k:], true // a period
	}
	return before, line[i:], true
}

// thread reads "COMM PID/TID [CPU]".
func (r *perfLine) thread(b []byte) bool {
	if n := len(b); n > 0 && b[n-1] == ']' {
		if open := bytes.LastIndexByte(b, '['); open > 0 && someDigits(b[open+1:n-1]) {
			b = bytes.TrimRight(b[:open], " \t")
		}
	}
	i := bytes.LastIndexAny(b, " \t")
	if i <= 0 {
		return false
	}
	r.who, r.comm = b, bytes.TrimSpace(b[:i])
	pid, tid, both := bytes.Cut(b[i+1:], []byte{'/'})
	if !both {
		tid = pid
	}
	if r.tid = tid; both {
		r.pid, _ = scan.Int(pid)
	}
	return someDigits(tid) && someDigits(pid) && len(r.comm) > 0 && len(r.comm) <= 64
}

// sampled reads "[PERIOD] EVENT[:modifiers]: payload".
func (r *perfLine) sampled(b []byte) bool {
	b = bytes.TrimLeft(b, " \t")
	if word, rest, _ := bytes.Cut(b, []byte{' '}); someDigits(word) {
		r.period, _ = scan.Float(word)
		b = bytes.TrimLeft(rest, " \t")
	}
	word, rest, _ := bytes.Cut(b, []byte{' '})
	if len(word) < 2 || word[len(word)-1] != ':' {
		return false
	}
	r.event, r.payload = perfEventName(word[:len(word)-1]), bytes.TrimLeft(rest, " \t")
	return len(r.event) > 0 && isLetter(r.event[0])
}

// perfEventName cuts modifiers: cycles:P is cycles; sched:sched_switch stays.
func perfEventName(b []byte) []byte {
	i := bytes.LastIndexByte(b, ':')
	if i <= 0 {
		return b
	}
	for _, c := range b[i+1:] {
		if bytes.IndexByte([]byte("ukhpPGHSDIWeb"), c) < 0 {
			return b
		}
	}
	return b[:i]
}

func someDigits(b []byte) bool {
	_, rest, ok := leadingNumber(b)
	return ok && len(rest) == 0 && bytes.IndexByte(b, '.') < 0
}

// hexLen is how many hexadecimal digits b begins with.
func hexLen(b []byte) int {
	i := 0
	for i < len(b) && (isDigit(b[i]) || b[i]|0x20-'a' < 6) {
		i++
	}
	return i
}

// perfFrame reads "7f31 cudaLaunchKernel+0x1c0 (/usr/lib/libcudart.so (deleted))",
// or without the object, where -F leaves it out.
// Python's own functions come through a map: "py::main:/x/train.py (/tmp/perf-1.map)".
func perfFrame(line []byte) (f frameText, ok bool) {
	text := bytes.TrimLeft(line, " \t")
	n := hexLen(text)
	open := fileBracket(text)
	if n == 0 || n > 16 || n >= len(text) || text[n] != ' ' || open <= n && len(text) == len(line) {
		return f, false
	}
	name, object := bytes.TrimSpace(text[n:]), []byte(nil)
	if open > n {
		name, object = bytes.TrimSpace(text[n:open]), text[open+1:len(text)-1]
	}
	object = bytes.TrimSuffix(object, []byte(" (deleted)"))
	if rest, is := bytes.CutPrefix(name, []byte("py::")); is {
		return pythonOfPerf(withoutOffset(rest)), true
	}
	f = frameText{native: true, whole: true}
	if string(object) != "inlined" && string(object) != "[unknown]" {
		f.file = object
	}
	f.function = cSymbol(withoutOffset(name))
	if string(f.function) == "[unknown]" || len(f.function) == 0 {
		f.function = []byte(unresolved)
	}
	return f, true
}

// withoutOffset cuts "+0x1c0".
func withoutOffset(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte("+0x")); i > 0 && addressLen(b[i+1:]) == len(b)-i-1 {
		return b[:i]
	}
	return b
}

// pythonOfPerf takes "Net.forward:/x/model.py" apart. Other samplers print the
// name alone, without the class.
func pythonOfPerf(b []byte) frameText {
	name, file := b, []byte(nil)
	if i := bytes.IndexByte(b, ':'); i > 0 {
		name, file = b[:i], b[i+1:]
	}
	if i := bytes.LastIndexByte(name, '.'); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	return frameText{function: name, file: file, whole: true}
}
