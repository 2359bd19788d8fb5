package ingest

import (
	"bytes"
	"strings"

	"tidemark/model"
)

// A traceCat is a category of events, as far as their reading differs.
type traceCat uint8

const (
	catNone traceCat = iota // nothing of it is summed up
	catOp
	catNote // an annotation by the program
	catPython
	catRuntime
	catKernel
	catCopy
	catSet
	traceCats
)

// categoryOf reads Kineto's categories, those of its first releases and those
// of other accelerators (ActivityType.h). What has none is a call, as in other
// writers' traces.
func categoryOf(cat []byte) traceCat {
	switch string(cat) {
	case "cpu_op", "operator", "Operator", "cpu_instant_event", "":
		return catOp
	case "user_annotation", "collective_comm":
		return catNote
	case "python_function":
		return catPython
	case "cuda_runtime", "cuda_driver", "Runtime", "runtime", "xpu_runtime", "xpu_driver", "mtia_runtime", "privateuse1_runtime", "privateuse1_driver":
		return catRuntime
	case "kernel", "Kernel", "concurrent_kernel":
		return catKernel
	case "gpu_memcpy", "Memcpy":
		return catCopy
	case "gpu_memset", "Memset":
		return catSet
	case "gpu_user_annotation", "Trace", "overhead", "cuda_sync", "cuda_event", "cuda_profiler_range", "ac2g", "fwdbwd":
		return catNone
	}
	return catOp
}

// kindOf returns what an event is, by category and name.
func kindOf(cat traceCat, name string) model.SpanKind {
	switch cat {
	case catKernel:
		return model.SpanKernel
	case catCopy:
		return model.SpanCopy
	case catSet:
		return model.SpanSet
	case catRuntime:
		return runtimeKind(name)
	case catPython, catNote:
		if k := queueKind(name); k != model.SpanOp {
			return k
		}
		if cat == catPython {
			return model.SpanOther
		}
		return model.SpanAnnotation
	}
	if strings.HasPrefix(name, "enumerate(DataLoader)#") {
		return model.SpanInput
	}
	return model.SpanOp
}

// runtimeKind sorts the calls of the CUDA, HIP and level-zero runtimes.
func runtimeKind(name string) model.SpanKind {
	switch {
	case strings.Contains(name, "Synchronize") || strings.HasSuffix(name, "Finish"):
		return model.SpanSync
	case strings.Contains(name, "Launch") && !strings.Contains(name, "HostFunc"):
		return model.SpanLaunch
	case strings.Contains(name, "Memcpy") || strings.Contains(name, "Memset") || strings.Contains(name, "EnqueueMem"):
		return model.SpanCopyCall
	}
	return model.SpanRuntime
}

// Words by which programs name the annotations around their waits.
var (
	takeWords  = []string{"get", "pop", "take", "recv", "receive", "dequeue", "fetch", "next", "load", "wait"}
	giveWords  = []string{"put", "push", "send", "enqueue", "publish", "offer"}
	queueWords = []string{"queue", "dataloader", "loader", "batch", "data", "input", "prompt", "prompts", "buffer", "hidden", "sample", "samples"}
)

// queueKind reads an annotation's name as a wait at a queue: a word for a queue
// or for data, and one for taking or giving.
func queueKind(name string) model.SpanKind {
	if strings.HasPrefix(name, "enumerate(DataLoader)#") {
		return model.SpanInput
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
	has := func(list []string) bool {
		for _, w := range words {
			for _, x := range list {
				if w == x {
					return true
				}
			}
		}
		return false
	}
	switch {
	case !has(queueWords):
	case has(giveWords):
		return model.SpanOutput
	case has(takeWords):
		return model.SpanInput
	}
	return model.SpanOp
}

// A traceName is what one name was found to be.
type traceName struct {
	code  int32
	known [traceCats]bool
	kind  [traceCats]model.SpanKind
	step  int64 // of ProfilerStep#N, else -1
}

// A traceNames holds the names of a trace.
type traceNames struct {
	m    map[string]*traceName
	more *traceName // all that are too many
}

func (n *traceNames) of(b []byte, pool *model.Strings) *traceName {
	if x, ok := n.m[string(b)]; ok {
		return x
	}
	if len(n.m) >= model.MaxTraceNames {
		if n.more == nil {
			n.more = &traceName{code: pool.Code("(more names)"), step: -1}
		}
		return n.more
	}
	s := jsonText(b)
	x := &traceName{step: stepNumber(s)}
	if x.step >= 0 {
		s = "ProfilerStep" // one name for all
	}
	x.code = pool.Code(s)
	n.m[string(b)] = x
	return x
}

// kindIn returns what an event with this name is in a category.
func (x *traceName) kindIn(cat traceCat, pool *model.Strings) model.SpanKind {
	if !x.known[cat] {
		x.known[cat], x.kind[cat] = true, kindOf(cat, pool.At(x.code))
	}
	return x.kind[cat]
}

// stepNumber reads ProfilerStep#N, -1 for any other name.
func stepNumber(s string) int64 {
	rest, ok := strings.CutPrefix(s, "ProfilerStep#")
	if !ok || len(rest) == 0 || len(rest) > 15 {
		return -1
	}
	n := int64(0)
	for _, c := range []byte(rest) {
		if c-'0' > 9 {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// jsonText returns the value of what stands between a string's quotes.
func jsonText(b []byte) string {
	if bytes.IndexByte(b, '\\') >= 0 {
		j := jsonCursor{b: append(append([]byte{'"'}, b...), '"')}
		return j.text()
	}
	return string(valid(b))
}
