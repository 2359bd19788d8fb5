package ingest

import (
	"bytes"
	"slices"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Sadf reads sadf -d: sar's records with semicolons.
var Sadf = &Format{
	Name:   "sadf",
	Doc:    "sadf -d of sysstat, with UTC or local times or epoch seconds (-U): host.cpu and its parts, run queue and load",
	Record: "sar -o sar.bin 1 600 >/dev/null; sadf -d -U sar.bin -- -u ALL -P ALL -q > sadf.csv",
	Detect: detectSadf,
	Parse:  parseSadf,
}

var sadfTitle = []byte("# hostname;interval;timestamp")

func detectSadf(_ string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), sadfTitle)
}

type sadfParser struct {
	metricRows
	header []string
	cols   []string // of the row in work
	wanted bool     // the table has a column that is read
	stamp  scan.Stamp
}

func parseSadf(src *Source, out *model.RunBuilder) error {
	p := &sadfParser{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimRight(line, " \t\r")
		switch {
		case len(line) == 0:
			out.Skip(1)
		case line[0] == '#':
			if bytes.HasPrefix(line, sadfTitle) {
				p.bind(strings.Split(string(line[2:]), ";"))
			}
			out.Skip(1)
		default:
			p.row(bytes.Split(line, []byte{';'}))
		}
	}
}

// bind takes a header. A table of which nothing is read is named once.
func (p *sadfParser) bind(cols []string) {
	p.header, p.cols, p.wanted = cols, cols, len(cols) < 4
	for _, c := range cols[3:] {
		_, read := sarMetrics[strings.TrimSuffix(c, sadfMany)]
		p.wanted = p.wanted || read || c == "CPU"
	}
	if !p.wanted && len(p.out.File.Notes) < model.MaxWarnings {
		p.out.File.Note("a table with " + clip([]byte(strings.Join(cols[3:], " "))) + " is not read")
	}
}

// sadfMany ends the columns of one processor or device where a row has those of
// all: -h names them once.
const sadfMany = "[...]"

// widen gives the columns of such a row, of n cells, where only processors have
// many: of several kinds nothing says how many each are.
func (p *sadfParser) widen(n int) bool {
	h := p.header
	end := slices.IndexFunc(h, func(c string) bool { return strings.HasSuffix(c, sadfMany) })
	cpu := slices.Index(h, "CPU")
	if cpu < 0 || end < cpu || n < len(h) || strings.Contains(strings.Join(h[end+1:], ";"), sadfMany) {
		return false
	}
	size := end + 1 - cpu
	if (n-len(h))%size != 0 {
		return false
	}
	p.cols = slices.Concat(h[:end+1], slices.Repeat(h[cpu:end+1], (n-len(h))/size), h[end+1:])
	return true
}

func (p *sadfParser) row(cells [][]byte) {
	if len(cells) < 4 {
		p.src.Reject("%d cells, want %d as in the header", len(cells), len(p.cols))
		return
	}
	w, ok := wholeTime(&p.stamp, cells[2])
	if !ok {
		p.src.Reject("time %q, want epoch seconds or YYYY-MM-DD HH:MM:SS, perhaps with UTC", clip(cells[2]))
		return
	}
	if bytes.HasPrefix(cells[3], []byte("LINUX-RESTART")) {
		p.out.Event(p.src.Line(), p.src.Offset(), w.t, "host.restart", clip(cells[3]))
		p.out.Claim(1)
		return
	}
	if !p.wanted {
		p.out.Skip(1)
		return
	}
	if len(cells) != len(p.cols) && !p.widen(len(cells)) || p.src.Cut() {
		p.src.Reject("%d cells, want %d as in the header", len(cells), len(p.cols))
		return
	}
	p.values(w, cells)
}

// values takes the columns behind the time. Those of a processor come in
// groups, each behind a column CPU.
func (p *sadfParser) values(w smiWhen, cells [][]byte) {
	var shares cpuShares
	cpu := ""
	write := func() {
		switch {
		case cpu == "-1" || cpu == "all":
			shares.write(&p.metricRows, w)
		case cpu != "" && shares.has[cpuIdle]:
			p.add(w, "core."+cpu, shares.busy(), "ratio")
		}
		shares = cpuShares{}
	}
	for k := 3; k < len(p.cols); k++ {
		name := strings.TrimSuffix(p.cols[k], sadfMany)
		if name == "CPU" {
			write()
			cpu = string(cells[k])
			continue
		}
		part, share := cpuNames[strings.TrimPrefix(name, "%")]
		m, read := sarMetrics[name]
		if share = share && cpu != "" && strings.HasPrefix(name, "%"); !share && !read {
			continue
		}
		v, ok := commaFloat(cells[k])
		if !ok || v < 0 || share && !shares.set(part, v) {
			p.src.warn("%s %q, want a number", name, clip(cells[k]))
		} else if read {
			p.add(w, m.key, v*m.scale, m.unit)
		}
	}
	write()
	p.out.Claim(1)
}
