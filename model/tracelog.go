package model

// A SpanKind says what an event of a trace is.
type SpanKind uint8

// The kinds. Those up to SpanOther lie on a thread, the rest on a device.
const (
	SpanOp SpanKind = iota
	SpanAnnotation
	SpanInput  // waits for input
	SpanOutput // waits to hand on its output
	SpanLaunch // a call that launches a kernel
	SpanCopyCall
	SpanSync
	SpanRuntime // any other call of the runtime or driver
	SpanOther
	SpanKernel
	SpanCopy
	SpanSet
	SpanBegin // opens a call that a SpanEnd of the same track closes
	SpanEnd
	spanKinds
)

// OnDevice reports whether the kind lies on a device.
func (k SpanKind) OnDevice() bool { return k >= SpanKernel && k <= SpanSet }

// A TraceSpan is one event of a track: 24 bytes, since a trace of a gigabyte holds
// some millions. Link is the low half of the number that a launch and what it
// launched share, 0 for none.
type TraceSpan struct {
	Start int64 // ns
	size  uint64
	Name  int32
	Link  uint32
}

// before reports whether s comes before o on a track: earlier, or at once and
// longer, as what holds another.
func (s TraceSpan) before(o TraceSpan) bool {
	switch {
	case s.Start != o.Start:
		return s.Start < o.Start
	case s.Dur() != o.Dur():
		return s.Dur() > o.Dur()
	}
	return s.Kind() < o.Kind()
}

// Compare orders spans of a track by start, the longer first.
func (s TraceSpan) Compare(o TraceSpan) int {
	switch {
	case s.before(o):
		return -1
	case o.before(s):
		return 1
	}
	return 0
}

// MaxSpan is the longest span in ns, a year.
const MaxSpan = 1 << 55

// NewTraceSpan returns a span; d is cut to MaxSpan.
func NewTraceSpan(kind SpanKind, start, d int64, name int32, link uint32) TraceSpan {
	return TraceSpan{Start: start, size: uint64(min(max(d, 0), MaxSpan))<<4 | uint64(kind), Name: name, Link: link}
}

// Kind returns what the span is.
func (s TraceSpan) Kind() SpanKind { return SpanKind(s.size & 15) }

// Dur returns the span's length in ns.
func (s TraceSpan) Dur() int64 { return int64(s.size >> 4) }

// End returns where the span ends.
func (s TraceSpan) End() int64 { return s.Start + s.Dur() }

// A TrackKey names a thread, or a stream of a device.
type TrackKey struct {
	PID, TID int64
	Device   bool
}

// A Track is the spans of one row, in the order of the file.
type Track struct {
	TrackKey
	Spans  SpanList
	Sorted bool // by start so far
	Pairs  bool // has begins and ends
}

// A TraceLog is a trace while it is read. Its text codes are the builder's.
type TraceLog struct {
	Tracks []*Track
	Steps  []TraceStep
	// Threads and Processes are names, by TrackKey with TID 0 for processes.
	Threads   map[TrackKey]int32
	Processes map[int64]int32
	Devices   map[int64]int32              // names
	Copied    map[TrackKey]map[int32]int64 // bytes by stream and name of the copy
	Base      int64                        // ns to add to all times
	Based     bool
	Kineto    bool
	Open      bool // the list of events has begun and not ended
	Events    int64
	Lost      int64
	Odd       int64 // complete events without a duration
	First     int64 // earliest start and latest end of all spans
	Last      int64
	N         int // spans held
	Kept      int // of them, what the last Fold could not drop
	// Fold is called when too many spans are held; it must drop some.
	Fold   func(*RunBuilder)
	State  any // of Fold
	index  map[TrackKey]*Track
	device bool // one of Tracks is a device's
}

// Full reports whether more spans are held than may be: twice as many while
// operators are listed whose launches are still to come. Where a fold could
// drop few of them, the next waits until it can drop more.
func (s *TraceLog) Full() bool {
	most := MaxTraceSpans
	if !s.device {
		most *= 2
	}
	return s.N >= max(most, s.Kept+most/4) && s.Fold != nil
}

// NewTraceLog returns an empty trace.
func NewTraceLog() *TraceLog {
	return &TraceLog{
		Threads: map[TrackKey]int32{}, Processes: map[int64]int32{}, Devices: map[int64]int32{},
		Copied: map[TrackKey]map[int32]int64{}, index: map[TrackKey]*Track{},
	}
}

// Track returns the track with a key.
func (s *TraceLog) Track(k TrackKey) *Track {
	t := s.index[k]
	if t == nil {
		t = &Track{TrackKey: k, Sorted: true}
		s.index[k] = t
		s.Tracks = append(s.Tracks, t)
		s.device = s.device || k.Device
	}
	return t
}

// Has reports whether there is a track with a key.
func (s *TraceLog) Has(k TrackKey) bool { return s.index[k] != nil }

// Add appends a span to its track.
func (s *TraceLog) Add(t *Track, x TraceSpan) {
	if before, ok := t.Spans.Last(); ok && x.before(before) {
		t.Sorted = false
	}
	t.Spans.Add(x)
	if s.N == 0 {
		s.First, s.Last = x.Start, x.End()
	}
	s.First, s.Last = min(s.First, x.Start), max(s.Last, x.End())
	s.N++
}

// Take removes spans from a track as its SpanList does.
func (s *TraceLog) Take(t *Track, until int64) []TraceSpan {
	list := t.Spans.Take(until)
	s.N -= len(list)
	return list
}

// join appends a later part of the same file, whose text codes are changed by text;
// those under same are the same in both.
func (s *TraceLog) join(o *TraceLog, text []int32, same int32) {
	for _, t := range o.Tracks {
		if int(same) < len(text) {
			t.Spans.recode(text)
		}
		s.joinTrack(t)
	}
	if s.N > 0 && o.N > 0 {
		s.First, s.Last = min(s.First, o.First), max(s.Last, o.Last)
	} else if o.N > 0 {
		s.First, s.Last = o.First, o.Last
	}
	s.N += o.N
	s.Steps = append(s.Steps, o.Steps...)
	for k, c := range o.Threads {
		s.Threads[k] = text[c]
	}
	for k, c := range o.Processes {
		s.Processes[k] = text[c]
	}
	for k, c := range o.Devices {
		s.Devices[k] = text[c]
	}
	for k, m := range o.Copied {
		for c, n := range m {
			s.Copy(k, text[c], n)
		}
	}
	if o.Based {
		s.Base, s.Based = o.Base, true
	}
	s.Kineto, s.Open = s.Kineto || o.Kineto, o.Open
	s.Events, s.Lost, s.Odd = s.Events+o.Events, s.Lost+o.Lost, s.Odd+o.Odd
}

func (s *TraceLog) joinTrack(o *Track) {
	t := s.Track(o.TrackKey)
	last, ok := t.Spans.Last()
	if first, any := o.Spans.First(); ok && any && first.before(last) {
		t.Sorted = false
	}
	t.Sorted, t.Pairs = t.Sorted && o.Sorted, t.Pairs || o.Pairs
	t.Spans.Append(&o.Spans)
}

// Copy adds the bytes of a copy to its stream.
func (s *TraceLog) Copy(k TrackKey, name int32, bytes int64) {
	m := s.Copied[k]
	if m == nil {
		m = map[int32]int64{}
		s.Copied[k] = m
	}
	m[name] += bytes
}
