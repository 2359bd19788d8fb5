package ingest

import (
	"bytes"
	"strconv"
	"strings"

	"tidemark/model"
)

// PySpyJSON is py-spy dump --json: an array of threads, several arrays in a row
// for several dumps. Children are not in it, whatever py-spy was asked for.
var PySpyJSON = &Format{
	Name:     "py-spy-json",
	Doc:      "py-spy dump --json, one or several in a row",
	Record:   "for i in $(seq 20); do py-spy dump --json --pid PID; sleep 1; done > pyspy-dump.json",
	Detect:   detectPySpyJSON,
	Parse:    parsePySpyJSON,
	Document: true,
}

func detectPySpyJSON(_ string, head []byte) bool {
	rest := bytes.TrimLeft(head, " \t\r\n")
	if len(rest) == 0 || rest[0] != '[' || !bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t\r\n"), []byte{'{'}) {
		return false
	}
	return bytes.Contains(head, []byte(`"owns_gil"`)) && bytes.Contains(head, []byte(`"frames"`)) &&
		(bytes.Contains(head, []byte(`"thread_id"`)) || bytes.Contains(head, []byte(`"os_thread_id"`)))
}

func parsePySpyJSON(src *Source, out *model.RunBuilder) error {
	return wholeDocument(src, out, func(doc []byte) error {
		p := &dumpJSON{snapshot: snapshot{out: out}, line: lineCounter{b: doc, line: 1}}
		return p.document(doc)
	})
}

// A dumpJSON reads dumps as JSON. frames holds a thread's frames until all of
// its members are known, for they come in any order.
type dumpJSON struct {
	snapshot
	line    lineCounter
	frames  []frameText
	pthread float64 // thread_id
	tid     float64 // os_thread_id
	th      model.StackThread
	hint    model.Hint
}

func (p *dumpJSON) document(doc []byte) error {
	j := &jsonCursor{b: doc}
	for j.next() != 0 && j.err == nil {
		j.elements(func() { p.thread(j) })
	}
	p.finish("py-spy dump")
	return j.err
}

// thread reads one thread, unless it is cut short.
func (p *dumpJSON) thread(j *jsonCursor) {
	j.next()
	at := j.i
	p.frames, p.th, p.hint, p.pthread, p.tid = p.frames[:0], model.StackThread{}, 0, 0, 0
	j.members(func(key string) { p.member(j, key) })
	if j.err != nil {
		return
	}
	if p.hint&model.HintActive == 0 {
		p.hint |= model.HintIdle
	}
	switch {
	case p.tid > 0:
		p.th.TID = strconv.FormatFloat(p.tid, 'f', 0, 64)
	case p.pthread > 0 && p.pthread < 1<<63:
		p.th.TID = "0x" + strings.ToUpper(strconv.FormatUint(uint64(p.pthread), 16))
	}
	p.begin(p.th, p.hint, p.line.at(at), int64(at))
	for _, f := range p.frames {
		p.add(f)
	}
	p.end()
}

func (p *dumpJSON) member(j *jsonCursor, key string) {
	switch key {
	case "pid":
		v, _ := j.number()
		p.th.PID = int64(v)
	case "thread_id":
		p.pthread, _ = j.number()
	case "os_thread_id":
		p.tid, _ = j.number()
	case "thread_name":
		p.th.Name = j.optionalText()
	case "active":
		p.flag(j, model.HintActive)
	case "owns_gil":
		p.flag(j, model.HintGIL)
	case "frames":
		p.list(j)
	case "process_info":
		p.process(j)
	default:
		j.skip()
	}
}

func (p *dumpJSON) flag(j *jsonCursor, h model.Hint) {
	if j.next() == 't' {
		p.hint |= h
	}
	j.skip()
}

func (p *dumpJSON) process(j *jsonCursor) {
	if j.next() != '{' {
		j.skip()
		return
	}
	j.members(func(key string) {
		if key == "command_line" {
			p.th.Process = j.optionalText()
		} else {
			j.skip()
		}
	})
}

// list reads the frames. The short name of a file is what the other outputs
// print; where it is null the full one stands.
func (p *dumpJSON) list(j *jsonCursor) {
	if j.next() != '[' {
		j.skip()
		return
	}
	j.elements(func() {
		f, short := frameText{}, ""
		if j.next() != '{' {
			j.skip()
			return
		}
		j.members(func(key string) {
			switch key {
			case "name":
				f.function = []byte(j.optionalText())
			case "filename":
				f.file = []byte(j.optionalText())
			case "short_filename":
				short = j.optionalText()
			case "line":
				if v, ok := j.number(); ok && v > 0 && v < 1<<31 {
					f.line = int32(v)
				}
			default:
				j.skip()
			}
		})
		if short != "" {
			f.file = []byte(short)
		}
		f.native = nativeFile(f.file, f.line) || isAddress(f.function)
		p.frames = append(p.frames, f)
	})
}
