package model

// The columns of each table, in the order of its Spec.
const (
	MetricT = iota
	MetricSource
	MetricTemplate
	MetricSession
	MetricStep
	MetricKey
	MetricValue
	MetricUnit
)

// Telemetry is the source of metrics that describe the host or its devices,
// not the training: host.cpu, cgroup.throttled and the like.
const Telemetry = "telemetry"

// Metrics is one row per number that a training log printed as a series.
// value is in unit, converted to base units: seconds, bytes, tokens/s, shares.
// Inference goes over its rows several times, and to unpack values costs more than to
// pack them saves: the part that is held of a log is bounded.
var Metrics = &Spec{Name: "metrics", Wide: true, Record: MetricKey, Laid: []int{MetricKey, MetricUnit}, Columns: []Column{
	{"t", "ns", Int},
	{"source", "", Text},
	{"template", "", Text},
	{"session", "", Int},
	{"step", "", Int},
	{"key", "", Text},
	{"value", "unit", Float},
	{"unit", "", Text},
}}

// Columns of Queue.
const (
	QueueT = iota
	QueueHost
	QueueName
	QueueRole
	QueueWorker
	QueueDepth
	QueueCapacity
	QueueMinReady
	QueuePuts
	QueueGets
	QueuePutWait
	QueueGetWait
	QueueInputWait
	QueueInFlight
	QueueDrops
	QueueEpoch
)

// Queue is one row per reading of a queue. Waits are cumulative worker-seconds.
var Queue = &Spec{Name: "queue", Columns: []Column{
	{"t", "ns", Int},
	{"host", "", Text},
	{"queue", "", Text},
	{"role", "", Text},
	{"worker", "", Text},
	{"depth", "items", Float},
	{"capacity", "items", Float},
	{"min_ready", "items", Float},
	{"puts_total", "items", Float},
	{"gets_total", "items", Float},
	{"put_wait", "s", Float},
	{"get_wait", "s", Float},
	{"input_wait", "s", Float},
	{"in_flight", "items", Float},
	{"drops_total", "items", Float},
	{"epoch", "", Float},
}}

// Columns of GPU.
const (
	GPUT = iota
	GPUHost
	GPUIndex
	GPUUUID
	GPUSide
	GPUSMUtil
	GPUMemUtil
	GPUMemUsed
	GPUMemTotal
	GPUPower
	GPUPowerLimit
	GPUSMClock
	GPUTemperature
	GPUClockReasons
	GPUPCIeRX
	GPUPCIeTX
	GPUBus
	GPUCUDA
	GPUSMActive
	GPUTensorActive
	GPUDRAMActive
	GPUPart
)

// FactMIG is the key of the fact that a device is split into parts.
const FactMIG = "gpu_mig"

// GPU is one row per reading of one device. sm_util is the share of the
// driver's sampling window with a kernel resident, mem_util the share with
// device memory read or written; neither is a measure of work done. sm_active,
// tensor_active and dram_active are the shares of cycles that the profiling
// counters of DCGM give. gpu is the index that NVML counts, in the order of the
// PCI bus; cuda the one that a process counts, which CUDA_VISIBLE_DEVICES changes.
// part names a part of a device that MIG has split, whose row it then is: such
// rows have the names of their device, but not its index.
var GPU = &Spec{Name: "gpu", Columns: []Column{
	{"t", "ns", Int},
	{"host", "", Text},
	{"gpu", "", Int},
	{"uuid", "", Text},
	{"side", "", Text},
	{"sm_util", "ratio", Float},
	{"mem_util", "ratio", Float},
	{"mem_used", "B", Float},
	{"mem_total", "B", Float},
	{"power", "W", Float},
	{"power_limit", "W", Float},
	{"sm_clock", "Hz", Float},
	{"temperature", "degC", Float},
	{"clock_reasons", "", Int},
	{"pcie_rx", "B/s", Float},
	{"pcie_tx", "B/s", Float},
	{"pci_bus", "", Text},
	{"cuda", "", Int},
	{"sm_active", "ratio", Float},
	{"tensor_active", "ratio", Float},
	{"dram_active", "ratio", Float},
	{"part", "", Text},
}}

// Columns of Threads.
const (
	ThreadT = iota
	ThreadHost
	ThreadInterval
	ThreadPID
	ThreadTID
	ThreadName
	ThreadRole
	ThreadCPU
	ThreadUsr
	ThreadSys
	ThreadWait
	ThreadCore
)

// Threads is one row per thread and interval: shares of one core over the
// interval that ends at t. tid is null in the row of a whole process.
var Threads = &Spec{Name: "threads", Columns: []Column{
	{"t", "ns", Int},
	{"host", "", Text},
	{"interval", "s", Float},
	{"pid", "", Int},
	{"tid", "", Int},
	{"name", "", Text},
	{"role", "", Text},
	{"cpu", "ratio", Float},
	{"usr", "ratio", Float},
	{"sys", "ratio", Float},
	{"wait", "ratio", Float},
	{"core", "", Int},
}}

// Columns of Stacks.
const (
	SampleProfile = iota
	SampleT
	SampleHost
	SamplePID
	SampleTID
	SampleThread
	SampleRole
	SampleStack
	SampleSamples
	SampleDuration
	SampleState
	SampleMechanism
	SampleCause
)

// Stacks is one row per distinct stack of a thread of a capture. t is null
// where the samples have no time, duration where the rate is unknown.
var Stacks = &Spec{Name: "stacks", Columns: []Column{
	{"profile", "", Text},
	{"t", "ns", Int},
	{"host", "", Text},
	{"pid", "", Int},
	{"tid", "", Text},
	{"thread", "", Text},
	{"role", "", Text},
	{"stack", "", Int},
	{"samples", "samples", Float},
	{"duration", "s", Float},
	{"state", "", Text},
	{"mechanism", "", Text},
	{"cause", "", Text},
}}

// Columns of Frames.
const (
	FrameStack = iota
	FrameDepth
	FrameFunction
	FrameFile
	FrameLine
	FrameObject
)

// Frames is one row per frame of a distinct stack, root at depth 0.
var Frames = &Spec{Name: "frames", Columns: []Column{
	{"stack", "", Int}, {"depth", "frames", Int}, {"function", "", Text}, {"file_name", "", Text}, {"line_no", "", Int}, {"object", "", Text},
}}

// Columns of Events.
const (
	EventT = iota
	EventKind
	EventText
	EventSource
)

// Events is one row per thing that happened: a traceback, a checkpoint, a
// sampler's message, a lost GPU.
var Events = &Spec{Name: "events", Wide: true, Columns: []Column{
	{"t", "ns", Int}, {"kind", "", Text}, {"text", "", Text}, {"source", "", Text},
}}
