package model

import "slices"

// A Template is one kind of record of a log: lines that differ in their
// numbers alone. What it printed again and again while step or time went on is
// a series; what it printed once or twice is a fact.
type Template struct {
	Text  int32 // code of its signature
	N     int   // records
	Moves bool  // step, time or, where there are neither, values have changed
	First Mark  // of the first record
	Gauge bool  // its queue depth is one only where the number changes
	// Stated holds what the first records said, in words.
	Stated []Statement
}

// A Statement is what the record with a number, from 0, said.
type Statement struct {
	Fact
	Record int
}

// A Mark is what tells one record of a template from another.
type Mark struct {
	Step, T   int64
	Sum       float64
	Stepped   bool
	HasT, Set bool
}

// Moved reports whether o was printed at another step or time than m; where a
// record has neither, whether it holds other numbers.
func (m Mark) Moved(o Mark) bool {
	if m.Stepped && o.Stepped || m.HasT && o.HasT {
		return m.Step != o.Step || m.T != o.T
	}
	return m.Sum != o.Sum
}

// A StepMark is a record with a step: what restarts are found by.
type StepMark struct {
	Line, Template int32
	Step           int64
	Epoch          float64 // NaN where none is printed
	Bar            bool    // of a progress bar: there may be one after another
}

// MaxTemplates is how many templates of a log, or of a part of one, are kept.
const MaxTemplates = 1 << 15

// statedRecords is how many first records of a template are kept in words:
// with a third one it may be a series.
const statedRecords = 2

// Templates are the kinds of record of one log, in the order in which they
// first came. The rows of the metrics table name them by their code.
type Templates struct {
	List  []*Template
	index map[int32]*Template // by code
	// Queue has the template's code for each row of the queue table.
	Queue []int32
	Steps []StepMark
	// Odd says that there are times without a date or without a known start,
	// which are settled when the whole file is known.
	Odd bool
	// Folder drops rows where there are too many, nil where all are wanted.
	Folder Folder
}

// A Folder bounds what of a log is held.
type Folder interface {
	// Full reports whether there is more than may be held.
	Full(*RunBuilder) bool
	// Fold drops some of it.
	Fold(*RunBuilder)
}

// Held says of how many records of a log one is held: of those of a template
// and a source, which is NoSource where they name none.
type Held struct {
	File, Template, Source int32
	Every                  int
}

// NoSource stands for the source of records that name none.
const NoSource int32 = -1

// Template returns the template with a signature. It returns nil for a new one
// when there are MaxTemplates already.
func (t *Templates) Template(code int32) *Template {
	if x := t.index[code]; x != nil {
		return x
	}
	if len(t.List) >= MaxTemplates {
		return nil
	}
	if t.index == nil {
		t.index = map[int32]*Template{}
	}
	x := &Template{Text: code}
	t.index[code] = x
	t.List = append(t.List, x)
	return x
}

// Find returns the template with a code, nil where it is none.
func (t *Templates) Find(code int32) *Template { return t.index[code] }

// Wants reports whether the next record is to be kept in words as well.
func (x *Template) Wants() bool { return x.N < statedRecords }

// Count counts a record. Its mark is not looked at where the template is known to move.
func (x *Template) Count(m Mark) {
	x.N++
	if x.Moves {
		return
	}
	if !x.First.Set {
		x.First, x.First.Set = m, true
		return
	}
	x.Moves = x.First.Moved(m)
}

// Series reports whether its numbers are series.
func (x *Template) Series() bool { return x.N >= 3 && x.Moves }

// join appends what a later part counted; text changes codes, line moves lines.
func (t *Templates) join(o *Templates, text []int32, line int32) {
	for _, q := range o.List {
		x := t.Template(text[q.Text])
		if x == nil {
			continue
		}
		for _, f := range q.Stated {
			if f.Record += x.N; f.Record < statedRecords {
				f.Line += line
				x.Stated = append(x.Stated, f)
			}
		}
		x.join(q)
	}
	t.Odd = t.Odd || o.Odd
	t.Queue = room(t.Queue, len(o.Queue))
	for _, c := range o.Queue {
		t.Queue = append(t.Queue, text[c])
	}
	t.Steps = room(t.Steps, len(o.Steps))
	for _, s := range o.Steps {
		s.Line, s.Template = s.Line+line, text[s.Template]
		t.Steps = append(t.Steps, s)
	}
}

// room makes room for n more, and, where there is none, for twice as many: append would
// move a long list again and again.
func room[T any](list []T, n int) []T {
	if cap(list)-len(list) < n {
		list = slices.Grow(list, max(n, len(list)))
	}
	return list
}

func (x *Template) join(o *Template) {
	x.Moves = x.Moves || o.Moves || x.First.Set && o.First.Set && x.First.Moved(o.First)
	if !x.First.Set {
		x.First = o.First
	}
	x.N += o.N
	x.Gauge = x.Gauge || o.Gauge
}
