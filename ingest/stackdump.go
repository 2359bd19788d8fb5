package ingest

import (
	"bytes"
	"fmt"
	"slices"

	"tidemark/model"
)

// mostlyDump reports whether a head has a thread of a dump, and most of its lines
// are of one: a log with a dump in it is a log, and dumps behind their commands
// are a transcript.
func mostlyDump(name string, head []byte, trim func([]byte) []byte, kind func(line []byte) (thread, ours bool)) bool {
	lines, ours, threads := 0, 0, 0
	for line := range headLines(head, trim) {
		thread, own := kind(line)
		lines++
		if thread {
			threads++
		}
		if own {
			ours++
		}
	}
	return threads > 0 && 2*ours > lines && !detectTrainLog(name, head) && !detectTranscript(name, head)
}

// trimPlain drops terminal colours, the line's end, and the returns that a screen begins its lines with.
func trimPlain(line []byte) []byte { return bytes.TrimLeft(trimRight(stripANSI(line)), "\r") }

// A snapshot collects stacks that a tool took in one look at a process: each
// is one sample of its thread, printed from the leaf on.
type snapshot struct {
	out    *model.RunBuilder
	open   bool
	thread model.StackThread
	sample model.Sample
	codes  []int32 // leaf first
	native bool
	deep   bool          // a stack had more frames than are kept
	times  map[int32]int // how often each thread was seen
	dumps  int           // the most of them
}

// begin opens the stack of a thread; the one before is closed.
func (d *snapshot) begin(t model.StackThread, hint model.Hint, line int, off int64) {
	d.end()
	d.open, d.thread, d.codes = true, t, d.codes[:0]
	d.sample = model.Sample{Hint: hint, N: 1, Line: int32(line), Byte: off}
}

// add adds the next frame towards the root.
func (d *snapshot) add(f frameText) {
	if len(d.codes) == model.MaxDepth {
		d.deep = true
		return
	}
	d.native = d.native || f.native
	d.codes = append(d.codes, d.out.Stacks.Set.Frame(f.frame(d.out.Strings)))
}

// end adds the open stack as one sample.
func (d *snapshot) end() {
	if !d.open {
		return
	}
	d.open = false
	slices.Reverse(d.codes)
	d.sample.Thread = d.out.Stacks.Thread(d.thread)
	d.sample.Stack = d.out.Stacks.Set.Stack(d.codes)
	d.out.Stacks.Add(d.sample)
	if d.times == nil {
		d.times = map[int32]int{}
	}
	d.times[d.sample.Thread]++
	d.dumps = max(d.dumps, d.times[d.sample.Thread])
}

// finish adds the capture; writer names the tool and ends in "dump".
func (d *snapshot) finish(writer string) {
	d.end()
	if d.dumps == 0 {
		return
	}
	d.out.Stacks.Captures = append(d.out.Stacks.Captures, model.Capture{Writer: writer, Threads: true, Native: d.native})
	d.out.File.Note(fmt.Sprintf("dumps in this file: %d, each one sample a thread", d.dumps))
	if d.deep {
		d.out.File.Note(fmt.Sprintf("stacks of more than %d frames: the outer ones are left out", model.MaxDepth))
	}
}
