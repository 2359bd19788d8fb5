package model

// A Trace is what one recording of a profiler's events holds, summed up while
// it is read: its size does not grow with the file. All times are ns; From and
// To are on the file's own clock.
type Trace struct {
	File     int32
	Writer   string // "kineto", or "chrome trace" where nothing tells the writer
	From, To int64  // what the sums are about: without the first step where there are several
	Clock    bool   // From and To are ns since the epoch
	Steps    []TraceStep
	Dropped  bool // the first step is in Steps and in no sum
	Threads  []TraceThread
	Devices  []TraceDevice
	Events   int64 // read, of all kinds
	Lost     int64 // could not be read
	Late     int64 // calls that came too late in the file to be taken from their callers
	Missed   int64 // kernels and copies that did: idle times are not known
}

// A TraceStep is one ProfilerStep#N annotation.
type TraceStep struct {
	Number   int64
	From, To int64
	Launches int64
}

// A TraceThread is one thread of one process. Self time is a call's time
// without the calls inside it.
type TraceThread struct {
	PID, TID  int64
	Name      int32 // text codes, 0 where the trace names none
	Process   int32
	Ops       []TraceOp // by self time, the largest first
	Launches  int64
	LaunchNS  int64 // inside launch calls
	Syncs     int64
	SyncNS    int64 // inside synchronising calls
	InputNS   int64 // waiting for its input
	OutputNS  int64 // waiting to hand on its output
	BusyNS    int64 // inside any call
	KernelNS  int64 // kernels that this thread launched, added up
	Idle      IdleSplit
	First     int64 // start of the first and end of the last call
	Last      int64
	Device    int64 // that most of its kernels ran on, -1 for none
	Backward  int64 // ns in autograd's own functions
	Optimizer int64 // ns in the optimizer
}

// A TraceOp is all calls of one name on one thread.
type TraceOp struct {
	Name   int32 // text code
	Kind   SpanKind
	N      int64
	SelfNS int64
	AllNS  int64 // with what was called inside, recursion counted once for each call
}

// An IdleSplit divides the time without a kernel by what it was spent on:
// what the host that launched next was doing, after facebookresearch/HTA's
// "host wait" (its launch began after the device had run dry).
type IdleSplit struct {
	HostNS   int64 // host late: between the last kernel's end and the end of the next launch
	SyncNS   int64 // … and the host had just waited for the device
	InputNS  int64 // … and it waited for input
	OutputNS int64 // … and it waited to hand on its output
	AwayNS   int64 // … and it was outside of any call for AwayGap or more
	CopyNS   int64 // a copy ran and no kernel
	OtherNS  int64 // launched in time, or nothing is known of the launch
}

// Add adds o.
func (s *IdleSplit) Add(o IdleSplit) {
	s.HostNS += o.HostNS
	s.SyncNS += o.SyncNS
	s.InputNS += o.InputNS
	s.OutputNS += o.OutputNS
	s.AwayNS += o.AwayNS
	s.CopyNS += o.CopyNS
	s.OtherNS += o.OtherNS
}

// Total returns the sum of the parts.
func (s IdleSplit) Total() int64 {
	return s.HostNS + s.SyncNS + s.InputNS + s.OutputNS + s.AwayNS + s.CopyNS + s.OtherNS
}

// AwayGap is how long a thread must be outside of the profiler's calls to be
// away, in ns: in a wait that nothing annotates, in Python code, or waiting for
// the interpreter lock. Python between two operators takes some 5 to 50 µs.
const AwayGap = 1e6

// KernelBins is the number of bins of kernel durations: under 1 µs, then
// doubling, the last one open.
const KernelBins = 20

// A TraceDevice is one device.
type TraceDevice struct {
	Index    int64
	Name     int32 // text code, 0 where not given
	BusyNS   int64 // at least one kernel ran
	KernelNS int64 // kernels added up
	Kernels  int64
	// CollectiveNS is the part of KernelNS in which a kernel may have waited for other devices.
	CollectiveNS int64
	Bins         [KernelBins]int64 // kernels by duration
	Idle         IdleSplit
	Streams      []TraceStream
	Copies       []TraceCopy
}

// A TraceStream is one stream's kernels and copies.
type TraceStream struct {
	ID     int64
	N      int64
	BusyNS int64
}

// A TraceCopy is all copies of one kind.
type TraceCopy struct {
	Name  int32 // text code: "Memcpy HtoD (Pageable -> Device)"
	N     int64
	NS    int64
	Bytes int64 // -1 where not given
}

// Shift moves all times by d ns.
func (t *Trace) Shift(d int64) {
	t.From, t.To = t.From+d, t.To+d
	for i := range t.Steps {
		t.Steps[i].From += d
		t.Steps[i].To += d
	}
	for i := range t.Threads {
		t.Threads[i].First += d
		t.Threads[i].Last += d
	}
}

// join makes the trace one of a run, as its file number file; its text codes
// are changed by text.
func (t *Trace) join(text []int32, file int32) {
	t.File = file
	for i := range t.Threads {
		th := &t.Threads[i]
		th.Name, th.Process = text[th.Name], text[th.Process]
		for k := range th.Ops {
			th.Ops[k].Name = text[th.Ops[k].Name]
		}
	}
	for i := range t.Devices {
		d := &t.Devices[i]
		d.Name = text[d.Name]
		for k := range d.Copies {
			d.Copies[k].Name = text[d.Copies[k].Name]
		}
	}
}
