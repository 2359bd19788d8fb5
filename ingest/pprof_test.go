package ingest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"tidemark/model"
)

// small returns a profile of two samples, with its types as given.
func small(types ...string) *profile.Profile {
	m := &profile.Mapping{ID: 1, Start: 1, Limit: 1 << 40, File: "/usr/lib/libcudart.so.12", HasFunctions: true}
	f := []*profile.Function{{ID: 1, Name: "forward", Filename: "app/model.py"}, {ID: 2, Name: "cudaLaunchKernel"}, {ID: 3, Name: "inlined", Filename: "app/model.py"}}
	l := []*profile.Location{
		{ID: 1, Line: []profile.Line{{Function: f[2], Line: 9}, {Function: f[0], Line: 7}}}, // inlined into forward
		{ID: 2, Mapping: m, Line: []profile.Line{{Function: f[1]}}},
		{ID: 3, Mapping: m, Address: 0x77}, // no symbol
	}
	p := &profile.Profile{
		Mapping: []*profile.Mapping{m}, Function: f, Location: l, Period: 1e7, PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		TimeNanos: 1795939200e9, DurationNanos: 5e9,
		Sample: []*profile.Sample{
			{Location: []*profile.Location{l[1], l[0]}, Label: map[string][]string{"thread": {"target-0"}, "tid": {"11"}}, NumLabel: map[string][]int64{"pid": {10}}},
			{Location: []*profile.Location{l[2], l[0]}},
		},
	}
	for _, t := range types {
		name, unit, _ := strings.Cut(t, "/")
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: unit})
		for i, s := range p.Sample {
			v := int64(30 - 10*i)
			if unit == "nanoseconds" {
				v *= 1e7
			}
			s.Value = append(s.Value, v)
		}
	}
	return p
}

