package ingest

import (
	"cmp"
	"math/bits"
	"slices"

	"tidemark/model"
)

// A deviceSum adds up one device's kernels and copies.
type deviceSum struct {
	d       model.TraceDevice
	wait    []deviceSpan // taken and not yet summed up
	end     int64        // of whatever ran last
	kernel  int64        // of the kernel that ended last
	streams map[int64]*model.TraceStream
	stream  *model.TraceStream // of the span before
	copies  map[int32]*model.TraceCopy
	threads map[*threadSum]*deviceThread
	thread  *deviceThread // of the span before
}

// A deviceThread is what one thread has launched on a device, and the time
// without it.
type deviceThread struct {
	*threadSum
	kernelNS int64
	idle     model.IdleSplit
}

type deviceSpan struct {
	model.TraceSpan
	stream int64
}

func (s *traceSum) device(index int64) *deviceSum {
	d := s.devices[index]
	if d == nil {
		d = &deviceSum{d: model.TraceDevice{Index: index}, streams: map[int64]*model.TraceStream{}, copies: map[int32]*model.TraceCopy{}, threads: map[*threadSum]*deviceThread{}}
		d.end, d.kernel = s.from, s.from
		s.devices[index] = d
	}
	return d
}

func (d *deviceSum) take(stream int64, list []model.TraceSpan) {
	for _, x := range list {
		d.wait = append(d.wait, deviceSpan{x, stream})
	}
}

// sweep sums up what was taken, all streams in the order of time.
func (s *traceSum) sweep(d *deviceSum) {
	slices.SortFunc(d.wait, func(a, b deviceSpan) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Dur(), b.Dur()), cmp.Compare(a.stream, b.stream))
	})
	for _, x := range d.wait {
		if x.Start < s.done {
			s.missed++
		}
		if x.End() > s.from {
			s.run(d, x)
		}
	}
	d.wait = d.wait[:0]
}

// run adds one kernel or copy, and the time before it in which nothing ran.
func (s *traceSum) run(d *deviceSum, x deviceSpan) {
	l := s.links.find(x.Link)
	if x.Start > d.end {
		var split model.IdleSplit
		if l != nil {
			split = l.split(d.end, x.Start)
			d.launcher(l).idle.Add(split)
		} else {
			split.OtherNS = x.Start - d.end
		}
		d.d.Idle.Add(split)
	}
	start := max(x.Start, s.from)
	ran := max(x.End()-max(start, d.end), 0)
	d.end = max(d.end, x.End())
	if x.Kind() == model.SpanKernel {
		d.kernelRan(start, x.End(), ran)
		d.d.Kernels++
		d.d.KernelNS += x.End() - start
		d.d.Bins[kernelBin(x.Dur())]++
		if s.marks[x.Name]&markCollective != 0 {
			d.d.CollectiveNS += x.End() - start
		}
		if l != nil {
			d.launcher(l).kernelNS += x.End() - start
		}
	} else {
		d.d.Idle.CopyNS += ran
		d.copied(x)
	}
	st := d.streamOf(x.stream)
	st.N++
	st.BusyNS += x.End() - start
}

// launcher returns the sums of the thread that a launch is of.
func (d *deviceSum) launcher(l *launch) *deviceThread {
	if d.thread != nil && d.thread.threadSum == l.thread {
		return d.thread
	}
	t := d.threads[l.thread]
	if t == nil {
		t = &deviceThread{threadSum: l.thread}
		d.threads[l.thread] = t
	}
	d.thread = t
	return t
}

// share adds to the threads what they did for the device.
func (d *deviceSum) share() {
	for th, x := range d.threads {
		th.t.Idle.Add(x.idle)
		th.t.KernelNS += x.kernelNS
		th.devices[d.d.Index] += x.kernelNS
	}
}

func (d *deviceSum) streamOf(id int64) *model.TraceStream {
	if d.stream != nil && d.stream.ID == id {
		return d.stream
	}
	st := d.streams[id]
	if st == nil {
		st = &model.TraceStream{ID: id}
		d.streams[id] = st
	}
	d.stream = st
	return st
}

// kernelRan adds a kernel's time to the time in which any ran. What of it a
// copy had filled so far is taken from the copies.
func (d *deviceSum) kernelRan(start, end, fresh int64) {
	own := max(end-max(start, d.kernel), 0)
	d.kernel = max(d.kernel, end)
	d.d.BusyNS += own
	d.d.Idle.CopyNS -= min(own-fresh, d.d.Idle.CopyNS)
}

func (d *deviceSum) copied(x deviceSpan) {
	c := d.copies[x.Name]
	if c == nil {
		c = &model.TraceCopy{Name: x.Name, Bytes: -1}
		d.copies[x.Name] = c
	}
	c.N++
	c.NS += x.Dur()
}

// split divides the time [from, to) without work on the device by what the
// thread did that launched the work which ended it.
func (l *launch) split(from, to int64) model.IdleSplit {
	var s model.IdleSplit
	host := max(min(l.end, to)-from, 0)
	s.OtherNS = to - from - host
	if l.lull == nil {
		s.HostNS = host
		return s
	}
	s.InputNS, s.OutputNS, s.AwayNS = l.lull.within(from, from+host)
	rest := host - s.InputNS - s.OutputNS - s.AwayNS
	if l.lull.synced && l.start > from && s.InputNS+s.OutputNS == 0 {
		s.SyncNS = rest
	} else {
		s.HostNS = rest
	}
	return s
}

// within returns how much of [from, to) each kind of lull takes.
func (l *lull) within(from, to int64) (in, out, away int64) {
	in = within(l.in, from, to)
	out = min(within(l.out, from, to), to-from-in)
	if a := (stretch{max(l.away.first, from), min(l.away.last, to)}); !l.away.empty() && !a.empty() {
		waits := within(l.in, a.first, a.last) + within(l.out, a.first, a.last)
		away = min(max(a.last-a.first-waits, 0), to-from-in-out)
	}
	return in, out, away
}

// within returns how much of w lies in [from, to).
func within(w stretch, from, to int64) int64 {
	if w.empty() {
		return 0
	}
	return max(min(w.last, to)-max(w.first, from), 0)
}

// kernelBin returns the bin of a duration in ns: 0 under 1 µs, n under 2^n µs.
func kernelBin(ns int64) int {
	return min(bits.Len64(uint64(max(ns, 0)/1000)), model.KernelBins-1)
}

// device returns the sums as a device of the model; the trace ends at to.
func (d *deviceSum) device(s *traceSum, to int64) model.TraceDevice {
	x := d.d
	x.Name = s.log.Devices[x.Index]
	x.Idle.OtherNS += max(to-d.end, 0)
	for _, st := range d.streams {
		x.Streams = append(x.Streams, *st)
	}
	slices.SortFunc(x.Streams, func(a, b model.TraceStream) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range d.copies {
		for k, m := range s.log.Copied {
			if n, ok := m[c.Name]; ok && k.PID == x.Index {
				c.Bytes = max(c.Bytes, 0) + n
			}
		}
		x.Copies = append(x.Copies, *c)
	}
	slices.SortFunc(x.Copies, func(a, b model.TraceCopy) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(s.pool.At(a.Name), s.pool.At(b.Name)))
	})
	return x
}
