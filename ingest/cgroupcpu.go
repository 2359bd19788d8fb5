package ingest

import (
	"bytes"
	"path"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// CgroupCPU reads cpu.stat and cpu.max of a control group.
var CgroupCPU = &Format{
	Name:   "cgroup-cpu",
	Doc:    "cpu.stat and cpu.max of a container's control group, once or with a line of the time before each: processors in use, the quota, and the share of periods in which the quota ran out",
	Record: "while :; do date +%s.%N; cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu.stat; sleep 1; done > cgroup.txt",
	Detect: detectCgroup,
	Parse:  parseCgroup,
}

// A cgroupKey is a counter of cpu.stat.
type cgroupKey uint8

const (
	cgroupUsage cgroupKey = iota
	cgroupPeriods
	cgroupThrottled
	cgroupThrottledTime
	cgroupKeys
)

// cgroupNames are the counters of versions 2 and 1, and the unit in seconds.
var cgroupNames = map[string]struct {
	key   cgroupKey
	scale float64
}{
	"usage_usec": {cgroupUsage, 1e-6}, "nr_periods": {cgroupPeriods, 1}, "nr_throttled": {cgroupThrottled, 1},
	"throttled_usec": {cgroupThrottledTime, 1e-6}, "throttled_time": {cgroupThrottledTime, 1e-9},
}

// cgroupOthers are counters that are not read.
var cgroupOthers = map[string]bool{
	"user_usec": true, "system_usec": true, "nice_usec": true, "nr_bursts": true, "burst_usec": true, "burst_time": true, "wait_sum": true,
	"core_sched.force_idle_usec": true,
}

// cgroupPair reads "nr_periods 12", perhaps behind the path of its file.
func cgroupPair(line []byte) (name string, value []byte, ok bool) {
	if i := bytes.Index(line, []byte("cpu.stat:")); i >= 0 {
		line = scan.Trim(line[i+len("cpu.stat:"):])
	}
	f := bytes.Fields(line[:min(len(line), 200)])
	if len(f) != 2 {
		return "", nil, false
	}
	name = string(f[0])
	_, read := cgroupNames[name]
	return name, f[1], read || cgroupOthers[name]
}

// cgroupQuota reads "400000 100000" or "max 100000" of cpu.max as processors;
// 0 is no quota.
func cgroupQuota(line []byte) (cores float64, ok bool) {
	if i := bytes.Index(line, []byte("cpu.max:")); i >= 0 {
		line = line[i+len("cpu.max:"):]
	}
	f := bytes.Fields(line[:min(len(line), 200)])
	if len(f) != 2 {
		return 0, false
	}
	period, ok := scan.Float(f[1])
	if !ok || period < 1000 || period > 1e6 {
		return 0, false
	}
	if string(f[0]) == "max" {
		return 0, true
	}
	quota, ok := scan.Float(f[0])
	return quota / period, ok && quota >= 1000
}

// detectCgroup wants two counters, or the quota alone in a file of that name.
func detectCgroup(name string, head []byte) bool {
	if strings.Contains(path.Base(name), "cpu.max") && len(head) < 64 {
		_, ok := cgroupQuota(head)
		return ok
	}
	pairs := 0
	var c lineClock
	for line := range firstLines(head, 20) {
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		if _, _, ok := cgroupPair(line); ok {
			pairs++
			continue
		}
		if _, ok := cgroupQuota(line); !ok && len(line) > 0 && !c.line(line) {
			return false
		}
	}
	return pairs >= 2
}

// A cgroupParser writes what two snapshots differ by.
type cgroupParser struct {
	metricRows
	clock     lineClock
	now, last cgroupSnap
}

type cgroupSnap struct {
	v    [cgroupKeys]float64
	has  [cgroupKeys]bool
	when smiWhen
	any  bool
}

func parseCgroup(src *Source, out *model.RunBuilder) error {
	p := &cgroupParser{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			p.end()
			return src.Err()
		}
		p.read(scan.Trim(bytes.TrimRight(line, "\r")))
	}
}

func (p *cgroupParser) read(line []byte) {
	if len(line) == 0 || timeOnly(&p.clock, line, p.end) {
		p.out.Skip(1)
		return
	}
	if cores, ok := cgroupQuota(line); ok && !p.src.Cut() {
		if cores > 0 {
			p.line, p.off = p.src.Line(), p.src.Offset()
			p.add(p.clock.at(p.src), "cgroup.quota", cores, "cores")
		}
		p.out.Claim(1)
		return
	}
	name, value, ok := cgroupPair(line)
	v, isNumber := scan.Float(value)
	if !ok || !isNumber || v < 0 || p.src.Cut() {
		p.src.Reject("%q, want a counter of cpu.stat, cpu.max, or the time", clip(line))
		return
	}
	k, read := cgroupNames[name]
	if !read {
		p.out.Skip(1)
		return
	}
	if p.now.has[k.key] { // the same counter again: another snapshot without a time
		p.end()
	}
	if !p.now.any {
		p.line, p.off = p.src.Line(), p.src.Offset()
	}
	p.now.v[k.key], p.now.has[k.key], p.now.any = v*k.scale, true, true
	p.now.when = p.clock.at(p.src)
	p.out.Claim(1)
}

// end closes a snapshot. The first one only begins the counting; where it has
// no time it stands for the time since the group was made.
func (p *cgroupParser) end() {
	now, last := p.now, p.last
	p.now = cgroupSnap{}
	if !now.any {
		return
	}
	p.last = now
	if now.when.kind == model.ClockNone {
		last = cgroupSnap{}
	} else if !last.any || last.when.kind != now.when.kind || now.when.t <= last.when.t {
		return
	}
	d := func(k cgroupKey) (float64, bool) {
		v := now.v[k] - last.v[k]
		return v, now.has[k] && (last.has[k] || !last.any) && v >= 0
	}
	seconds := float64(now.when.t-last.when.t) / 1e9
	if used, ok := d(cgroupUsage); ok && last.any {
		p.add(now.when, "cgroup.cpu", used/seconds, "cores")
	}
	periods, ok := d(cgroupPeriods)
	if throttled, ok2 := d(cgroupThrottled); ok && ok2 && periods > 0 {
		p.add(now.when, "cgroup.throttled", throttled/periods, "ratio")
	}
	if t, ok := d(cgroupThrottledTime); ok && last.any {
		p.add(now.when, "cgroup.throttled_time", t/seconds, "threads")
	}
	if !last.any {
		p.out.File.Note("no times between snapshots: the share of throttled periods is that since the group was made")
	}
}
