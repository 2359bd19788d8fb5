package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// EUStack is what elfutils' eu-stack prints.
var EUStack = &Format{
	Name:      "eu-stack",
	Doc:       "eu-stack of elfutils",
	Record:    "for i in $(seq 20); do eu-stack -m -p PID; sleep 1; done > eu-stack.txt",
	Detect:    detectEUStack,
	Parse:     parseEUStack,
	LongLines: true,
}

func detectEUStack(name string, head []byte) bool {
	return bytes.Contains(head, []byte("TID ")) && mostlyDump(name, head, trimRight, func(line []byte) (thread, ours bool) {
		_, thread = euThread(line)
		_, process := euProcess(line)
		_, frame := euFrame(line)
		return thread, thread || process || frame || line[0] == ' '
	})
}

// euThread reads "TID 4171:".
func euThread(line []byte) (tid []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("TID "))
	rest, ok2 := bytes.CutSuffix(rest, []byte{':'})
	_, digits := scan.Int(rest)
	return rest, ok && ok2 && digits
}

// euProcess reads "PID 4100 - process".
func euProcess(line []byte) (pid int64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("PID "))
	id, what, _ := bytes.Cut(rest, []byte(" - "))
	pid, digits := scan.Int(id)
	return pid, ok && digits && (bytes.HasPrefix(what, []byte("process")) || bytes.HasPrefix(what, []byte("core")))
}

// euFrame reads "#1  0x00007f31 - 1 take_gil - /lib/libpython3.so". The "- 1"
// says that the address was stepped back into the call.
func euFrame(line []byte) (f frameText, ok bool) {
	_, rest, ok := gdbNumber(line)
	n := addressLen(rest)
	if !ok || n == 0 {
		return f, false
	}
	f = frameText{function: rest[:n], native: true}
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest[n:], []byte(" - 1")), " ")
	if name, file, found := bytes.Cut(rest, []byte(" - ")); found {
		rest, f.file = name, file
	} else if file, found := bytes.CutPrefix(rest, []byte("- ")); found {
		rest, f.file = nil, file
	}
	if rest = cSymbol(withoutArguments(rest)); len(rest) > 0 {
		f.function = rest
	}
	return f, true
}

func parseEUStack(src *Source, out *model.RunBuilder) error {
	d := &snapshot{out: out}
	pid := int64(0)
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		line = trimRight(line)
		if tid, ok := euThread(line); ok {
			d.begin(model.StackThread{PID: pid, TID: string(tid)}, 0, src.Line(), src.Offset())
			out.Claim(1)
			continue
		}
		if n, ok := euProcess(line); ok {
			d.end()
			pid = n
			out.Claim(1)
			continue
		}
		if f, ok := euFrame(line); ok && d.open {
			d.add(f)
			out.Claim(1)
		} else {
			out.Skip(1) // where the source of a frame stands, and remarks
		}
	}
	d.finish("eu-stack dump")
	return src.Err()
}
