package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// DCGMDmon reads dcgmi dmon: one row an entity and sample, without times.
var DCGMDmon = &Format{
	Name:   "dcgmi-dmon",
	Doc:    "dcgmi dmon -e …: the profiling counters of DCGM by device; it prints no times, so that a line of date before each sample, or a container's log around it, places them",
	Record: "dcgmi dmon -e 203,1001,1002,1004,1005,155,252 -d 1000 | while IFS= read -r l; do printf '%s %s\\n' \"$(date -u +%FT%TZ)\" \"$l\"; done > dcgm.log",
	Detect: alone(detectDCGMDmon),
	Parse:  parseDCGMDmon,
}

// dcgmFields are the columns by the short names of dcgmi dmon, and by the
// longer ones of newer versions. PROF fields are shares of 0 to 1, GPUTL is in
// percent: by field, not by value.
var dcgmFields = map[string]dcgmField{
	"GPUTL": {smiField{col: model.GPUSMUtil, class: smiShare}, ""}, "MCUTL": {smiField{col: model.GPUMemUtil, class: smiShare}, ""},
	"GRACT": {smiField{col: model.GPUSMUtil, class: smiRatio, rank: 1}, ""},
	"SMACT": {smiField{col: model.GPUSMActive, class: smiRatio}, ""}, "TENSO": {smiField{col: model.GPUTensorActive, class: smiRatio}, ""},
	"DRAMA": {smiField{col: model.GPUDRAMActive, class: smiRatio}, ""},
	"POWER": {smiField{col: model.GPUPower, class: smiPower}, "W"}, "TMPTR": {smiField{col: model.GPUTemperature, class: smiTemperature}, "C"},
	"FBUSD": {smiField{col: model.GPUMemUsed, class: smiMemory}, "MiB"}, "FBTTL": {smiField{col: model.GPUMemTotal, class: smiMemory}, "MiB"},
	"SMCLK": {smiField{col: model.GPUSMClock, class: smiClock}, "MHz"},
	"PCITX": {smiField{col: model.GPUPCIeTX, class: smiRate}, "B/s"}, "PCIRX": {smiField{col: model.GPUPCIeRX, class: smiRate}, "B/s"},
}

// A dcgmField is a quantity and the unit in which it is printed.
type dcgmField struct {
	smiField
	unit string
}

// dcgmColumn recognises a column of dcgmi dmon.
func dcgmColumn(name string) dcgmField {
	name = strings.ToUpper(name)
	if f, ok := dcgmFields[name]; ok {
		return f
	}
	for _, long := range [...][2]string{
		{"GR_ENGINE_UTIL_RATIO", "GRACT"},
		{"GR_ENGINE_ACTIVE", "GRACT"},
		{"TENSOR_UTIL_RATIO", "TENSO"},
		{"TENSOR_ACTIVE", "TENSO"},
		{"DRAM_UTIL_RATIO", "DRAMA"},
		{"DRAM_ACTIVE", "DRAMA"},
		{"GPU_UTIL_RATIO", ""},
		{"SM_UTIL_RATIO", "SMACT"},
		{"SM_ACTIVE", "SMACT"},
		{"GPU_UTIL", "GPUTL"},
		{"POWER_USAGE", "POWER"},
		{"FB_USED", "FBUSD"},
		{"GPU_TEMP", "TMPTR"},
	} {
		if strings.HasSuffix(name, long[0]) {
			if long[1] == "" { // in newer versions a ratio, not a percentage
				return dcgmField{smiField{col: model.GPUSMUtil, class: smiRatio}, ""}
			}
			return dcgmFields[long[1]]
		}
	}
	return dcgmField{smiField: smiField{col: -1}}
}

// dcgmHeader returns the names behind "#Entity", nil for any other line.
func dcgmHeader(line []byte) [][]byte {
	if len(line) == 0 || line[0] != '#' && line[0] != 'E' && line[0] != ' ' && line[0] != '\t' {
		return nil
	}
	f := bytes.Fields(line[:min(len(line), 4096)])
	if len(f) > 1 && (string(f[0]) == "#Entity" || string(f[0]) == "Entity") {
		return f[1:]
	}
	if len(f) > 2 && string(f[0]) == "#" && string(f[1]) == "Entity" {
		return f[2:]
	}
	return nil
}

