package ingest

import (
	"bytes"
	"encoding/binary"
)

// laidEnd returns how long the event is whose lines are indented as Kineto
// does: its end is a line of two blanks and a brace. 0 means that b ends
// before, less that another event begins first, after so many bytes.
func laidEnd(b []byte, eof bool) int {
	end := indented(b, '}')
	if end == len(b)-1 && !eof {
		end = -1 // the line may go on
	}
	before := b
	if end >= 0 {
		before = b[:end]
	}
	if next := indented(before, '{'); next >= 0 && next < len(b)-1 {
		return 3 - next
	}
	return end + 1
}

// indented returns where in an event the first line begins, after its two
// blanks, that they and a brace begin; -1 for none.
func indented(b []byte, brace byte) int {
	for i := 4; i < len(b); i++ {
		k := bytes.IndexByte(b[i:], brace)
		if k < 0 {
			break
		}
		if i += k; b[i-1] == ' ' && b[i-2] == ' ' && b[i-3] == '\n' {
			return i
		}
	}
	return -1
}

// parseLaid reads an event whose fields stand as Kineto writes them, and reports
// whether they do: where not, the event is to be parsed as any other.
func (e *traceEvent) parseLaid(b []byte) bool {
	b = after(b, "{\n    \"ph\": \"")
	if len(b) < 2 || b[1] != '"' {
		return false
	}
	e.phase = b[0]
	switch e.phase {
	case 's', 'f':
		e.passed = true
		return true
	case 'X':
		return e.complete(b[1:])
	}
	return false
}

// complete reads what follows the phase of a complete event.
func (e *traceEvent) complete(b []byte) bool {
	e.cat, b = laidText(after(b, "\", \"cat\": \""))
	e.name, b = laidText(after(b, "\", \"name\": \""))
	e.pid, b = laidInt(after(b, "\", \"pid\": "))
	e.tid, b = laidInt(after(b, ", \"tid\": "))
	e.ts, e.hasTS, b = laidMicros(after(b, ",\n    \"ts\": "))
	e.dur, e.hasDur, b = laidMicros(after(b, ", \"dur\": "))
	e.args = after(b, ",\n    \"args\": ")
	return e.hasTS && e.hasDur && len(e.args) > 0 && e.args[0] == '{'
}

// after returns what follows want at the start of b, nil where b begins otherwise.
func after(b []byte, want string) []byte {
	if len(b) < len(want) || string(b[:len(want)]) != want {
		return nil
	}
	return b[len(want):]
}

// laidText returns what stands before the next quote, and the rest from there;
// nil where that quote may belong to the text.
func laidText(b []byte) (v, rest []byte) {
	n := bytes.IndexByte(b, '"')
	if n < 0 || n > 0 && b[n-1] == '\\' {
		return nil, nil
	}
	return b[:n], b[n:]
}

func laidInt(b []byte) (v, rest []byte) {
	n := 0
	for n < len(b) && (b[n]-'0' < 10 || b[n] == '-') {
		n++
	}
	return b[:n], b[n:]
}

// laidMicros reads a number of microseconds with three decimals as ns, of as
// many digits as Kineto's clock has.
func laidMicros(b []byte) (ns int64, ok bool, rest []byte) {
	i := 0
	for i < 16 && i+8 <= len(b) {
		v, ok := eightDigits(b[i : i+8])
		if !ok {
			break
		}
		ns, i = ns*1e8+v, i+8
	}
	for ; i < len(b) && b[i]-'0' < 10 && i < 16; i++ {
		ns = ns*10 + int64(b[i]-'0')
	}
	if i == 0 || i >= 16 || len(b) < i+4 || b[i] != '.' {
		return 0, false, nil
	}
	x, y, z := b[i+1]-'0', b[i+2]-'0', b[i+3]-'0'
	if max(x, y, z) > 9 {
		return 0, false, nil
	}
	return ns*1000 + int64(x)*100 + int64(y)*10 + int64(z), true, b[i+4:]
}

// eightDigits reads b, eight bytes, as a number of as many digits, all at once.
func eightDigits(b []byte) (v int64, ok bool) {
	x := binary.LittleEndian.Uint64(b)
	const high, six, zeros = 0xf0f0f0f0f0f0f0f0, 0x0606060606060606, 0x3030303030303030
	if x&high != zeros || (x+six)&high != zeros {
		return 0, false
	}
	x -= zeros
	x = x*10 + x>>8 // pairs, in every other byte
	const low = 0x000000ff000000ff
	return int64((x&low*(100+1e6<<32) + x>>16&low*(1+1e4<<32)) >> 32), true
}
