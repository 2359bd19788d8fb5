package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// FaultHandler is what Python's faulthandler prints, in a file of its own. In
// a training log it stays an event of that log.
var FaultHandler = &Format{
	Name:   "faulthandler",
	Doc:    "Python's faulthandler: dump_traceback, dump_traceback_later, or a signal registered with it",
	Record: "import faulthandler, signal; faulthandler.register(signal.SIGUSR1, file=open('faulthandler.txt', 'a'), all_threads=True), then kill -USR1 PID a few times",
	Detect: detectFaultHandler,
	Parse:  parseFaultHandler,
}

func detectFaultHandler(name string, head []byte) bool {
	return bytes.Contains(head, []byte("most recent call first")) && mostlyDump(name, head, trimRight, func(line []byte) (thread, ours bool) {
		_, thread = faultThread(line)
		_, frame := faultFrame(line)
		return thread, thread || frame || faultWords(line)
	})
}

// faultOrder ends the line of a thread.
const faultOrder = " (most recent call first):"

// faultThread reads "Thread 0x00007f31 (most recent call first):", with
// "Current " before it, or a name in square brackets after the number.
func faultThread(line []byte) (t model.StackThread, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("Thread "))
	if !ok {
		rest, ok = bytes.CutPrefix(line, []byte("Current thread "))
	}
	n := addressLen(rest)
	if !ok || n == 0 {
		return t, false
	}
	t.TID = string(rest[:n])
	rest, ok = bytes.CutSuffix(rest[n:], []byte(faultOrder))
	if from, to := bytes.IndexByte(rest, '['), bytes.LastIndexByte(rest, ']'); from >= 0 && to > from {
		t.Name = string(valid(rest[from+1 : to]))
	}
	return t, ok
}

// faultFrame reads `  File "train.py", line 310 in main`, also with the comma
// that py-bt of gdb puts before "in".
func faultFrame(line []byte) (f frameText, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`  File "`))
	i := bytes.LastIndex(rest, []byte(`", line `))
	if !ok || i < 0 {
		return f, false
	}
	f = frameText{file: rest[:i], whole: true}
	number, name, ok := bytes.Cut(rest[i+len(`", line `):], []byte(" in "))
	n, digits := scan.Int(bytes.TrimSuffix(number, []byte{','}))
	if !ok || !digits || n < 0 || n >= 1<<31 || len(name) == 0 {
		return f, false
	}
	f.line = int32(n)
	f.function, _, _ = bytes.Cut(name, []byte(" ("))
	return f, true
}

// faultWords reports whether faulthandler prints a line like this around stacks.
func faultWords(line []byte) bool {
	for _, s := range []string{
		"Timeout (", "Fatal Python error: ", "Python runtime state: ", "  <no Python frame>", "  ...", "Extension modules: ",
		"Current thread's C stack trace", "  Binary file \"", "  Garbage-collecting", "  <Cannot show all threads", "Windows fatal exception",
	} {
		if bytes.HasPrefix(line, []byte(s)) {
			return true
		}
	}
	return false
}

func parseFaultHandler(src *Source, out *model.RunBuilder) error {
	d := &snapshot{out: out}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		line = trimRight(line)
		if t, ok := faultThread(line); ok {
			d.begin(t, 0, src.Line(), src.Offset())
			out.Claim(1)
			continue
		}
		if f, ok := faultFrame(line); ok && d.open {
			d.add(f)
			out.Claim(1)
			continue
		}
		if bytes.HasPrefix(line, []byte("Fatal Python error: ")) {
			out.Event(src.Line(), src.Offset(), 0, "error", string(valid(line[:min(len(line), 200)])))
			out.Claim(1)
		} else {
			out.Skip(1)
		}
		if len(line) > 0 && line[0] != ' ' {
			d.end()
		}
	}
	d.finish("faulthandler dump")
	return src.Err()
}
