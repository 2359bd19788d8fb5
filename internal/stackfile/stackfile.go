// Package stackfile writes sampled stacks in the forms that other tools open:
// pprof, speedscope and stacks in lines.
package stackfile

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"tidemark/model"
)

// A Label is what is said of a sample beside its thread; "" where nothing is.
type Label struct{ Role, State, Mechanism, Cause string }

// Stacks are the samples to write.
type Stacks struct {
	Run      *model.Run
	Label    func(sample int) Label
	Captures []int32 // of these alone; all if nil
	Role     string  // of this role alone; all if ""
	Rate     float64 // samples/s where the captures do not say; 0 unknown
	Seconds  float64 // length of the capture, 0 unknown
	Program  string  // name and version of what writes
}

// A Writer writes stacks in one form. Its ending picks it by a file's name.
type Writer struct {
	Ending, Doc string
	Write       func(io.Writer, *Stacks) error
}

// Writers are all forms.
var Writers = []*Writer{PProf, Speedscope, Folded}

// A row is one sample that is written, with what it weighs.
type row struct {
	sample  int
	n       float64 // samples, 0 where only the time is known
	seconds float64 // 0 where the rate is unknown
	label   Label
}

// rows returns what is to be written, by thread and then by stack from the root.
func (s *Stacks) rows() []row {
	p := s.Run.Stacks
	var list []row
	for i, x := range p.Samples {
		c := p.Threads[x.Thread].Capture
		if s.Captures != nil && !slices.Contains(s.Captures, c) || x.N == 0 && x.Seconds == 0 {
			continue
		}
		r := row{sample: i, n: x.N, seconds: s.seconds(x, p.Captures[c])}
		if s.Label != nil {
			r.label = s.Label(i)
		}
		if s.Role == "" || r.label.Role == s.Role {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b row) int {
		x, y := p.Samples[a.sample], p.Samples[b.sample]
		return cmp.Or(cmp.Compare(x.Thread, y.Thread), cmp.Compare(x.Stack, y.Stack))
	})
	return list
}

// seconds is the time that a sample stands for, 0 where the rate is unknown.
func (s *Stacks) seconds(x model.Sample, c model.Capture) float64 {
	rate := c.Rate
	if rate == 0 {
		rate = s.Rate
	}
	switch {
	case x.Seconds > 0:
		return x.Seconds
	case rate > 0:
		return x.N / rate
	}
	return 0
}

// kinds reports which of the two weights every row has.
func kinds(list []row) (counts, times bool) {
	counts, times = true, true
	for _, r := range list {
		counts = counts && r.n > 0
		times = times && r.seconds > 0
	}
	return counts || !times, times && len(list) > 0
}

// threadName is a thread's name, else its id as printed.
func threadName(t model.StackThread) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.TID != "":
		return "thread " + t.TID
	}
	return ""
}

// number writes a weight without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
