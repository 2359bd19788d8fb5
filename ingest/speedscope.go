package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Speedscope is speedscope's own JSON, which py-spy and others write.
var Speedscope = &Format{
	Name:     "speedscope",
	Doc:      "py-spy record -f speedscope, and speedscope files of other samplers",
	Record:   "py-spy record -f speedscope --rate 20 --duration 60 -o profile.speedscope.json --pid PID",
	Detect:   detectSpeedscope,
	Parse:    parseSpeedscope,
	Document: true,
}

// detectSpeedscope goes by the schema's address, or by a list of profiles of
// its two types.
func detectSpeedscope(_ string, head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' || bytes.Contains(head, []byte(`"traceEvents"`)) {
		return false
	}
	if bytes.Contains(head, []byte("speedscope.app/file-format-schema.json")) {
		return true
	}
	return bytes.Contains(head, []byte(`"profiles"`)) && bytes.Contains(head, []byte(`"unit"`)) &&
		(bytes.Contains(head, []byte(`"sampled"`)) || bytes.Contains(head, []byte(`"evented"`)))
}

// A scopeParser holds what the profiles of one document share.
type scopeParser struct {
	src    *Source
	out    *model.RunBuilder
	frames []scopeFrame
	writer string
	scale  float64 // seconds in one unit of the profiles read, 0 where the unit is none
	unit   string  // of the profiles read, "" before the first
	rate   float64
	seen   digestTable
	codes  []int32
	row    scopeRow
	thread bool
	native bool
	all    int // samples
	lost   int // of them, those that could not be read
	open   int // frames that nothing closed
	line   lineCounter
}

type scopeFrame struct {
	code   int32
	native bool
	row    string // of a process or thread, which is no frame
}

// A scopeRow is one profile: one thread, as py-spy writes them.
type scopeRow struct {
	kind, name, unit              string
	start, end                    float64
	samples, weights, events, all [2]int // where they stand in the document
	number                        int
	thread                        model.StackThread
}

func parseSpeedscope(src *Source, out *model.RunBuilder) error {
	return wholeDocument(src, out, func(doc []byte) error {
		p := &scopeParser{src: src, out: out, writer: "speedscope", line: lineCounter{b: doc, line: 1}}
		return p.document(doc)
	})
}

// document reads the frames first, wherever they stand, then the profiles.
func (p *scopeParser) document(doc []byte) error {
	top := &jsonCursor{b: doc}
	var shared, profiles [2]int
	top.members(func(key string) {
		switch key {
		case "shared":
			shared[0], shared[1] = top.span()
		case "profiles":
			profiles[0], profiles[1] = top.span()
		case "exporter":
			if strings.HasPrefix(top.optionalText(), "py-spy") {
				p.writer = "py-spy speedscope"
			}
		default:
			top.skip()
		}
	})
	if shared[1] == 0 {
		if top.err != nil {
			return fmt.Errorf("%w; the table of frames was not reached", top.err)
		}
		return errors.New(`no "shared", want the table of frames there`)
	}
	p.table(&jsonCursor{b: doc[:shared[1]], i: shared[0]})
	rows, err := p.profiles(&jsonCursor{b: doc[:profiles[1]], i: profiles[0]})
	if err == nil {
		err = top.err
	}
	if bad := p.read(doc, rows); bad != nil {
		return bad
	}
	p.finish()
	if c := top.next(); err == nil && c != 0 {
		err = fmt.Errorf("byte %d: '%c' after the document, of which alone the samples are: want one recording in a file", top.i, c)
	}
	if err == nil && p.lost > 0 {
		err = fmt.Errorf("%d of %d samples are no list of the file's frames, and left out", p.lost, p.all)
	}
	return err
}

// table reads shared.frames.
func (p *scopeParser) table(j *jsonCursor) {
	j.members(func(key string) {
		if key != "frames" {
			j.skip()
			return
		}
		j.elements(func() {
			f := frameText{}
			if j.next() != '{' {
				j.skip()
			} else {
				j.members(func(key string) { scopeMember(j, key, &f) })
			}
			p.frames = append(p.frames, p.frame(f))
		})
	})
}

func scopeMember(j *jsonCursor, key string, f *frameText) {
	switch {
	case key == "name":
		f.function = []byte(j.optionalText())
	case key == "file":
		f.file = []byte(j.optionalText())
	case key == "line":
		if v, ok := j.number(); ok && v > 0 && v < math.MaxInt32 {
			f.line = int32(v)
		}
	default:
		j.skip()
	}
}

func (p *scopeParser) frame(f frameText) scopeFrame {
	if len(f.file) == 0 && (processPrefix(f.function) > 0 || threadPrefix(f.function) > 0) {
		return scopeFrame{row: string(f.function)}
	}
	f.native = len(f.file) > 0 && nativeFile(f.file, f.line) || isAddress(f.function)
	return scopeFrame{code: p.out.Stacks.Set.Frame(f.frame(p.out.Strings)), native: f.native}
}

// profiles finds what each profile is and where its parts stand.
func (p *scopeParser) profiles(j *jsonCursor) (rows []scopeRow, err error) {
	if j.i == 0 {
		return nil, fmt.Errorf("no profiles, want a list of them")
	}
	j.elements(func() {
		r := scopeRow{number: len(rows)}
		j.next()
		r.all[0] = j.i
		j.members(func(key string) { r.member(j, key) })
		r.all[1] = j.i
		r.thread = scopeThread(r.name)
		rows = append(rows, r)
	})
	return rows, j.err
}

func (r *scopeRow) member(j *jsonCursor, key string) {
	switch key {
	case "samples":
		r.samples[0], r.samples[1] = j.span()
	case "weights":
		r.weights[0], r.weights[1] = j.span()
	case "events":
		r.events[0], r.events[1] = j.span()
	case "startValue":
		r.start, _ = j.number()
	case "endValue":
		r.end, _ = j.number()
	case "type":
		r.kind = j.optionalText()
	case "name":
		r.name = j.optionalText()
	case "unit":
		r.unit = j.optionalText()
	default:
		j.skip()
	}
}

// scopeThread reads a profile's name as py-spy writes it,
// `Process 4100 Thread 0x7F12 "MainThread"` or the latter half. Any other name
// is the thread's.
func scopeThread(name string) model.StackThread {
	t := model.StackThread{}
	rest := name
	if after, ok := strings.CutPrefix(rest, "Process "); ok {
		id, thread, _ := strings.Cut(after, " ")
		if pid, ok := scan.Int([]byte(id)); ok {
			t.PID, rest = pid, thread
		}
	}
	after, ok := strings.CutPrefix(rest, "Thread ")
	id, quoted, _ := strings.Cut(after, " ")
	if _, digits := scan.Int([]byte(id)); !ok || !digits && !isAddress([]byte(id)) {
		return model.StackThread{PID: t.PID, Name: rest}
	}
	t.TID = id
	t.Name = strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
	return t
}
