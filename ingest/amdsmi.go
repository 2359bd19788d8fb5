package ingest

import (
	"bytes"
	"slices"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// AMDSMI reads amd-smi monitor, as a table or as CSV.
var AMDSMI = &Format{
	Name:   "amd-smi-monitor",
	Doc:    "amd-smi monitor of any version, as a table whose cells are a number and a unit, or as CSV, and amd-smi metric --csv; only with -w does it print times",
	Record: "amd-smi monitor -p -t -u -m -v -w 1 --csv > amd.csv",
	Detect: alone(detectAMDSMI),
	Parse:  parseAMDSMI,
}

// amdFields are the columns by name, without a unit in brackets.
var amdFields = map[string]smiField{
	"timestamp": {col: model.GPUT, class: smiTime}, "gpu": {col: model.GPUIndex, class: smiIndex},
	"power": {col: model.GPUPower, class: smiPower}, "power_usage": {col: model.GPUPower, class: smiPower}, "max_power": {col: model.GPUPowerLimit, class: smiPower}, "pwr_cap": {col: model.GPUPowerLimit, class: smiPower},
	"gpu_t": {col: model.GPUTemperature, class: smiTemperature}, "gpu_temp": {col: model.GPUTemperature, class: smiTemperature}, "hotspot_temperature": {col: model.GPUTemperature, class: smiTemperature},
	"gfx%": {col: model.GPUSMUtil, class: smiShare}, "gfx_util": {col: model.GPUSMUtil, class: smiShare}, "gfx": {col: model.GPUSMUtil, class: smiShare},
	"mem%": {col: model.GPUMemUtil, class: smiShare}, "mem_util": {col: model.GPUMemUtil, class: smiShare}, "mem": {col: model.GPUMemUtil, class: smiShare},
	"gfx_clk": {col: model.GPUSMClock, class: smiClock}, "gfx_clock": {col: model.GPUSMClock, class: smiClock},
	"vram_used": {col: model.GPUMemUsed, class: smiMemory}, "vram_total": {col: model.GPUMemTotal, class: smiMemory}, "vram_usage": {col: model.GPUMemUsed, class: smiMemory},
}

// amdMetricFields are the columns of amd-smi metric --csv. There, mem is a
// temperature.
var amdMetricFields = map[string]smiField{
	"timestamp": {col: model.GPUT, class: smiTime}, "gpu": {col: model.GPUIndex, class: smiIndex},
	"gfx_activity": {col: model.GPUSMUtil, class: smiShare}, "umc_activity": {col: model.GPUMemUtil, class: smiShare},
	"socket_power": {col: model.GPUPower, class: smiPower}, "hotspot": {col: model.GPUTemperature, class: smiTemperature},
	"used_vram": {col: model.GPUMemUsed, class: smiMemory}, "total_vram": {col: model.GPUMemTotal, class: smiMemory},
}

// amdNames are the columns that a header with these names has.
func amdNames(names []string) map[string]smiField {
	if slices.Contains(names, "gfx_activity") {
		return amdMetricFields
	}
	return amdFields
}

// amdUnits are the words behind a number of the table.
var amdUnits = map[string]bool{"W": true, "°C": true, "C": true, "%": true, "MHz": true, "MB": true, "GB": true, "MB/s": true, "Mb/s": true, "GB/s": true, "V": true, "mV": true, "FPS": true}

// amdBegins reports whether a line begins with the name of a header's first column.
func amdBegins(line []byte) bool {
	for _, name := range []string{"gpu", "timestamp"} {
		if len(line) >= len(name) && strings.EqualFold(string(line[:len(name)]), name) {
			return true
		}
	}
	return false
}

// amdHeader returns the names of a header, in lower case; sep is ',' or ' '.
func amdHeader(line []byte) (names []string, sep byte) {
	if len(line) > 4096 || len(line) < 8 || !amdBegins(scan.Trim(line)) {
		return nil, 0
	}
	sep = ' '
	if bytes.IndexByte(line, ',') >= 0 {
		sep = ','
	}
	known, gpu := 0, false
	for _, w := range amdCells(line, sep) {
		name, _, _ := strings.Cut(strings.ToLower(string(w)), "(")
		gpu = gpu || name == "gpu"
		names = append(names, name)
	}
	fields := amdNames(names)
	for _, name := range names {
		if f, ok := fields[name]; ok && f.class >= smiShare {
			known++
		}
	}
	if !gpu || known < 2 || names[0] != "gpu" && names[0] != "timestamp" {
		return nil, 0
	}
	for _, n := range names { // nvidia-smi's headers have none of these
		if strings.HasPrefix(n, "gfx") || strings.HasPrefix(n, "vram") {
			return names, sep
		}
	}
	return nil, 0
}

func amdCells(line []byte, sep byte) [][]byte {
	if sep == ',' {
		return bytes.Split(line, []byte{','})
	}
	return bytes.Fields(line)
}

func detectAMDSMI(_ string, head []byte) bool {
	for line := range firstLines(head, 10) {
		if names, _ := amdHeader(scan.Trim(bytes.TrimRight(line, "\r"))); names != nil {
			return true
		}
	}
	return false
}

type amdParser struct {
	gpuReading
	clock lineClock
	names []string
	sep   byte
}

func parseAMDSMI(src *Source, out *model.RunBuilder) error {
	p := &amdParser{gpuReading: gpuReading{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
				out.File.Note("no times in the file: amd-smi monitor prints them only with -w")
			}
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(stripANSI(line), "\r"))
		if names, sep := amdHeader(line); names != nil {
			p.names, p.sep = names, sep
			out.Skip(1)
			continue
		}
		if len(line) == 0 || p.clock.line(line) || line[0] == '-' {
			out.Skip(1)
			continue
		}
		p.row(amdCells(line, p.sep))
	}
}

// row reads the cells of a row: in the table each may have its unit behind it.
func (p *amdParser) row(words [][]byte) {
	p.begin(p.src.Line(), p.src.Offset())
	w, k, read := p.clock.at(p.src), 0, 0
	fields := amdNames(p.names)
	for _, name := range p.names {
		if k >= len(words) {
			break
		}
		read++
		cell, unit := words[k], ""
		k++
		if k < len(words) && p.sep == ' ' && amdUnits[string(words[k])] {
			unit = string(words[k])
			k++
		}
		f, ok := fields[name]
		switch {
		case !ok || p.src.Cut() && k >= len(words):
		case f.class == smiTime:
			if t, ok := wandbTime(&p.clock.stamp, cell); ok {
				w = t
			}
		default:
			p.amdCell(name, f, cell, unit)
		}
	}
	if k != len(words) || read < len(p.names) || !p.cells[model.GPUIndex].ok || !p.readings() {
		p.src.Reject("%d words, want a cell for each of the %d names, the index of a GPU among them", len(words), len(p.names))
		return
	}
	p.write(w)
	p.out.Claim(1)
}

// amdCell reads a cell. What amd-smi calls MB and GB are 2^20 and 2^30 bytes;
// VRAM_USAGE is used/total.
func (p *amdParser) amdCell(name string, f smiField, cell []byte, unit string) {
	if f.class == smiMemory {
		unit = amdMemory(unit)
		if used, total, ok := bytes.Cut(cell, []byte{'/'}); ok && name == "vram_usage" && len(total) > 1 {
			cell = used
			p.read(name, smiField{col: model.GPUMemTotal, class: smiMemory}, unit, total)
		}
	}
	p.read(name, f, unit, cell)
}
