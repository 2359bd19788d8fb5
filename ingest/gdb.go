package ingest

import (
	"bytes"
	"fmt"

	"tidemark/internal/scan"
	"tidemark/model"
)

// GDB is what gdb prints for "thread apply all bt", with py-bt or without,
// and pstack, which calls it.
var GDB = &Format{
	Name:      "gdb",
	Doc:       "gdb thread apply all bt (and py-bt), pstack",
	Record:    "for i in $(seq 20); do gdb -p PID -batch -ex 'thread apply all bt' -ex 'thread apply all py-bt' 2>/dev/null; sleep 1; done > gdb.txt",
	Detect:    detectGDB,
	Parse:     parseGDB,
	LongLines: true,
}

// detectGDB wants most lines to be of stacks, in no log: a training log with a
// dump in it is a log, here as in the other formats of stacks in text.
func detectGDB(name string, head []byte) bool {
	lines, ours, frames := 0, 0, 0
	open := false
	for line := range headLines(head, trimPlain) {
		lines++
		if _, eu := euThread(line); eu {
			return false
		}
		_, thread := gdbThread(line)
		number, _, frame := gdbNumber(line)
		switch {
		case thread, gdbNoise(line):
			open = thread
			ours++
		case open && gdbLocal(line):
			ours++
		case frame && (open || number == 0):
			open = true
			frames++
			ours++
		case open && line[0] == ' ':
			ours++
		default:
			open = false
		}
	}
	return frames >= 2 && 2*ours > lines && !detectTrainLog(name, head)
}

// gdbNoise reports whether gdb itself prints a line like this around stacks.
func gdbNoise(line []byte) bool {
	for _, s := range []string{"[New LWP ", "[New Thread ", "[Thread debugging using ", "[Switching to ", "Backtrace stopped:", "[Inferior "} {
		if bytes.HasPrefix(line, []byte(s)) {
			return true
		}
	}
	return false
}

// gdbLocal reports whether a line below a frame tells of its variables, as bt
// full does: eight blanks deep, where a frame that goes on has four at most.
func gdbLocal(line []byte) bool {
	return bytes.HasPrefix(line, []byte("        ")) || string(line) == "No locals." || string(line) == "No symbol table info available."
}

// gdbThread reads `Thread 2 (Thread 0x7f3 (LWP 4171) "python"):`.
func gdbThread(line []byte) (t model.StackThread, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("Thread "))
	_, rest, digits := leadingNumber(rest)
	if !ok || !digits || !bytes.HasPrefix(rest, []byte(" (")) || !bytes.HasSuffix(rest, []byte(":")) {
		return t, false
	}
	if _, after, found := bytes.Cut(rest, []byte("LWP ")); found {
		n := 0
		for n < len(after) && isDigit(after[n]) {
			n++
		}
		t.TID = string(after[:n])
	} else if _, after, found := bytes.Cut(rest, []byte("Thread 0x")); found {
		id, _, _ := bytes.Cut(after, []byte{' '})
		t.TID = "0x" + string(bytes.TrimRight(id, "):"))
	}
	if from, to := bytes.IndexByte(rest, '"'), bytes.LastIndexByte(rest, '"'); from >= 0 && to > from {
		t.Name = string(valid(rest[from+1 : to]))
	}
	return t, t.TID != "" || bytes.Contains(rest, []byte("process "))
}

// gdbNumber takes "#12  " off a frame.
func gdbNumber(line []byte) (n int64, rest []byte, ok bool) {
	if len(line) < 3 || line[0] != '#' || !isDigit(line[1]) {
		return 0, nil, false
	}
	i := 1
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	n, ok = scan.Int(line[1:i])
	return n, bytes.TrimLeft(line[i:], " \t"), ok && i < len(line) && line[i] == ' '
}

