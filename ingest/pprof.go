package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/google/pprof/profile"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PProf is the protobuf of github.com/google/pprof, as Go, Parca, Pyroscope
// and this tool write it.
var PProf = &Format{
	Name:     "pprof",
	Doc:      "pprof profiles of Go, Parca, Pyroscope and analyze profile --pprof",
	Record:   "analyze profile pyspy.raw.txt --pprof out.pb.gz",
	Detect:   func(_ string, head []byte) bool { return looksPProf(head) },
	Parse:    parsePProf,
	Document: true,
}

// PProfLegacy is what pprof wrote before it had a protobuf.
var PProfLegacy = &Format{
	Name:   "pprof-legacy",
	Doc:    "CPU profiles of gperftools and early Go: words of addresses",
	Refuse: "a profile in pprof's old form, addresses without symbols: go tool pprof -proto PROGRAM FILE > out.pb.gz writes one that is read",
	Detect: func(_ string, head []byte) bool { return legacyPProf(head) },
}

// legacyPProf goes by the five words that a CPU profile of gperftools begins
// with (0, 3, 0, period, 0; of 4 or 8 bytes, in either order), or by its text form.
func legacyPProf(head []byte) bool {
	if bytes.HasPrefix(head, []byte("--- CPUZ")) {
		return true
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		word4 := func(i int) uint64 { return uint64(order.Uint32(head[4*i:])) }
		word8 := func(i int) uint64 { return order.Uint64(head[8*i:]) }
		if len(head) >= 20 && legacyHeader(word4) || len(head) >= 40 && legacyHeader(word8) {
			return true
		}
	}
	return false
}

func legacyHeader(word func(i int) uint64) bool {
	return word(0) == 0 && word(1) == 3 && word(2) == 0 && word(3) > 0 && word(3) < 1e9 && word(4) == 0
}

// pprofWire is the wire type of each field of a profile; a repeated number may
// also be packed.
var pprofWire = [...]uint64{1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 0, 8: 0, 9: 0, 10: 0, 11: 2, 12: 0, 13: 0, 14: 0, 15: 0}

// looksPProf reports whether every field up to the end of the head is one that
// a profile has, a sample type among them. No text is: after its line feed it
// would have to go on with lengths that lead to further fields.
func looksPProf(head []byte) bool {
	full := len(head) < model.HeadSize
	fields, typed := 0, false
	for b := head; len(b) > 0; fields++ {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 >= uint64(len(pprofWire)) || tag&7 != pprofWire[tag>>3] && (tag&7 != 2 || tag>>3 != 13) {
			return false
		}
		b = b[n:]
		size, k := binary.Uvarint(b)
		if k <= 0 {
			return !full && fields > 2 && typed
		}
		b = b[k:]
		if tag&7 == 0 {
			continue
		}
		if tag>>3 == 1 {
			typed = true
			if size > 32 {
				return false // two indices, and nothing else
			}
		}
		if size > uint64(len(b)) {
			return !full && typed && fields > 2
		}
		b = b[size:]
	}
	return typed && fields > 2
}

func parsePProf(src *Source, out *model.RunBuilder) error {
	doc, err := src.All()
	var p *profile.Profile
	if err == nil {
		p, err = profile.ParseUncompressed(doc)
	}
	if err == nil {
		r := &pprofReader{p: p, out: out, frames: map[*profile.Location][]int32{}}
		err = r.read()
	} else {
		err = fmt.Errorf("not a whole pprof profile, or several one after another: %w", err)
	}
	if err != nil {
		out.File.Rejected = out.File.Lines - out.File.Claimed
		return err
	}
	out.File.Claimed = out.File.Lines
	return nil
}

type pprofReader struct {
	p             *profile.Profile
	out           *model.RunBuilder
	counts, times int     // which value is samples, and which is time; -1 for none
	scale         float64 // units of times in a second
	rate          float64 // samples/s, 0 unknown
	frames        map[*profile.Location][]int32
	codes         []int32
	threads       bool
	native        bool
	bad           int // samples that could not be read
}

func (r *pprofReader) read() error {
	if err := r.types(); err != nil {
		return err
	}
	c := model.Capture{Writer: "pprof", Seconds: max(0, float64(r.p.DurationNanos)*1e-9), Start: max(0, r.p.TimeNanos)}
	if t := r.p.PeriodType; t != nil && r.p.Period > 0 {
		if unit, ok := timeUnit(t.Unit); ok {
			c.Rate = unit / float64(r.p.Period)
		}
	}
	r.rate = c.Rate
	for _, s := range r.p.Sample {
		if len(s.Value) != len(r.p.SampleType) {
			r.bad++
			continue
		}
		r.sample(s)
	}
	if r.bad > 0 {
		r.out.File.Note(fmt.Sprintf("%d of %d samples left out: want %d values each, none below 0, and locations that the profile has", r.bad, len(r.p.Sample), len(r.p.SampleType)))
	}
	if len(r.p.Sample) == 0 {
		r.out.File.Note("a profile without samples: nothing ran while it was taken, or it was stopped at once")
	}
	c.Threads, c.Native = r.threads, r.native
	if len(r.out.Stacks.Samples) > 0 {
		r.out.Stacks.Captures = append(r.out.Stacks.Captures, c)
	}
	return nil
}

