package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Pidstat reads the CPU table of pidstat in every layout that sysstat 10 to 12
// writes; the tables of its other activities are passed over.
var Pidstat = &Format{
	Name:   "pidstat",
	Doc:    "pidstat of sysstat, with or without -t: CPU shares of processes and threads per interval",
	Record: "LC_ALL=C pidstat -t -u -h -H -p PID[,PID...] 1 > pidstat.txt",
	Detect: alone(detectPidstat),
	Sure:   true,
	Parse:  parsePidstat,
	Parts:  true,
}

// A pidstatColumn says what a column before Command is for.
type pidstatColumn uint8

const (
	pidstatOther pidstatColumn = iota
	pidstatUsr
	pidstatSys
	pidstatGuest
	pidstatWait
	pidstatCPU
	pidstatCore
	pidstatPID // PID or TGID
	pidstatTID
	pidstatColumns
)

var pidstatNames = map[string]pidstatColumn{
	"%usr": pidstatUsr, "%user": pidstatUsr, "%system": pidstatSys, "%guest": pidstatGuest, "%wait": pidstatWait,
	"%CPU": pidstatCPU, "CPU": pidstatCore, "PID": pidstatPID, "TGID": pidstatPID, "TID": pidstatTID,
}

// pidstatHeader binds the columns between the user and the command of a header
// line, whatever stands before them (a time, AM, "# Time", "Average:"). The
// names are the same in all languages. cpu is false in other activities' tables.
func pidstatHeader(line []byte) (cols []pidstatColumn, cpu, ok bool) {
	const command = "Command"
	line = scan.Trim(line)
	if !bytes.HasSuffix(line, []byte(" "+command)) {
		return nil, false, false
	}
	names := bytes.Fields(line[:len(line)-len(command)])
	for i := 0; len(names) > 0 && cols == nil; i++ {
		switch name := string(names[0]); {
		case name == "UID" || name == "USER" || name == "PID" || name == "TGID":
			cols = make([]pidstatColumn, 0, len(names))
		case i > 5:
			return nil, false, false
		default:
			names = names[1:]
		}
	}
	var has [pidstatColumns]bool
	for _, name := range names {
		c := pidstatNames[string(name)]
		has[c] = true
		cols = append(cols, c)
	}
	cpu = has[pidstatCPU] && has[pidstatUsr]
	return cols, cpu, has[pidstatPID]
}

