package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// Nvitop reads the CSV that nvitop's ResourceMetricCollector gives. Its names
// hold both indices of a device, the one that a process counts and NVML's.
var Nvitop = &Format{
	Name:   "nvitop-csv",
	Doc:    "nvitop's ResourceMetricCollector as CSV: devices by CUDA and by NVML index, each row the mean over a period",
	Record: "from the training process: nvitop.ResourceMetricCollector with collect_in_background, each metrics dict one row",
	Detect: detectNvitop,
	Parse:  parseNvitop,
	Parts:  true,
}

// nvitopFields are the quantities by name, with the statistic that is read.
var nvitopFields = map[string]smiField{
	"gpu_utilization/mean": {col: model.GPUSMUtil, class: smiShare}, "gpu_utilization/last": {col: model.GPUSMUtil, class: smiShare, rank: 1},
	"memory_utilization/mean": {col: model.GPUMemUtil, class: smiShare}, "memory_utilization/last": {col: model.GPUMemUtil, class: smiShare, rank: 1},
	"memory_used/last": {col: model.GPUMemUsed, class: smiMemory}, "memory_used/mean": {col: model.GPUMemUsed, class: smiMemory, rank: 1},
	"memory_total/last": {col: model.GPUMemTotal, class: smiMemory},
	"power_usage/mean":  {col: model.GPUPower, class: smiPower}, "power_usage/last": {col: model.GPUPower, class: smiPower, rank: 1},
	"temperature/last": {col: model.GPUTemperature, class: smiTemperature}, "temperature/mean": {col: model.GPUTemperature, class: smiTemperature, rank: 1},
	"sm_clock/mean": {col: model.GPUSMClock, class: smiClock}, "sm_clock/last": {col: model.GPUSMClock, class: smiClock, rank: 1},
}

// An nvitopColumn is what a column holds: the time, a share of the host's
// processors, or a quantity of a device.
type nvitopColumn struct {
	what       nvitopKind
	field      smiField
	name, unit string
	cuda, gpu  int64 // -1 where the name does not tell
	device     int   // number of the device in the file
}

type nvitopKind uint8

const (
	nvitopOther nvitopKind = iota
	nvitopTime
	nvitopCPU
	nvitopGPU
)

// nvitopName reads TAG/cuda:0 (gpu:5)/gpu_utilization (%)/mean and the names
// beside it.
func nvitopName(name string) (c nvitopColumn) {
	parts := strings.Split(name, "/")
	n := len(parts)
	switch {
	case n >= 2 && (parts[n-1] == "last_timestamp" || parts[n-1] == "timestamp"):
		c.what = nvitopTime
		c.field.rank = len(parts[n-1]) // the longer name is the end of the period
		return c
	case n < 4:
		return c
	}
	device, quantity, stat := parts[n-3], parts[n-2], parts[n-1]
	quantity, unit, _ := strings.Cut(quantity, " (")
	c.unit, c.name = strings.TrimSuffix(unit, ")"), quantity
	if device == "host" && quantity == "cpu_percent" && stat == "mean" {
		c.what = nvitopCPU
		return c
	}
	var ok bool
	if c.field, ok = nvitopFields[quantity+"/"+stat]; !ok {
		return c
	}
	c.cuda, c.gpu = nvitopIndex(device, "cuda:"), nvitopIndex(device, "gpu:")
	if c.cuda >= 0 || c.gpu >= 0 {
		c.what = nvitopGPU
	}
	return c
}

// nvitopIndex reads the number behind a word, -1 where there is none: also of a
// part of a device, gpu:5:0.
func nvitopIndex(device, word string) int64 {
	i := strings.Index(device, word)
	if i < 0 {
		return -1
	}
	end := i + len(word)
	for end < len(device) && device[end]-'0' < 10 {
		end++
	}
	v, ok := scan.Int([]byte(device[i+len(word) : end]))
	if !ok || end < len(device) && device[end] == ':' {
		return -1
	}
	return v
}