func parseGDB(src *Source, out *model.RunBuilder) error {
	p := &gdbParser{src: src, snapshot: snapshot{out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		p.line(trimPlain(line))
	}
	p.flush()
	p.finish("gdb dump")
	if p.broken > 0 {
		out.File.Note(fmt.Sprintf("stacks that the debugger could not follow to their root: %d", p.broken))
	}
	return src.Err()
}

// A gdbParser joins the lines of a frame before it is taken apart.
type gdbParser struct {
	src *Source
	snapshot
	pid    int64
	text   []byte // of the frame in work, which may go on
	broken int
}

// maxGDBFrame is where the text of a frame is no longer added to: arguments may be long.
const maxGDBFrame = 64 << 10

func (p *gdbParser) line(line []byte) {
	if t, ok := gdbThread(line); ok {
		p.flush()
		t.PID = p.pid
		p.begin(t, 0, p.src.Line(), p.src.Offset())
		p.out.Claim(1)
		return
	}
	n, rest, frame := gdbNumber(line)
	switch {
	case frame:
		p.flush()
		if n == 0 && (!p.open || len(p.codes) > 0) { // a stack of the one thread there is
			p.begin(model.StackThread{PID: p.pid}, 0, p.src.Line(), p.src.Offset())
		}
		p.text = append(p.text, rest...)
	case p.open && gdbLocal(line):
		p.flush()
		p.out.Skip(1)
		return
	case p.open && bytes.HasPrefix(line, []byte("  File ")):
		p.flush()
		f, ok := faultFrame(line)
		if !ok {
			p.out.Skip(1)
			return
		}
		p.add(f)
	case p.open && len(p.text) > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
		if len(p.text) < maxGDBFrame {
			p.text = append(append(p.text, ' '), bytes.TrimLeft(line, " \t")...)
		}
	default:
		p.other(line)
		return
	}
	p.out.Claim(1)
}

// other reads a line between stacks.
func (p *gdbParser) other(line []byte) {
	p.flush()
	if bytes.HasPrefix(line, []byte("Backtrace stopped:")) {
		p.broken++
	}
	if _, after, ok := bytes.Cut(line, []byte("process ")); ok && bytes.HasPrefix(line, []byte("Attaching to ")) {
		if pid, _, ok := leadingNumber(after); ok {
			p.pid = int64(pid)
		}
	}
	p.out.Skip(1)
}

// flush takes the frame in work apart.
func (p *gdbParser) flush() {
	if len(p.text) == 0 {
		return
	}
	if f, ok := gdbFrame(p.text); ok && p.open {
		p.add(f)
	}
	p.text = p.text[:0]
}

// gdbFrame reads "0xADDR in func (args) at file:line" or "… from lib", and a
// frame of py-bt, "Frame 0x…, for file F, line N, in f (args)".
func gdbFrame(b []byte) (f frameText, ok bool) {
	if bytes.HasPrefix(b, []byte("Frame 0x")) {
		return pybtFrame(b)
	}
	if n := addressLen(b); n > 0 {
		f.function = b[:n]
		b = bytes.TrimPrefix(b[n:], []byte(" in "))
	}
	f.native = true
	if i := bytes.LastIndex(b, []byte(") at ")); i >= 0 {
		f.file, b = b[i+5:], b[:i+1]
		if k := bytes.LastIndexByte(f.file, ':'); k > 0 {
			if n, ok := scan.Int(f.file[k+1:]); ok && n > 0 && n < 1<<31 {
				f.file, f.line = f.file[:k], int32(n)
			}
		}
	} else if i := bytes.LastIndex(b, []byte(") from ")); i >= 0 {
		f.file, b = b[i+7:], b[:i+1]
	}
	f.file = bytes.TrimSuffix(f.file, []byte(" (stripped)"))
	if len(f.file) > 512 { // an argument that happens to hold the words
		f.file = nil
	}
	name := cSymbol(withoutArguments(b))
	if len(name) > 0 && string(name) != "??" {
		f.function = name
	}
	return f, len(f.function) > 0
}

// withoutArguments cuts the last bracket, before which a blank stands.
func withoutArguments(b []byte) []byte {
	if i := fileBracket(b); i > 0 {
		return bytes.TrimRight(b[:i], " ")
	}
	return b
}

// cSymbol takes off what compilers and linkers add to a name.
func cSymbol(b []byte) []byte {
	for {
		i := bytes.LastIndex(b, []byte(" [clone "))
		if i <= 0 || b[len(b)-1] != ']' {
			break
		}
		b = b[:i]
	}
	if b = bytes.TrimSuffix(b, []byte(" ()")); bytes.HasSuffix(b, []byte("@plt")) {
		b = b[:len(b)-4]
	}
	if i := bytes.Index(b, []byte("@@")); i > 0 {
		b = b[:i]
	}
	return b
}

func pybtFrame(b []byte) (f frameText, ok bool) {
	_, rest, ok := bytes.Cut(b, []byte(", for file "))
	file, rest, ok2 := bytes.Cut(rest, []byte(", line "))
	line, rest, ok3 := bytes.Cut(rest, []byte(", in "))
	n, digits := scan.Int(line)
	name, _, _ := bytes.Cut(rest, []byte(" ("))
	if !ok || !ok2 || !ok3 || !digits || n < 0 || n >= 1<<31 || len(name) == 0 {
		return f, false
	}
	return frameText{function: name, file: file, line: int32(n), whole: true}, true
}
