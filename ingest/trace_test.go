package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/benchdata"
	"tidemark/model"
)

// dumpTrace writes what was summed up of a trace, times in us.
func dumpTrace(w *strings.Builder, b *model.RunBuilder) {
	t := b.Trace
	if t == nil {
		return
	}
	us := func(ns int64) string { return fmt.Sprintf("%.6g", float64(ns)/1e3) }
	from := us(t.From)
	if t.Clock {
		from = time.Unix(0, t.From).UTC().Format("2006-01-02T15:04:05.000000000Z")
	}
	fmt.Fprintf(w, "  trace: %s, %d events, %d lost, %d late, from %s for %s us, first dropped=%t\n", t.Writer, t.Events, t.Lost, t.Late, from, us(t.To-t.From), t.Dropped)
	for _, s := range t.Steps {
		fmt.Fprintf(w, "  step %d: %s us, %d launches\n", s.Number, us(s.To-s.From), s.Launches)
	}
	for _, th := range t.Threads {
		fmt.Fprintf(w, "  thread %d/%d %q %q: busy %s, %d launches %s, %d syncs %s, input %s, output %s, kernels %s on %d, backward %s, optimizer %s; idle%s\n",
			th.PID, th.TID, b.Strings.At(th.Name), b.Strings.At(th.Process), us(th.BusyNS), th.Launches, us(th.LaunchNS), th.Syncs, us(th.SyncNS),
			us(th.InputNS), us(th.OutputNS), us(th.KernelNS), th.Device, us(th.Backward), us(th.Optimizer), idleText(th.Idle))
		for _, o := range th.Ops {
			fmt.Fprintf(w, "    %q kind %d: %d, self %s of %s\n", b.Strings.At(o.Name), o.Kind, o.N, us(o.SelfNS), us(o.AllNS))
		}
	}
	for _, d := range t.Devices {
		fmt.Fprintf(w, "  device %d %q: busy %s, %d kernels of %s, collectives %s, bins %v; idle%s\n", d.Index, b.Strings.At(d.Name), us(d.BusyNS), d.Kernels, us(d.KernelNS), us(d.CollectiveNS), d.Bins[:6], idleText(d.Idle))
		for _, s := range d.Streams {
			fmt.Fprintf(w, "    stream %d: %d, %s\n", s.ID, s.N, us(s.BusyNS))
		}
		for _, c := range d.Copies {
			fmt.Fprintf(w, "    %q: %d, %s, %d bytes\n", b.Strings.At(c.Name), c.N, us(c.NS), c.Bytes)
		}
	}
}

func idleText(s model.IdleSplit) string {
	var sb strings.Builder
	for _, x := range []struct {
		name string
		ns   int64
	}{{"host", s.HostNS}, {"sync", s.SyncNS}, {"input", s.InputNS}, {"output", s.OutputNS}, {"away", s.AwayNS}, {"copy", s.CopyNS}, {"other", s.OtherNS}} {
		if x.ns != 0 {
			fmt.Fprintf(&sb, " %s %.6g", x.name, float64(x.ns)/1e3)
		}
	}
	return sb.String()
}

// layTrace writes n steps of a trace as Kineto lays it out, each of 8
// operators with a launch and a kernel.
func layTrace(n int) string {
	var sb strings.Builder
	sb.WriteString("{\n  \"schemaVersion\": 1,\n  \"baseTimeNanoseconds\": 1767225600000000000,\n  \"traceEvents\": [")
	sep := "\n"
	event := func(format string, args ...any) {
		sb.WriteString(sep)
		fmt.Fprintf(&sb, "  {\n    "+format+"\n  }", args...)
		sep = ",\n"
	}
	id := 0
	for s := range n {
		at := 1000 + 1000*s
		event(`"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d", "pid": 40, "tid": 40,`+"\n"+`    "ts": %d.000, "dur": 999.000,`+"\n    \"args\": {\n      \"External id\": %d\n    }", s, at, id)
		for k := range 8 {
			id++
			t := at + 100*k + 10
			event(`"ph": "X", "cat": "cpu_op", "name": "aten::op%d", "pid": 40, "tid": 40,`+"\n"+`    "ts": %d.125, "dur": 60.000,`+"\n    \"args\": {\n      \"External id\": %d,\"Record function id\": 0, \"Input Dims\": [[4, 2028, 5120], [5120, 5120], []], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"\"], \"Ev Idx\": %d\n    }", k, t, id, id)
			event(`"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 40, "tid": 40,`+"\n"+`    "ts": %d.500, "dur": 4.000,`+"\n    \"args\": {\n      \"External id\": %d, \"cbid\": 211, \"correlation\": %d\n    }", t+20, id, id)
			event(`"ph": "s", "id": %d, "pid": 40, "tid": 40, "ts": %d.500,`+"\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"", id, t+20)
			event(`"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, std::array<char*, 3ul>)", "pid": 0, "tid": 7,`+"\n"+`    "ts": %d.000, "dur": 30.000,`+"\n    \"args\": {\n      \"External id\": %d, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": %d,\n      \"registers per thread\": 16,\n      \"shared memory\": 0,\n      \"grid\": [3778, 1, 1],\n      \"block\": [128, 1, 1]\n    }", t+30, id, id)
		}
	}
	sb.WriteString("\n  ],\n  \"traceName\": \"t\"\n}\n")
	return sb.String()
}

// TestTraceFolds checks that a trace summed up in pieces, because it would not
// fit, gives what it gives whole: one in the order of time, and one that lists
// all operators first, as torch's exporter does.
func TestTraceFolds(t *testing.T) {
	dir, k := t.TempDir(), benchdata.Named("trace")
	if err := benchdata.Write(dir, 1, 3e6, k); err != nil {
		t.Fatal(err)
	}
	exported, err := os.ReadFile(filepath.Join(dir, k.File))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"in order": []byte(layTrace(200)), "operators first": exported} {
		t.Run(name, func(t *testing.T) {
			want := parseWhole(Kineto, data)
			var a, b strings.Builder
			dumpTrace(&a, want)
			dumpTrace(&b, parseFolding(data))
			if a.String() != b.String() {
				t.Errorf("in pieces:\n%s\nwhole:\n%s", b.String(), a.String())
			}
			if d := want.Trace.Devices[0]; d.BusyNS+d.Idle.Total() != want.Trace.To-want.Trace.From {
				t.Errorf("busy %d + idle %d ns, want %d", d.BusyNS, d.Idle.Total(), want.Trace.To-want.Trace.From)
			}
		})
	}
}

