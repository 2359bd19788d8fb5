package model

// A Frame is one place in a program. Function and File are codes of the run's
// string pool; File is the object's base name for native code; Line is 0 where
// it is unknown. Frames are comparable.
type Frame struct {
	Function, File int32
	Line           int32
	Native         bool
}

// StackSet holds distinct stacks as a tree: a stack is a node, its frames are
// the path from the root. Common beginnings are stored once, so a set takes
// memory by what is new in a stack, not by its depth.
type StackSet struct {
	frames []Frame
	code   map[Frame]int32
	nodes  []node
	child  map[uint64]int32
}

type node struct{ parent, frame int32 }

// NewStackSet returns a set with only the empty stack, 0.
func NewStackSet() *StackSet {
	return &StackSet{code: map[Frame]int32{}, nodes: []node{{-1, -1}}, child: map[uint64]int32{}}
}

// Frame returns the code of a frame.
func (s *StackSet) Frame(f Frame) int32 {
	c, ok := s.code[f]
	if !ok {
		c = int32(len(s.frames))
		s.frames = append(s.frames, f)
		s.code[f] = c
	}
	return c
}

// Push returns the stack that is parent with one frame more, towards the leaf.
func (s *StackSet) Push(parent, frame int32) int32 {
	k := uint64(parent)<<32 | uint64(uint32(frame))
	id, ok := s.child[k]
	if !ok {
		id = int32(len(s.nodes))
		s.nodes = append(s.nodes, node{parent, frame})
		s.child[k] = id
	}
	return id
}

// Path appends the frame codes of a stack to buf, root first.
func (s *StackSet) Path(stack int32, buf []int32) []int32 {
	from := len(buf)
	for n := stack; n > 0; n = s.nodes[n].parent {
		buf = append(buf, s.nodes[n].frame)
	}
	for i, j := from, len(buf)-1; i < j; i, j = i+1, j-1 {
		buf[i], buf[j] = buf[j], buf[i]
	}
	return buf
}

// At returns the frame with a code.
func (s *StackSet) At(code int32) Frame { return s.frames[code] }

// Frames returns the number of distinct frames, Stacks that of nodes, the empty one included.
func (s *StackSet) Frames() int { return len(s.frames) }

// Stacks returns the number of nodes, the empty stack included.
func (s *StackSet) Stacks() int { return len(s.nodes) }

// Map adds the stacks of q, whose text codes are changed by text, and returns
// for every stack of q its number in s.
func (s *StackSet) Map(q *StackSet, text []int32) []int32 {
	fm := make([]int32, len(q.frames))
	for i, f := range q.frames {
		f.Function, f.File = text[f.Function], text[f.File]
		fm[i] = s.Frame(f)
	}
	nm := make([]int32, len(q.nodes))
	for i, n := range q.nodes[1:] {
		nm[i+1] = s.Push(nm[n.parent], fm[n.frame]) // a parent's number is always the smaller
	}
	return nm
}

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
	Thread, Stack int32
	Hint          Hint
	N             float64 // samples; 0 where only Seconds is known
	Seconds       float64 // 0 where the rate is unknown
	Line          int32
	Byte          int64
}

// A StackThread is one thread of one capture. TID is as printed.
type StackThread struct {
	Capture int32
	PID     int64 // 0 where not printed
	TID     string
	Name    string
	Process string // command line of the process row, if any
}

// A Capture is one file of sampled stacks.
type Capture struct {
	File    int32
	Writer  string  // "py-spy raw", "py-spy speedscope", "py-spy dump", "py-spy svg"
	Rate    float64 // samples/s, 0 where the file does not say
	Threads bool    // has thread rows
	Native  bool    // has native frames
	Totals  bool    // only totals by frame are known, no stacks (a drawn flame graph)
	Args    string  // the sampler's command line, where the file has it
	Errors  float64 // rows that could not be split, by weight
}

// A Profile is all sampled stacks of a run.
type Profile struct {
	Set      *StackSet
	Captures []Capture
	Threads  []StackThread
	Samples  []Sample
	Notes    []SamplerNote
	index    map[sampleKey]int32
}

type sampleKey struct {
	thread, stack int32
	hint          Hint
}

// NewProfile returns an empty profile.
func NewProfile() *Profile {
	return &Profile{Set: NewStackSet(), index: map[sampleKey]int32{}}
}

// Add adds a sample, or its weight to the one with the same thread, stack and hint.
func (p *Profile) Add(s Sample) int32 {
	k := sampleKey{s.Thread, s.Stack, s.Hint}
	if i, ok := p.index[k]; ok {
		p.Samples[i].N += s.N
		p.Samples[i].Seconds += s.Seconds
		return i
	}
	i := int32(len(p.Samples))
	p.index[k] = i
	p.Samples = append(p.Samples, s)
	return i
}

// Empty reports whether nothing was sampled or said about sampling.
func (p *Profile) Empty() bool {
	return len(p.Samples) == 0 && len(p.Notes) == 0 && len(p.Captures) == 0
}

// Append adds q, whose text codes are changed by text, whose lines move by
// line and whose files become file. Captures of one file are one capture:
// join says that q is a later part of the last one.
func (p *Profile) Append(q *Profile, text []int32, file, line int32, join bool) {
	stacks := p.Set.Map(q.Set, text)
	base := int32(len(p.Captures))
	if join && base > 0 && len(q.Captures) > 0 {
		base--
		p.merge(q.Captures[0])
	} else {
		for _, c := range q.Captures {
			c.File = file
			p.Captures = append(p.Captures, c)
		}
	}
	threads := make([]int32, len(q.Threads))
	for i, t := range q.Threads {
		t.Capture += base
		threads[i] = p.thread(t, join)
	}
	for _, s := range q.Samples {
		s.Thread, s.Stack, s.Line = threads[s.Thread], stacks[s.Stack], s.Line+line
		p.Add(s)
	}
	for _, n := range q.Notes {
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

func (p *Profile) merge(c Capture) {
	last := &p.Captures[len(p.Captures)-1]
	last.Threads = last.Threads || c.Threads
	last.Native = last.Native || c.Native
	last.Errors += c.Errors
}

func (p *Profile) thread(t StackThread, join bool) int32 {
	if join {
		for i, o := range p.Threads {
			if o == t {
				return int32(i)
			}
		}
	}
	p.Threads = append(p.Threads, t)
	return int32(len(p.Threads) - 1)
}
