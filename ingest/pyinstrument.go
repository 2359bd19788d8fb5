package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"tidemark/model"
)

// Pyinstrument is pyinstrument's JSON: one tree of wall time of the one thread
// it ran in, waits included.
var Pyinstrument = &Format{
	Name:     "pyinstrument",
	Doc:      "pyinstrument -r json",
	Record:   "py-spy record is better, for it sees all threads; else pyinstrument -r json -o pyinstrument.json train.py",
	Detect:   detectPyinstrument,
	Parse:    parsePyinstrument,
	Document: true,
}

func detectPyinstrument(_ string, head []byte) bool {
	return jsonObject(head) && jsonOpens(head, `"root_frame"`) && jsonOpens(head, `"sample_count"`)
}

// jsonObject reports whether text begins as a JSON object with members does.
func jsonObject(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 1 && head[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte{'"'})
}

func parsePyinstrument(src *Source, out *model.RunBuilder) error {
	return wholeDocument(src, out, func(doc []byte) error {
		p := &instrumentTree{out: out, line: lineCounter{b: doc, line: 1}}
		return p.document(doc)
	})
}

type instrumentTree struct {
	out     *model.RunBuilder
	line    lineCounter
	thread  int32
	samples float64
	seconds float64 // of all frames' own time
	deep    bool
	after   error // something follows the document
}

func (p *instrumentTree) document(doc []byte) error {
	j := &jsonCursor{b: doc}
	root := 0
	command := ""
	j.members(func(key string) {
		switch key {
		case "sample_count":
			p.samples, _ = j.number()
		case "target_description", "program":
			if s := j.optionalText(); s != "" {
				command = s
			}
		case "root_frame":
			j.next()
			root = j.i
			j.skip()
		default:
			j.skip()
		}
	})
	if j.err != nil {
		return j.err
	}
	if c := j.next(); c != 0 {
		p.after = fmt.Errorf("byte %d: '%c' after the document, of which alone the tree is: want one recording in a file", j.i, c)
	}
	if root == 0 || doc[root] != '{' {
		return errors.New("no root_frame, want the tree of frames there")
	}
	p.thread = p.out.Stacks.Thread(model.StackThread{Process: command})
	tree := &jsonCursor{b: doc, i: root}
	p.frame(tree, 0, 0)
	p.finish()
	return cmp.Or(tree.err, p.after)
}

// An instrumentFrame is a frame of the tree while its members are read.
type instrumentFrame struct {
	frameText
	time   float64
	called float64 // time of what it called
	stack  int32   // up to this frame, once it is known
	known  bool
}

// frame reads a frame and what it called, in one pass, and returns its time.
// stack is its caller's.
func (p *instrumentTree) frame(j *jsonCursor, stack int32, depth int) float64 {
	if j.next() != '{' || depth >= model.MaxDepth {
		p.deep = p.deep || depth >= model.MaxDepth
		j.skip()
		return 0
	}
	f, at := instrumentFrame{stack: stack}, j.i
	f.whole = true
	j.members(func(key string) {
		if key != "children" || j.next() != '[' {
			f.member(j, key)
			return
		}
		if len(f.function) == 0 {
			j.fail("a frame's function before its children")
			return
		}
		p.push(&f)
		j.elements(func() { f.called += p.frame(j, f.stack, depth+1) })
	})
	p.push(&f)
	if self := f.time - f.called; self > 1e-9 {
		p.seconds += self
		p.out.Stacks.Add(model.Sample{Thread: p.thread, Stack: f.stack, Seconds: self, Line: int32(p.line.at(at)), Byte: int64(at)})
	}
	return f.time
}

// push puts the frame on its caller's stack. Names in square brackets are no
// functions: [self] is the caller's own time, [await] what it waited for.
func (p *instrumentTree) push(f *instrumentFrame) {
	if f.known || len(f.function) == 0 {
		return
	}
	f.known = true
	if f.function[0] != '[' && string(f.function) != "<thread>" {
		f.stack = p.out.Stacks.Set.Push(f.stack, p.out.Stacks.Set.Frame(f.frameText.frame(p.out.Strings)))
	}
}

func (f *instrumentFrame) member(j *jsonCursor, key string) {
	switch key {
	case "function":
		f.function = []byte(j.optionalText())
	case "file_path":
		f.file = []byte(j.optionalText())
	case "line_no":
		if v, ok := j.number(); ok && v > 0 && v < 1<<31 {
			f.line = int32(v)
		}
	case "time":
		f.time, _ = j.number()
	default:
		j.skip()
	}
}

// finish adds the capture. Time over the sample count is what a sample stands for.
func (p *instrumentTree) finish() {
	if p.seconds == 0 {
		p.out.File.Note("no frame has time of its own")
		return
	}
	c := model.Capture{Writer: "pyinstrument"}
	if p.samples > 0 {
		c.Rate = p.samples / p.seconds
		for i := range p.out.Stacks.Samples {
			s := &p.out.Stacks.Samples[i]
			s.N = s.Seconds * c.Rate
		}
	}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, c)
	p.out.File.Note("wall time of the one thread that pyinstrument ran in, waits included")
	if p.deep {
		p.out.File.Note(fmt.Sprintf("frames deeper than %d are counted for the one that called them", model.MaxDepth))
	}
}
