package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

// maxConsole bounds the console text of one run that is read.
const maxConsole = 64 << 20

// A wandbConsole puts the pieces of console text together to the log that they
// are: each line with the time of the piece that it begins in.
type wandbConsole struct {
	text   []byte
	at     []int64        // of each line: its record in the file
	open   [2]consoleLine // of standard error and of standard output
	number int            // of the records that are read: output, or output_raw
	full   bool
}

// A consoleLine is a line without its end yet.
type consoleLine struct {
	text []byte
	at   int64
}

// record takes an OutputRecord or OutputRawRecord: the stream, a time, a text.
func (c *wandbConsole) record(number int, b []byte, at int64) {
	if c.number == 0 {
		c.number = number
	}
	if c.number != number { // the same text twice
		return
	}
	stream := uint64(0)
	var t time.Time
	var text []byte
	ok := protoFields(b, func(f protoField) {
		switch f.number {
		case 1:
			stream = f.value
		case 2:
			if seconds, nanos, ok := protoTime(f.bytes); ok {
				t = time.Unix(seconds, nanos).UTC()
			}
		case 3:
			text = f.bytes
		}
	})
	if !ok {
		return
	}
	line := &c.open[stream&1]
	for len(text) > 0 {
		if len(line.text) == 0 {
			line.at = at
			if !t.IsZero() {
				line.text = t.AppendFormat(line.text, "2006-01-02T15:04:05.000000Z ")
			}
		}
		piece, rest, ended := bytes.Cut(text, []byte{'\n'})
		line.text = append(line.text, piece...)
		if text = rest; ended || len(line.text) >= model.MaxLine/2 {
			c.end(line)
		}
	}
}

func (c *wandbConsole) end(line *consoleLine) {
	if len(c.text)+len(line.text) > maxConsole {
		c.full = true
	} else {
		c.text = append(append(c.text, line.text...), '\n')
		c.at = append(c.at, line.at)
	}
	line.text = line.text[:0]
}

// log reads the text through the grammar of logs, nil where there is none. Its
// rows stand where their records do, and are no lines of the file.
func (c *wandbConsole) log(file *model.File) *model.RunBuilder {
	for i := range c.open {
		if len(c.open[i].text) > 0 {
			c.end(&c.open[i])
		}
	}
	if len(c.at) == 0 {
		return nil
	}
	sub := model.NewRunBuilder(&model.File{Path: file.Path})
	if parse(TrainLog, newSource(TrainLog, sub, stem(file.Path), bytes.NewReader(c.text), 0), sub) != nil || finish(TrainLog, sub) != nil {
		return nil
	}
	f := sub.File
	f.Note(fmt.Sprintf("console text: %s lines read as a log, %s of them gave rows", say.Count(f.Lines), say.Count(f.Claimed)))
	if c.full {
		f.Note(fmt.Sprintf("console text over %d MiB: the rest is not read, give files/output.log", maxConsole>>20))
	}
	c.place(sub)
	f.Claimed, f.Skipped, f.Rejected, f.Warnings, f.Truncated = 0, 0, 0, nil, false // Lines: until the console is joined
	return sub
}

// place puts what was read where it stands in the file.
func (c *wandbConsole) place(sub *model.RunBuilder) {
	for _, t := range []*model.Table{sub.Metrics, sub.Queue, sub.GPU, sub.Threads, sub.Events} {
		for _, b := range t.Batches {
			for r := range b.Rows() {
				b.Place(r, 0, c.at[b.Line(r)-1])
			}
		}
	}
	for i := range sub.Stacks.Notes {
		n := &sub.Stacks.Notes[i]
		n.Line, n.LagLines = 0, nil
	}
	for i := range sub.Facts {
		f := &sub.Facts[i]
		f.Byte, f.Line = c.at[f.Line-1], 0
	}
}

// joinConsoles adds the console text of W&B's files to what they have logged,
// but where the same text was read from files/output.log with times of its own.
// A number that was logged is not taken from the text again.
func joinConsoles(files []*model.RunBuilder) {
	for _, b := range files {
		text := b.Console
		if text == nil {
			continue
		}
		b.Console = nil
		path := b.File.Path[:strings.LastIndexByte(b.File.Path, '/')+1] + "files/output.log"
		plain := slices.IndexFunc(files, func(o *model.RunBuilder) bool { return o.File.Path == path && o.File.Format != "" })
		if plain >= 0 {
			if files[plain].File.Clock.Kind != model.ClockNone || text.File.Clock.Kind == model.ClockNone {
				b.File.Note("console text is not read twice: it is in " + path)
				continue
			}
			sameText(files[plain], text, b.File.Path)
		}
		text.File.Lines = 0
		keepUnlogged(text, b)
		b.Part(text)
		b.File.Rows = b.Rows()
	}
}

// sameText takes from files/output.log, which has no times, the rows of the
// lines that W&B's file holds with them. After a kill it has lines more.
func sameText(plain, text *model.RunBuilder, path string) {
	n := text.File.Lines
	for _, t := range []*model.Table{plain.Metrics, plain.Queue, plain.GPU, plain.Threads, plain.Events} {
		t.Keep(func(batch *model.Batch, r int) bool { return int64(batch.Line(r)) > int64(n) })
	}
	plain.File.Rows = plain.Rows()
	plain.File.Note(fmt.Sprintf("the first %s lines stand in %s with times: their rows are taken from there", say.Count(n), path))
}

// keepUnlogged takes from the text the metrics that were logged as well.
func keepUnlogged(text, b *model.RunBuilder) {
	logged := map[string]bool{}
	for _, batch := range b.Metrics.Batches {
		for r := range batch.Rows() {
			if code, ok := batch.Text(model.MetricKey, r); ok {
				logged[b.Strings.At(code)] = true
			}
		}
	}
	text.Metrics.Keep(func(batch *model.Batch, r int) bool {
		code, _ := batch.Text(model.MetricKey, r)
		return !logged[text.Strings.At(code)]
	})
}