// types picks the values to read: time by the default type, else by a type
// called cpu, wall or time, else the last; beside it a count of samples.
func (r *pprofReader) types() error {
	if len(r.p.SampleType) == 0 {
		return errors.New("a pprof profile without sample types, want one such as samples/count")
	}
	r.counts, r.times = -1, -1
	chosen := -1
	for i, t := range r.p.SampleType {
		if t.Type == r.p.DefaultSampleType && t.Type != "" {
			chosen = i
		}
	}
	for i, t := range r.p.SampleType {
		_, timed := timeUnit(t.Unit)
		if chosen < 0 && timed && (t.Type == "cpu" || t.Type == "wall" || t.Type == "time") {
			chosen = i
		}
	}
	if chosen < 0 {
		chosen = len(r.p.SampleType) - 1
	}
	if err := r.take(chosen); err != nil {
		return err
	}
	for i, t := range r.p.SampleType {
		if i != chosen && (r.counts < 0 && t.Unit == "count" && t.Type == "samples" || r.times < 0 && (t.Type == "cpu" || t.Type == "wall" || t.Type == "time")) {
			r.take(i)
		}
	}
	r.others()
	return nil
}

// take reads the values of one type; memory and locks are no processor time.
func (r *pprofReader) take(i int) error {
	t := r.p.SampleType[i]
	unit, timed := timeUnit(t.Unit)
	switch {
	case timed && !strings.HasPrefix(t.Type, "delay") && !strings.HasPrefix(t.Type, "contention"):
		r.times, r.scale = i, unit
	case t.Unit == "count" && (t.Type == "samples" || t.Type == "sample" || t.Type == "cpu" || t.Type == "events"):
		r.counts = i
	default:
		return fmt.Errorf("a pprof profile of %s/%s: no processor time, want samples/count or cpu/nanoseconds", t.Type, t.Unit)
	}
	return nil
}

// others notes the types that are not read.
func (r *pprofReader) others() {
	var names []string
	for i, t := range r.p.SampleType {
		if i != r.counts && i != r.times {
			names = append(names, t.Type+"/"+t.Unit)
		}
	}
	if len(names) > 0 {
		r.out.File.Note("sample types not read: " + strings.Join(names, ", "))
	}
}

// timeUnit returns how many of a unit are a second.
func timeUnit(unit string) (perSecond float64, ok bool) {
	switch unit {
	case "nanoseconds":
		return 1e9, true
	case "microseconds":
		return 1e6, true
	case "milliseconds":
		return 1e3, true
	case "seconds":
		return 1, true
	}
	return 0, false
}

func (r *pprofReader) sample(s *profile.Sample) {
	x := model.Sample{Line: 1}
	if r.counts >= 0 {
		x.N = float64(s.Value[r.counts])
	}
	if r.times >= 0 {
		x.Seconds = float64(s.Value[r.times]) / r.scale
	}
	if r.counts < 0 { // as many samples as periods
		x.N = x.Seconds * r.rate
	}
	if x.N < 0 || x.Seconds < 0 || len(s.Location) > model.MaxDepth || !r.stack(s) {
		r.bad++
		return
	}
	if x.N == 0 && x.Seconds == 0 {
		return
	}
	x.Thread, x.Stack = r.out.Stacks.Thread(r.thread(s)), r.out.Stacks.Set.Stack(r.codes)
	r.out.Stacks.Add(x)
}

// stack reads the locations, which stand leaf first and hold inlined frames,
// the innermost first.
func (r *pprofReader) stack(s *profile.Sample) bool {
	r.codes = r.codes[:0]
	for i := len(s.Location) - 1; i >= 0; i-- {
		l := s.Location[i]
		if l == nil {
			return false
		}
		codes, ok := r.frames[l]
		if !ok {
			codes = r.location(l)
			r.frames[l] = codes
		}
		r.codes = append(r.codes, codes...)
	}
	return true
}

func (r *pprofReader) location(l *profile.Location) []int32 {
	object := ""
	if l.Mapping != nil {
		object = l.Mapping.File
	}
	var codes []int32
	for i := len(l.Line) - 1; i >= 0; i-- {
		if fn := l.Line[i].Function; fn != nil {
			codes = append(codes, r.frame(fn, l.Line[i].Line, object))
		}
	}
	if len(codes) == 0 {
		f := frameText{function: []byte("0x0"), file: []byte(object), native: true}
		r.native = true
		codes = append(codes, r.out.Stacks.Set.Frame(f.frame(r.out.Strings)))
	}
	return codes
}

// frame is native where its file is, or where it has none and an object has it.
func (r *pprofReader) frame(fn *profile.Function, line int64, object string) int32 {
	f := frameText{function: []byte(fn.Name), file: []byte(fn.Filename)}
	if line > 0 && line < 1<<31 {
		f.line = int32(line)
	}
	python := strings.HasSuffix(fn.Filename, ".py") || strings.HasPrefix(fn.Filename, "<")
	switch {
	case fn.Filename == "" && object != "":
		f.file, f.native = []byte(object), true
	case fn.Filename != "":
		f.native = !python && nativeFile(f.file, f.line)
	}
	f.native = f.native || isAddress(f.function)
	r.native = r.native || f.native
	return r.out.Stacks.Set.Frame(f.frame(r.out.Strings))
}

// thread reads the labels that profilers give threads.
func (r *pprofReader) thread(s *profile.Sample) model.StackThread {
	label := func(keys ...string) string {
		for _, k := range keys {
			if v := s.Label[k]; len(v) > 0 {
				return v[0]
			}
			if v := s.NumLabel[k]; len(v) > 0 {
				return fmt.Sprint(v[0])
			}
		}
		return ""
	}
	t := model.StackThread{TID: label("tid", "thread_id", "thread id"), Name: label("thread_name", "thread", "comm"), Process: label("process", "cmdline")}
	if pid, ok := scan.Int([]byte(label("pid", "process_id"))); ok {
		t.PID = pid
	}
	if t.Name == "thread "+t.TID {
		t.Name = ""
	}
	r.threads = r.threads || t.TID != "" || t.Name != ""
	return t
}
