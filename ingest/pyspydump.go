package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PySpyDump is one or more snapshots of all stacks; each is one sample of
// each thread.
var PySpyDump = &Format{
	Name:      "py-spy-dump",
	Doc:       "py-spy dump, one or several in a row",
	Record:    "for i in $(seq 20); do py-spy dump --pid PID; sleep 1; done > pyspy-dump.txt",
	Detect:    detectPySpyDump,
	Parse:     parsePySpyDump,
	LongLines: true,
}

// detectPySpyDump also takes frames below a thread, and what tells of its process:
// a command line may have line feeds, and goes on to the version.
func detectPySpyDump(name string, head []byte) bool {
	inside, command := false, 0
	return mostlyDump(name, head, trimPlain, func(line []byte) (thread, ours bool) {
		_, _, thread = dumpThread(line)
		_, process, _ := dumpProcess(line)
		inside = thread || inside && bytes.HasPrefix(line, []byte("    "))
		command--
		version := bytes.HasPrefix(line, []byte("Python v"))
		switch {
		case process != nil, bytes.HasPrefix(line, []byte("Parent Process ")):
			command = maxOpenLines
		case version || thread:
			command = 0
		}
		return thread, inside || process != nil || command > 0 || version
	})
}

func parsePySpyDump(src *Source, out *model.RunBuilder) error {
	d := &dumpParser{snapshot: snapshot{out: out}, src: src}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		d.line(trimPlain(line))
	}
	d.finish("py-spy dump")
	return src.Err()
}

// A dumpParser follows a dump through the log text around it: frames are only
// what is indented by four blanks below a thread line.
type dumpParser struct {
	snapshot
	src     *Source
	pid     int64
	process string
}

func (d *dumpParser) line(line []byte) {
	const indent = "    "
	if d.open && bytes.HasPrefix(line, []byte(indent)) {
		if rest := line[len(indent):]; rest[0] != ' ' && rest[0] != '\t' {
			d.frame(rest)
			d.out.Claim(1)
		} else {
			d.out.Skip(1) // arguments and locals
		}
		return
	}
	d.end()
	if t, hint, ok := dumpThread(line); ok {
		d.begin(t, hint)
		d.out.Claim(1)
		return
	}
	if pid, command, ok := dumpProcess(line); ok {
		d.pid, d.process = pid, string(valid(command))
	}
	n := model.SamplerNote{Line: int32(d.src.Line())}
	if samplerLine(line, &n) && addNote(d.out.Stacks, n) {
		d.out.Claim(1)
	} else {
		d.out.Skip(1)
	}
}

func (d *dumpParser) begin(t model.StackThread, hint model.Hint) {
	t.PID, t.Process = d.pid, d.process
	d.snapshot.begin(t, hint, d.src.Line(), d.src.Offset())
}

func (d *dumpParser) frame(text []byte) {
	if len(d.codes) == model.MaxDepth {
		d.src.warn("more frames than a sampler follows, want at most %d; the outer ones are left out", model.MaxDepth)
	}
	if len(d.codes) <= model.MaxDepth {
		f := splitFrame(text)
		d.native = d.native || f.native
		d.codes = append(d.codes, d.out.Stacks.Set.Frame(f.frame(d.out.Strings)))
	}
}

// dumpProcess reads "Process 4100: python train.py".
func dumpProcess(line []byte) (pid int64, command []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("Process "))
	if !ok {
		return 0, nil, false
	}
	id, command, ok := bytes.Cut(rest, []byte(": "))
	pid, digits := scan.Int(id)
	if !ok || !digits {
		return 0, nil, false
	}
	return pid, command, true
}

// dumpThread reads `Thread 4100 (active+gil): "MainThread"`. A core dump has
// no state. Names may hold quotes and brackets.
func dumpThread(line []byte) (t model.StackThread, hint model.Hint, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("Thread "))
	if !ok {
		return t, 0, false
	}
	head, name, named := bytes.Cut(rest, []byte(`: "`))
	if named {
		t.Name = string(valid(bytes.TrimSuffix(name, []byte{'"'})))
	}
	id, state, stated := bytes.Cut(head, []byte(" ("))
	switch string(state) {
	case "idle)":
		hint = model.HintIdle
	case "active)":
		hint = model.HintActive
	case "active+gil)":
		hint = model.HintActive | model.HintGIL
	case "idle+gil)":
		hint = model.HintIdle | model.HintGIL
	case "gil)":
		hint = model.HintGIL
	default:
		if stated || !named {
			return t, 0, false
		}
	}
	if addressLen(id) != len(id) {
		if _, digits := scan.Int(id); !digits {
			return t, 0, false
		}
	}
	t.TID = string(id)
	return t, hint, len(id) > 0
}
