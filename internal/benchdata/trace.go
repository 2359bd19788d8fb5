package benchdata

import "strconv"

// traceStep is how long one step of the traced drafter takes, in ns.
const traceStep = 100_000_000

// Where the traced drafter runs.
const (
	traceThread   = 4600 // its pid, and its main thread
	traceBackward = 4688
	traceGPU      = 5
	traceStream   = 7
	traceBefore   = 2_000_000 // s from the trace's base time to the start of the run
)

const traceHead = `{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 5, "name": "NVIDIA H200", "totalGlobalMem": 150754820096,
      "computeMajor": 9, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": 132
    }
  ],
  "cuda_runtime_version": 12080,
  "cuda_driver_version": 12080,
  "distributedInfo": {"backend": "nccl", "rank": 5, "world_size": 8},
  "record_shapes": 1,
  "traceEvents": [
`

// A half says which events of a step are written: Kineto lists the operators
// of the whole trace before what the runtime and the devices did.
type half uint8

const (
	operators half = iota
	activities
)

// A traceWriter writes a Kineto trace as export_chrome_trace lays it out.
type traceWriter struct {
	*output
	r    *run
	from int // s of the run
	half half

	// Of the step: what both halves draw alike, and what kernels have beside it.
	d, details *dice

	number  int // of the step
	id, op  int // of the latest event, of the latest operator
	gpuFree int // ns of the step
}

func writeTrace(o *output, r *run, size int64) {
	w := &traceWriter{output: o, r: r, from: 600}
	if r.seconds > 0 {
		w.from = min(w.from, r.seconds/3)
	}
	o.text(traceHead)
	one := w.stepSize()
	steps := max(1, int((size+one/2)/one))
	for _, w.half = range []half{operators, activities} {
		for n := 1; n <= steps && o.flush(); n++ {
			w.step(n)
		}
	}
	w.meta()
	o.text("\n  ],\n  \"traceName\": \"trace.json\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": ")
	o.int(int(r.start.Unix()-traceBefore) * 1e9)
	o.text("\n}\n")
}

// stepSize is the mean size of the first steps.
func (w *traceWriter) stepSize() int64 {
	const n = 8
	probe := &traceWriter{output: &output{}, r: w.r, from: w.from}
	for _, probe.half = range []half{operators, activities} {
		for i := range n {
			probe.step(i + 1)
		}
	}
	return probe.size() / n
}

// step writes a half of what the drafter does in a tenth of a second: wait,
// build the mask, forward, read a scalar, backward, optimizer.
func (w *traceWriter) step(n int) {
	w.number, w.id, w.gpuFree = n, 0, 0
	w.d, w.details = w.r.dice(streamTrace+uint64(2*n)), w.r.dice(streamTrace+uint64(2*n+1))
	w.note("ProfilerStep#"+strconv.Itoa(n), 2_000, 99_990_000)
	w.note("hs_queue.get", 10_000, 23_000_000)
	w.note("create_block_mask", 23_100_000, 17_000_000)
	w.work(maskWork)
	w.work(forwardWork)
	w.operator("aten::item", traceThread, 62_400_000, 2_500_000)
	w.operator("aten::_local_scalar_dense", traceThread, 62_401_000, 2_498_000)
	w.runtime("cudaStreamSynchronize", 131, traceThread, 62_420_000, 2_470_000)
	w.work(backwardWork)
	w.note("Optimizer.step#AdamW.step", 92_300_000, 7_000_000)
	w.work(optimizerWork)
}

// A work is a stretch of operators one after another, each with some launches.
// Times are in ns of the step.
type work struct {
	thread   int
	from, to int
	names    []string
	took     [2]int // an operator, least and most
	launches [2]int // of an operator
	kernel   int    // the longest; the shortest is a sixth
}

var (
	maskWork = work{
		traceThread, 23_110_000, 40_000_000,
		[]string{"aten::sort", "aten::scatter_", "aten::ge", "aten::arange", "aten::to"},
		[2]int{160_000, 500_000},
		[2]int{2, 2},
		30_000,
	}
	forwardWork = work{
		traceThread, 40_200_000, 62_000_000,
		[]string{"aten::linear", "aten::mm", "aten::mul", "aten::copy_", "aten::silu", "aten::cat", "aten::_flex_attention"},
		[2]int{400_000, 1_200_000},
		[2]int{1, 3},
		450_000,
	}
	backwardWork = work{
		traceBackward, 65_000_000, 92_000_000,
		[]string{"autograd::engine::evaluate_function: MmBackward0", "autograd::engine::evaluate_function: MulBackward0", "autograd::engine::evaluate_function: SiluBackward0"},
		[2]int{400_000, 1_200_000},
		[2]int{1, 3},
		450_000,
	}
	optimizerWork = work{
		traceThread, 92_320_000, 99_200_000,
		[]string{"aten::_fused_adamw_"},
		[2]int{400_000, 450_000},
		[2]int{1, 1},
		200_000,
	}
)

func (w *traceWriter) work(k work) {
	for at := k.from; at < k.to; {
		took := w.d.between(k.took[0], k.took[1])
		w.operator(pick(w.d, k.names), k.thread, at, took)
		launches := w.d.between(k.launches[0], k.launches[1])
		for i := range launches {
			w.launch(k.thread, at+(10*i+3)*took/(10*(launches+1)), min(4000, took/(launches+1)), w.d.between(k.kernel/6, k.kernel))
		}
		at += took + 2000
	}
}

// launch writes the call that launches a kernel, and the kernel.
func (w *traceWriter) launch(thread, at, took, kernel int) {
	begin := max(at+3500, w.gpuFree+800)
	w.gpuFree = begin + kernel
	w.runtime("cudaLaunchKernel", 211, thread, at, took)
	if w.half == activities {
		w.flow("s", "", traceThread, thread, at)
		w.kernel(begin, kernel)
		w.flow("f", `, "bp": "e"`, traceGPU, traceStream, begin)
	}
}
