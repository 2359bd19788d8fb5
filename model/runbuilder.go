package model

import "sync"

// A RunBuilder collects what one file, or one part of a large file, holds. Its
// text codes are its own; Join moves it into a Run.
type RunBuilder struct {
	File    *File
	Strings *Strings
	Metrics *Table
	Queue   *Table
	GPU     *Table
	Threads *Table
	Events  *Table
	Stacks  *Profile
	Facts   []Fact
	Day     Day
	// Settings and StackRules are set by the formats that read them.
	Settings, StackRules *Settings
	Log                  *Templates // of a log while it is read, else nil
	Spans                *TraceLog  // of a trace while it is read, else nil
	Trace                *Trace     // of a trace once it is read, else nil
	// Dropped counts the rows that a Folder has dropped.
	Dropped int
	// Held are the kinds of record that it has left in part.
	Held []Held
	// Console is what the console text in a file holds that has other records
	// as well, until it is known whether another file has the same text.
	Console *RunBuilder

	work *scratch
	seed *PartSeed // nil where the builder is of no later part
}

// NewRunBuilder returns an empty builder for a file.
func NewRunBuilder(f *File) *RunBuilder {
	return newRunBuilder(f, NewStrings(), newScratch())
}

func newRunBuilder(f *File, s *Strings, work *scratch) *RunBuilder {
	table := func(s *Spec) *Table { return &Table{Spec: s, work: work} }
	return &RunBuilder{
		File: f, Strings: s, Metrics: table(Metrics), Queue: table(Queue), GPU: table(GPU),
		Threads: table(Threads), Events: table(Events), Stacks: NewProfile(), work: work,
	}
}

// A PartSeed is what the first part of a file tells of the later ones.
type PartSeed struct {
	known *Strings
	rows  []int     // of each table
	spare sync.Pool // scratches of parts that are read
}

// Seed returns what b, a first part, tells. It does not change with b.
func (b *RunBuilder) Seed() *PartSeed {
	s := &PartSeed{known: b.Strings.Clone()}
	for _, t := range b.tables() {
		s.rows = append(s.rows, t.rows)
	}
	return s
}

// Rows returns the number of rows in the tables of the first part.
func (s *PartSeed) Rows() int {
	n := 0
	for _, rows := range s.rows {
		n += rows
	}
	return n
}

// NewPart returns a builder for a later part of a file that is times as large
// as the first. Its strings begin as those of the first, so that most of its
// codes hold in the whole, and its tables have room for as many rows.
func (s *PartSeed) NewPart(f *File, times float64) *RunBuilder {
	work, ok := s.spare.Get().(*scratch)
	if !ok {
		work = newScratch()
	}
	b := newRunBuilder(f, s.known.Clone(), work)
	b.seed = s
	for i, t := range b.tables() {
		t.expect = int(1.02 * times * float64(s.rows[i]))
	}
	return b
}

// Pack packs the tables, once a file or a part of it is read and whenever many
// cells were changed after that.
func (b *RunBuilder) Pack() {
	for _, t := range b.tables() {
		t.Pack()
	}
	if b.seed == nil {
		return
	}
	b.seed.spare.Put(b.work)
	b.seed, b.work = nil, newScratch()
	for _, t := range b.tables() {
		t.work = b.work
	}
}

func (b *RunBuilder) tables() []*Table {
	return []*Table{b.Metrics, b.Queue, b.GPU, b.Threads, b.Events}
}

// Claim counts n lines that gave rows, Skip n that carry nothing.
func (b *RunBuilder) Claim(n int) { b.File.Claimed += n }

// Skip counts n lines that carry nothing.
func (b *RunBuilder) Skip(n int) { b.File.Skipped += n }

// Reject counts a line that could not be read and keeps the reason.
func (b *RunBuilder) Reject(e *SyntaxError) {
	b.File.Rejected++
	b.Warn(e)
}

// Warn keeps a reason without counting a line, for a line that was read in part.
func (b *RunBuilder) Warn(e *SyntaxError) {
	if len(b.File.Warnings) < MaxWarnings {
		b.File.Warnings = append(b.File.Warnings, *e)
	}
}

// Event adds a row of the events table. t is 0 where the event has no time.
func (b *RunBuilder) Event(line int, off, t int64, kind, text string) {
	e := b.Events.Add(line, off)
	if t != 0 {
		e.SetInt(EventT, t)
	}
	e.SetText(EventKind, b.Strings.Code(kind))
	e.SetText(EventText, b.Strings.Code(text))
}

// Span returns the first and the last time of the rows, in the file's own time;
// ok is false where no row has one.
func (b *RunBuilder) Span() (first, last int64, ok bool) {
	for _, t := range b.tables() {
		for _, batch := range t.Batches {
			from, to, timed := batch.Span()
			if timed && !ok {
				first, last, ok = from, to, true
			}
			if timed {
				first, last = min(first, from), max(last, to)
			}
		}
	}
	return first, last, ok
}

// Rows returns the number of rows in all tables, with those dropped, and of
// distinct samples.
func (b *RunBuilder) Rows() int {
	n := b.Dropped + len(b.Stacks.Samples)
	if b.Trace != nil {
		n += int(b.Trace.Events)
	}
	for _, t := range b.tables() {
		n += t.Rows()
	}
	return n
}

// Part appends a later part of the same file, whose lines began at its own 1.
func (b *RunBuilder) Part(o *RunBuilder) {
	line := b.File.Lines
	text, same := b.Strings.Map(o.Strings)
	for i, t := range o.tables() {
		for _, batch := range t.Batches {
			batch.Recode(text, same)
			if !batch.dated {
				batch.Shift(0, b.Day.join(o.Day))
			}
		}
		b.tables()[i].Append(t, line)
	}
	b.Day.append(o.Day)
	b.Stacks.Append(o.Stacks, text, 0, int32(line), true)
	if b.Log != nil && o.Log != nil {
		b.Log.join(o.Log, text, int32(line))
		b.Dropped += o.Dropped
		if f := b.Log.Folder; f != nil && f.Full(b) {
			f.Fold(b)
		}
	}
	if b.Spans != nil && o.Spans != nil {
		b.Spans.join(o.Spans, text, same)
		if b.Spans.Full() {
			b.Spans.Fold(b)
		}
	}
	for _, f := range o.Facts {
		f.Line += int32(line)
		b.Facts = append(b.Facts, f)
	}
	b.File.part(o.File, line)
}

// Redate says that the writer has printed a new date: later midnights count
// from there, and Part does not move the rows that follow by the days that
// earlier parts have seen.
func (b *RunBuilder) Redate() {
	b.Day.days, b.Day.last, b.Day.dated = 0, 0, true
	for _, t := range b.tables() {
		t.redate()
	}
}
