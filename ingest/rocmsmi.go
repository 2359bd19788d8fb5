package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// ROCmCSV reads rocm-smi --csv, once or again and again.
var ROCmCSV = &Format{
	Name:   "rocm-smi-csv",
	Doc:    "rocm-smi --csv, one table or many: one row a card; a line of date before each table places it",
	Record: "while :; do date -u +%FT%TZ; rocm-smi --showuse --showmeminfo vram --showpower --showtemp --csv; sleep 1; done > rocm.csv",
	Detect: alone(detectROCmCSV),
	Parse:  parseROCmCSV,
}

// ROCmJSON reads rocm-smi --json, one object or many.
var ROCmJSON = &Format{
	Name:     "rocm-smi-json",
	Doc:      "rocm-smi --json, one object or many behind each other; a line of date before each places it",
	Record:   "while :; do date -u +%FT%TZ; rocm-smi --showuse --showmeminfo vram --showpower --showtemp --json; echo; sleep 1; done > rocm.json",
	Detect:   detectROCmJSON,
	Parse:    parseROCmJSON,
	Document: true,
}

// rocmField recognises a name of rocm-smi, over its versions and cards. The
// unit stands in it; how full the memory is, in percent, is not read.
func rocmField(name string) dcgmField {
	n := strings.ToLower(strings.TrimSuffix(name, ":"))
	share, memory := smiField{class: smiShare}, smiField{class: smiMemory}
	switch {
	case n == "gpu use (%)":
		share.col = model.GPUSMUtil
		return dcgmField{share, "%"}
	case n == "gpu memory use (%)", n == "gpu memory read/write activity (%)":
		share.col = model.GPUMemUtil
		return dcgmField{share, "%"}
	case n == "vram total memory (b)":
		memory.col = model.GPUMemTotal
		return dcgmField{memory, "B"}
	case n == "vram total used memory (b)":
		memory.col = model.GPUMemUsed
		return dcgmField{memory, "B"}
	case strings.HasPrefix(n, "max graphics package power"):
		return dcgmField{smiField{col: model.GPUPowerLimit, class: smiPower}, "W"}
	case strings.Contains(n, "graphics package power (w)"), strings.HasPrefix(n, "average socket power"):
		return dcgmField{smiField{col: model.GPUPower, class: smiPower}, "W"}
	case strings.HasPrefix(n, "temperature (sensor junction)"):
		return dcgmField{smiField{col: model.GPUTemperature, class: smiTemperature}, "C"}
	case strings.HasPrefix(n, "temperature (sensor edge)"):
		return dcgmField{smiField{col: model.GPUTemperature, class: smiTemperature, rank: 1}, "C"}
	case n == "sclk clock speed":
		return dcgmField{smiField{col: model.GPUSMClock, class: smiClock}, "MHz"}
	case n == "unique id":
		return dcgmField{smiField{col: model.GPUUUID, class: smiUUID}, ""}
	case n == "pci bus":
		return dcgmField{smiField{col: model.GPUBus, class: smiBus}, ""}
	}
	return dcgmField{smiField: smiField{col: -1}}
}

// rocmModel reports a name under which rocm-smi --showproductname prints the
// model. Beside it, "Card Model" is a number.
func rocmModel(name string) bool {
	return strings.EqualFold(strings.TrimSuffix(name, ":"), "card series")
}

// rocmCard returns the index in card0.
func rocmCard(name []byte) (int64, bool) {
	rest, ok := bytes.CutPrefix(name, []byte("card"))
	if !ok {
		return 0, false
	}
	return scan.Int(rest)
}

// rocmHeader binds "device,GPU use (%),…", nil for any other line.
func rocmHeader(line []byte) (names []string, fields []dcgmField) {
	if !bytes.HasPrefix(line, []byte("device,")) || len(line) > 64<<10 {
		return nil, nil
	}
	known := false
	for _, cell := range bytes.Split(line, []byte{','}) {
		name := string(scan.Trim(cell))
		f := rocmField(name)
		known = known || f.col >= 0
		names, fields = append(names, name), append(fields, f)
	}
	if !known {
		return nil, nil
	}
	return names, fields
}

func detectROCmCSV(_ string, head []byte) bool {
	for line := range firstLines(head, 20) {
		if names, _ := rocmHeader(bytes.TrimRight(line, "\r \t")); names != nil {
			return true
		}
	}
	return false
}

type rocmParser struct {
	gpuReading
	clock  lineClock
	names  []string
	fields []dcgmField
}

func parseROCmCSV(src *Source, out *model.RunBuilder) error {
	p := &rocmParser{gpuReading: gpuReading{src: src, out: out}}
	for {
		line, ok := src.Next()
		if !ok {
			if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
				out.File.Note("no times in the file: rocm-smi prints none, so a line of date before each table is wanted")
			}
			return src.Err()
		}
		line = bytes.TrimRight(line, " \t\r")
		if names, fields := rocmHeader(line); names != nil {
			p.names, p.fields = names, fields
			out.Skip(1)
			continue
		}
		switch {
		case len(line) == 0, bytes.HasPrefix(line, []byte("system,")), bytes.HasPrefix(line, []byte("WARNING:")), p.clock.line(line):
			out.Skip(1)
		default:
			p.row(bytes.Split(line, []byte{','}))
		}
	}
}

func (p *rocmParser) row(cells [][]byte) {
	card, ok := rocmCard(cells[0])
	if len(cells) != len(p.fields) || !ok {
		p.src.Reject("%d cells beginning with %q, want %d beginning with card0 or the like", len(cells), clip(cells[0]), len(p.fields))
		return
	}
	p.begin(p.src.Line(), p.src.Offset())
	p.cells[model.GPUIndex] = gpuCell{ok: true, i: card}
	for k, f := range p.fields {
		switch {
		case p.src.Cut() && k == len(cells)-1:
		case f.col >= 0:
			p.read(p.names[k], f.smiField, f.unit, cells[k])
		case rocmModel(p.names[k]):
			gpuModel(p.out, p.src.Line(), p.src.Offset(), cells[k])
		}
	}
	p.write(p.clock.at(p.src))
	p.out.Claim(1)
}

// detectROCmJSON wants card0 and the like, each an object with a name of
// rocm-smi in it.
func detectROCmJSON(_ string, head []byte) bool {
	for key, first := range jsonHead(fromLine(head, "{")) {
		if _, ok := rocmCard([]byte(key)); ok && first == '{' {
			return true
		}
	}
	return false
}

func parseROCmJSON(src *Source, out *model.RunBuilder) error {
	d := &jsonDocs{src: src, out: out}
	err := d.each(func() {
		d.members(func(key string) {
			card, ok := rocmCard([]byte(key))
			if !ok || d.next() != '{' {
				d.skip()
				return
			}
			g := gpuReading{src: src, out: out}
			at := d.pos(d.i)
			g.begin(at.Line, at.Byte)
			g.cells[model.GPUIndex] = gpuCell{ok: true, i: card}
			d.members(func(name string) {
				f := rocmField(name)
				switch cell := d.cell(); {
				case len(cell) == 0:
				case f.col >= 0:
					g.read(name, f.smiField, f.unit, cell)
				case rocmModel(name):
					gpuModel(out, at.Line, at.Byte, cell)
				}
			})
			if d.err == nil && g.readings() {
				g.write(d.clock.at(src))
			}
		})
	})
	if out.GPU.Rows() > 0 && out.File.Clock.Kind == model.ClockNone {
		out.File.Note("no times in the file: rocm-smi prints none, so a line of date before each object is wanted")
	}
	return err
}
