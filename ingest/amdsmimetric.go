package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// AMDSMIJSON reads the JSON of amd-smi metric and amd-smi monitor.
var AMDSMIJSON = &Format{
	Name:     "amd-smi-json",
	Doc:      "amd-smi metric --json and amd-smi monitor --json, one list of devices or many behind each other; a line of date before each places it, where no timestamp is in it",
	Record:   "while :; do date -u +%FT%TZ; amd-smi metric -u -p -c -t -m --json; echo; sleep 1; done > amd.json",
	Detect:   detectAMDSMIJSON,
	Parse:    parseAMDSMIJSON,
	Document: true,
}

// AMDSMIText reads what amd-smi metric prints for people.
var AMDSMIText = &Format{
	Name:   "amd-smi-metric",
	Doc:    "amd-smi metric as text, once or again and again: a line GPU: 0 and names with values under it; a line of date before each places it",
	Record: "while :; do date -u +%FT%TZ; amd-smi metric -u -p -c -t -m; sleep 1; done > amd-metric.txt",
	Detect: alone(detectAMDSMIText),
	Parse:  parseAMDSMIText,
}

// amdNoTimes is said of a file without times.
const amdNoTimes = "no times in the file: amd-smi prints them only with --watch, so a line of date before each reading is wanted"

// amdGroups are the groups of amd-smi metric.
var amdGroups = wordSet("usage power clock temperature mem_usage")

// amd reads a value under a name of amd-smi: of metric where it stands in a group, else of
// monitor. What it calls MB and GB are 2^20 and 2^30 bytes.
func (g *gpuReading) amd(name, group string, cell []byte, unit string) {
	f, ok := amdFields[name]
	if group != "" {
		f, ok = amdMetricFields[name]
	}
	if group == "gfx_0" && name == "clk" {
		f, ok = smiField{col: model.GPUSMClock, class: smiClock}, true
	}
	if !ok || f.class == smiTime {
		return
	}
	if number, behind, found := bytes.Cut(cell, []byte{' '}); found && unit == "" {
		cell, unit = number, string(scan.Trim(behind))
	}
	if f.class == smiMemory {
		unit = amdMemory(unit)
	}
	g.read(name, f, unit, cell)
}

func amdMemory(unit string) string {
	switch unit {
	case "", "MB":
		return "MiB"
	case "GB":
		return "GiB"
	}
	return unit
}

// detectAMDSMIJSON wants a device with a number and, as an object, a group of metric or a
// value of monitor; or the list of such.
func detectAMDSMIJSON(_ string, head []byte) bool {
	keys := jsonHead(fromLine(head, "{["))
	if keys["gpu_data"] == '[' {
		return true
	}
	if !isDigit(keys["gpu"]) {
		return false
	}
	for key, first := range keys {
		if f, ok := amdFields[key]; first == '{' && (amdGroups[key] || ok && f.class >= smiShare) {
			return true
		}
	}
	return false
}

func parseAMDSMIJSON(src *Source, out *model.RunBuilder) error {
	d := &amdDocs{jsonDocs{src: src, out: out}}
	err := d.each(func() { d.device(true) })
	if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
		out.File.Note(amdNoTimes)
	}
	return err
}

type amdDocs struct{ jsonDocs }

// device reads an object that is a device, or, an outer one, holds a list of them.
func (d *amdDocs) device(outer bool) {
	g := &gpuReading{src: d.src, out: d.out}
	at := d.pos(d.i)
	g.begin(at.Line, at.Byte)
	w := d.clock.at(d.src)
	d.members(func(key string) {
		switch {
		case outer && key == "gpu_data" && d.next() == '[':
			d.elements(func() {
				if d.next() != '{' {
					d.skip()
					return
				}
				d.device(false)
			})
		case key == "timestamp" && d.next() != '{' && d.next() != '[':
			if t, ok := wandbTime(&d.clock.stamp, d.cell()); ok {
				w = t
			}
		default:
			d.value(g, strings.ToLower(key), "", 0)
		}
	})
	if d.err == nil && g.cells[model.GPUIndex].ok && g.readings() {
		g.write(w)
		d.mark = d.i
	}
}