// detectPidstat looks for a column header after a time, an epoch or "#".
func detectPidstat(_ string, head []byte) bool {
	for len(head) > 0 {
		i := bytes.Index(head, []byte("Command"))
		if i < 0 {
			return false
		}
		from := bytes.LastIndexByte(head[:i], '\n') + 1
		line := head[from:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		head = head[from+len(line):]
		line = bytes.TrimRight(line, "\r \t")
		if bytes.IndexByte(line, 0x1b) >= 0 {
			line = plain(nil, line)
		}
		if _, _, ok := pidstatHeader(line); ok && pidstatStart(line) {
			return true
		}
	}
	return false
}

// pidstatStart reports whether a header line begins as pidstat begins one.
func pidstatStart(line []byte) bool {
	line = scan.Trim(line)
	if rest, ok := bytes.CutPrefix(line, []byte("#")); ok {
		return bytes.HasPrefix(scan.Trim(rest), []byte("Time "))
	}
	_, _, ok := hostClock(line)
	return ok
}

// A pidstatParser reads one file or part. Its text state (banner, columns,
// kind of clock, whether other tables lie between) is bound for later parts;
// the times and the process of the interval in work are found by reading again
// a little of what precedes the part.
type pidstatParser struct {
	src *Source
	out *model.RunBuilder

	banner pidstatBanner
	header []byte // of the CPU table, without its time
	cols   []pidstatColumn
	here   bool // rows now are the CPU table's
	mixed  bool // there are other tables

	stamp []byte // text of the time in the last row
	clock pidstatClock
	host  int32 // codes, 0 where unknown
	pid   int64 // of the process row that the thread rows follow, 0 before one

	v       [pidstatColumns]int64 // cells of the row in work
	names   [512]pidstatName
	scratch []byte
}

func parsePidstat(src *Source, out *model.RunBuilder) error {
	p := &pidstatParser{src: src, out: out}
	if src.Part > 0 {
		p.resume()
	}
	return p.run()
}

func (p *pidstatParser) run() error {
	for {
		line, ok := p.src.Next()
		if !ok {
			return p.src.Err()
		}
		if n := len(p.stamp); n > 0 && len(line) > n && line[n] == ' ' && string(line[:n]) == string(p.stamp) && p.here {
			p.row(line, n)
			continue
		}
		p.line(line)
	}
}

// line reads a line that does not begin with the time of the one before.
func (p *pidstatParser) line(line []byte) {
	if bytes.IndexByte(line, 0x1b) >= 0 {
		p.scratch = plain(p.scratch[:0], line)
		line = p.scratch
	}
	row := line // a blank behind its last cell shows that the cell is whole
	line = bytes.TrimRight(line, " \t\r")
	text := scan.Trim(line)
	if len(text) == 0 {
		p.out.Skip(1)
		return
	}
	t, n, ok := hostClock(line)
	switch {
	case !ok && p.restart(text):
		p.out.Skip(1)
	case text[0] == '#' || bytes.HasSuffix(line, []byte(" Command")):
		p.head(line, t, n, ok)
	case !ok && pidstatNoise(text):
		p.out.Skip(1)
	case !ok && p.cutRow(text):
	case !ok:
		p.src.Reject("%q, want a time, a table header or the banner of pidstat", clip(text))
	case p.header == nil && p.mixed, p.header != nil && !p.here:
		p.out.Skip(1) // a table of another activity
	case p.header == nil:
		p.src.Reject("a row before any header, want the line with UID and Command first")
	case p.when(t, line):
		p.first(row, n)
	}
}

// first reads the first row of an interval; n bytes of it are the time. Where
// it cannot be read, its time may be cut as well (12:00:00 of 12:00:00 AM), and
// is not looked for in the next row.
func (p *pidstatParser) first(line []byte, n int) {
	p.stamp = append(p.stamp[:0], line[:n]...)
	before := p.out.File.Rejected
	p.row(line, n)
	if p.out.File.Rejected > before {
		p.stamp = p.stamp[:0]
	}
}

// head binds a header line; n bytes of it are a time, where timed.
func (p *pidstatParser) head(line []byte, t hostTime, n int, timed bool) {
	names := line
	if timed {
		names = line[n:]
	} else if i := bytes.IndexByte(line, '#'); i >= 0 {
		names = line[i+1:]
	}
	names = scan.Trim(names)
	if p.here && bytes.Equal(names, p.header) {
		p.clock.head(t, timed)
		p.out.Skip(1)
		return
	}
	cols, cpu, ok := pidstatHeader(names)
	if !ok {
		p.other(line, timed)
		return
	}
	p.out.Skip(1)
	p.here = cpu
	switch {
	case !cpu && p.mixed, cpu && bytes.Equal(names, p.header):
	case !cpu:
		p.mixed = true
		p.out.File.Note("tables without %CPU (memory, disks, switches) are not read")
		p.bind()
	default:
		p.setHeader(names, cols)
		p.bind()
	}
	if cpu {
		p.clock.head(t, timed)
	}
}

// other takes a line that only looks like a header: a comment, or a thread
// that is named Command.
func (p *pidstatParser) other(line []byte, timed bool) {
	switch {
	case timed && p.header != nil && p.here:
		t, n, _ := hostClock(line)
		if p.when(t, line) {
			p.first(line, n)
		}
	default:
		p.out.Skip(1)
	}
}

func (p *pidstatParser) setHeader(names []byte, cols []pidstatColumn) {
	p.header = bytes.Clone(names)
	p.cols = cols
}
