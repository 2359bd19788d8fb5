package simrun

import (
	"fmt"
	"math"

	"tidemark/internal/queuesim"
	"tidemark/model"
)

// What telemetry of real workers looks like: a meter's window, a thread's level
// while it works, and their noise.
const (
	gpuWindow   = 0.2 // s
	gpuNoise    = 0.02
	threadLevel = 0.94
	threadNoise = 0.045
	threadEvery = 2.0
	firstTID    = 4200
)

// devices writes one reading a second of each device; each worker has its own.
func (w *writer) devices(b *model.RunBuilder) {
	line := 1
	w.rewind()
	for t := 1.0; t <= w.c.Pipe.Horizon; t++ {
		for i := range w.workers {
			line++
			side := 0
			if i >= w.c.Pipe.Targets {
				side = 1
			}
			busy := w.states[i].share(t-gpuWindow, t, working)
			util := 0.0
			if busy > 0 {
				util = w.c.GPU[side]*busy + gpuNoise*w.rng.NormFloat64()
			}
			g := b.GPU.Add(line, 0)
			g.SetInt(model.GPUT, begin+ns(t))
			g.SetInt(model.GPUIndex, int64(i))
			g.SetFloat(model.GPUSMUtil, math.Round(100*min(max(util, 0), 1))/100)
		}
	}
}

// threads writes the CPU use of each worker's thread.
func (w *writer) threads(b *model.RunBuilder) {
	w.rewind()
	line := 3
	for t := threadEvery; t <= w.c.Pipe.Horizon; t += threadEvery {
		for i := range w.workers {
			line++
			busy := w.states[i].share(t-threadEvery, t, working)
			r := b.Threads.Add(line, 0)
			r.SetInt(model.ThreadT, begin+ns(t))
			r.SetFloat(model.ThreadInterval, threadEvery)
			r.SetInt(model.ThreadTID, w.tid(i))
			r.SetFloat(model.ThreadCPU, max(threadLevel*busy+threadNoise*math.Sqrt(busy)*w.rng.NormFloat64(), 0))
			name := "python3"
			if w.c.Evidence.Named {
				name = w.name(i)
			}
			r.SetText(model.ThreadName, b.Strings.Code(name))
		}
	}
}

// tid numbers the targets' threads one after the other, and the drafters'.
func (w *writer) tid(i int) int64 {
	if i >= w.c.Pipe.Targets {
		return firstTID + 50 + int64(i-w.c.Pipe.Targets)
	}
	return firstTID + int64(i)
}

func (w *writer) name(i int) string {
	if i >= w.c.Pipe.Targets {
		return fmt.Sprintf("drafter-%d", i-w.c.Pipe.Targets)
	}
	return fmt.Sprintf("target-%d", i)
}

// rewind sets every worker's cursor to the start.
func (w *writer) rewind() {
	for i := range w.states {
		w.states[i].k = 0
	}
}

// A place is one frame of a stack: function, file, line.
type place struct {
	function, file string
	line           int32
}

var thread = []place{{"_bootstrap", "threading.py", 1032}, {"_bootstrap_inner", "threading.py", 1075}, {"run", "threading.py", 1012}}

var waiting = place{"wait", "threading.py", 359}

// leaves are the stacks of each state above the worker's function. A worker at
// work is in one of several places.
var leaves = [2]map[queuesim.State][][]place{
	{
		queuesim.Busy: {
			{{"forward", "transformers/models/qwen3/modeling_qwen3.py", 90}},
			{{"synchronize", "torch/cuda/streams.py", 236}},
			{{"upload", "train/transfer.py", 55}},
		},
		queuesim.WaitLock:  {{{"forward", "transformers/models/qwen3/modeling_qwen3.py", 62}}},
		queuesim.WaitPut:   {{{"put", "train/hs_queue.py", 61}, waiting}},
		queuesim.WaitInput: {{{"next_batch", "train/loader.py", 40}, waiting}},
	},
	{
		queuesim.Busy: {
			{{"backward", "torch/_tensor.py", 625}, {"_engine_run_backward", "torch/autograd/graph.py", 841}},
			{{"step", "torch/optim/adamw.py", 243}, {"_single_tensor_adamw", "torch/optim/adamw.py", 409}},
			{{"create_block_mask", "torch/nn/attention/flex_attention.py", 1102}},
		},
		queuesim.WaitLock: {{{"forward", "train/drafter.py", 120}}},
		queuesim.WaitGate: {{{"get_when_ready", "train/hs_queue.py", 88}, waiting}},
		queuesim.Stalled:  {{{"all_reduce", "torch/distributed/distributed_c10d.py", 2501}}},
	},
}

const (
	stackRate    = 99.0
	stackSeconds = 45.0
)

// stacks samples every thread over 45 s somewhere after the first fifth of the
// run. Without waiting threads a sampler misses those that wait for a lock too.
func (w *writer) stacks(b *model.RunBuilder) {
	p, e := b.Stacks, w.c.Evidence
	p.Captures = append(p.Captures, model.Capture{Writer: "py-spy raw", Threads: e.Stack != Stacks})
	w.rewind()
	seconds := min(stackSeconds, 0.6*w.c.Pipe.Horizon)
	from := w.rng.between(0.2*w.c.Pipe.Horizon, w.c.Pipe.Horizon-seconds)
	total := 0.0
	for i := range w.workers {
		t := model.StackThread{}
		if e.Stack != Stacks {
			t.TID, t.Name = fmt.Sprintf("0x%X", 0x7F12A000+0x1000*i), w.name(i)
		}
		n := p.Thread(t)
		for k := 0.0; k < stackRate*seconds; k++ {
			s := w.states[i].in(from + k/stackRate)
			if e.Stack != Idle && !working(s) {
				continue
			}
			total++
			p.Add(model.Sample{Thread: n, Stack: w.stack(b, i, s), N: 1, Line: int32(len(p.Samples) + 1)})
		}
	}
	p.AddNote(model.SamplerNote{Rate: stackRate, Duration: seconds, Output: "stacks.raw.txt", Samples: total, Done: true, Line: 1})
}

// stack returns one of the stacks of a worker in a state.
func (w *writer) stack(b *model.RunBuilder, worker int, s queuesim.State) int32 {
	side, root := 0, place{"target_worker", "train/pipeline.py", 210}
	if worker >= w.c.Pipe.Targets {
		side, root = 1, place{"drafter_worker", "train/pipeline.py", 350}
	}
	list := leaves[side][s]
	if len(list) == 0 {
		list = leaves[side][queuesim.Busy]
	}
	var codes []int32
	for _, part := range [][]place{thread, {root}, list[w.rng.IntN(len(list))]} {
		for _, f := range part {
			codes = append(codes, b.Stacks.Set.Frame(model.Frame{Function: b.Strings.Code(f.function), File: b.Strings.Code(f.file), Line: f.line}))
		}
	}
	return b.Stacks.Set.Stack(codes)
}
