package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/internal/archive"
	"tidemark/internal/config"
	"tidemark/internal/txtartest"
	"tidemark/model"
)

// TestFormats parses every archive under testdata: all rows, counts and
// reasons must be as in its want.
func TestFormats(t *testing.T) {
	txtartest.Run(t, "testdata/*/*.txtar", func(t *testing.T, in []txtar.File) string {
		var sb strings.Builder
		for _, f := range in {
			b := readBytes(t, f.Name, f.Data)
			conserved(t, b.File)
			dump(&sb, b)
		}
		return sb.String()
	})
}

// TestDetection holds every sample against every format: exactly one may claim it,
// the one its folder is named after; of a file whose name decides, that one alone is asked.
func TestDetection(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == "want" {
				continue
			}
			want := filepath.Base(filepath.Dir(p))
			head := f.Data[:min(len(f.Data), model.HeadSize)]
			format, err := Detect(f.Name, head)
			if err != nil || format.Name != want {
				t.Errorf("%s: %s: %v, %v, want %s", p, f.Name, format, err, want)
				continue
			}
			for _, other := range Formats {
				asked := !other.Named && !other.Last
				if other != format && !format.Named && asked && other.Detect(f.Name, head) {
					t.Errorf("%s: %s is claimed by %s as well as by %s", p, f.Name, other.Name, want)
				}
			}
		}
	}
}

// readBytes reads one file as the command would.
func readBytes(t testing.TB, name string, data []byte) *model.RunBuilder {
	t.Helper()
	r := &reader{ctx: context.Background(), slots: make(chan struct{}, 2)}
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.all([]string{dir}, nil, nil); err != nil {
		t.Fatal(err)
	}
	return r.files[0]
}

// conserved checks that no line is lost: each is claimed, skipped or rejected.
func conserved(t testing.TB, f *model.File) {
	t.Helper()
	if f.Claimed+f.Skipped+f.Rejected != f.Lines {
		t.Errorf("%s: claimed %d + skipped %d + rejected %d != %d lines", f.Path, f.Claimed, f.Skipped, f.Rejected, f.Lines)
	}
}

// dump writes all that was read, one row a line.
func dump(w *strings.Builder, b *model.RunBuilder) {
	f := b.File
	fmt.Fprintf(w, "%s: %s, %d lines: %d claimed, %d skipped, %d rejected; %s\n", f.Path, f.Format, f.Lines, f.Claimed, f.Skipped, f.Rejected, f.Clock.Kind)
	if f.Reason != "" {
		fmt.Fprintf(w, "  reason: %s\n", f.Reason)
	}
	for _, n := range f.Notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
	for _, e := range f.Warnings {
		fmt.Fprintf(w, "  warning: %v\n", &e)
	}
	for _, t := range []*model.Table{b.Metrics, b.Queue, b.GPU, b.Threads, b.Events} {
		for _, batch := range t.Batches {
			for r := range batch.Rows() {
				fmt.Fprintf(w, "  %s %d:", t.Spec.Name, batch.Line(r))
				dumpRow(w, b, t.Spec, batch, r)
				w.WriteByte('\n')
			}
		}
	}
	dumpStacks(w, b)
	dumpTrace(w, b)
	for _, x := range b.Facts {
		fmt.Fprintf(w, "  fact %d: %s = %s\n", x.Line, x.Key, x.Value)
	}
}

func dumpRow(w *strings.Builder, b *model.RunBuilder, s *model.Spec, batch *model.Batch, r int) {
	for c, col := range s.Columns {
		if !batch.OK(c, r) {
			continue
		}
		switch col.Kind {
		case model.Int:
			v, _ := batch.Int(c, r)
			fmt.Fprintf(w, " %s=%d", col.Name, v)
		case model.Float:
			v, _ := batch.Float(c, r)
			fmt.Fprintf(w, " %s=%.9g", col.Name, v)
		case model.Text:
			v, _ := batch.Text(c, r)
			fmt.Fprintf(w, " %s=%q", col.Name, b.Strings.At(v))
		}
	}
}

func dumpStacks(w *strings.Builder, b *model.RunBuilder) {
	p := b.Stacks
	for _, c := range p.Captures {
		fmt.Fprintf(w, "  capture: %s rate=%g threads=%t native=%t totals=%t errors=%g args=%q\n", c.Writer, c.Rate, c.Threads, c.Native, c.Totals, c.Errors, c.Args)
	}
	for _, s := range p.Samples {
		th := p.Threads[s.Thread]
		fmt.Fprintf(w, "  sample %d: pid=%d tid=%q name=%q hint=%d n=%g s=%.6g", s.Line, th.PID, th.TID, th.Name, s.Hint, s.N, s.Seconds)
		for _, code := range p.Set.Path(s.Stack, nil) {
			fr := p.Set.At(code)
			fmt.Fprintf(w, "; %s (%s:%d)", b.Strings.At(fr.Function), b.Strings.At(fr.File), fr.Line)
			if fr.Native {
				w.WriteString(" native")
			}
		}
		w.WriteByte('\n')
	}
	for _, n := range p.Notes {
		fmt.Fprintf(w, "  sampler %d: rate=%g duration=%g lag=%g %v output=%q samples=%g errors=%g done=%t failed=%q\n", n.Line, n.Rate, n.Duration, n.Lag, n.LagLines, n.Output, n.Samples, n.Errors, n.Done, n.Failed)
	}
}