// amdDeep is how deep the values of a device stand at most: clock, gfx_0, clk.
const amdDeep = 4

// value reads what stands under a name: a value, alone or with its unit, or a group.
func (d *amdDocs) value(g *gpuReading, name, group string, depth int) {
	switch d.next() {
	case '[':
		d.skip()
		return
	case '{':
	default:
		if cell := d.cell(); len(cell) > 0 {
			g.amd(name, group, cell, "")
		}
		return
	}
	if depth == amdDeep {
		d.skip()
		return
	}
	var cell []byte
	unit := ""
	d.members(func(key string) {
		switch key {
		case "value":
			cell = d.cell()
		case "unit":
			unit = string(d.cell())
		default:
			d.value(g, strings.ToLower(key), name, depth+1)
		}
	})
	if len(cell) > 0 && d.err == nil {
		g.amd(name, group, cell, unit)
	}
}

// amdDevice returns the number in a line that begins a device.
func amdDevice(line []byte) (gpu []byte, ok bool) {
	gpu, ok = bytes.CutPrefix(line, []byte("GPU: "))
	return gpu, ok && len(gpu) > 0 && len(gpu) < 5 && allDigits(gpu)
}

func detectAMDSMIText(_ string, head []byte) bool {
	device := false
	if !bytes.Contains(head, []byte("GPU: ")) {
		return false
	}
	for line := range firstLines(head, 400) {
		line = bytes.TrimRight(line, " \t\r")
		if !device {
			_, device = amdDevice(line)
			continue
		}
		name, _, _ := bytes.Cut(scan.Trim(line), []byte{':'})
		if f, ok := amdMetricFields[strings.ToLower(string(name))]; ok && f.class >= smiShare && line[0] == ' ' {
			return true
		}
	}
	return false
}

type amdTextParser struct {
	gpuReading
	clock lineClock
	w     smiWhen
	group string
	open  bool // a device is in work
}

func parseAMDSMIText(src *Source, out *model.RunBuilder) error {
	p := &amdTextParser{gpuReading: gpuReading{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			break
		}
		p.text(bytes.TrimRight(stripANSI(line), " \t\r"))
	}
	p.end()
	if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
		out.File.Note(amdNoTimes)
	}
	return src.Err()
}

// end writes the device in work.
func (p *amdTextParser) end() {
	if p.open && p.readings() {
		p.write(p.w)
	}
	p.open = false
}

// text reads one line.
func (p *amdTextParser) text(line []byte) {
	if gpu, ok := amdDevice(line); ok {
		p.end()
		p.begin(p.src.Line(), p.src.Offset())
		p.open, p.group, p.w = true, "", p.clock.at(p.src)
		p.amd("gpu", "", gpu, "")
		p.out.Claim(1)
		return
	}
	switch {
	case len(line) == 0, p.clock.line(line):
		p.out.Skip(1)
		return
	case !p.open || line[0] != ' ' && line[0] != '\t':
		p.src.Reject("%q, want a line GPU: 0 or a name with a value under it", clip(line))
		return
	}
	name, cell, named := bytes.Cut(scan.Trim(line), []byte{':'})
	key := strings.ToLower(string(name))
	switch cell = scan.Trim(cell); {
	case !named: // a list goes on
		p.out.Skip(1)
	case len(cell) == 0:
		p.group = key
		p.out.Skip(1)
	case p.src.Cut():
		p.out.Skip(1)
	case key == "timestamp":
		if t, ok := wandbTime(&p.clock.stamp, cell); ok {
			p.w = t
		}
		p.out.Claim(1)
	case cell[0] == '[':
		p.out.Skip(1)
	default:
		p.amd(key, p.group, cell, "")
		p.out.Claim(1)
	}
}
