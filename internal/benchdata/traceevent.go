package benchdata

var kernels = []string{
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
	"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
	"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>(at::TensorIteratorBase&)>(int)",
	"triton_poi_fused_add_cos_sin_0",
	"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)",
	"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<bool, at::cuda::cub::detail::OpaqueType<8>, unsigned long long> >",
	"flash_fwd_kernel",
}

// newID numbers operators and launches, each step from a number of its own.
func (w *traceWriter) newID() int {
	w.id++
	return w.number*4096 + w.id
}

// time writes ns of the step in µs since the trace's base time.
func (w *traceWriter) time(ns int) {
	w.fixed((traceBefore+w.from)*1e9+(w.number-1)*traceStep+ns, 3)
}

func (w *traceWriter) field(name string, v int) {
	w.text(name)
	w.int(v)
}

// open begins a complete event, up to its arguments.
func (w *traceWriter) open(category, name string, process, thread, at, took int) {
	w.text("  {\n    \"ph\": \"X\", \"cat\": \"")
	w.text(category)
	w.text(`", "name": "`)
	w.text(name)
	w.field(`", "pid": `, process)
	w.field(`, "tid": `, thread)
	w.text(",\n    \"ts\": ")
	w.time(at)
	w.text(`, "dur": `)
	w.fixed(took, 3)
	w.text(",\n    \"args\": {\n      ")
}

func (w *traceWriter) end() { w.text("\n    }\n  },\n") }

// note writes an annotation by the program.
func (w *traceWriter) note(name string, at, took int) {
	id := w.newID()
	if w.half != operators {
		return
	}
	w.open("user_annotation", name, traceThread, traceThread, at, took)
	w.field(`"External id": `, id)
	w.end()
}

func (w *traceWriter) operator(name string, thread, at, took int) {
	w.op = w.newID()
	if w.half != operators {
		return
	}
	w.open("cpu_op", name, traceThread, thread, at, took)
	w.field(`"External id": `, w.op)
	w.field(`,"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", ""], "Input Strides": [[5120, 1], [1, 5120], []], "Input Dims": [[4, `, pick(w.details, []int{16, 2048}))
	w.field(`, 5120], [5120, `, pick(w.details, []int{5120, 13824}))
	w.field(`], []], "Ev Idx": `, w.op)
	w.end()
}

func (w *traceWriter) runtime(name string, cbid, thread, at, took int) {
	link := w.newID()
	if w.half != activities {
		return
	}
	w.open("cuda_runtime", name, traceThread, thread, at, took)
	w.field(`"External id": `, w.op)
	w.field(`, "cbid": `, cbid)
	w.field(`, "correlation": `, link)
	w.end()
}

// kernel writes what the latest launch has put on the device.
func (w *traceWriter) kernel(at, took int) {
	d := w.details
	w.open("kernel", pick(d, kernels), traceGPU, traceStream, at, took)
	w.field(`"External id": `, w.op)
	w.field(`, "queued": 0, "device": `, traceGPU)
	w.field(", \"context\": 1,\n      \"stream\": ", traceStream)
	w.field(`, "correlation": `, w.number*4096+w.id)
	w.field(",\n      \"registers per thread\": ", pick(d, []int{16, 32, 168}))
	w.field(",\n      \"shared memory\": ", pick(d, []int{0, 0, 213248}))
	w.text(",\n      \"blocks per SM\": ")
	w.fixed(d.IntN(8e6), 6)
	w.text(",\n      \"warps per SM\": ")
	w.fixed(d.IntN(32e6), 6)
	w.field(",\n      \"grid\": [", 1+d.IntN(4000))
	w.field(", 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": ", d.IntN(61))
	w.end()
}

// flow writes one end of the arrow from the latest launch to its kernel.
func (w *traceWriter) flow(ph, bind string, process, thread, at int) {
	w.text("  {\n    \"ph\": \"")
	w.text(ph)
	w.field(`", "id": `, w.number*4096+w.id)
	w.field(`, "pid": `, process)
	w.field(`, "tid": `, thread)
	w.text(`, "ts": `)
	w.time(at)
	w.text(",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"")
	w.text(bind)
	w.text("\n  },\n")
}

// meta names the processes and threads, and ends the list of events.
func (w *traceWriter) meta() {
	w.number = 1
	for i, m := range []struct {
		what, key, value string
		process, thread  int
	}{
		{"process_name", "name", "python3", traceThread, 0},
		{"process_labels", "labels", "CPU", traceThread, 0},
		{"process_name", "name", "python3", traceGPU, 0},
		{"process_labels", "labels", "GPU 5", traceGPU, 0},
		{"thread_name", "name", "thread 4600 (python3)", traceThread, traceThread},
		{"thread_name", "name", "thread 4688 (pt_autograd_0)", traceThread, traceBackward},
		{"thread_name", "name", "stream 7 ", traceGPU, traceStream},
	} {
		if i > 0 {
			w.text(",\n")
		}
		w.text("  {\n    \"name\": \"" + m.what + `", "ph": "M", "ts": `)
		w.time(0)
		w.field(`, "pid": `, m.process)
		w.field(`, "tid": `, m.thread)
		w.text(",\n    \"args\": {\n      \"" + m.key + `": "` + m.value + "\"\n    }\n  }")
	}
}