// TestParts checks that a large file read in parts gives the rows that it
// gives when read whole.
func TestParts(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			head := f.Data[:min(len(f.Data), model.HeadSize)]
			format, err := Detect(f.Name, head)
			if f.Name == "want" || err != nil || !format.Parts {
				continue
			}
			var whole, parts strings.Builder
			dump(&whole, parseWhole(format, f.Data))
			dump(&parts, parseParts(format, f.Data))
			if whole.String() != parts.String() {
				t.Errorf("%s: %s read in parts differs\nwhole:\n%s\nparts:\n%s", p, f.Name, whole.String(), parts.String())
			}
		}
	}
}

func parseWhole(f *Format, data []byte) *model.RunBuilder {
	return parseSource(f, data, false)
}

// parseHeld is parseWhole of data that is in memory, as parts are.
func parseHeld(f *Format, data []byte) *model.RunBuilder {
	return parseSource(f, data, true)
}

func parseSource(f *Format, data []byte, held bool) *model.RunBuilder {
	out := model.NewRunBuilder(&model.File{Path: "f"})
	src := newSource(f, out, "f", bytes.NewReader(data), 0)
	if held {
		src.hold(data, nil)
	}
	if err := parse(f, src, out); err != nil {
		out.File.Reason = err.Error()
	}
	if err := finish(f, out); err != nil {
		out.File.Reason = err.Error()
	}
	return out
}

// parseParts cuts data at every line where the format allows it.
func parseParts(f *Format, data []byte) *model.RunBuilder {
	r := &reader{ctx: context.Background(), slots: make(chan struct{}, 2)}
	m := archive.Member{Path: "f", At: bytes.NewReader(data), Bytes: int64(len(data))}
	file := &model.File{Path: "f"}
	var cuts []int64
	for off := int64(0); off < int64(len(data)); {
		cuts = append(cuts, off)
		next, err := lineStart(f, m.At, off, m.Bytes, make([]byte, 1<<16))
		if err != nil || next <= off {
			break
		}
		off = next
	}
	list := make([]*part, 0, len(cuts))
	for i, c := range cuts {
		to := int64(len(data))
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		list = append(list, &part{from: c, to: to, ready: make(chan struct{})})
	}
	if len(list) == 0 {
		return parseWhole(f, data)
	}
	list[0].out = model.NewRunBuilder(file)
	r.part(list[0], f, m, "", nil, 0, nil)
	seed := list[0].out.Seed()
	for i, p := range list[1:] {
		p.out = seed.NewPart(&model.File{Path: "f"}, 1)
		r.part(p, f, m, list[0].bound, list[0].learned, i+1, nil)
		close(p.ready)
	}
	out, err := r.join(f, "", m, list)
	if err := cmp.Or(err, finish(f, out)); err != nil {
		out.File.Reason = err.Error()
	}
	return out
}

// FuzzParse feeds any bytes to the parser that the first byte picks: it must
// not panic, and no line may be lost. make fuzz runs each parser alone.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			for i, format := range Formats {
				if format.Name == filepath.Base(filepath.Dir(p)) && file.Name != "want" {
					f.Add(append([]byte{byte(i)}, file.Data...))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		i := int(data[0]) % len(Formats)
		if only := os.Getenv("TIDEMARK_FUZZ"); only != "" && only != Formats[i].Name {
			return
		}
		format := Formats[i]
		if format.Refuse != "" {
			return
		}
		format.Detect("x", data[1:])
		out := model.NewRunBuilder(&model.File{Path: "f"})
		if err := format.Parse(newSource(format, out, "f", bytes.NewReader(data[1:]), 0), out); err == nil {
			conserved(t, out.File)
		}
		if format.Finish != nil {
			format.Finish(out)
		}
	})
}

// BenchmarkFormats parses the samples of each format, repeated to about 4 MB.
func BenchmarkFormats(b *testing.B) {
	for _, format := range Formats {
		data := sample(b, format)
		if len(data) == 0 {
			continue
		}
		b.Run(format.Name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				parseWhole(format, data)
			}
		})
	}
}

func sample(b *testing.B, format *Format) []byte {
	paths, _ := filepath.Glob("testdata/" + format.Name + "/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			b.Fatal(err)
		}
		if d := a.Files[0].Data; len(d) > 0 && !format.Document {
			return bytes.Repeat(d, 1+(4<<20)/len(d))
		}
	}
	return nil
}

var _ = config.Config{}
