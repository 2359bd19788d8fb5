package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIDmon reads what nvidia-smi dmon prints, as columns or as CSV.
var SMIDmon = &Format{
	Name:   "nvidia-smi-dmon",
	Doc:    "nvidia-smi dmon in the layout of any driver: one row a GPU and second, columns bound by the header",
	Record: "nvidia-smi dmon -s pucmt -o DT -f dmon.log",
	Detect: detectSMIDmon,
	Parse:  parseSMIDmon,
	Parts:  true,
	Cut:    cutSMIDmon,
	Finish: noteUnread,
}

// dmonFields are dmon's names for what the gpu table holds.
var dmonFields = map[string]string{
	"gpu": "index", "pwr": "power.draw", "gtemp": "temperature.gpu", "temp": "temperature.gpu",
	"sm": "utilization.gpu", "mem": "utilization.memory", "pclk": "clocks.current.sm", "fb": "memory.used",
	"rxpci": "pcie.rx_throughput", "txpci": "pcie.tx_throughput", "pcirx": "pcie.rx_throughput", "pcitx": "pcie.tx_throughput",
}

// dmonOthers are dmon's names for what it does not hold: the memory's
// temperature and clock, engines, violations, errors, the GPM metrics.
var dmonOthers = map[string]bool{
	"mtemp": true, "mclk": true, "enc": true, "dec": true, "jpg": true, "ofa": true, "pviol": true, "tviol": true, "bar1": true, "ccpm": true,
	"sbecc": true, "dbecc": true, "pci": true, "gract": true, "smutil": true, "smocc": true, "intutil": true, "mmaact": true, "dram": true,
	"fp64": true, "fp32": true, "fp16": true, "nvlrx": true, "nvltx": true,
}

// dmonUnit is the unit of a column, from dmon's line of units if there is one.
// Its MB of frame buffer are MiB: for one device and second, fb and a query's
// memory.used [MiB] are the same number. Its MB/s of PCIe traffic are taken as
// 1e6 B/s: NVML gives KB/s, and nothing says that dmon divides by 1024. If it
// does, the rate is 5 % low.
func dmonUnit(name, printed string) string {
	switch {
	case name == "fb":
		return "MiB"
	case name == "rxpci" || name == "txpci":
		return "MB/s"
	case strings.HasPrefix(printed, "GPM:"):
		return printed[len("GPM:"):]
	}
	return printed
}

// A dmonLayout is what a header of dmon says of the rows below.
type dmonLayout struct {
	cols           []smiColumn
	dateAt, timeAt int // columns, -1 where there is none
}

// times names what times the rows have, "" for none.
func (l dmonLayout) times() string {
	switch {
	case l.timeAt < 0:
		return ""
	case l.dateAt < 0:
		return "HH:MM:SS"
	}
	return "YYYYMMDD HH:MM:SS"
}

// dmonHeader binds the columns of a "# gpu …" line, with the line of units
// below it, if there is one. ok is false for what is no such header: pmon's
// has a row a process.
func dmonHeader(line, units []byte) (l dmonLayout, ok bool) {
	if line = scan.Trim(line); len(line) == 0 || line[0] != '#' || len(line) > 4096 {
		return l, false
	}
	names, printed := dmonCells(line), dmonCells(units)
	l.dateAt, l.timeAt = -1, -1
	gpu, known := -1, 0
	for k, n := range names {
		name := strings.ToLower(string(n))
		switch {
		case name == "gpu" && gpu < 0:
			gpu = k
		case name == "date" && gpu < 0:
			l.dateAt = k
		case name == "time" && gpu < 0:
			l.timeAt = k
		case gpu < 0 || name == "pid":
			return l, false
		case dmonFields[name] != "" || dmonOthers[name]:
			known++
		}
		l.cols = append(l.cols, dmonColumn(name, printed, k, len(names)))
	}
	l.cols = preferred(l.cols)
	return l, gpu >= 0 && known > 0 && known*10 >= (len(names)-gpu-1)*6
}

