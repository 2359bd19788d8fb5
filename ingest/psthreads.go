package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PSThreads reads ps -L: threads with the share that they took since they
// began, once or again and again.
var PSThreads = &Format{
	Name:   "ps-threads",
	Doc:    "ps -L with PID, LWP (TID, SPID) and %CPU: the mean share of each thread since it began, not over an interval; the row of a main thread may show the whole process",
	Record: "pidstat -t -u -h -H -p PID 1 (ps gives means since the start); or: while :; do date; ps -L -p PID -o pid,lwp,psr,pcpu,stat,wchan:20,comm; sleep 1; done > ps.txt",
	Detect: detectPSThreads,
	Parse:  parsePSThreads,
}

// A psColumn says what a column of ps is for.
type psColumn uint8

const (
	psOther psColumn = iota
	psPID
	psTID
	psCPU
	psCore
	psWait
	psState
	psName
)

var psNames = map[string]psColumn{
	"PID": psPID, "LWP": psTID, "TID": psTID, "SPID": psTID, "%CPU": psCPU, "PSR": psCore, "WCHAN": psWait, "STAT": psState, "S": psState,
	"COMMAND": psName, "CMD": psName,
}

// psHeader binds a header that has a process and a thread, nil for any other line.
func psHeader(line []byte) []psColumn {
	if len(line) > 1024 || !bytes.Contains(line, []byte("PID")) {
		return nil
	}
	var cols []psColumn
	var has [psName + 1]bool
	for _, f := range bytes.Fields(line) {
		c := psNames[string(f)]
		if has[c] && c != psOther {
			return nil
		}
		has[c] = true
		cols = append(cols, c)
	}
	if !has[psPID] || !has[psTID] || !has[psCPU] {
		return nil
	}
	return cols
}

// detectPSThreads wants the header among the first lines, before anything
// that is neither a time nor a note of a shell.
func detectPSThreads(_ string, head []byte) bool {
	var c lineClock
	for line := range firstLines(head, 10) {
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		switch {
		case psHeader(line) != nil:
			return true
		case len(line) == 0, c.line(line), pidstatNoise(line):
		default:
			return false
		}
	}
	return false
}

// A psRow is a row of the block in work.
type psRow struct {
	line       int
	off        int64
	pid, tid   int64
	core       int64
	cpu        int64 // hundredths of a percent
	name, wait int32
}

type psParser struct {
	src    *Source
	out    *model.RunBuilder
	clock  lineClock
	cols   []psColumn
	rows   []psRow
	sums   map[int64]int64
	total  int
	waits  map[int32]int
	totals bool
}

func parsePSThreads(src *Source, out *model.RunBuilder) error {
	p := &psParser{src: src, out: out, sums: map[int64]int64{}, waits: map[int32]int{}}
	for {
		line, ok := src.Next()
		if !ok {
			p.end()
			p.notes()
			return src.Err()
		}
		text := scan.Trim(bytes.TrimRight(stripANSI(line), "\r"))
		if cols := psHeader(text); cols != nil {
			p.end()
			p.cols = cols
			out.Skip(1)
			continue
		}
		switch {
		case len(text) == 0:
			out.Skip(1)
		case timeOnly(&p.clock, text, p.end):
			out.Skip(1)
		case p.cols != nil && p.row(text):
		case pidstatNoise(text):
			out.Skip(1)
		default:
			src.Reject("%q, want a row of ps under its header", clip(text))
		}
	}
}

// timeOnly takes a line that is a time; before it counts, the rows before it
// are closed.
func timeOnly(c *lineClock, line []byte, end func()) bool {
	w, ok := timeLine(&c.stamp, line)
	if ok {
		end()
		c.now = w
	}
	return ok
}

// row reads a row; what the last column begins is the command.
func (p *psParser) row(text []byte) bool {
	r := psRow{line: p.src.Line(), off: p.src.Offset(), core: -1, cpu: pidstatUnknown}
	rest := text
	for k, c := range p.cols {
		cell := rest
		rest = nil
		if i := bytes.IndexByte(cell, ' '); i >= 0 && k < len(p.cols)-1 {
			cell, rest = cell[:i], bytes.TrimLeft(cell[i:], " ")
		}
		ok := len(cell) > 0
		switch c {
		case psPID:
			r.pid, ok = scan.Int(cell)
		case psTID:
			r.tid, ok = scan.Int(cell)
		case psCPU:
			r.cpu, ok = percentCell(cell)
		case psCore:
			r.core, ok = scan.Int(cell)
		case psWait:
			r.wait = p.out.Strings.CodeBytes(cell)
		case psName:
			if !p.src.Cut() {
				r.name = p.out.Strings.CodeBytes(cell)
			}
		}
		if !ok {
			return false
		}
	}
	if r.pid <= 0 || r.tid <= 0 {
		return false
	}
	p.rows = append(p.rows, r)
	return true
}

// end writes the block in work. The row of a main thread is a process's where
// it is the sum of its siblings, or more than one core.
func (p *psParser) end() {
	clear(p.sums)
	for _, r := range p.rows {
		if r.tid != r.pid {
			p.sums[r.pid] += r.cpu
		}
	}
	w := p.clock.at(p.src)
	for i := range p.rows {
		r := &p.rows[i]
		others := p.sums[r.pid]
		total := r.tid == r.pid && (r.cpu > topAbove || others > topIdle && max(r.cpu-others, others-r.cpu) <= max(topNear, others/10))
		p.add(r, w, total)
	}
	p.out.Claim(len(p.rows))
	p.rows = p.rows[:0]
}

func (p *psParser) add(r *psRow, w smiWhen, total bool) {
	b := p.out.Threads.Add(r.line, r.off)
	if w.kind != model.ClockNone {
		b.SetInt(model.ThreadT, w.t)
		p.out.File.Clock.Kind = max(p.out.File.Clock.Kind, w.kind)
	}
	b.SetInt(model.ThreadPID, r.pid)
	if !total {
		b.SetInt(model.ThreadTID, r.tid)
	}
	p.totals = p.totals || total
	if r.name != 0 {
		b.SetText(model.ThreadName, r.name)
	}
	setShare(b, model.ThreadCPU, r.cpu)
	if r.core >= 0 {
		b.SetInt(model.ThreadCore, r.core)
	}
	p.total++
	if r.wait != 0 {
		p.waits[r.wait]++
	}
}

// notes says what a reader of the rows should know.
func (p *psParser) notes() {
	if p.total == 0 {
		return
	}
	p.out.File.Note("shares are means since each thread began, not over an interval")
	if p.totals {
		p.out.File.Note("rows of main threads show the whole process: kept as process rows, so these threads have none of their own")
	}
	n := 0
	for code, c := range p.waits {
		if strings.Contains(p.out.Strings.At(code), "futex") {
			n += c
		}
	}
	if n > 0 {
		p.out.File.Note(fmt.Sprintf("%d of %d rows wait in a futex: for a lock, or for work", n, p.total))
	}
}
