package ingest

import (
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SysstatJSON reads what mpstat -o JSON and sadf -j write, also where the
// writer was stopped and the end is missing.
var SysstatJSON = &Format{
	Name:     "sysstat-json",
	Doc:      "mpstat -o JSON, sadf -j: host.cpu and its parts over all processors, core.N of each, run queue and load",
	Record:   "S_TIME_FORMAT=ISO mpstat -P ALL -o JSON 1 600 > mpstat.json",
	Detect:   func(_ string, head []byte) bool { return jsonHead(head)["sysstat"] == '{' },
	Parse:    parseSysstatJSON,
	Document: true,
}

// sadfMetrics are the members of "queue" and the like that are read.
var sadfMetrics = map[string]metricName{
	"runq-sz": {"host.runq", "tasks", 1}, "blocked": {"host.blocked", "tasks", 1}, "ldavg-1": {"host.load1", "", 1},
	"cswch": {"host.switches", "1/s", 1}, "proc": {"host.forks", "1/s", 1},
}

// A sysstatDocs reads the records of one file. Each is written when it is
// whole, so that a file without an end keeps what it has.
type sysstatDocs struct {
	jsonDocs
	rows metricRows
	date int64 // midnight of the host's date
	kind model.ClockKind
}

func parseSysstatJSON(src *Source, out *model.RunBuilder) error {
	d := &sysstatDocs{jsonDocs: jsonDocs{src: src, out: out}, rows: metricRows{src: src, out: out}}
	return d.each(func() {
		d.members(func(key string) {
			if key != "sysstat" {
				d.skip()
				return
			}
			d.only("hosts", func() { d.elements(d.host) })
		})
	})
}

// only calls fn for one member of an object and passes over the others.
func (d *sysstatDocs) only(name string, fn func()) {
	d.members(func(key string) {
		if key == name {
			fn()
		} else {
			d.skip()
		}
	})
}

func (d *sysstatDocs) host() {
	d.kind = model.ClockDay
	d.members(func(key string) {
		switch key {
		case "date":
			d.dated(d.cell())
		case "statistics":
			d.elements(func() {
				d.record()
				if d.err == nil {
					d.mark = d.i
				}
			})
		default:
			d.skip()
		}
	})
}

// dated takes the host's date, in the order of its locale as in a banner.
func (d *sysstatDocs) dated(text []byte) {
	var b pidstatBanner
	b.numbers(scan.Trim(text))
	if day, note, ok := b.day(false, false); ok {
		d.date, d.kind = day, model.ClockLocal
		if note != "" {
			d.out.File.Note(strings.Replace(note, "in the banner", "of the host", 1))
		}
	}
}

// record reads one element of statistics: a time, then tables.
func (d *sysstatDocs) record() {
	d.next()
	at := d.pos(d.i)
	d.rows.line, d.rows.off = at.Line, at.Byte
	w := smiWhen{}
	d.members(func(key string) {
		switch key {
		case "timestamp":
			w = d.timestamp()
		case "cpu-load", "cpu-load-all":
			d.elements(func() { d.processor(w) })
		case "queue", "process-and-context-switch":
			d.members(func(key string) {
				v, ok := d.number()
				if m, read := sadfMetrics[key]; ok && read {
					d.rows.add(w, m.key, v, m.unit)
				}
			})
		default:
			d.skip()
		}
	})
}

// timestamp reads mpstat's time of day, or the object of sadf, whose zone is
// told in three ways.
func (d *sysstatDocs) timestamp() (w smiWhen) {
	if d.next() == '"' {
		text := d.cell()
		t, n, ok := hostClock(text)
		if !ok || n != len(text) {
			return w
		}
		return smiWhen{d.date + d.out.Day.At(t.ns), d.kind}
	}
	var date, tod []byte
	utc := false
	d.members(func(key string) {
		switch c := d.cell(); key {
		case "date":
			date = c
		case "time":
			tod = c
		case "utc":
			utc = string(c) == "1" || string(c) == "true"
		case "tz":
			utc = string(c) == "UTC"
		}
	})
	t, _, _, ok := d.clock.stamp.DateTime(append(append(append([]byte(nil), date...), ' '), tod...))
	if !ok {
		return w
	}
	return smiWhen{t, clockKind(utc)}
}

// processor reads {"cpu": "all", "usr": 85.35, …}.
func (d *sysstatDocs) processor(w smiWhen) {
	var shares cpuShares
	cpu := ""
	d.members(func(key string) {
		if key == "cpu" {
			cpu = string(d.cell())
			return
		}
		v, ok := d.number()
		part, share := cpuNames[key]
		if ok && share && !shares.set(part, v) {
			d.out.Warn(&model.SyntaxError{Pos: d.pos(d.i), Msg: key + ": want a share of 0 to 100 %"})
		}
	})
	switch {
	case d.err != nil:
	case cpu == "all" || cpu == "-1":
		shares.write(&d.rows, w)
	case cpu != "" && shares.has[cpuIdle]:
		d.rows.add(w, "core."+cpu, shares.busy(), "ratio")
	}
}
