package infer

import (
	"strings"

	"tidemark/internal/stackrules"
)

// A family is a group of mechanisms or causes that one remedy serves. Single
// ids split a cost into pieces too small to lead: ranked by family, 98 % of
// simulated runs name the true cost, by single mechanism 70 %.
type family struct {
	id, label string
	advice    string // what serves it; FROM is the line it is called from
}

// The families, by id.
var families = map[string]family{
	"launch":     {"launch", "Kernel launch", "Fewer, larger kernels: torch.compile or a CUDA graph around FROM, or a larger batch"},
	"sync":       {"sync", "Synchronise, scalar read", "Read values every N steps, or copy them asynchronously, at FROM"},
	"alloc":      {"alloc", "Allocator", "Keep the cache: no empty_cache in the loop, stable shapes, expandable segments; called from FROM"},
	"copy":       {"copy", "Copy", "Pin the source and copy with non_blocking=True, or copy once, at FROM"},
	"mask":       {"mask", "Mask build", "Cache block masks by shape, or compile their builder, at FROM"},
	"optimizer":  {"optimizer", "Optimizer", "Use fused=True or foreach=True at FROM"},
	"backward":   {"backward", "Backward", "Fewer, larger operators in the forward that FROM differentiates: compile it, or accumulate less often"},
	"data":       {"data", "Data: fetch, pack, tokenise", "Tokenise and pack ahead, in worker processes, instead of at FROM"},
	"gil":        {"gil", "Wait for the GIL", "Move Python work off this process: workers as processes, fewer threads"},
	"compile":    {"compile", "Compilation", "Bucket shapes and keep the compile cache, at FROM"},
	"collective": {"collective", "Collective", "Look for the slowest rank; overlap the collective at FROM"},
	"unresolved": {"unresolved", "Lines that may call into C", ""},
	"dispatch":   {"dispatch", "Operator dispatch", "Fewer, larger operators: compile or fuse at FROM"},
	"queue":      {"queue", "Python: queue code", "Put and get fewer, larger items at FROM"},
	"python":     {"python", "Python: own code", "Take this Python work out of the loop at FROM"},
	"gc":         {"gc", "Garbage collector", "gc.freeze() after start, and collect between steps"},
	"io":         {"io", "Files and network", "Prefetch, or write asynchronously, at FROM"},
	"serialise":  {"serialise", "Serialising", "Share memory instead of pickling at FROM"},
	"native":     {"native", "Native code without a name", ""},
	"noframes":   {"noframes", "Threads without Python frames", ""},
}

// mechanismFamily maps mechanism prefixes, the longest first.
var mechanismFamily = []struct{ prefix, family string }{
	{"gpu.sync", "sync"},
	{"gpu.alloc", "alloc"},
	{"gpu.copy", "copy"},
	{"gpu.launch", "launch"},
	{"gpu.lazy_module_load", "compile"},
	{"gpu.driver_other", "dispatch"},
	{"torch.dispatch", "dispatch"},
	{"comm.", "collective"},
	{"data.", "data"},
	{"python.gc", "gc"},
	{"io.", "io"},
	{"ser.", "serialise"},
	{stackrules.Unresolved, "unresolved"},
	{stackrules.NoFrames, "noframes"},
	{stackrules.NativeOther, "native"},
}

// familyOf returns the family of an active stack. native says that its capture
// has native frames. A part of training that one remedy serves as a whole
// comes before the mechanism. In a capture without native frames, own lines
// that work on tensors are lines that call into C, as torch's are.
func familyOf(k *stackrules.Class, native bool) string {
	switch {
	case k.Mechanism == stackrules.GILWait:
		return "gil"
	case strings.HasPrefix(k.Mechanism, "compile."):
		return "compile"
	}
	switch k.Cause {
	case "mask_build":
		return "mask"
	case "optimizer", "backward":
		return k.Cause
	}
	other := k.Mechanism == stackrules.PythonOther
	if other || k.Mechanism == stackrules.Unresolved || k.Mechanism == stackrules.NativeOther {
		switch k.Cause {
		case "data", "data_wait":
			return "data"
		case "queue":
			return "queue"
		}
	}
	if other {
		if !native && onTensors(k.Cause) {
			return "unresolved"
		}
		return "python"
	}
	for _, m := range mechanismFamily {
		if strings.HasPrefix(k.Mechanism, m.prefix) {
			return m.family
		}
	}
	return "python"
}

// onTensors says of a cause that its Python lines mostly call tensor methods,
// which are C functions without a frame of their own.
func onTensors(cause string) bool {
	switch cause {
	case "forward", "loss", "logging", "transfer", "checkpoint", "eval":
		return true
	}
	return false
}