func detectDCGMDmon(_ string, head []byte) bool {
	for line := range firstLines(head, 20) {
		if dcgmHeader(bytes.TrimRight(line, "\r \t")) != nil {
			return true
		}
	}
	return false
}

type dcgmParser struct {
	gpuReading
	clock  lineClock
	fields []dcgmField
	names  []string
}

func parseDCGMDmon(src *Source, out *model.RunBuilder) error {
	p := &dcgmParser{gpuReading: gpuReading{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
				out.File.Note("no times in the file: dcgmi dmon prints none, so a line of date before each sample is wanted")
			}
			return src.Err()
		}
		line = bytes.TrimRight(line, " \t\r")
		if names := dcgmHeader(line); names != nil {
			p.bind(names)
			out.Skip(1)
			continue
		}
		word, _, _ := bytes.Cut(scan.Trim(line), []byte{' '})
		switch {
		case len(word) == 0, string(word) == "ID", string(word) == "Id", p.clock.line(line):
			out.Skip(1)
		case p.fields != nil && (string(word) == "GPU" || bytes.HasPrefix(word, []byte("GPU-"))):
			p.row(bytes.Fields(line))
		case p.fields != nil && isLetter(word[0]) && word[len(word)-1] != ':': // a switch, a CPU, a link
			out.Skip(1)
		default:
			src.Reject("%q, want a row of dcgmi dmon under its header", clip(line))
		}
	}
}

func (p *dcgmParser) bind(names [][]byte) {
	p.fields, p.names = p.fields[:0], p.names[:0]
	for _, n := range names {
		f := dcgmColumn(string(n))
		if f.col == model.GPUSMUtil && f.rank == 1 {
			p.out.File.Note(string(n) + " (any engine at work) is taken as sm_util where GPUTL is missing")
		}
		p.fields, p.names = append(p.fields, f), append(p.names, string(n))
	}
}

// row reads a row: the entity is two words. A part of a device (MIG) has no
// index of its own, and what its counters say is not the device's.
func (p *dcgmParser) row(f [][]byte) {
	if len(f) != len(p.fields)+2 || p.src.Cut() && len(f) < len(p.fields)+2 {
		p.src.Reject("%d cells, want %d as in the header, the entity being two", len(f), len(p.fields)+2)
		return
	}
	id, ok := scan.Int(f[1])
	if !ok || id < 0 || id > 1<<12 {
		p.src.Reject("entity %q, want the index of a GPU", clip(f[1]))
		return
	}
	p.begin(p.src.Line(), p.src.Offset())
	if string(f[0]) == "GPU" {
		p.cells[model.GPUIndex] = gpuCell{ok: true, i: id}
	} else {
		p.partOf(&gpuReading{}, string(f[0])+" "+string(f[1]))
	}
	for k, field := range p.fields {
		if cell := f[k+2]; field.col >= 0 && !(p.src.Cut() && k == len(p.fields)-1) {
			p.counter(p.names[k], field, cell)
		}
	}
	p.write(p.clock.at(p.src))
	p.out.Claim(1)
}

// counter reads a value of DCGM, which prints large numbers for "no value".
func (g *gpuReading) counter(name string, f dcgmField, cell []byte) {
	if v, ok := scan.Float(cell); ok && dcgmBlank(v) {
		g.absent(name, f.smiField, []byte("DCGM's number for no value"))
		return
	} else if ok && f.class == smiRatio && v > 1 && v <= 1.5 {
		g.out.File.Note(name + ": values over 1, as the counters of MIG devices give them, are kept as they are")
	}
	g.read(name, f.smiField, f.unit, cell)
}

// dcgmBlank reports the numbers that DCGM has for "no value" in 32 and 64 bits
// and in floating point, and what they become when they are rounded.
func dcgmBlank(v float64) bool {
	return v >= 2147483632 && v <= 2147483647 || v >= 9.2233720368547e18 && v < 9.23e18 || v >= 140737488355328 && v <= 140737488355344
}
