package benchdata

// Frames, outermost first, each after the semicolon that parts it from the one before.
const (
	head = ";<module> (train.py:310);main (train.py:288);wrapper (torch/distributed/elastic/multiprocessing/errors/__init__.py:362);run (launch/run.py:97)"

	targetFrames  = head + ";serve (runtime/target_worker.py:212);forward_batch (runtime/target_worker.py:164)"
	putFrames     = ";put (runtime/data_plane/hs_queue.py:"
	copyFrames    = ");copy_out (runtime/data_plane/store.py:"
	streamWait    = ";synchronize (torch/cuda/streams.py:"
	streamWaitEnd = ");cudaStreamSynchronize (libcudart.so.12)"

	drafterFrames = head + ";fit (training/trainer.py:544);train_step (training/trainer.py:471)"
	maskFrames    = ";compute_block_mask (algorithms/dflash_family_model.py:131);create_block_mask (torch/nn/attention/flex_attention.py:1090);_dense_to_ordered (torch/nn/attention/flex_attention.py:"
	backward      = ";backward (torch/_tensor.py:630);backward (torch/autograd/__init__.py:364);_engine_run_backward (torch/autograd/graph.py:865)"
	optimizer     = ";step (torch/optim/lr_scheduler.py:140);wrapper (torch/optim/optimizer.py:517);step (torch/optim/adamw.py:243);adamw (torch/optim/adam.py:949);_multi_tensor_adamw (torch/optim/adam.py:"
	anchors       = ";count_anchors (algorithms/dflash_family_model.py:"

	call       = ";_wrapped_call_impl (torch/nn/modules/module.py:1775);_call_impl (torch/nn/modules/module.py:1786);forward ("
	launch     = ";at::native::sort_cuda_kernel (libtorch_cuda.so);cudaLaunchKernel (libcudart.so.12)"
	dispatch   = ";at::_ops::mm::call (libtorch_cpu.so);c10::Dispatcher::callBoxed (libtorch_cpu.so)"
	allocate   = ";at::detail::empty_cuda (libtorch_cuda.so);c10::cuda::CUDACachingAllocator::Native::malloc (libc10_cuda.so)"
	scalarRead = ");at::native::_local_scalar_dense_cuda (libtorch_cuda.so);c10::cuda::memcpy_and_sync (libtorch_cuda.so);cudaStreamSynchronize (libcudart.so.12)"
)

var (
	targetModules  = []string{"vllm/model_executor/models/qwen3.py", "vllm/model_executor/layers/linear.py", "vllm/attention/layer.py", "torch/nn/modules/linear.py"}
	drafterModules = []string{"modeling/draft/dflash.py", "torch/nn/modules/linear.py", "torch/nn/modules/container.py", "layers/attention.py"}
)

// A stackPicker writes the frames of one stack and returns its mean weight.
type stackPicker struct {
	*output
	d *dice
}

// layers writes calls of modules inside each other.
func (s stackPicker) layers(modules []string, n int) {
	for range n {
		s.text(call)
		s.text(pick(s.d, modules))
		s.text(":")
		s.int(s.d.between(90, 899))
		s.text(")")
	}
}

// line writes a line number after the frame that is at it.
func (s stackPicker) line(frame string, lo, hi int) {
	s.text(frame)
	s.int(s.d.between(lo, hi))
}

// target waits for its GPU most of the time.
func (s stackPicker) target() int {
	s.text(targetFrames)
	switch c := s.d.IntN(100); {
	case c < 62:
		s.layers(targetModules, s.d.between(4, 9))
		s.line(streamWait, 225, 232)
		s.text(streamWaitEnd)
		return 30
	case c < 85:
		s.layers(targetModules, s.d.between(4, 9))
		s.text(pick(s.d, []string{launch, dispatch, allocate}))
		return 6
	default:
		s.line(putFrames, 80, 99)
		s.line(copyFrames, 190, 240)
		s.text(")")
		return 4
	}
}

// drafter builds masks, by many launches, most of the time.
func (s stackPicker) drafter() int {
	s.text(drafterFrames)
	switch c := s.d.IntN(100); {
	case c < 38:
		s.layers(drafterModules[:1], s.d.between(1, 3))
		s.line(maskFrames, 185, 199)
		s.text(")" + launch)
		return 24
	case c < 55:
		s.layers(drafterModules, s.d.between(4, 8))
		s.text(pick(s.d, []string{launch, dispatch, allocate}))
		return 7
	case c < 72:
		s.text(backward)
		s.text(pick(s.d, []string{"", dispatch, launch}))
		return 14
	case c < 84:
		s.line(optimizer, 600, 780)
		s.text(")" + pick(s.d, []string{launch, dispatch}))
		return 6
	default:
		s.layers(drafterModules[:1], s.d.between(2, 5))
		s.line(anchors, 180, 199)
		s.text(scalarRead)
		return 8
	}
}
