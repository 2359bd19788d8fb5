package ingest

import (
	"bytes"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// AustinWhere is one look of austin at a process.
var AustinWhere = &Format{
	Name:      "austin-where",
	Doc:       "austin -w, one or several in a row",
	Record:    "for i in $(seq 20); do austin -w PID; sleep 1; done > austin-where.txt",
	Detect:    detectAustinWhere,
	Parse:     parseAustinWhere,
	LongLines: true,
}

// whereHeading is how many lines austin prints before the first thread.
const whereHeading = 8

func detectAustinWhere(name string, head []byte) bool {
	lines, inside := 0, false
	return mostlyDump(name, head, trimPlain, func(line []byte) (thread, ours bool) {
		lines++
		_, _, thread = whereThread(line)
		inside = thread || inside && bytes.HasPrefix(line, []byte("    "))
		return thread, inside || lines <= whereHeading
	})
}

// whereThread reads "💤 Process 1287 🧵 Thread 0:1303", the interpreter's number
// before the thread's; the picture is a rocket where the thread runs.
func whereThread(line []byte) (t model.StackThread, hint model.Hint, ok bool) {
	if len(line) == 0 || line[0] < 0x80 {
		return t, 0, false
	}
	mark, rest, ok := bytes.Cut(line, []byte(" Process "))
	id, thread, two := bytes.Cut(rest, []byte(" Thread "))
	id, _, _ = bytes.Cut(id, []byte{' '})
	pid, digits := scan.Int(id)
	if _, own, numbered := bytes.Cut(thread, []byte{':'}); numbered {
		thread = own
	}
	if !ok || !two || !digits || !someDigits(thread) {
		return t, 0, false
	}
	switch string(mark) {
	case "💤":
		hint = model.HintIdle
	case "🚀":
		hint = model.HintActive
	}
	return model.StackThread{PID: pid, TID: string(thread)}, hint, true
}

func parseAustinWhere(src *Source, out *model.RunBuilder) error {
	p := &snapshot{out: out}
	end := func() { // frames stand from the root on
		slices.Reverse(p.codes)
		p.end()
	}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		line = trimPlain(line)
		text, indented := bytes.CutPrefix(line, []byte("    "))
		t, hint, thread := whereThread(line)
		switch {
		case thread:
			end()
			p.begin(t, hint, src.Line(), src.Offset())
		case indented && p.open && fileBracket(text) > 0 && text[0] != ' ':
			p.add(splitFrame(text))
		default:
			out.Skip(1)
			continue
		}
		out.Claim(1)
	}
	end()
	p.finish("austin dump")
	return src.Err()
}
