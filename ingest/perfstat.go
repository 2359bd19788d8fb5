package ingest

import (
	"bytes"
	"slices"
	"strconv"

	"tidemark/internal/scan"
	"tidemark/model"
)

// PerfStat reads perf stat -x, with or without -I.
var PerfStat = &Format{
	Name:   "perf-stat",
	Doc:    "perf stat -x with any separator, with or without -I: events a second as perf.NAME; times count from the start, which -o writes into its first line",
	Record: "perf stat -x, -I 1000 -e task-clock,context-switches,cpu-migrations,cycles,instructions -p PID -o perf-stat.csv",
	Detect: detectPerfStat,
	Parse:  parsePerfStat,
}

// perfStatEvents are names that only perf prints.
var perfStatEvents = map[string]bool{
	"task-clock": true, "cpu-clock": true, "cycles": true, "cpu-cycles": true, "instructions": true, "context-switches": true, "cs": true, "cpu-migrations": true,
	"migrations": true, "page-faults": true, "faults": true, "minor-faults": true, "major-faults": true, "branches": true, "branch-misses": true, "cache-misses": true,
	"cache-references": true, "stalled-cycles-frontend": true, "stalled-cycles-backend": true, "duration_time": true, "ref-cycles": true,
	"LLC-loads": true, "LLC-load-misses": true, "dTLB-load-misses": true, "alignment-faults": true, "emulation-faults": true,
}

// A perfStatRow is one line: value, unit and event, behind the seconds of -I.
type perfStatRow struct {
	at          float64
	timed       bool
	value       []byte
	unit, event []byte
	aggregation []byte // a processor or thread, of -A and --per-…
}

// perfSeparators are those that people give to -x.
var perfSeparators = []byte{',', ';', '\t', '|'}

// readPerf cuts a line at a separator. The event is the first cell that is a
// name after a value and a unit; what stands before the value is the time or
// what was counted together.
func readPerf(line []byte, sep byte) (r perfStatRow, ok bool) {
	cells := bytes.Split(line[:min(len(line), 1024)], []byte{sep})
	for k := 2; k < len(cells) && k < 6; k++ {
		name, _, _ := bytes.Cut(cells[k], []byte{':'})
		if !perfStatEvents[string(scan.Trim(name))] {
			continue
		}
		r.event, r.unit, r.value = scan.Trim(cells[k]), scan.Trim(cells[k-1]), scan.Trim(cells[k-2])
		n := k - 2
		if whole := halved(cells[:k], sep); whole != nil {
			r.value, n = whole, k-3
		}
		if n >= 1 {
			r.at, r.timed = scan.Float(scan.Trim(cells[0]))
			if r.timed && bytes.IndexByte(cells[0], '.') < 0 {
				return r, false // a whole number: the other half of one with a decimal comma
			}
		}
		if n > 1 || n == 1 && !r.timed {
			r.aggregation = scan.Trim(cells[n-1])
			if _, number := scan.Float(r.aggregation); number && n > 1 {
				r.aggregation = scan.Trim(cells[n-2]) // the number of what was counted together
			}
		}
		_, number := scan.Float(r.value)
		return r, number || len(r.value) > 0 && r.value[0] == '<'
	}
	return r, false
}

// halved puts together a value whose decimal comma is the separator too. perf
// prints milliseconds with decimals, so that one without is the second half.
func halved(cells [][]byte, sep byte) []byte {
	n := len(cells)
	if sep != ',' || n < 3 || string(scan.Trim(cells[n-1])) != "msec" {
		return nil
	}
	high, low := scan.Trim(cells[n-3]), scan.Trim(cells[n-2])
	if _, ok := scan.Int(high); !ok || len(low) == 0 || len(bytes.Trim(low, "0123456789")) > 0 {
		return nil
	}
	return slices.Concat(high, []byte("."), low)
}

// detectPerfStat returns by the first lines that are no comment.
func detectPerfStat(_ string, head []byte) bool {
	return perfSeparator(head) != 0
}

func perfSeparator(head []byte) byte {
	for line := range firstLines(head, 20) {
		line = bytes.TrimRight(line, "\r ")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, sep := range perfSeparators {
			if _, ok := readPerf(line, sep); ok {
				return sep
			}
		}
		return 0
	}
	return 0
}

type perfStatParser struct {
	metricRows
	clock lineClock
	sep   byte
	start smiWhen
	at    float64 // s, of the interval in work
	step  float64 // its length, 0 where unknown
}

func parsePerfStat(src *Source, out *model.RunBuilder) error {
	p := &perfStatParser{metricRows: metricRows{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimRight(line, "\r ")
		switch {
		case len(line) == 0:
			out.Skip(1)
		case line[0] == '#':
			if rest, ok := bytes.CutPrefix(line, []byte("# started on ")); ok {
				p.start, _ = wholeTime(&p.clock.stamp, scan.Trim(rest))
				p.at = 0
			}
			out.Skip(1)
		default:
			p.row(line)
		}
	}
}

func (p *perfStatParser) row(line []byte) {
	if p.sep == 0 {
		p.sep = perfSeparator(line)
	}
	r, ok := readPerf(line, p.sep)
	if !ok || p.src.Cut() {
		if p.sep == ',' && bytes.Count(line, []byte{','}) > 6 {
			p.src.Reject("%q, want value, unit, event: decimal commas beside commas cannot be told apart, record with -x';'", clip(line))
			return
		}
		p.src.Reject("%q, want value, unit, event", clip(line))
		return
	}
	if len(r.value) > 0 && r.value[0] == '<' {
		p.out.File.Note(string(r.event) + ": " + string(r.value) + ", taken as missing")
		p.out.Claim(1)
		return
	}
	v, _ := scan.Float(r.value)
	p.advance(r)
	key, unit := "perf."+string(r.event), "events"
	if len(r.aggregation) > 0 {
		key += "." + string(r.aggregation)
	}
	switch {
	case string(r.unit) == "msec":
		v, unit = v/1e3, "s"
	case string(r.unit) == "ns":
		v, unit = v/1e9, "s"
	}
	if r.timed && p.step > 0 {
		v /= p.step
		if unit == "s" {
			unit = "cores"
		} else {
			unit = "1/s"
		}
	}
	p.add(p.when(r), key, v, unit)
	p.out.Claim(1)
}

// advance takes the time of a row: rows of one interval have the same.
func (p *perfStatParser) advance(r perfStatRow) {
	if !r.timed || r.at == p.at {
		return
	}
	if p.step = r.at - p.at; p.step < 0 {
		p.step = 0
		p.src.warn("the time fell from %s s: another recording?", strconv.FormatFloat(p.at, 'f', -1, 64))
	}
	p.at = r.at
}

// when places the seconds of -I from the start that the file tells.
func (p *perfStatParser) when(r perfStatRow) smiWhen {
	switch {
	case !r.timed:
		return smiWhen{}
	case p.start.kind != model.ClockNone:
		return smiWhen{p.start.t + int64(r.at*1e9), p.start.kind}
	}
	p.out.File.Note("seconds count from a start that the file does not tell: recorded without -o")
	return smiWhen{int64(r.at * 1e9), model.ClockElapsed}
}
