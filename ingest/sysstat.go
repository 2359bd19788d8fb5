package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Sysstat reads the tables of mpstat and sar as text.
var Sysstat = &Format{
	Name:   "mpstat",
	Doc:    "mpstat or sar as text, in any locale: host.cpu and its parts over all processors, core.N of each, run queue and load",
	Record: "LC_ALL=C S_TIME_FORMAT=ISO mpstat -P ALL 1 > mpstat.txt",
	Detect: alone(detectSysstat),
	Parse:  parseSysstat,
}

// sarMetrics are the columns beside the shares of processors that are read.
var sarMetrics = map[string]metricName{
	"runq-sz": {"host.runq", "tasks", 1}, "blocked": {"host.blocked", "tasks", 1}, "ldavg-1": {"host.load1", "", 1},
	"cswch/s": {"host.switches", "1/s", 1}, "proc/s": {"host.forks", "1/s", 1},
}

// A metricName is what a column becomes, and its unit.
type metricName struct {
	key, unit string
	scale     float64
}

// sysstatHeader returns the column names of a header line without its time:
// CPU and shares, or the names of another table of sar.
func sysstatHeader(names []byte) (cols []string, cpu, ok bool) {
	if len(names) > 4096 || bytes.HasSuffix(names, []byte("Command")) {
		return nil, false, false
	}
	for f := range bytes.FieldsSeq(names) {
		if _, number := commaFloat(f); number {
			return nil, false, false
		}
		cols = append(cols, string(f))
	}
	if len(cols) < 2 {
		return nil, false, false
	}
	shares := 0
	for _, c := range cols[1:] {
		if _, ok := cpuNames[strings.TrimPrefix(c, "%")]; ok && c[0] == '%' {
			shares++
		}
	}
	if cols[0] == "CPU" && shares >= 3 {
		return cols, true, true
	}
	return cols, false, isLetter(cols[0][0]) || cols[0][0] == '%'
}

// detectSysstat wants the header of a table of processors, or of a table of
// sar that is read, behind a time.
func detectSysstat(_ string, head []byte) bool {
	for line := range firstLines(head, 200) {
		line = bytes.TrimRight(line, "\r \t")
		t, k, ok := hostClock(line)
		if !ok || t.epoch {
			continue
		}
		cols, cpu, ok := sysstatHeader(scan.Trim(line[k:]))
		if cpu {
			return true
		}
		for _, c := range cols {
			if _, read := sarMetrics[c]; ok && read {
				return true
			}
		}
	}
	return false
}

type sysstatParser struct {
	metricRows
	hostDate
	cols   []string
	cpu    bool
	wanted bool // the table has a column that is read
	prev   hostTime
	headed bool // prev is the time of a header, which is that of the sample before
}

// A hostDate places times of day by the date of sysstat's banner.
type hostDate struct {
	banner pidstatBanner
	date   int64
	kind   model.ClockKind
}

// at places a time of day. twelve and comma tell the locale, and so the order
// of day and month in the banner's date.
func (d *hostDate) at(out *model.RunBuilder, t hostTime, comma bool) smiWhen {
	if d.kind == model.ClockNone {
		date, note, ok := d.banner.day(t.twelve, comma)
		if d.date, d.kind = date, model.ClockLocal; !ok || len(d.banner.text) == 0 {
			d.date, d.kind = 0, model.ClockDay
		}
		if note != "" && ok {
			out.File.Note(note)
		}
	}
	if d.kind == model.ClockLocal {
		return smiWhen{d.date + out.Day.At(t.ns), model.ClockLocal}
	}
	return smiWhen{out.Day.At(t.ns), model.ClockDay}
}

// restart takes a banner, from which midnights count anew.
func (d *hostDate) restart(out *model.RunBuilder, line []byte) bool {
	b, ok := readBanner(line)
	if !ok {
		return false
	}
	if d.kind == model.ClockLocal {
		out.Redate()
		d.kind = model.ClockNone
	}
	if d.kind == model.ClockNone {
		d.banner = b
	}
	return true
}

func parseSysstat(src *Source, out *model.RunBuilder) error {
	p := &sysstatParser{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimRight(stripANSI(line), " \t\r")
		p.line(line)
	}
}

func (p *sysstatParser) line(line []byte) {
	text := scan.Trim(line)
	if len(text) == 0 || p.restart(p.out, text) {
		p.out.Skip(1)
		return
	}
	t, n, ok := hostClock(line)
	if !ok {
		if pidstatNoise(text) {
			p.out.Skip(1)
		} else {
			p.src.Reject("%q, want a time, a table header or the banner of sysstat", clip(text))
		}
		return
	}
	rest := scan.Trim(line[n:])
	word, _, _ := bytes.Cut(rest, []byte{' '})
	switch {
	case bytes.HasPrefix(rest, []byte("LINUX RESTART")):
		w := p.at(p.out, t, false)
		p.out.Event(p.src.Line(), p.src.Offset(), w.t, "host.restart", clip(rest))
		p.out.Claim(1)
	case len(word) > 0 && (isLetter(word[0]) || word[0] == '%') && string(word) != "all":
		p.bind(t, rest)
		p.out.Skip(1)
	case !p.wanted:
		p.out.Skip(1)
	default:
		p.row(t, rest)
	}
}

// bind takes a header. A table of which nothing is read is named once.
func (p *sysstatParser) bind(t hostTime, names []byte) {
	cols, cpu, ok := sysstatHeader(names)
	if !ok {
		return
	}
	p.prev, p.headed = t, true
	p.cols, p.cpu, p.wanted = cols, cpu, cpu
	for _, c := range cols {
		_, read := sarMetrics[c]
		p.wanted = p.wanted || read
	}
	if !p.wanted && len(p.out.File.Notes) < model.MaxWarnings {
		p.out.File.Note("a table with " + clip([]byte(strings.Join(cols, " "))) + " is not read")
	}
}

func (p *sysstatParser) row(t hostTime, rest []byte) {
	cells := bytes.Fields(rest)
	if len(cells) != len(p.cols) || p.src.Cut() {
		p.src.Reject("%d cells after the time, want %d as in the header", len(cells), len(p.cols))
		return
	}
	comma := bytes.IndexByte(rest, ',') >= 0
	if p.headed { // midnight may lie between
		p.at(p.out, p.prev, comma)
		p.headed = false
	}
	w := p.at(p.out, t, comma)
	var shares cpuShares
	for k, name := range p.cols {
		part, share := cpuNames[strings.TrimPrefix(name, "%")]
		m, read := sarMetrics[name]
		if share = share && p.cpu && name[0] == '%'; !share && !read {
			continue
		}
		v, ok := commaFloat(cells[k])
		if !ok || v < 0 || share && !shares.set(part, v) {
			p.src.Reject("%s %q, want a number", name, clip(cells[k]))
			return
		}
		if read {
			p.add(w, m.key, v*m.scale, m.unit)
		}
	}
	switch {
	case !p.cpu:
	case string(cells[0]) == "all" || string(cells[0]) == "-1":
		shares.write(&p.metricRows, w)
	case shares.has[cpuIdle]:
		p.add(w, "core."+string(cells[0]), shares.busy(), "ratio")
	}
	p.out.Claim(1)
}
