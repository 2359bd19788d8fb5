package ingest

import (
	"bytes"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"tidemark/model"
)

// scopeUnits are seconds in one unit; "none" is a count, and no time.
var scopeUnits = map[string]float64{"none": 0, "seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}

// read adds the samples of all profiles in the first one's unit. Bytes are no
// time, and different units are never added.
func (p *scopeParser) read(doc []byte, rows []scopeRow) error {
	var use []scopeRow
	other := ""
	for _, r := range rows {
		scale, known := scopeUnits[r.unit]
		switch {
		case !known:
			other = r.unit
		case p.unit == "":
			p.unit, p.scale = r.unit, scale
			use = append(use, r)
		case (scale == 0) == (p.scale == 0):
			use = append(use, r)
		default:
			p.out.File.Note(fmt.Sprintf("profiles in %q are left out beside those in %q", r.unit, p.unit))
		}
	}
	if other != "" {
		if len(use) == 0 {
			return fmt.Errorf("unit %q: want a profile of time or of samples", other)
		}
		p.out.File.Note(fmt.Sprintf("profiles in %q are left out: want time or samples", other))
	}
	p.rate = scopeRate(doc, use)
	for i := range use {
		r := &use[i]
		p.row, p.scale = *r, scopeUnits[r.unit]
		if r.kind == "evented" {
			p.evented(doc, r)
		} else {
			p.sampled(doc, r)
		}
	}
	return nil
}

// scopeRate returns samples/s where all weights of all sampled profiles are
// the same time, as they are where each is one sample; else 0.
func scopeRate(doc []byte, rows []scopeRow) float64 {
	weight := 0.0
	same := true
	for _, r := range rows {
		if r.kind == "evented" || scopeUnits[r.unit] == 0 {
			return 0
		}
		j := &jsonCursor{b: doc[:r.weights[1]], i: r.weights[0]}
		j.elements(func() {
			w, ok := j.number()
			w *= scopeUnits[r.unit]
			if weight == 0 {
				weight = w
			}
			same = same && ok && math.Abs(w-weight) <= 1e-3*weight
		})
	}
	if !same || weight <= 0 {
		return 0
	}
	if whole := math.Round(1 / weight); whole > 0 && math.Abs(1/weight-whole) < 1e-6*whole {
		return whole
	}
	return 1 / weight
}

// sampled adds the samples of a profile, each with the weight at its place.
func (p *scopeParser) sampled(doc []byte, r *scopeRow) {
	s := &jsonCursor{b: doc[:r.samples[1]], i: r.samples[0]}
	w := &jsonCursor{b: doc[:r.weights[1]], i: r.weights[0]}
	samples, weights := 0, 0
	paired := w.i > 0 && w.next() == '['
	if paired {
		w.i++
	} else if p.scale > 0 {
		p.warn(r, "no weights, want one for each sample")
		return
	}
	s.elements(func() {
		from, to := s.span()
		samples++
		weight, ok := 1.0, true
		if paired {
			weight, ok = nextWeight(w)
		}
		if ok {
			weights++
			p.sample(doc, from, to, weight)
		}
	})
	if samples != weights || paired && w.next() != ']' {
		p.warn(r, "%d samples with %d weights, want as many", samples, weights)
	}
	if s.err != nil {
		p.warn(r, "%v", s.err)
	}
}

// nextWeight returns the next number of an array, and whether there is one
// that can weigh a sample.
func nextWeight(w *jsonCursor) (float64, bool) {
	if c := w.next(); c == ']' || c == 0 {
		return 0, false
	}
	v, ok := w.number()
	if w.next() == ',' {
		w.i++
	}
	return v, ok && v >= 0 && !math.IsInf(v, 0)
}

// sample adds the stack that stands in doc[from:to], a list of frame numbers.
func (p *scopeParser) sample(doc []byte, from, to int, weight float64) {
	if weight == 0 {
		return
	}
	p.all++
	sum := xxh3.Hash128(doc[from:to])
	sum.Lo ^= uint64(p.row.number) * 0x9e3779b97f4a7c15
	i, ok := p.seen.get(sum)
	if !ok {
		if i, ok = p.unseen(doc, from, to); !ok {
			p.lost++
			return
		}
		p.seen.put(sum, i)
	}
	p.weigh(i, weight)
}

// samples turns a weight of the profile's unit into samples, or into seconds
// where they have no rate.
func (p *scopeParser) samples(weight float64) float64 {
	if p.rate > 0 {
		return math.Round(weight * p.scale * p.rate)
	}
	if p.scale > 0 {
		return weight * p.scale
	}
	return weight
}

// weigh adds weight, in the profile's unit, to a sample.
func (p *scopeParser) weigh(i int32, weight float64) {
	s := &p.out.Stacks.Samples[i]
	s.Seconds += weight * p.scale
	if p.rate > 0 || p.scale == 0 {
		s.N += p.samples(weight)
	}
}

func (p *scopeParser) unseen(doc []byte, from, to int) (i int32, ok bool) {
	j := &jsonCursor{b: doc[:to], i: from}
	p.codes = p.codes[:0]
	thread := p.row.thread
	depth, bad := 0, false
	j.elements(func() {
		n, ok := j.number()
		depth++
		if bad = bad || !ok || n < 0 || n >= float64(len(p.frames)) || n != math.Trunc(n) || depth > model.MaxDepth; bad {
			return
		}
		if f := p.frames[int(n)]; f.row != "" {
			thread = withRow(thread, f.row, p.row.thread.PID)
		} else {
			p.native = p.native || f.native
			p.codes = append(p.codes, f.code)
		}
	})
	if bad || j.err != nil {
		p.reject(from, "a sample %s, want a list of at most %d frame numbers under %d", clip(bytes.Join(bytes.Fields(doc[from:to]), []byte{' '})), model.MaxDepth, len(p.frames))
		return 0, false
	}
	return p.add(thread, p.out.Stacks.Set.Stack(p.codes), from), true
}

// add returns the sample of a thread's stack, without weight yet.
func (p *scopeParser) add(t model.StackThread, stack int32, at int) int32 {
	p.thread = p.thread || t.TID != ""
	return p.out.Stacks.Add(model.Sample{Thread: p.out.Stacks.Thread(t), Stack: stack, Line: int32(p.line.at(at)), Byte: int64(at)})
}

// withRow adds to a thread what a row of its process or thread says. Of several
// processes the last is the thread's own, unless its pid is known.
func withRow(t model.StackThread, row string, pid int64) model.StackThread {
	r := threadOf([]byte(row))
	if r.PID > 0 && (pid == 0 || pid == r.PID) {
		t.PID, t.Process = r.PID, r.Process
	}
	if r.TID != "" && t.TID == "" {
		t.TID, t.Name = r.TID, r.Name
	}
	return t
}

func (p *scopeParser) reject(at int, format string, args ...any) {
	pos := model.Pos{File: p.out.File.Path, Line: p.line.at(at), Byte: int64(at)}
	p.out.Warn(&model.SyntaxError{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

func (p *scopeParser) warn(r *scopeRow, format string, args ...any) {
	p.reject(r.all[0], "profile %q: "+format, append([]any{clip([]byte(r.name))}, args...)...)
}

// finish adds the capture.
func (p *scopeParser) finish() {
	if p.open > 0 {
		p.out.File.Note(fmt.Sprintf("frames left open at the end of their profile and closed there: %d", p.open))
	}
	if len(p.out.Stacks.Samples) == 0 {
		return
	}
	p.out.Stacks.Captures = append(p.out.Stacks.Captures, model.Capture{
		Writer: p.writer, Rate: p.rate, Threads: p.thread, Native: p.native,
	})
}

// A lineCounter tells the line of an offset. Offsets that rise cost one pass
// over the text in all; one that falls begins anew only where it must.
type lineCounter struct {
	b    []byte
	off  int
	line int
}

func (l *lineCounter) at(off int) int {
	if off < l.off {
		return l.line - bytes.Count(l.b[off:l.off], []byte{'\n'})
	}
	l.line += bytes.Count(l.b[l.off:off], []byte{'\n'})
	l.off = off
	return l.line
}