func dmonColumn(name string, printed [][]byte, k, n int) smiColumn {
	f, ok := smiFields[dmonFields[name]]
	if !ok {
		return newSMIColumn(smiField{col: -1}, name, "")
	}
	unit := ""
	if len(printed) == n {
		unit = string(printed[k])
	}
	return newSMIColumn(f, name, dmonUnit(name, unit))
}

// dmonCells cuts a header at its commas, or else at its blanks. The # before
// the first name is no cell.
func dmonCells(line []byte) [][]byte {
	line = bytes.TrimPrefix(scan.Trim(line), []byte{'#'})
	if bytes.IndexByte(line, ',') < 0 {
		return bytes.Fields(line)
	}
	cells := bytes.Split(line, []byte{','})
	for i := range cells {
		cells[i] = scan.Trim(cells[i])
	}
	return cells
}

// dmonUnits reports a line of units: "# Idx …", after those of date and time.
func dmonUnits(line []byte) bool {
	line = scan.Trim(line)
	if len(line) == 0 || line[0] != '#' || len(line) > 4096 {
		return false
	}
	for _, c := range dmonCells(line) {
		switch string(c) {
		case "Idx":
			return true
		case "YYYYMMDD", "HH:MM:SS":
		default:
			return false
		}
	}
	return false
}

// detectSMIDmon decides by the first line that is not blank and no message.
func detectSMIDmon(_ string, head []byte) bool {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimRight(line, "\r \t")
		if failure, chatter := smiMessage(line); len(line) == 0 || failure || chatter {
			continue
		}
		_, ok := dmonHeader(line, nil)
		return ok
	}
	return false
}

// cutSMIDmon lets a part begin with a row or a header, not with the units
// below it, nor with a message, whose time is that of the row before.
func cutSMIDmon(line []byte) bool {
	line = scan.Trim(line)
	return len(line) > 0 && (line[0]-'0' < 10 || line[0] == '#' && !dmonUnits(line)) && bytes.IndexByte(line, 0) < 0
}

// A dmonParser reads the rows of one layout after another.
type dmonParser struct {
	smiRows
	head   dmonLayout
	names  string  // the header line
	units  string  // the line below it
	times  string  // what times the file has, by the first layout with any
	others bool    // the rows are those of another table
	day    int64   // ns at the midnight
	dayOf  [8]byte // of this date
}

func parseSMIDmon(src *Source, out *model.RunBuilder) error {
	p := &dmonParser{smiRows: smiRows{src: src, out: out}}
	defer p.flush()
	if bound := strings.SplitN(src.Header, "\n", 3); len(bound) == 3 {
		p.times = bound[0]
		p.others = !p.layout(bound[1], bound[2])
	}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		switch line = scan.Trim(line); {
		case len(line) == 0:
			out.Skip(1)
		case line[0] == '#':
			out.Skip(1)
			p.comment(line)
		default:
			p.text(line)
		}
	}
}

// text reads a line that is no comment: a message or a row.
func (p *dmonParser) text(line []byte) {
	failure, chatter := smiMessage(line)
	switch {
	case failure:
		p.message(line)
	case chatter, p.others:
		p.out.Skip(1)
	default:
		p.near = 0
		p.reading(line)
	}
}

// comment reads a # line: a header, the units below it, or what means nothing.
func (p *dmonParser) comment(line []byte) {
	p.near = 0
	switch {
	case !p.others && (string(line) == p.names || string(line) == p.units): // again
	case dmonUnits(line):
		if !p.others {
			p.layout(p.names, string(line))
		}
	case p.layout(string(line), ""):
	case bytes.Contains(line, []byte(" pid ")):
		p.others = true
		p.src.Bind(p.times + "\n" + string(line) + "\n")
		p.out.File.Note("holds a table with one row a process (pmon), which is not read")
	}
}

