package ingest

import (
	"bytes"
	"strconv"
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
	names []string
	dmon  dmonParser // reads dates
	clock lineClock
	seen  map[string]bool // gpu and pid
}

func parseSMIPmon(src *Source, out *model.RunBuilder) error {
	p := &pmonParser{metricRows: metricRows{src: src, out: out}, seen: map[string]bool{}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 || p.clock.line(line) {
			out.Skip(1)
			continue
		}
		failure, chatter := smiMessage(line)
		switch {
		case failure:
			out.Event(src.Line(), src.Offset(), p.clock.at(src).t, "gpu.error", clip(line))
			out.Claim(1)
		case chatter:
			out.Skip(1)
		case scan.Trim(line)[0] == '#':
			if n := pmonHeader(line); n != nil {
				p.names = n
			}
			out.Skip(1)
		default:
			p.row(line)
		}
	}
}

// row reads the columns from the left; all that is left is the command, which
// may hold blanks.
func (p *pmonParser) row(line []byte) {
	rest := line
	cells := make(map[string][]byte, len(p.names))
	for _, name := range p.names {
		rest = bytes.TrimLeft(rest, " \t,")
		if name == "command" {
			cells[name] = rest
			break
		}
		end := bytes.IndexAny(rest, " \t,")
		if end < 0 {
			end = len(rest)
		}
		if end > 0 {
			cells[name], rest = rest[:end], rest[end:]
		}
	}
	gpu, ok := scan.Int(cells["gpu"])
	w, timed := p.when(cells)
	switch {
	case len(cells) < len(p.names):
		p.src.Reject("%d cells, want %d as in the header", len(cells), len(p.names))
		return
	case !ok || gpu < 0:
		p.src.Reject("%q, want a row that begins with the index of a GPU", clip(line))
		return
	case !timed:
		p.src.Reject("time in %q, want YYYYMMDD HH:MM:SS", clip(line))
		return
	case string(cells["pid"]) == "-": // nothing runs there
		p.out.Skip(1)
		return
	}
	pid, ok := scan.Int(cells["pid"])
	if !ok || pid <= 0 {
		p.src.Reject("process id %q, want a number", clip(cells["pid"]))
		return
	}
	p.process(gpu, pid, cells)
	p.values(w, "gpu."+strconv.FormatInt(gpu, 10)+".pid."+strconv.FormatInt(pid, 10)+".", cells)
}

// process keeps which process was seen on which device, once.
func (p *pmonParser) process(gpu, pid int64, cells map[string][]byte) {
	key := "gpu." + strconv.FormatInt(gpu, 10) + ".process"
	value := strconv.FormatInt(pid, 10) + " " + string(cells["command"])
	if p.seen[key+value] || len(p.seen) > 4096 || p.src.Cut() {
		return
	}
	p.seen[key+value] = true
	p.out.Facts = append(p.out.Facts, model.Fact{Key: key, Value: strings.TrimSpace(value), Line: int32(p.src.Line()), Byte: p.src.Offset()})
}

func (p *pmonParser) values(w smiWhen, key string, cells map[string][]byte) {
	last := ""
	if p.src.Cut() {
		last = p.names[min(len(cells), len(p.names))-1]
	}
	for _, name := range p.names {
		cell := cells[name]
		if len(cell) == 0 || name == last || smiMissing(cell) || !pmonShares[name] && !pmonMemory[name] {
			continue
		}
		v, ok := scan.Float(cell)
		switch {
		case !ok || v < 0, pmonShares[name] && v > 100:
			p.src.warn("%s %q, want 0 to 100 %% or MiB", name, clip(cell))
		case pmonShares[name]:
			p.add(w, key+name, v/100, "ratio")
		default:
			p.add(w, key+name, v*(1<<20), "B")
		}
	}
	p.out.Claim(1)
}

// when returns the time of a row: of its own columns, or of a line before it.
func (p *pmonParser) when(cells map[string][]byte) (w smiWhen, ok bool) {
	b, timed := cells["time"]
	if !timed {
		return p.clock.at(p.src), true
	}
	tod, n, ok := scan.Clock(b)
	if !ok || n != len(b) {
		return w, false
	}
	date, dated := cells["date"]
	if !dated {
		return smiWhen{p.out.Day.At(tod), model.ClockDay}, true
	}
	day, ok := p.dmon.midnight(date)
	return smiWhen{day + tod, model.ClockLocal}, ok
}
