package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIPmon reads nvidia-smi pmon: what each process does on each device. Its
// rows are metrics of a process, gpu.N.pid.P.sm and the like, since a device's
// own readings cannot be had from them.
var SMIPmon = &Format{
	Name:   "nvidia-smi-pmon",
	Doc:    "nvidia-smi pmon in the layout of any driver: which process is on which device, and what it takes of it; a device's own activity is not in it",
	Record: "nvidia-smi pmon -s um -o DT -f pmon.log",
	Detect: detectSMIPmon,
	Parse:  parseSMIPmon,
}

// pmonShares are the columns in percent of the device, pmonMemory those in MiB.
var (
	pmonShares = map[string]bool{"sm": true, "mem": true, "enc": true, "dec": true, "jpg": true, "ofa": true}
	pmonMemory = map[string]bool{"fb": true, "ccpm": true}
)

// pmonHeader returns the names of "# gpu pid type sm … command", nil for any other line.
func pmonHeader(line []byte) []string {
	if line = scan.Trim(line); len(line) == 0 || line[0] != '#' || len(line) > 1024 {
		return nil
	}
	names := strings.Fields(strings.ToLower(strings.ReplaceAll(string(line[1:]), ",", " ")))
	gpu, pid := false, false
	for _, n := range names {
		gpu = gpu || n == "gpu"
		pid = pid || gpu && n == "pid"
	}
	if !pid {
		return nil
	}
	return names
}

func detectSMIPmon(_ string, head []byte) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		line = bytes.TrimRight(line, "\r \t")
		if failure, chatter := smiMessage(line); len(line) == 0 || failure || chatter {
			continue
		}
		return pmonHeader(line) != nil
	}
	return false
}

// A pmonParser reads rows under the header last seen.
type pmonParser struct {
	metricRows
	names          []string
	gpu, pid, name int // columns; name is the command's, -1 where there is none
	date, time     int
	cells          [][]byte
	dmon           dmonParser // reads dates
	clock          lineClock
	seen           map[pmonKey]*pmonProcess
}

type pmonKey struct{ gpu, pid int64 }

// A pmonProcess is a process on a device: the keys of its metrics by column,
// "" for what is not read.
type pmonProcess struct {
	keys []string
	name string
}

func parseSMIPmon(src *Source, out *model.RunBuilder) error {
	p := &pmonParser{metricRows: metricRows{src: src, out: out}, gpu: -1, seen: map[pmonKey]*pmonProcess{}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(line, " \t\r"))
		if len(line) > 0 && line[0]-'0' < 10 && p.gpu >= 0 {
			p.row(line)
			continue
		}
		failure, chatter := smiMessage(line)
		switch {
		case len(line) == 0, p.clock.line(line):
			out.Skip(1)
		case failure:
			out.Event(src.Line(), src.Offset(), p.clock.at(src).t, "gpu.error", clip(line))
			out.Claim(1)
		case chatter:
			out.Skip(1)
		case line[0] == '#':
			if n := pmonHeader(line); n != nil {
				p.bind(n)
			}
			out.Skip(1)
		default:
			src.Reject("%q, want a row that begins with a time or the index of a GPU", clip(line))
		}
	}
}

// bind takes a header.
func (p *pmonParser) bind(names []string) {
	if slices.Equal(names, p.names) {
		return
	}
	p.names, p.cells = names, make([][]byte, len(names))
	clear(p.seen)
	at := func(name string) int { return slices.Index(names, name) }
	p.gpu, p.pid, p.name, p.date, p.time = at("gpu"), at("pid"), at("command"), at("date"), at("time")
}

// split reads the columns from the left; all that is left is the command, which
// may hold blanks. It returns how many there are.
func (p *pmonParser) split(rest []byte) int {
	for k := range p.names {
		rest = bytes.TrimLeft(rest, " \t,")
		if len(rest) == 0 {
			return k
		}
		if k == p.name {
			p.cells[k] = rest
			return len(p.names)
		}
		end := 0
		for end < len(rest) && rest[end] != ' ' && rest[end] != '\t' && rest[end] != ',' {
			end++
		}
		p.cells[k], rest = rest[:end], rest[end:]
	}
	return len(p.names)
}

func (p *pmonParser) row(line []byte) {
	n := p.split(line)
	if n < len(p.names) {
		if _, ok := timeLine(&p.clock.stamp, line); ok && p.clock.line(line) {
			p.out.Skip(1)
			return
		}
		p.src.Reject("%d cells, want %d as in the header", n, len(p.names))
		return
	}
	gpu, ok := scan.Int(p.cells[p.gpu])
	w, timed := p.when()
	switch {
	case !ok || gpu < 0:
		p.src.Reject("%q, want a row that begins with the index of a GPU", clip(line))
		return
	case !timed:
		p.src.Reject("time in %q, want YYYYMMDD HH:MM:SS", clip(line))
		return
	case string(p.cells[p.pid]) == "-": // nothing runs there
		p.out.Skip(1)
		return
	}
	pid, ok := scan.Int(p.cells[p.pid])
	if !ok || pid <= 0 {
		p.src.Reject("process id %q, want a number", clip(p.cells[p.pid]))
		return
	}
	p.values(w, p.process(pmonKey{gpu, pid}))
}

// process returns a process on a device. Which it is, is a fact.
func (p *pmonParser) process(k pmonKey) *pmonProcess {
	x := p.seen[k]
	if x == nil {
		x = &pmonProcess{keys: make([]string, len(p.names))}
		for i, n := range p.names {
			if pmonShares[n] || pmonMemory[n] {
				x.keys[i] = fmt.Sprintf("gpu.%d.pid.%d.%s", k.gpu, k.pid, n)
			}
		}
		if len(p.seen) < 1<<16 {
			p.seen[k] = x
		}
	}
	if p.name < 0 || p.src.Cut() || x.name == string(p.cells[p.name]) {
		return x
	}
	x.name = string(p.cells[p.name])
	p.out.Facts = append(p.out.Facts, model.Fact{
		Key: fmt.Sprintf("gpu.%d.process", k.gpu), Value: fmt.Sprintf("%d %s", k.pid, x.name), Line: int32(p.src.Line()), Byte: p.src.Offset(),
	})
	return x
}

func (p *pmonParser) values(w smiWhen, x *pmonProcess) {
	for k, key := range x.keys {
		cell := p.cells[k]
		if key == "" || smiMissing(cell) || k == len(p.names)-1 && p.src.Cut() {
			continue
		}
		share := pmonShares[p.names[k]]
		v, ok := scan.Float(cell)
		switch {
		case !ok || v < 0, share && v > 100:
			p.src.warn("%s %q, want 0 to 100 %% or MiB", p.names[k], clip(cell))
		case share:
			p.add(w, key, v/100, "ratio")
		default:
			p.add(w, key, v*(1<<20), "B")
		}
	}
	p.out.Claim(1)
}

// when returns the time of the row: of its own columns, or of a line before it.
func (p *pmonParser) when() (w smiWhen, ok bool) {
	if p.time < 0 {
		return p.clock.at(p.src), true
	}
	b := p.cells[p.time]
	tod, n, ok := scan.Clock(b)
	switch {
	case !ok || n != len(b):
		return w, false
	case p.date < 0:
		return smiWhen{p.out.Day.At(tod), model.ClockDay}, true
	}
	day, ok := p.dmon.midnight(p.cells[p.date])
	return smiWhen{day + tod, model.ClockLocal}, ok
}