// parseFolding folds a trace over and over, once kernels of its second step are there.
func parseFolding(data []byte) *model.RunBuilder {
	out := model.NewRunBuilder(&model.File{Path: "f"})
	p := newTraceParser(newSource(Kineto, out, "f", strings.NewReader(string(data)), 0), out)
	kernels := 0
	for i := 0; ; i++ {
		b, laid, ok := p.r.next()
		if !ok {
			break
		}
		p.event(b, laid)
		if bytes.Contains(b, []byte(`"cat": "kernel"`)) {
			kernels++
		}
		if i%97 == 96 && kernels > 300 {
			foldTrace(out)
		}
	}
	p.done()
	finishTrace(out)
	return out
}

// TestTraceHostile checks that traces made to be slow are read in time that
// grows with their size only.
func TestTraceHostile(t *testing.T) {
	for name, piece := range map[string]string{
		"never closed": `{"a": {"b": [`, "escaped quotes": `{"a\" },{`, "opened": "{", "closed": "]}", "quotes": `"`, "raw quote": `{"ph":"X","name":"a"b","ts":1,"dur":1},`,
		"no comma": `{"ph":"X","ts":1,"dur":1,"pid":1,"tid":2}`, "tails": `]{"ph"`, "threads": `{"ph":"B","ts":1,"pid":1,"tid":1},`,
	} {
		begin := time.Now()
		out := parseWhole(Kineto, []byte("["+strings.Repeat(piece, (4<<20)/len(piece))))
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("%s: %v for 4 MiB", name, d)
		}
		conserved(t, out.File)
	}
}

// BenchmarkKineto reads a trace as Kineto lays it out, about 8 MB.
func BenchmarkKineto(b *testing.B) {
	data := []byte(layTrace(700))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		parseWhole(Kineto, data)
	}
}

// TestTraceLate: a call that the file lists after its time was summed up is
// counted with its own time, and told; the rest stays as it is.
func TestTraceLate(t *testing.T) {
	const late = `  {
    "ph": "X", "cat": "cpu_op", "name": "aten::late", "pid": 40, "tid": 40,
    "ts": 3511.000, "dur": 7.000
  }`
	plain := layTrace(200)
	whole, folded := parseWhole(Kineto, []byte(plain)), parseFolding([]byte(strings.Replace(plain, "\n  ],\n", ",\n"+late+"\n  ],\n", 1)))
	if whole.Trace.Late != 0 || folded.Trace.Late != 1 {
		t.Errorf("%d calls late, then %d; want 0 and 1", whole.Trace.Late, folded.Trace.Late)
	}
	a, b := whole.Trace.Threads[0], folded.Trace.Threads[0]
	ops := map[string]model.TraceOp{}
	for _, o := range b.Ops {
		ops[folded.Strings.At(o.Name)] = o
	}
	if o := ops["aten::late"]; o.N != 1 || o.SelfNS != 7000 || o.AllNS != 7000 {
		t.Errorf("the late call: %+v, want one of 7 us", o)
	}
	for _, o := range a.Ops {
		if got := ops[whole.Strings.At(o.Name)]; got.N != o.N || got.AllNS != o.AllNS || got.SelfNS != o.SelfNS {
			t.Errorf("%s: %+v, without the late call %+v", whole.Strings.At(o.Name), got, o)
		}
	}
	if a.BusyNS != b.BusyNS || a.Launches != b.Launches {
		t.Errorf("busy %d ns with %d launches, without the late call %d and %d", b.BusyNS, b.Launches, a.BusyNS, a.Launches)
	}
}