// nvitopHeader binds a header, nil for any other line.
func nvitopHeader(line []byte) []nvitopColumn {
	if !bytes.Contains(line, []byte("/")) || len(line) > 64<<10 {
		return nil
	}
	type key struct{ cuda, gpu int64 }
	devices := map[key]int{}
	var cols []nvitopColumn
	timed := false
	for _, name := range bytes.Split(line, []byte{','}) {
		c := nvitopName(strings.Trim(string(scan.Trim(name)), `"`))
		timed = timed || c.what == nvitopTime
		if c.what == nvitopGPU {
			k := key{c.cuda, c.gpu}
			if _, ok := devices[k]; !ok {
				devices[k] = len(devices)
			}
			c.device = devices[k]
		}
		cols = append(cols, c)
	}
	if !timed || len(devices) == 0 {
		return nil
	}
	return cols
}

func detectNvitop(_ string, head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
	return nvitopHeader(bytes.TrimRight(line, "\r")) != nil
}

type nvitopParser struct {
	src     *Source
	out     *model.RunBuilder
	cols    []nvitopColumn
	devices []gpuReading
}

func parseNvitop(src *Source, out *model.RunBuilder) error {
	p := &nvitopParser{src: src, out: out}
	p.bind([]byte(src.Header))
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		switch {
		case len(line) == 0, line[0]-'0' > 9 && line[0] != ',' && p.bind(line):
			out.Skip(1)
		default:
			p.row(line)
		}
	}
}

func (p *nvitopParser) bind(line []byte) bool {
	cols := nvitopHeader(line)
	if cols == nil {
		return false
	}
	p.cols = cols
	p.src.Bind(string(line))
	n := 0
	for _, c := range cols {
		n = max(n, c.device+1)
	}
	p.devices = make([]gpuReading, n)
	for i := range p.devices {
		p.devices[i] = gpuReading{src: p.src, out: p.out}
	}
	p.out.File.Note("rows are means over a period: they swing less than the devices do")
	p.out.File.Note("cuda:N is the index in the process, gpu:N that of NVML; rows have both")
	return true
}

func (p *nvitopParser) row(line []byte) {
	if n := bytes.Count(line, []byte{','}) + 1; n != len(p.cols) {
		p.src.Reject("%d cells, want %d as in the header", n, len(p.cols))
		return
	}
	for i := range p.devices {
		p.devices[i].begin(p.src.Line(), p.src.Offset())
	}
	w, rank := smiWhen{}, 0
	var host []byte
	for k := range p.cols {
		c := &p.cols[k]
		cell, rest, _ := bytes.Cut(line, []byte{','})
		line = rest
		if cell = scan.Trim(cell); k == len(p.cols)-1 && p.src.Cut() {
			cell = nil
		}
		switch c.what {
		case nvitopTime:
			if t, ok := scan.Epoch(cell); ok && c.field.rank > rank {
				w, rank = smiWhen{t, model.ClockUTC}, c.field.rank
			}
		case nvitopCPU:
			host = cell
		case nvitopGPU:
			g := &p.devices[c.device]
			if c.gpu >= 0 {
				g.cells[model.GPUIndex] = gpuCell{ok: true, i: c.gpu}
			}
			if c.cuda >= 0 {
				g.cells[model.GPUCUDA] = gpuCell{ok: true, i: c.cuda}
			}
			g.read(c.name, c.field, c.unit, cell)
		}
	}
	if w.kind == model.ClockNone {
		p.src.Reject("no time, want epoch seconds under timestamp")
		return
	}
	p.write(w, host)
}

func (p *nvitopParser) write(w smiWhen, host []byte) {
	for i := range p.devices {
		if p.devices[i].readings() {
			p.devices[i].write(w)
		}
	}
	if v, ok := scan.Float(host); ok && v >= 0 && v <= 100 {
		m := metricRows{src: p.src, out: p.out}
		m.add(w, "host.cpu", v/100, "ratio")
	}
	p.out.Claim(1)
}
