package stackfile

import (
	"io"
	"math"
	"strconv"

	"github.com/google/pprof/profile"

	"tidemark/model"
)

// PProf is the protobuf of github.com/google/pprof, packed by gzip: samples in
// counts, and in nanoseconds where the rate is known, with labels thread, tid,
// pid, role, mechanism, cause and state.
var PProf = &Writer{Ending: ".pb.gz", Doc: "go tool pprof", Write: writePProf}

func writePProf(w io.Writer, s *Stacks) error {
	list := s.rows()
	b := &pprofBuilder{s: s, locations: map[int32]*profile.Location{}, functions: map[model.Frame]*profile.Function{}, objects: map[int32]*profile.Mapping{}}
	b.counts, b.times = kinds(list)
	b.header(list)
	for _, r := range list {
		b.sample(r)
	}
	if err := b.p.CheckValid(); err != nil {
		return err
	}
	return b.p.Write(w)
}

type pprofBuilder struct {
	s             *Stacks
	p             profile.Profile
	counts, times bool
	locations     map[int32]*profile.Location // by frame
	functions     map[model.Frame]*profile.Function
	objects       map[int32]*profile.Mapping // by file
	path          []int32
}

func (b *pprofBuilder) header(list []row) {
	if b.counts {
		b.p.SampleType = append(b.p.SampleType, &profile.ValueType{Type: "samples", Unit: "count"})
	}
	if b.times {
		b.p.SampleType = append(b.p.SampleType, &profile.ValueType{Type: "time", Unit: "nanoseconds"})
		b.p.DurationNanos = int64(math.Round(b.s.Seconds * 1e9))
	}
	b.p.DefaultSampleType = b.p.SampleType[0].Type
	if rate := b.rate(list); rate > 0 {
		b.p.PeriodType = &profile.ValueType{Type: "time", Unit: "nanoseconds"}
		b.p.Period = int64(math.Round(1e9 / rate))
	}
	if b.s.Program != "" {
		b.p.Comments = []string{b.s.Program}
	}
}

// rate is the one rate of all that is written, 0 where there are several.
func (b *pprofBuilder) rate(list []row) float64 {
	rate := 0.0
	for _, r := range list {
		if r.seconds == 0 || r.n == 0 {
			return 0
		}
		v := r.n / r.seconds
		if rate > 0 && math.Abs(v-rate) > 1e-6*rate {
			return 0
		}
		rate = v
	}
	return rate
}

func (b *pprofBuilder) sample(r row) {
	x := b.s.Run.Stacks.Samples[r.sample]
	b.path = b.s.Run.Stacks.Set.Path(x.Stack, b.path[:0])
	out := &profile.Sample{Label: map[string][]string{}}
	for i := len(b.path) - 1; i >= 0; i-- {
		out.Location = append(out.Location, b.location(b.path[i]))
	}
	if b.counts {
		out.Value = append(out.Value, int64(math.Round(r.n)))
	}
	if b.times {
		out.Value = append(out.Value, int64(math.Round(r.seconds*1e9)))
	}
	t := b.s.Run.Stacks.Threads[x.Thread]
	pid := ""
	if t.PID != 0 {
		pid = strconv.FormatInt(t.PID, 10)
	}
	for _, l := range [][2]string{
		{"thread", threadName(t)},
		{"tid", t.TID},
		{"pid", pid},
		{"role", r.label.Role},
		{"mechanism", r.label.Mechanism},
		{"cause", r.label.Cause},
		{"state", r.label.State},
	} {
		if l[1] != "" {
			out.Label[l[0]] = []string{l[1]}
		}
	}
	b.p.Sample = append(b.p.Sample, out)
}

func (b *pprofBuilder) location(code int32) *profile.Location {
	if l := b.locations[code]; l != nil {
		return l
	}
	f := b.s.Run.Stacks.Set.At(code)
	l := &profile.Location{ID: uint64(len(b.p.Location) + 1), Line: []profile.Line{{Function: b.function(f), Line: int64(f.Line)}}}
	switch {
	case f.Native && f.File != 0:
		l.Mapping = b.object(f.File, b.s.Run.Text(f.File))
	case f.File != 0: // go tool pprof wants a main program
		l.Mapping = b.object(0, "python")
	}
	b.locations[code] = l
	b.p.Location = append(b.p.Location, l)
	return l
}

// function of a native frame without a line has its object as its mapping, not
// as its file.
func (b *pprofBuilder) function(f model.Frame) *profile.Function {
	key := model.Frame{Function: f.Function, File: f.File, Native: f.Native}
	if fn := b.functions[key]; fn != nil {
		return fn
	}
	name := b.s.Run.Text(f.Function)
	fn := &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: name, SystemName: name}
	if !f.Native || f.Line > 0 {
		fn.Filename = b.s.Run.Text(f.File)
	}
	b.functions[key] = fn
	b.p.Function = append(b.p.Function, fn)
	return fn
}

// object is a shared object. Its symbols are resolved, so that no tool looks
// for it on disk.
func (b *pprofBuilder) object(file int32, name string) *profile.Mapping {
	if m := b.objects[file]; m != nil {
		return m
	}
	id := uint64(len(b.p.Mapping) + 1)
	m := &profile.Mapping{
		ID: id, Start: id << 32, Limit: (id + 1) << 32, File: name,
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	b.objects[file] = m
	b.p.Mapping = append(b.p.Mapping, m)
	return m
}
