package model

// What bounds a side in a trace.
const (
	BoundGPU    = "gpu"     // its devices are full
	BoundLaunch = "launch"  // the host launches too late
	BoundSync   = "sync"    // the host waits for the device and then launches too late
	BoundInput  = "input"   // it waits for its input
	BoundOutput = "output"  // it waits to hand on its output
	BoundAway   = "outside" // it is outside of the profiler's calls
	BoundCopy   = "copy"    // copies run and no kernel
	BoundMixed  = "mixed"   // none of these alone
)

// A TraceInfo is what one trace of a profiler says of each side.
type TraceInfo struct {
	File      string      `json:"file"`
	Writer    string      `json:"writer"`          // kineto, chrome trace
	Start     string      `json:"start,omitempty"` // RFC 3339, UTC
	DurationS float64     `json:"duration_s"`      // that the numbers are about: without the first of several steps
	Steps     int         `json:"steps"`
	StepS     *float64    `json:"step_s,omitempty"` // median, without the first
	Events    int64       `json:"events"`
	Lost      int64       `json:"lost"`   // events that could not be read
	Limits    []string    `json:"limits"` // what weakens the claims
	Sides     []TraceSide `json:"sides"`
	Devices   []TraceGPU  `json:"devices"`
}

// A TraceSide is one side's threads in a trace, and the devices they drive.
type TraceSide struct {
	Side       string      `json:"side"`  // target, drafter, unknown
	From       string      `json:"from"`  // how the side is known
	Bound      string      `json:"bound"` // gpu, launch, sync, input, output, outside, copy, mixed, unknown
	Why        string      `json:"why"`
	Threads    int         `json:"threads"` // that call the runtime
	LaunchesS  *float64    `json:"launches_per_s,omitempty"`
	LaunchUS   *float64    `json:"launch_us,omitempty"`   // mean cost of a launch call
	GPUActive  *float64    `json:"gpu_active,omitempty"`  // share of time with a kernel on its devices
	OwnKernels *float64    `json:"own_kernels,omitempty"` // time of its own kernels over its devices' time
	Idle       *TraceIdle  `json:"idle,omitempty"`
	Mechanisms []TraceUse  `json:"mechanisms"` // by self time, largest first
	Calls      []TraceCall `json:"calls"`      // by self time, largest first
}

// A TraceIdle divides the devices' time without a kernel, as shares of all their time.
type TraceIdle struct {
	HostLate float64 `json:"host_late"`
	Sync     float64 `json:"sync"`
	Input    float64 `json:"input"`
	Output   float64 `json:"output"`
	Outside  float64 `json:"outside"` // the host was outside of any call for a millisecond or more
	Copy     float64 `json:"copy"`
	Other    float64 `json:"other"`
}

// A TraceUse is a mechanism with its share of the side's time inside calls.
type TraceUse struct {
	ID    string  `json:"id"`
	Share float64 `json:"share"`
}

// A TraceCall is all calls of one name.
type TraceCall struct {
	Name      string  `json:"name"`
	Mechanism string  `json:"mechanism"`
	Count     int64   `json:"count"`
	SelfS     float64 `json:"self_s"`
	Share     float64 `json:"share"` // of the side's time inside calls
}

// A TraceGPU is one device in a trace.
type TraceGPU struct {
	Index   int64   `json:"index"`
	Name    string  `json:"name,omitempty"`
	Active  float64 `json:"active"` // share of time with a kernel
	Kernels int64   `json:"kernels"`
	KernelS float64 `json:"kernel_s"` // kernels added up
	// CollectiveS is the part of KernelS in collectives, which spin while they wait.
	CollectiveS float64         `json:"collective_s"`
	Idle        TraceIdle       `json:"idle"`
	Durations   []TraceDuration `json:"durations"` // kernels by duration
	Streams     []TraceLane     `json:"streams"`
	Copies      []TraceMove     `json:"copies"`
}

// A TraceDuration is the kernels shorter than UnderUS and not shorter than the bin before.
type TraceDuration struct {
	UnderUS *float64 `json:"under_us,omitempty"` // absent in the last bin, which is open
	Kernels int64    `json:"kernels"`
}

// A TraceLane is one stream.
type TraceLane struct {
	ID     int64   `json:"id"`
	Count  int64   `json:"count"`  // kernels and copies
	Active float64 `json:"active"` // their time as a share of all
}

// A TraceMove is all copies of one kind.
type TraceMove struct {
	Kind    string  `json:"kind"`
	Count   int64   `json:"count"`
	Seconds float64 `json:"seconds"`
	Bytes   *int64  `json:"bytes,omitempty"`
}
