package infer

import (
	"slices"
	"strings"

	"tidemark/internal/lazy"
	"tidemark/model"
)

// traceMechanism names what a call does by the ids of the stack rules, so that
// a trace and sampled stacks can be held against each other.
func traceMechanism(name string, kind model.SpanKind, writer string) string {
	if kind == model.SpanOp && writer != "kineto" {
		if m := pythonMechanism(name); m != "" {
			return m
		}
	}
	switch kind {
	case model.SpanLaunch:
		return "gpu.launch"
	case model.SpanSync:
		return "gpu.sync_explicit"
	case model.SpanCopyCall:
		return "gpu.copy"
	case model.SpanInput, model.SpanOutput:
		return "wait.queue"
	case model.SpanRuntime:
		return runtimeMechanism(name)
	case model.SpanAnnotation, model.SpanOther:
		if strings.HasPrefix(name, "Optimizer.") {
			return "torch.dispatch"
		}
		return "python.other"
	}
	return opMechanism(name)
}

// pythonMechanism names what a tracer of Python calls, as viztracer writes its
// functions ("get (queue.py:171)") and those in C ("time.sleep"); "" for other names.
func pythonMechanism(name string) string {
	switch {
	case strings.Contains(name, "::") || !strings.Contains(name, "."):
		return ""
	case name == "time.sleep":
		return "wait.idle_loop"
	case strings.HasSuffix(name, "lock.acquire"), strings.HasSuffix(name, "RLock.acquire"):
		return "wait.lock"
	}
	return "python.other"
}

// pythonCall is a Python function as torch.profiler names it.
var pythonCall = lazy.Regexp(`^(.+\.py)\(\d+\): (.+)$`)

// callName writes a Python function as sampled stacks do: "get (queue.py)".
func callName(name string) string {
	if m := pythonCall().FindStringSubmatch(name); m != nil {
		return m[2] + " (" + m[1] + ")"
	}
	return name
}

// runtimeMechanism tells the driver's memory calls from the rest of it.
func runtimeMechanism(name string) string {
	for _, s := range []string{"Malloc", "MemAlloc", "Free", "MemCreate", "MemMap", "MemUnmap", "MemRelease", "MemSetAccess", "MemAddress", "HostAlloc", "HostRegister"} {
		if strings.Contains(name, s) {
			return "gpu.alloc_driver"
		}
	}
	for _, s := range []string{"ModuleLoad", "LibraryLoad", "LibraryGet", "ModuleGet", "GetFuncBySymbol"} {
		if strings.Contains(name, s) {
			return "gpu.lazy_module_load"
		}
	}
	return "gpu.driver_other"
}

// Operators whose own time is not that of dispatch.
var (
	readOps  = []string{"aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero"}
	copyOps  = []string{"aten::to", "aten::_to_copy", "aten::copy_", "aten::pin_memory", "aten::_pin_memory"}
	allocOps = []string{"aten::empty", "aten::empty_strided", "aten::empty_like", "aten::resize_"}
)

func opMechanism(name string) string {
	switch {
	case slices.Contains(readOps, name):
		return "gpu.sync_scalar_read"
	case slices.Contains(copyOps, name):
		return "gpu.copy"
	case slices.Contains(allocOps, name):
		return "gpu.alloc_cache"
	case strings.HasPrefix(name, "nccl:"), strings.HasPrefix(name, "gloo:"), strings.HasPrefix(name, "c10d::"), strings.HasPrefix(name, "record_param_comms"):
		return "comm.collective"
	case name == "TorchDynamo Cache Lookup":
		return "compile.guard_eval"
	}
	return "torch.dispatch"
}