// TestTraceManyLaunches: kernels find their launches though more were seen than
// are held at once.
func TestTraceManyLaunches(t *testing.T) {
	const n = 5 * maxLinks
	out := model.NewRunBuilder(&model.File{Path: "f"})
	out.Spans = model.NewTraceLog()
	launch, kernel := out.Strings.Code("cudaLaunchKernel"), out.Strings.Code("k")
	thread, stream := out.Spans.Track(model.TrackKey{PID: 40, TID: 40}), out.Spans.Track(model.TrackKey{PID: 0, TID: 7, Device: true})
	for i := range int64(n) {
		out.Spans.Add(thread, model.NewTraceSpan(model.SpanLaunch, 1000*i, 100, launch, uint32(i+1)))
		out.Spans.Add(stream, model.NewTraceSpan(model.SpanKernel, 1000*i+400, 500, kernel, uint32(i+1)))
	}
	finishTrace(out)
	th, d := out.Trace.Threads[0], out.Trace.Devices[0]
	if th.Launches != n || th.KernelNS != 500*n || d.Kernels != n || d.BusyNS != 500*n {
		t.Errorf("%d launches of kernels of %d ns, device %d kernels busy %d ns; want %d and %d ns", th.Launches, th.KernelNS, d.Kernels, d.BusyNS, n, 500*n)
	}
}

// TestTraceManyTracks: threads over the limit are one thread together, and no
// call is lost.
func TestTraceManyTracks(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("[")
	n := model.MaxTraceTracks + 100
	for i := range n {
		fmt.Fprintf(&sb, `{"ph": "X", "cat": "cpu_op", "name": "aten::op", "pid": 1, "tid": %d, "ts": %d, "dur": 5},`+"\n", i, 10*i)
	}
	sb.WriteString(`{"ph": "X", "cat": "cpu_op", "name": "aten::op", "pid": 1, "tid": 0, "ts": 99999999, "dur": 5}]`) // of the first again
	out := parseWhole(Kineto, []byte(sb.String()))
	if out.Trace == nil || len(out.Trace.Threads) != model.MaxTraceTracks+1 {
		t.Fatalf("%d threads, want %d and one for the rest", len(out.Trace.Threads), model.MaxTraceTracks)
	}
	calls, first, rest := int64(0), int64(0), int64(0)
	for _, th := range out.Trace.Threads {
		for _, o := range th.Ops {
			calls += int64(o.N)
			switch th.TID {
			case 0:
				first = int64(o.N)
			case -1:
				rest = int64(o.N)
			}
		}
	}
	if calls != int64(n)+1 || first != 2 || rest != 100 {
		t.Errorf("%d calls, %d of the first thread, %d of the rest together; want %d, 2, 100", calls, first, rest, n+1)
	}
}

// TestTraceHeld: a text in memory is read as one that is read by and by: an event whose
// end comes late costs itself and not those behind it.
func TestTraceHeld(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"traceEvents":[` + "\n")
	event := func(i int) {
		fmt.Fprintf(&b, `{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":%d,"dur":2},`+"\n", 1000+4*i)
	}
	for i := range 40000 {
		switch i {
		case 100:
			b.WriteString(`{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1399,"args":{},` + "\n")
		case 30000:
			b.WriteString("},\n")
		}
		event(i)
	}
	event(40000)
	b.Truncate(b.Len() - 2)
	b.WriteString("]}\n")
	var want, got strings.Builder
	dump(&want, parseWhole(Kineto, b.Bytes()))
	out := model.NewRunBuilder(&model.File{Path: "f"})
	src := newSource(Kineto, out, "f", nil, 0)
	src.hold(b.Bytes(), nil)
	if err := parse(Kineto, src, out); err != nil {
		t.Fatal(err)
	}
	if err := finish(Kineto, out); err != nil {
		t.Fatal(err)
	}
	dump(&got, out)
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("held in memory (-by and by +held):\n%s", diff)
	}
	if out.Trace == nil || out.Trace.Events < 40001 {
		t.Errorf("%+v, want all events but the one", out.Trace)
	}
}

// TestTraceAfterList: what follows a bracket that damage has put among the events is found
// again, though the next of them has lost its beginning.
func TestTraceAfterList(t *testing.T) {
	event := `{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":%d,"dur":2},` + "\n"
	for _, damage := range []string{"]\n", `] "ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":5,"dur":2},` + "\n"} {
		var b bytes.Buffer
		b.WriteString("[\n")
		for i := range 5000 {
			if i == 10 {
				b.WriteString(damage)
			}
			fmt.Fprintf(&b, event, 1000+4*i)
		}
		b.WriteString("]\n")
		out := parseWhole(Kineto, b.Bytes())
		if out.Trace == nil || out.Trace.Events != 5000 {
			t.Errorf("behind %q: %+v, want 5000 events", damage, out.Trace)
		}
	}
}
