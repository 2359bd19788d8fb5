package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// VMStat reads vmstat with an interval.
var VMStat = &Format{
	Name:   "vmstat",
	Doc:    "vmstat with an interval: host.cpu and its parts, tasks that run or wait for a disk, context switches; the first row, which covers the time since the start of the machine, is left out; only -t has times",
	Record: "LC_ALL=C vmstat -t -w 1 > vmstat.txt",
	Detect: alone(detectVMStat),
	Parse:  parseVMStat,
}

// vmstatBegins reports whether a line begins with the name of the first column.
func vmstatBegins(line []byte) bool {
	return len(line) > 1 && line[0] == 'r' && (line[1] == ' ' || line[1] == '\t')
}

// vmstatHeader returns the names of a header line, nil for any other line. The
// names of the processor's columns are the same in all languages.
func vmstatHeader(line []byte) []string {
	if len(line) > 1024 || !vmstatBegins(scan.Trim(line)) {
		return nil
	}
	var names []string
	has := map[string]bool{}
	for _, f := range bytes.Fields(line) {
		names = append(names, string(f))
		has[string(f)] = true
	}
	if len(names) < 10 || names[0] != "r" || names[1] != "b" || !has["us"] || !has["sy"] || !has["id"] || !has["cs"] {
		return nil
	}
	return names
}

func detectVMStat(_ string, head []byte) bool {
	for line := range firstLines(head, 20) {
		if vmstatHeader(bytes.TrimRight(line, "\r \t")) != nil {
			return true
		}
	}
	return false
}

type vmstatParser struct {
	metricRows
	clock lineClock
	names []string
	began bool // the row since the start of the machine has passed
}

func parseVMStat(src *Source, out *model.RunBuilder) error {
	p := &vmstatParser{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			if out.Metrics.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
				out.File.Note("no times in the file: recorded without -t")
			}
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		if names := vmstatHeader(line); names != nil {
			p.names = names
			out.Skip(1)
			continue
		}
		switch {
		case len(line) == 0, bytes.Contains(line, []byte("---")):
			out.Skip(1)
		case p.clock.line(line):
			p.began = false
			out.Skip(1)
		case p.names == nil || line[0]-'0' > 9:
			src.Reject("%q, want a row of vmstat under its header", clip(line))
		default:
			p.row(bytes.Fields(line))
		}
	}
}

// row reads a row. With -t its last two words are date and time, under one
// name: the zone's.
func (p *vmstatParser) row(cells [][]byte) {
	timed := len(cells) == len(p.names)+1
	if !timed && len(cells) != len(p.names) || p.src.Cut() {
		p.src.Reject("%d cells, want %d as in the header", len(cells), len(p.names))
		return
	}
	w := p.clock.at(p.src)
	if n := len(cells); timed {
		t, k, _, ok := p.clock.stamp.DateTime(bytes.Join(cells[n-2:], []byte{' '}))
		if !ok || k != len(cells[n-2])+1+len(cells[n-1]) {
			p.src.Reject("time %q, want YYYY-MM-DD HH:MM:SS", clip(cells[n-2]))
			return
		}
		zone := p.names[len(p.names)-1]
		w = smiWhen{t, clockKind(zone == "UTC" || zone == "GMT")}
	}
	if !p.began {
		p.began = true
		p.out.Skip(1)
		return
	}
	var shares cpuShares
	for k, name := range p.names {
		part, share := cpuNames[name]
		m, read := vmstatMetrics[name]
		if !share && !read {
			continue
		}
		v, ok := scan.Float(cells[k])
		switch {
		case !ok || v < 0 || share && !shares.set(part, min(v, 100)) || v > 1e12:
			p.src.warn("%s %q, want a number", name, clip(cells[k]))
		case read:
			p.add(w, m.key, v, m.unit)
		}
	}
	shares.write(&p.metricRows, w)
	p.out.Claim(1)
}

// vmstatMetrics are the columns beside the shares of processors that are read;
// those of memory are in a unit that no line tells.
var vmstatMetrics = map[string]metricName{"r": {"host.runq", "tasks", 1}, "b": {"host.blocked", "tasks", 1}, "cs": {"host.switches", "1/s", 1}}