func pprofBytes(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPProf: counts, time, threads, inlined frames and frames without symbols,
// bare and packed.
func TestPProf(t *testing.T) {
	data := pprofBytes(t, small("samples/count", "cpu/nanoseconds"))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(data)
	z.Close()
	for name, data := range map[string][]byte{"x.pb": data, "x.pb.gz": packed.Bytes()} {
		b := readBytes(t, name, data)
		conserved(t, b.File)
		var got []string
		for _, s := range b.Stacks.Samples {
			got = append(got, rawLine(b, s))
		}
		want := []string{
			`process 10:"";thread (11): target-0;forward (app/model.py:7);inlined (app/model.py:9);cudaLaunchKernel (libcudart.so.12)`,
			`forward (app/model.py:7);inlined (app/model.py:9);0x… (libcudart.so.12)`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if s := b.Stacks.Samples[0]; s.N != 30 || s.Seconds != 0.3 {
			t.Errorf("%s: %g samples, %g s, want 30 and 0.3", name, s.N, s.Seconds)
		}
		c := b.Stacks.Captures[0]
		if c.Rate != 100 || c.Seconds != 5 || c.Start != 1795939200e9 || !c.Native || !c.Threads {
			t.Errorf("%s: capture %+v", name, c)
		}
	}
}

// TestPProfTypes: which of the sample types is read.
func TestPProfTypes(t *testing.T) {
	for _, c := range []struct {
		types, byDefault string
		n, seconds       float64
		note, reason     string
	}{
		{"samples/count", "", 30, 0, "", ""},
		{"cpu/nanoseconds", "", 30, 0.3, "", ""}, // 100 a second, from the period
		{"samples/count,wall/nanoseconds,alloc_space/bytes", "", 30, 0.3, "sample types not read: alloc_space/bytes", ""},
		{"cpu/nanoseconds,alloc_space/bytes", "alloc_space", 0, 0, "", "a pprof profile of alloc_space/bytes: no processor time"},
		{"inuse_objects/count,inuse_space/bytes", "", 0, 0, "", "a pprof profile of inuse_space/bytes: no processor time"},
		{"contentions/count,delay/nanoseconds", "", 0, 0, "", "a pprof profile of delay/nanoseconds: no processor time"},
	} {
		p := small(strings.Split(c.types, ",")...)
		p.DefaultSampleType = c.byDefault
		b := readBytes(t, "x.pb", pprofBytes(t, p))
		conserved(t, b.File)
		if c.reason != "" {
			if !strings.HasPrefix(b.File.Reason, c.reason) {
				t.Errorf("%s: reason %q, want %q", c.types, b.File.Reason, c.reason)
			}
			continue
		}
		if s := b.Stacks.Samples[0]; s.N != c.n || s.Seconds != c.seconds {
			t.Errorf("%s: %g samples, %g s, want %g and %g", c.types, s.N, s.Seconds, c.n, c.seconds)
		}
		if got := strings.Join(b.File.Notes, ";"); got != c.note {
			t.Errorf("%s: note %q, want %q", c.types, got, c.note)
		}
	}
}

// TestPProfBroken: cut, spoiled and empty profiles are read as far as they go
// or refused, never more.
func TestPProfBroken(t *testing.T) {
	data := pprofBytes(t, small("samples/count", "cpu/nanoseconds"))
	for n := range len(data) {
		conserved(t, readBytes(t, "x.pb", data[:n]).File)
		bad := bytes.Clone(data)
		bad[n] ^= 0x55
		conserved(t, readBytes(t, "x.pb", bad).File)
	}
	empty := small("samples/count")
	empty.Sample = nil
	if b := readBytes(t, "x.pb", pprofBytes(t, empty)); b.File.Reason != "" || len(b.File.Notes) != 1 {
		t.Errorf("no samples: reason %q, notes %q, want one note", b.File.Reason, b.File.Notes)
	}
	below := small("samples/count")
	below.Sample[0].Value[0] = -3
	if b := readBytes(t, "x.pb", pprofBytes(t, below)); len(b.Stacks.Samples) != 1 || len(b.File.Notes) != 1 {
		t.Errorf("a value below 0: %d samples, notes %q, want 1 and one note", len(b.Stacks.Samples), b.File.Notes)
	}
	if b := readBytes(t, "x.pb", append(bytes.Clone(data), data...)); b.File.Reason == "" {
		t.Error("two profiles one after another: read, want a reason")
	}
}

// TestPProfLegacy: pprof's old forms are recognised and refused with a sentence.
func TestPProfLegacy(t *testing.T) {
	words := func(order binary.AppendByteOrder, wide bool) []byte {
		var b []byte
		for _, w := range []uint64{0, 3, 0, 10000, 0, 1, 2, 0x400000, 0x400100} {
			if wide {
				b = order.AppendUint64(b, w)
			} else {
				b = order.AppendUint32(b, uint32(w))
			}
		}
		return b
	}
	for name, data := range map[string][]byte{
		"64-bit": words(binary.LittleEndian, true), "32-bit": words(binary.LittleEndian, false),
		"64-bit, other order": words(binary.BigEndian, true), "32-bit, other order": words(binary.BigEndian, false),
		"text": []byte("--- CPUZ 1 ---\n"),
	} {
		b := readBytes(t, "old.prof", data)
		if b.File.Format != "pprof-legacy" || !strings.Contains(b.File.Reason, "go tool pprof -proto") {
			t.Errorf("%s: format %q, reason %q", name, b.File.Format, b.File.Reason)
		}
	}
}

// TestPProfAlone: no other format claims a profile, and it claims no other's.
func TestPProfAlone(t *testing.T) {
	data := pprofBytes(t, small("samples/count"))
	for _, f := range Formats {
		if got := f.Detect("x.pb", data[:min(len(data), model.HeadSize)]); got != (f == PProf) {
			t.Errorf("%s: detected %t", f.Name, got)
		}
	}
	for _, text := range []string{"", "\n", "\n\n\n\n\n\n", "\n\x02ab", "\x0a\x04\x08\x01\x10\x02", "hello\n"} {
		if looksPProf([]byte(text)) {
			t.Errorf("%q: looks like a profile", text)
		}
	}
}

func FuzzPProf(f *testing.F) {
	var b bytes.Buffer
	if err := small("samples/count", "cpu/nanoseconds").WriteUncompressed(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		out := parseWhole(PProf, data)
		conserved(t, out.File)
	})
}
