package model

import (
	"math/bits"
	"slices"
)

// A Hint is what a capture itself says of a sample's thread.
type Hint uint8

// The hints; a capture without them leaves 0.
const (
	HintActive Hint = 1 << iota
	HintIdle
	HintGIL
)

// A Sample is all samples with one stack in one thread of one capture. Line
// and Byte are where the first of them stands.
type Sample struct {
	N             float64 // samples; 0 where only Seconds is known
	Seconds       float64 // 0 where the rate is unknown
	Byte          int64
	Thread, Stack int32
	Line          int32
	Hint          Hint
}

// A StackThread is one thread of one capture. TID is as printed.
type StackThread struct {
	Capture int32
	PID     int64 // 0 where not printed
	TID     string
	Name    string
	Process string // command line of the process row, if any
}

// Collapsed is the writer of stacks in lines that nothing tells more of.
const Collapsed = "collapsed"

// A Capture is one file of sampled stacks.
type Capture struct {
	File    int32
	Writer  string  // "py-spy raw", "py-spy speedscope", "py-spy dump", "py-spy svg", Collapsed, …
	Rate    float64 // samples/s, 0 where the file does not say
	Threads bool    // has thread rows
	Native  bool    // has native frames
	Totals  bool    // only totals by frame are known, no stacks (a drawn flame graph)
	Args    string  // the sampler's command line, where the file has it
	Seconds float64 // length, 0 where the file does not say
	Start   int64   // ns since the Unix epoch, 0 where the file does not say
	Errors  float64 // rows that could not be split, by weight
	// Held is the mean share in which some thread held the interpreter lock, as
	// so many Screens of a sampler show it; of no use where Screens is 0.
	Held    float64
	Screens int
}

// A Profile is all sampled stacks of a run.
type Profile struct {
	Set      *StackSet
	Captures []Capture
	Threads  []StackThread
	Samples  []Sample
	Notes    []SamplerNote
	Times    []SampleTime // in the order of the file, of captures whose samples have times
	index    *sumTable    // both nil until they are needed
	thread   map[StackThread]int32
}

// A SampleTime is a time in which a thread was seen in a sample's stack.
type SampleTime struct {
	Sample   int32
	From, To int64 // ns on the file's own clock
}

// sum is a hash of what tells samples apart.
func (s *Sample) sum() uint64 {
	hi, lo := bits.Mul64(uint64(s.Thread)<<32|uint64(uint32(s.Stack)), 0xd6e8feb86659fd93)
	return hi ^ lo ^ uint64(s.Hint)<<56
}

func (s *Sample) same(o *Sample) bool {
	return s.Thread == o.Thread && s.Stack == o.Stack && s.Hint == o.Hint
}

// NewProfile returns an empty profile.
func NewProfile() *Profile { return &Profile{Set: NewStackSet()} }

// Thread returns the number of a thread; equal ones have the same.
func (p *Profile) Thread(t StackThread) int32 {
	if p.thread == nil {
		p.thread = make(map[StackThread]int32, len(p.Threads))
		for i, t := range p.Threads {
			p.thread[t] = int32(i)
		}
	}
	n, ok := p.thread[t]
	if !ok {
		n = int32(len(p.Threads))
		p.thread[t] = n
		p.Threads = append(p.Threads, t)
	}
	return n
}

// Room makes room for so many samples of other stacks, with so many frames.
func (p *Profile) Room(samples, frames int) {
	p.Samples = slices.Grow(p.Samples, samples)
	p.index = newSumTable(samples)
	for i := range p.Samples {
		p.index.put(p.Samples[i].sum(), int32(i))
	}
	p.Set.room(samples, frames)
}

// Add adds a sample, or its weight to the one with the same thread, stack and
// hint, and returns its index in Samples.
func (p *Profile) Add(s Sample) int32 {
	if p.index == nil {
		p.index = newSumTable(len(p.Samples))
		for i := range p.Samples {
			p.index.put(p.Samples[i].sum(), int32(i))
		}
	}
	sum := s.sum()
	for slot, i := p.index.first(sum); i >= 0; slot, i = p.index.next(sum, slot) {
		if p.Samples[i].same(&s) {
			p.Samples[i].N += s.N
			p.Samples[i].Seconds += s.Seconds
			return i
		}
	}
	i := int32(len(p.Samples))
	p.index.put(sum, i)
	p.Samples = append(p.Samples, s)
	return i
}

// Append adds q, whose text codes are changed by text, whose lines move by
// line and whose files become file; q is of no use after it. Its captures stay
// captures of their own. join says that q is a later part of p's file, so that
// the last message of a sampler may go on in q.
func (p *Profile) Append(q *Profile, text []int32, file, line int32, join bool) {
	captures, threads, samples := int32(len(p.Captures)), int32(len(p.Threads)), int32(len(p.Samples))
	for _, c := range q.Captures {
		c.File = file
		p.Captures = append(p.Captures, c)
	}
	for _, t := range q.Threads {
		t.Capture += captures
		p.Threads = append(p.Threads, t)
	}
	for _, t := range q.Times {
		t.Sample += samples
		p.Times = append(p.Times, t)
	}
	p.appendSamples(q.Samples, p.Set.Map(q.Set, text), threads, line)
	p.appendNotes(q.Notes, file, line, join)
}

// appendSamples adds samples whose stacks become stacks, nil where they stay,
// and whose first thread becomes first. No thread is shared, so no sample is.
func (p *Profile) appendSamples(list []Sample, stacks []int32, first, line int32) {
	p.index, p.thread = nil, nil
	if len(p.Samples) == 0 {
		p.Samples = list[:0]
	}
	p.Samples = slices.Grow(p.Samples, len(list))
	for _, s := range list {
		s.Thread, s.Line = s.Thread+first, s.Line+line
		if stacks != nil {
			s.Stack = stacks[s.Stack]
		}
		p.Samples = append(p.Samples, s)
	}
}

func (p *Profile) appendNotes(notes []SamplerNote, file, line int32, join bool) {
	for _, n := range notes {
		n.File, n.Line = file, n.Line+line
		for i := range n.LagLines {
			n.LagLines[i] += line
		}
		if join {
			p.AddNote(n)
		} else {
			p.Notes = append(p.Notes, n)
		}
	}
}
