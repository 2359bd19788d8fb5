package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// ProcStat reads snapshots of /proc/PID/task/*/stat, with a time before each.
var ProcStat = &Format{
	Name:   "proc-stat",
	Doc:    "snapshots of /proc/PID/task/*/stat with a line of the time before each: shares of threads between two, exact for main threads too",
	Record: "while :; do date +%s.%N; cat /proc/PID/task/*/stat; sleep 1; done > task-stat.txt",
	Detect: alone(detectProcStat),
	Parse:  parseProcStat,
}

// ticks is CLK_TCK, 100 on all that we know; no file tells.
const ticks = 100

// A procTask is the line of one thread.
type procTask struct {
	pid, tid   int64 // pid is 0 where the line does not tell
	name       []byte
	usr, sys   int64 // ticks
	start      int64
	core, last int64 // last is the exit signal: -1 in threads other than the main one
}

// procStatLine reads "TID (NAME) S …", perhaps behind the file's path, as grep
// prints it. The name ends at the last parenthesis, since it may hold some.
func procStatLine(line []byte) (t procTask, ok bool) {
	if rest, isPath := bytes.CutPrefix(line, []byte("/proc/")); isPath {
		path, text, found := bytes.Cut(rest, []byte{':'})
		id, _, _ := bytes.Cut(path, []byte{'/'})
		if t.pid, ok = scan.Int(id); !ok || !found {
			return t, false
		}
		line = text
	}
	open, shut := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 2 || shut < open || len(line) > 4096 {
		return t, false
	}
	if t.tid, ok = scan.Int(scan.Trim(line[:open])); !ok {
		return t, false
	}
	t.name = line[open+1 : shut]
	f := bytes.Fields(line[shut+1:]) // f[0] is field 3, the state
	if len(f) < 37 || len(f[0]) != 1 || !isLetter(f[0][0]) {
		return t, false
	}
	for _, x := range [...]struct {
		field int
		v     *int64
	}{{14, &t.usr}, {15, &t.sys}, {22, &t.start}, {38, &t.last}, {39, &t.core}} {
		if *x.v, ok = scan.Int(f[x.field-3]); !ok {
			return t, false
		}
	}
	return t, t.tid > 0
}

func detectProcStat(_ string, head []byte) bool {
	for line := range firstLines(head, 10) {
		if _, ok := procStatLine(bytes.TrimRight(line, "\r")); ok {
			return true
		}
	}
	return false
}

// A procKey is a thread: one that began later is another one.
type procKey struct{ tid, start int64 }

type procSeen struct {
	usr, sys, t int64
	utc         model.ClockKind
}

type procParser struct {
	src   *Source
	out   *model.RunBuilder
	clock lineClock
	last  map[procKey]procSeen
	pid   int64 // of the main thread read last
	rows  int
}

func parseProcStat(src *Source, out *model.RunBuilder) error {
	p := &procParser{src: src, out: out, last: map[procKey]procSeen{}}
	for {
		line, ok := src.Next()
		if !ok {
			p.notes()
			return src.Err()
		}
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 || p.clock.line(line) || bytes.HasSuffix(line, []byte("No such file or directory")) {
			out.Skip(1)
			continue
		}
		t, ok := procStatLine(line)
		switch {
		case !ok || src.Cut():
			src.Reject("%q, want a line of /proc/PID/task/TID/stat, or the time", clip(line))
		default:
			p.task(t)
		}
	}
}

// task takes a line: the first one of a thread is where its ticks count from.
func (p *procParser) task(t procTask) {
	switch {
	case t.pid > 0:
		p.pid = t.pid
	case t.last != -1:
		p.pid = t.tid
	}
	p.rows++
	p.out.Claim(1)
	w := p.clock.at(p.src)
	k := procKey{t.tid, t.start}
	before, seen := p.last[k]
	p.last[k] = procSeen{t.usr, t.sys, w.t, w.kind}
	if seen && w.kind != model.ClockNone && before.utc == w.kind && w.t > before.t {
		p.add(t, w, before)
	}
}

func (p *procParser) add(t procTask, w smiWhen, before procSeen) {
	seconds := float64(w.t-before.t) / 1e9
	usr, sys := float64(t.usr-before.usr)/ticks/seconds, float64(t.sys-before.sys)/ticks/seconds
	if usr < 0 || sys < 0 || usr+sys > 1.1+2/(ticks*seconds) {
		p.src.warn("a thread at %.0f %% of one core, want at most 110 %%: not read", 100*(usr+sys))
		return
	}
	b := p.out.Threads.Add(p.src.Line(), p.src.Offset())
	b.SetInt(model.ThreadT, w.t)
	p.out.File.Clock.Kind = max(p.out.File.Clock.Kind, w.kind)
	b.SetFloat(model.ThreadInterval, seconds)
	if p.pid > 0 {
		b.SetInt(model.ThreadPID, p.pid)
	}
	b.SetInt(model.ThreadTID, t.tid)
	b.SetText(model.ThreadName, p.out.Strings.CodeBytes(t.name))
	b.SetFloat(model.ThreadCPU, usr+sys)
	b.SetFloat(model.ThreadUsr, usr)
	b.SetFloat(model.ThreadSys, sys)
	b.SetInt(model.ThreadCore, t.core)
}

func (p *procParser) notes() {
	switch {
	case p.rows == 0:
	case p.out.File.Clock.Kind == model.ClockNone && p.out.Threads.Rows() == 0:
		p.out.File.Note("nothing can be had from these: want two snapshots of a thread, with a line of date +%s.%N before each")
	default:
		p.out.File.Note("ticks are taken as hundredths of a second (CLK_TCK = 100)")
	}
}