// layout binds the columns of the rows that follow.
func (p *dmonParser) layout(names, units string) bool {
	l, ok := dmonHeader([]byte(names), []byte(units))
	if !ok {
		return false
	}
	p.names, p.units, p.others = names, units, false
	p.head = l
	if p.times == "" {
		p.times = l.times()
	}
	p.src.Bind(p.times + "\n" + names + "\n" + units)
	p.smiRows.bind(l.cols)
	p.slots[0].cells = make([]smiCell, len(l.cols))
	if l.timeAt < 0 && p.src.unwrap == nil {
		p.out.File.Note("no times in the file: recorded without -o DT")
	}
	return true
}

// reading reads one row.
func (p *dmonParser) reading(line []byte) {
	s := &p.slots[0]
	n, bad := p.fill(s, line)
	if n != len(p.cols) || n == 0 {
		p.src.Reject("%d cells, want %d as in the header", n, len(p.cols))
		return
	}
	w, ok := p.clock(s, line)
	if !ok {
		p.src.Reject("time in %q, want %s as in the rest of the file", clip(line), p.times)
		return
	}
	if s.cells[p.index].state != smiOK {
		p.src.Reject("%q, want a row that begins with the index of a GPU", clip(line))
		return
	}
	p.commit(s, w)
	if bad {
		p.complain(s, line, 0)
	}
}

// fill cuts a line into cells, at commas or else at blanks, reads them, and
// returns how many there are. bad is whether one needs a warning.
func (p *dmonParser) fill(s *smiSlot, line []byte) (n int, bad bool) {
	comma := bytes.IndexByte(line, ',') >= 0
	for at := 0; at < len(line); n++ {
		for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		end := at
		for end < len(line) && line[end] != ',' && (comma || line[end] != ' ' && line[end] != '\t') {
			end++
		}
		if n < len(p.cols) {
			c := &s.cells[n]
			c.from, c.n = int32(at), int32(end-at)
			p.value(&p.cols[n], c, scan.Trim(line[at:end]))
			bad = bad || c.state >= smiBad
		}
		at = end + 1
	}
	return n, bad
}

func (p *dmonParser) value(col *smiColumn, c *smiCell, b []byte) {
	c.state = smiUnread
	if col.col < 0 {
		return
	}
	if v, n := scan.Decimal(b); n > 0 && n == len(b) {
		col.set(c, v, col.bare)
		return
	}
	p.slow(col, c, b)
}

// clock returns the time of a row: none, a time of day, or a full one.
func (p *dmonParser) clock(s *smiSlot, line []byte) (w smiWhen, ok bool) {
	if t := p.head.times(); t == "" || t != p.times {
		return p.src.stamped(), t == ""
	}
	cell := func(k int) []byte {
		c := s.cells[k]
		return line[c.from : c.from+c.n]
	}
	b := cell(p.head.timeAt)
	tod, n, ok := scan.Clock(b)
	switch {
	case !ok || n != len(b):
		return w, false
	case p.head.dateAt < 0:
		return smiWhen{p.out.Day.At(tod), model.ClockDay}, true
	}
	day, ok := p.midnight(cell(p.head.dateAt))
	return smiWhen{day + tod, model.ClockLocal}, ok
}

// midnight reads a date YYYYMMDD.
func (p *dmonParser) midnight(b []byte) (ns int64, ok bool) {
	if string(b) == string(p.dayOf[:]) {
		return p.day, true
	}
	v, ok := scan.Int(b)
	if !ok || len(b) != 8 || v < 1970_01_01 || v%100 > 31 || v/100%100 > 12 || v%100 < 1 || v/100%100 < 1 {
		return 0, false
	}
	copy(p.dayOf[:], b)
	p.day = scan.Date(int(v/10000), int(v/100%100), int(v%100))
	return p.day, true
}
