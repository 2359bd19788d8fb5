package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SadfPairs reads sadf -p: one value a line, which sadf writes without options.
var SadfPairs = &Format{
	Name:   "sadf-pairs",
	Doc:    "sadf -p of sysstat, or sadf without options: one value a line; host.cpu and its parts, run queue and load",
	Record: "sadf -d -U sar.bin -- -u ALL -P ALL -q > sadf.csv (shorter)",
	Detect: detectSadfPairs,
	Parse:  parseSadfPairs,
}

// sadfPairCells is host, interval, time, what is measured, name and value.
const sadfPairCells = 6

func detectSadfPairs(_ string, head []byte) bool {
	var stamp scan.Stamp
	for line := range firstLines(head, 5) {
		cells := bytes.Split(bytes.TrimRight(line, "\r"), []byte{'\t'})
		if len(cells) == 5 && bytes.HasPrefix(cells[3], []byte("LINUX-RESTART")) {
			continue
		}
		if len(cells) != sadfPairCells {
			return false
		}
		_, interval := scan.Int(cells[1])
		_, time := wholeTime(&stamp, cells[2])
		_, number := commaFloat(cells[5])
		return interval && time && number && len(cells[3]) > 0
	}
	return false
}

type sadfPairs struct {
	metricRows
	stamp  scan.Stamp
	item   string // all, cpuN or - of the values in work
	text   string // their time as printed
	at     smiWhen
	shares cpuShares
}

func parseSadfPairs(src *Source, out *model.RunBuilder) error {
	p := &sadfPairs{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			p.flush()
			return src.Err()
		}
		if line = bytes.TrimRight(line, " \r"); len(line) == 0 {
			out.Skip(1)
			continue
		}
		p.line(bytes.Split(line, []byte{'\t'}))
	}
}

func (p *sadfPairs) line(cells [][]byte) {
	restart := len(cells) == 5 && bytes.HasPrefix(cells[3], []byte("LINUX-RESTART"))
	if len(cells) != sadfPairCells && !restart {
		p.src.Reject("%d cells, want host, interval, time, what is measured, name and value", len(cells))
		return
	}
	w, ok := wholeTime(&p.stamp, cells[2])
	if !ok {
		p.src.Reject("time %q, want epoch seconds or YYYY-MM-DD HH:MM:SS, perhaps with UTC", clip(cells[2]))
		return
	}
	if restart {
		p.flush()
		p.out.Event(p.src.Line(), p.src.Offset(), w.t, "host.restart", clip(cells[3]))
		p.out.Claim(1)
		return
	}
	if p.item != string(cells[3]) || p.text != string(cells[2]) {
		p.flush()
		p.item, p.text, p.at = string(cells[3]), string(cells[2]), w
	}
	p.pair(string(cells[4]), cells[5])
}

// pair takes one value.
func (p *sadfPairs) pair(name string, cell []byte) {
	v, ok := commaFloat(cell)
	part, share := cpuNames[strings.TrimPrefix(name, "%")]
	m, read := sarMetrics[name]
	switch {
	case p.src.Cut():
		p.src.Reject("the file ends within a value")
		return
	case share && strings.HasPrefix(name, "%") && (p.item == "all" || strings.HasPrefix(p.item, "cpu")):
		if !ok || v < 0 || !p.shares.set(part, v) {
			p.src.Reject("%s %q, want a share of 0 to 100 %%", name, clip(cell))
			return
		}
	case read && (!ok || v < 0):
		p.src.Reject("%s %q, want a number", name, clip(cell))
		return
	case read:
		p.add(p.at, m.key, v*m.scale, m.unit)
	default:
		p.out.Skip(1)
		return
	}
	p.out.Claim(1)
}

// flush writes the shares of a processor, or of all.
func (p *sadfPairs) flush() {
	switch n, core := strings.CutPrefix(p.item, "cpu"); {
	case p.item == "all":
		p.shares.write(&p.metricRows, p.at)
	case core && p.shares.has[cpuIdle]:
		p.add(p.at, "core."+n, p.shares.busy(), "ratio")
	}
	p.shares = cpuShares{}
}
