package infer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/config"
	"tidemark/model"
)

// traceRun returns a run with one trace of a second.
func traceRun(change func(run *model.Run, t *model.Trace)) *model.Run {
	run := model.NewRun()
	run.Files = []*model.File{{Path: "trace.json", Format: "kineto"}}
	t := &model.Trace{
		Writer: "kineto", From: 0, To: 1e9, Events: 9,
		Threads: []model.TraceThread{{
			PID: 40, TID: 40, Launches: 5000, LaunchNS: 50e6, Device: 0, KernelNS: 400e6,
			Ops: []model.TraceOp{{Name: run.Strings.Code("aten::mm"), N: 9, SelfNS: 30e6, AllNS: 40e6}, {Name: run.Strings.Code("queue.py(171): get"), Kind: model.SpanInput, N: 1, SelfNS: 5e6}, {Name: run.Strings.Code("cudaLaunchKernel"), Kind: model.SpanLaunch, N: 5000, SelfNS: 10e6}},
		}},
		Devices: []model.TraceDevice{{Index: 0, BusyNS: 400e6, KernelNS: 400e6, Kernels: 5000, Idle: model.IdleSplit{HostNS: 500e6, SyncNS: 50e6, OtherNS: 50e6}}},
	}
	change(run, t)
	run.Traces = []*model.Trace{t}
	return run
}

// TestTracersOfPython: functions of Python in a trace of another writer than
// torch.profiler are no operators of torch. The names are those of viztracer 1.1.1.
func TestTracersOfPython(t *testing.T) {
	want := map[string]string{
		"time.sleep": "wait.idle_loop", "_thread.lock.acquire": "wait.lock", "builtins.sum": "python.other",
		"g (/opt/train/small.py:2)": "python.other", "aten::mm": "torch.dispatch", "addmm": "torch.dispatch",
	}
	run := traceRun(func(run *model.Run, tr *model.Trace) {
		tr.Writer, tr.Threads[0].Ops = "chrome trace", nil
		for name := range want {
			tr.Threads[0].Ops = append(tr.Threads[0].Ops, model.TraceOp{Name: run.Strings.Code(name), N: 1, SelfNS: 1e6})
		}
	})
	r, _, err := infer.Analyze(context.Background(), run, &config.Config{}, []*infer.Analyzer{infer.Traces})
	if err != nil {
		t.Fatal(err)
	}
	calls := r.Traces[0].Sides[0].Calls
	for _, c := range calls {
		if c.Mechanism != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, c.Mechanism, want[c.Name])
		}
	}
	if len(calls) != len(want) {
		t.Errorf("%d calls, want %d", len(calls), len(want))
	}
}

// TestTraceBound checks what is said to bound a side.
func TestTraceBound(t *testing.T) {
	idle := func(busy int64, s model.IdleSplit) func(*model.Run, *model.Trace) {
		return func(_ *model.Run, t *model.Trace) { t.Devices[0].BusyNS, t.Devices[0].Idle = busy, s }
	}
	for name, c := range map[string]struct {
		change func(*model.Run, *model.Trace)
		want   string
	}{
		"late launches":      {func(*model.Run, *model.Trace) {}, model.BoundLaunch},
		"synchronised":       {idle(500e6, model.IdleSplit{HostNS: 50e6, SyncNS: 400e6, OtherNS: 50e6}), model.BoundSync},
		"starved":            {idle(300e6, model.IdleSplit{HostNS: 200e6, InputNS: 450e6, OtherNS: 50e6}), model.BoundInput},
		"blocked":            {idle(300e6, model.IdleSplit{HostNS: 200e6, OutputNS: 450e6, OtherNS: 50e6}), model.BoundOutput},
		"outside of calls":   {idle(300e6, model.IdleSplit{HostNS: 100e6, AwayNS: 500e6, OtherNS: 100e6}), model.BoundAway},
		"copies":             {idle(300e6, model.IdleSplit{CopyNS: 600e6, OtherNS: 100e6}), model.BoundCopy},
		"full":               {idle(900e6, model.IdleSplit{HostNS: 100e6}), model.BoundGPU},
		"nothing alone":      {idle(400e6, model.IdleSplit{HostNS: 200e6, SyncNS: 200e6, OtherNS: 200e6}), model.BoundMixed},
		"nearly full, mixed": {idle(790e6, model.IdleSplit{HostNS: 90e6, OtherNS: 120e6}), model.BoundMixed},
		"spinning collectives": {func(_ *model.Run, t *model.Trace) {
			t.Devices[0].BusyNS, t.Devices[0].KernelNS, t.Devices[0].CollectiveNS = 950e6, 950e6, 700e6
		}, model.Unknown},
		"few launches":   {func(_ *model.Run, t *model.Trace) { t.Threads[0].Launches = 20 }, model.Unknown},
		"no device":      {func(_ *model.Run, t *model.Trace) { t.Devices, t.Threads[0].Device = nil, -1 }, model.Unknown},
		"out of order":   {func(_ *model.Run, t *model.Trace) { t.Missed = 9 }, model.Unknown},
		"no time at all": {func(_ *model.Run, t *model.Trace) { t.To = t.From }, model.Unknown},
	} {
		r := analyzeTrace(t, traceRun(c.change), &config.Config{})
		if got := r.Traces[0].Sides[0]; got.Bound != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got.Bound, got.Why, c.want)
		}
	}
}

