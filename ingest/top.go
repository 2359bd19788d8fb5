package ingest

import (
	"bytes"
	"time"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Top reads the batch output of top, of threads (-H) or processes.
var Top = &Format{
	Name:   "top",
	Doc:    "top -b of procps, with or without -H: CPU shares of threads or processes per block; of threads, main threads may show the whole process",
	Record: "LC_ALL=C top -H -b -w 200 -d 1 -p PID[,PID...] > top.txt (pidstat -t is better: it has dates, process ids and true main threads)",
	Detect: alone(detectTop),
	Parse:  parseTop,
}

// topMode is what the rows of a file are.
type topMode uint8

const (
	topUnknown topMode = iota
	topProcesses
	topThreads
)

// topRows are the words for what is counted above the rows, in the languages
// that procps translates them to.
var topRows = map[string]topMode{
	"Threads": topThreads, "Fils": topThreads, "Hilos": topThreads, "Wątki": topThreads, "Потоки": topThreads, "线程": topThreads,
	"ნაკადები": topThreads, "스레드": topThreads, "Fire exec": topThreads, "Trådar": topThreads, "Tuyến trình": topThreads,
	"Tasks": topProcesses, "Tareas": topProcesses, "Tâches": topProcesses, "작  업": topProcesses, "Zadania": topProcesses, "Tarefas": topProcesses,
	"Sarcini": topProcesses, "Uppgifter": topProcesses, "Завдання": topProcesses, "Tác vụ": topProcesses, "任务": topProcesses,
}

func detectTop(_ string, head []byte) bool {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if _, ok := topTime(line); ok {
			return true
		}
		if bytes.Contains(line, []byte("%CPU")) {
			if _, sure, ok := topHeader(line); ok && sure {
				return true
			}
		}
	}
	return false
}

// topTime reads the first line of a block, "top - 13:49:00 up 12 min, ...". A
// window of top that has a name (Def, Job) prints that in place of top.
func topTime(line []byte) (tod int64, ok bool) {
	start := line[:min(len(line), 15)]
	if bytes.IndexByte(start, '-') < 0 {
		return 0, false
	}
	i := bytes.Index(start, []byte(" - "))
	if i < 1 || bytes.IndexByte(line[:i], ' ') >= 0 {
		return 0, false
	}
	t, n, ok := hostClock(line[i+3:])
	return t.ns, ok && !t.epoch && bytes.HasPrefix(line[i+3+n:], []byte(" up "))
}

// A topParser reads one file, a block at a time: what a row means depends on
// the other rows of its block.
type topParser struct {
	src  *Source
	out  *model.RunBuilder
	cols *topColumns // of the header in force; nil between blocks
	mode topMode

	timed    bool // the file has block times
	tod, t   int64
	interval float64 // s, 0 where unknown
	blocks   int     // since top was started
	kept     bool    // a block was kept

	rows   []topRow
	groups map[uint64]*topGroup
	totals map[int64]topVotes
	ids    map[int64]bool // of the block in work, where there are no times
}

func parseTop(src *Source, out *model.RunBuilder) error {
	p := &topParser{src: src, out: out, groups: map[uint64]*topGroup{}, totals: map[int64]topVotes{}, ids: map[int64]bool{}}
	for {
		line, ok := src.Next()
		if !ok {
			p.end(true)
			return src.Err()
		}
		if bytes.IndexByte(line, 0x1b) >= 0 {
			line = plain(nil, line)
		}
		p.line(line)
	}
}

func (p *topParser) line(line []byte) {
	text := bytes.TrimRight(line, " \t\r")
	if len(text) == 0 {
		p.out.Skip(1)
		return
	}
	if p.cols != nil && p.row(text) {
		return
	}
	if tod, ok := topTime(text); ok {
		p.begin(tod)
	} else if cols, _, ok := topHeader(text); ok {
		p.header(cols)
	} else if p.cols == nil || isPSHeader(text) {
		p.summary(text)
	} else if text[0] != ' ' && text[0]-'0' > 9 && pidstatNoise(text) {
		p.summary(text)
	} else {
		p.src.Reject("%q, want a row of top under its header", clip(scan.Trim(text)))
		return
	}
	p.out.Skip(1)
}

// begin ends the block before and begins one.
func (p *topParser) begin(tod int64) {
	p.end(false)
	before := p.tod
	p.interval = 0
	if p.timed {
		gap := tod - before
		if gap < -int64(12*time.Hour) {
			gap += int64(24 * time.Hour)
		}
		if p.interval = max(0, float64(gap)/1e9); gap < 0 {
			p.src.warn("the clock was set back by %s", time.Duration(-gap))
		}
	}
	p.timed, p.tod, p.cols = true, tod, nil
	p.t = p.out.Day.At(tod)
	p.blocks++
	p.out.File.Clock.Kind = model.ClockDay
}

// header binds the columns of a block; without a line that has the time, a
// header begins the block.
func (p *topParser) header(cols *topColumns) {
	if !p.timed {
		p.end(false)
		p.blocks++
	}
	p.cols = cols
}

// summary takes a line that is no row: Threads and Tasks say what the rows
// are, a message of nohup that top was started again.
func (p *topParser) summary(text []byte) {
	word, _, _ := bytes.Cut(scan.Trim(text), []byte(":"))
	if mode := topRows[string(word)]; mode != topUnknown {
		p.mode = mode
	} else if string(word) == "nohup" {
		p.end(false)
		p.blocks = 0
	}
	if isPSHeader(text) {
		p.cols = nil
	}
}

// isPSHeader reports whether a line is the header of ps, whose rows stand in
// files that were put together by hand.
func isPSHeader(text []byte) bool {
	f := bytes.Fields(text)
	n := len(f)
	if n < 3 || string(f[n-1]) != "COMMAND" && string(f[n-1]) != "CMD" {
		return false
	}
	for _, name := range f {
		if string(name) == "PID" {
			return true
		}
	}
	return false
}

// end closes the block in work. The first block of top covers another period
// than the interval; its rows are left out unless there is no other block.
func (p *topParser) end(last bool) {
	defer func() { p.rows = p.rows[:0]; clear(p.ids) }()
	if len(p.rows) == 0 {
		return
	}
	if p.blocks <= 1 {
		if !last || p.kept {
			p.out.Skip(len(p.rows))
			return
		}
		p.out.File.Note("only one block: its shares cover the time since a start or a short moment, not an interval")
		p.interval = 0
	}
	if !p.timed {
		p.out.File.Note("no times: the lines that begin with \"top -\" are missing")
	}
	p.kept = true
	if p.mode != topProcesses {
		p.group()
	}
	for i := range p.rows {
		p.add(&p.rows[i])
	}
	p.out.Claim(len(p.rows))
}

// add writes a row of the table.
func (p *topParser) add(r *topRow) {
	b := p.out.Threads.Add(r.line, r.off)
	if p.timed {
		b.SetInt(model.ThreadT, p.t)
	}
	if p.interval > 0 {
		b.SetFloat(model.ThreadInterval, p.interval)
	}
	if r.pid > 0 {
		b.SetInt(model.ThreadPID, r.pid)
	}
	if !r.process {
		b.SetInt(model.ThreadTID, r.id)
	}
	if r.name != 0 {
		b.SetText(model.ThreadName, r.name)
	}
	setShare(b, model.ThreadCPU, r.cpu)
	if r.core >= 0 {
		b.SetInt(model.ThreadCore, r.core)
	}
}