// TestTraceSides checks whose a thread is said to be.
func TestTraceSides(t *testing.T) {
	second := func(run *model.Run, t *model.Trace) {
		o := t.Threads[0]
		o.TID = 41
		t.Threads = append(t.Threads, o)
	}
	for name, c := range map[string]struct {
		change func(*model.Run, *model.Trace)
		cfg    config.Config
		want   []string
	}{
		"nobody's":      {func(*model.Run, *model.Trace) {}, config.Config{}, []string{model.Unknown}},
		"by device":     {func(*model.Run, *model.Trace) {}, config.Config{Targets: []int{0}, Drafters: []int{1}}, []string{model.Target}},
		"by name":       {func(run *model.Run, t *model.Trace) { t.Threads[0].Name = run.Strings.Code("drafter-0") }, config.Config{}, []string{model.Drafter}},
		"as configured": {func(*model.Run, *model.Trace) {}, config.Config{Roles: map[string]string{"40": "target"}}, []string{model.Target}},
		"who trains": {func(run *model.Run, t *model.Trace) {
			second(run, t)
			t.Threads[1].Optimizer = 5e6
		}, config.Config{}, []string{model.Target, model.Drafter}},
		"autograd": {func(run *model.Run, t *model.Trace) {
			second(run, t)
			t.Threads[1].Name, t.Threads[1].Backward = run.Strings.Code("pt_autograd_0"), 5e6
		}, config.Config{Drafters: []int{0}}, []string{model.Drafter}},
		"helper of the trainer": {func(run *model.Run, t *model.Trace) {
			second(run, t)
			t.Threads[0].Optimizer, t.Threads[1].Launches = 5e6, 3
		}, config.Config{}, []string{model.Drafter}},
	} {
		r := analyzeTrace(t, traceRun(c.change), &c.cfg)
		var got []string
		for _, s := range r.Traces[0].Sides {
			got = append(got, s.Side)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
}

// TestTraceShared checks that both sides on one device have their own idle time.
func TestTraceShared(t *testing.T) {
	run := traceRun(func(run *model.Run, t *model.Trace) {
		o := t.Threads[0]
		o.TID, o.Optimizer, o.Launches = 41, 5e6, 2500
		o.Idle = model.IdleSplit{HostNS: 450e6}
		t.Threads[0].Idle = model.IdleSplit{HostNS: 50e6}
		t.Threads = append(t.Threads, o)
	})
	sides := analyzeTrace(t, run, &config.Config{}).Traces[0].Sides
	if sides[0].Bound != model.Unknown || sides[1].Bound != model.BoundLaunch {
		t.Errorf("target %s (%s), drafter %s (%s), want unknown and launch", sides[0].Bound, sides[0].Why, sides[1].Bound, sides[1].Why)
	}
	if c := sides[1].Calls[2]; c.Name != "get (queue.py)" || c.Mechanism != "wait.queue" || math.Abs(c.Share-5.0/45) > 1e-9 {
		t.Errorf("third call %+v, want get (queue.py), a wait of a ninth", c)
	}
	if s := sides[1]; math.Abs(*s.LaunchesS-2500) > 1e-6 || math.Abs(*s.LaunchUS-20) > 1e-6 || math.Abs(s.Idle.HostLate-0.45) > 1e-9 {
		t.Errorf("drafter: %v launches/s of %v us, host late %v; want 2500, 20, 0.45", *s.LaunchesS, *s.LaunchUS, s.Idle.HostLate)
	}
}

func analyzeTrace(t *testing.T, run *model.Run, cfg *config.Config) *model.Report {
	t.Helper()
	r, _, err := infer.Analyze(context.Background(), run, cfg, []*infer.Analyzer{infer.Traces, infer.InsideSides})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTraceRandom checks that shares are shares whatever the events say: times
// that overlap, steps in any order, devices without launches, launches of others.
func TestTraceRandom(t *testing.T) {
	cats := []string{"cpu_op", "user_annotation", "cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "gpu_memset", "python_function", "overhead", "x"}
	names := []string{"aten::mm", "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3", "cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync", "queue.get", "queue.put", "nccl", "Optimizer.step#A", "aten::item"}
	path := filepath.Join(t.TempDir(), "trace.json")
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		var sb strings.Builder
		sb.WriteString(`{"schemaVersion": 1, "traceEvents": [{"ph": "i", "ts": 1, "pid": 0}`)
		for range 20 + r.IntN(600) {
			fmt.Fprintf(&sb, ",\n{\"ph\": \"%c\", \"cat\": %q, \"name\": %q, \"pid\": %d, \"tid\": %d, \"ts\": %d.%d, \"dur\": %d, \"args\": {\"correlation\": %d, \"bytes\": %d}}",
				"XXXXXXXBE"[r.IntN(9)], cats[r.IntN(len(cats))], names[r.IntN(len(names))], r.IntN(2), r.IntN(3), r.IntN(2000), r.IntN(10), r.IntN(300)-10, r.IntN(50), r.IntN(9))
		}
		if err := os.WriteFile(path, []byte(sb.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		run, err := ingest.Read(context.Background(), []string{path}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range analyzeTrace(t, run, &config.Config{}).Traces {
			for _, d := range info.Devices {
				i := d.Idle
				all := d.Active + i.HostLate + i.Sync + i.Input + i.Output + i.Outside + i.Copy + i.Other
				if math.Abs(all-1) > 1e-9 || d.Active < 0 || min(i.HostLate, i.Sync, i.Input, i.Output, i.Outside, i.Copy, i.Other) < 0 {
					t.Errorf("seed %d: device %d: active %v and idle %+v are %v in all, want parts of 1", seed, d.Index, d.Active, i, all)
				}
			}
			for _, s := range info.Sides {
				sum := 0.0
				for _, m := range s.Mechanisms {
					sum += m.Share
				}
				if len(s.Mechanisms) > 0 && math.Abs(sum-1) > 1e-9 {
					t.Errorf("seed %d: mechanisms of %s are %v in all, want 1", seed, s.Side, sum)
				}
			}
		}
	}
}
