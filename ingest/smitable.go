package ingest

import (
	"bytes"
	"slices"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMITable reads the table that nvidia-smi prints without options, once or
// again and again by a loop or by watch.
var SMITable = &Format{
	Name:   "nvidia-smi-table",
	Doc:    "the plain table of nvidia-smi, once or repeated with a date before each: devices only, not the processes below them",
	Record: "nobody should: nvidia-smi --query-gpu=… --format=csv -lms 200 is smaller, quicker and exact",
	Detect: detectSMITable,
	Parse:  parseSMITable,
}

var smiTableTitle = []byte("| NVIDIA-SMI ")

// detectSMITable looks for the table's title, with nothing but dates, blanks
// and lines of the box before it.
func detectSMITable(_ string, head []byte) bool {
	var c lineClock
	for line := range firstLines(head, 40) {
		line = scan.Trim(bytes.TrimSuffix(stripANSI(line), []byte{'\r'}))
		failure, chatter := smiMessage(line)
		switch {
		case bytes.HasPrefix(line, smiTableTitle):
			return true
		case len(line) == 0, line[0] == '+', failure, chatter, c.line(line):
		default:
			return false
		}
	}
	return false
}

// An smiTableParser reads a device from two lines: the first has its index and
// its place on the bus, the second its readings.
type smiTableParser struct {
	gpuReading
	clock lineClock
	named bool // the first line of a device was read
	noted bool
	mig   bool                        // below the title of the MIG devices
	whole map[int64][gpuCells]gpuCell // names of the devices, by their index
}

func parseSMITable(src *Source, out *model.RunBuilder) error {
	p := &smiTableParser{gpuReading: gpuReading{src: src, out: out}, whole: map[int64][gpuCells]gpuCell{}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = bytes.TrimRight(stripANSI(line), " \t\r")
		failure, _ := smiMessage(line)
		switch {
		case failure:
			out.Event(src.Line(), src.Offset(), p.clock.at(src).t, "gpu.error", clip(line))
			out.Claim(1)
		case len(line) == 0 || line[0] != '|' && line[0] != ' ':
			p.clock.line(line)
			p.named = false
			out.Skip(1)
		case bytes.HasPrefix(line, []byte("| MIG devices:")):
			p.mig, p.named = true, false
			migEnabled(out, src.Line(), src.Offset())
			out.Skip(1)
		case bytes.HasPrefix(line, smiTableTitle), bytes.HasPrefix(line, []byte("| Processes:")):
			p.mig, p.named = false, false
			out.Skip(1)
		case p.mig && p.migRow(line):
		case p.named && !hasPlace(line):
			p.second(line)
		default:
			p.first(line)
			out.Skip(1)
		}
	}
}

// first reads "|   0  NVIDIA H200      On  |   00000000:00:06.0 Off |        0 |".
// Processes, and the table of MIG devices, have no place on the bus.
func (p *smiTableParser) first(line []byte) {
	p.named = false
	cells := bytes.Split(bytes.Trim(scan.Trim(line), "|"), []byte{'|'})
	if len(cells) < 2 {
		return
	}
	words, place := bytes.Fields(cells[0]), bytes.Fields(cells[1])
	if len(words) < 2 || len(place) < 1 || !busID(string(place[0])) {
		return
	}
	index, ok := scan.Int(words[0])
	if !ok || index < 0 {
		return
	}
	p.begin(p.src.Line(), p.src.Offset())
	p.cells[model.GPUIndex] = gpuCell{ok: true, i: index}
	p.setText(model.GPUBus, string(place[0]))
	p.named = true
	if len(p.whole) < maxDevices {
		p.whole[index] = p.cells
	}
	if n := bytes.LastIndexByte(bytes.TrimRight(cells[0], " "), ' '); n > 0 { // the last word is On or Off
		rest := bytes.TrimLeft(scan.Trim(cells[0][:n]), "0123456789")
		gpuModel(p.out, p.src.Line(), p.src.Offset(), scan.Trim(rest))
	}
}

// hasPlace reports the first line of a device, after one that was cut.
func hasPlace(line []byte) bool {
	return slices.ContainsFunc(bytes.Fields(line[:min(len(line), 200)]), func(w []byte) bool { return busID(string(w)) })
}

// second reads "| N/A   55C    P0    686W /  700W |  1011MiB / 143771MiB |    100%      Default |".
func (p *smiTableParser) second(line []byte) {
	p.named = false
	cells := bytes.Split(bytes.Trim(scan.Trim(line), "|"), []byte{'|'})
	if len(cells) < 3 {
		p.src.Reject("%q, want three cells: a device is cut", clip(line))
		return
	}
	words := bytes.Fields(cells[0])
	for i, w := range words {
		if n := len(w); n > 1 && w[n-1] == 'C' && w[0]-'0' < 10 && i < 3 {
			p.read("temperature", smiField{col: model.GPUTemperature, class: smiTemperature}, "", w)
		}
	}
	p.ratio(cells[0], "power", smiField{col: model.GPUPower, class: smiPower}, smiField{col: model.GPUPowerLimit, class: smiPower})
	memory := smiField{col: model.GPUMemUsed, class: smiMemory}
	if p.ratio(cells[1], "memory", memory, smiField{col: model.GPUMemTotal, class: smiMemory}); bytes.IndexByte(cells[1], '/') < 0 {
		p.absent("memory", memory, scan.Trim(cells[1])) // Not Supported, where it is the host's
	}
	if words = bytes.Fields(cells[2]); len(words) > 0 {
		p.read("utilisation", smiField{col: model.GPUSMUtil, class: smiShare}, "", words[0])
	}
	w := p.clock.at(p.src)
	if w.kind == model.ClockNone && !p.noted {
		p.noted = true
		p.out.File.Note("no times in the file: tables without the line of a date before them")
	}
	p.write(w)
	p.out.Claim(1)
}

// ratio reads the words around a slash: "686W /  700W".
func (p *smiTableParser) ratio(cell []byte, name string, used, total smiField) {
	before, after, ok := bytes.Cut(cell, []byte{'/'})
	for ok && bytes.HasSuffix(before, []byte("N")) && bytes.HasPrefix(after, []byte("A")) { // N/A
		var next []byte
		if next, after, ok = bytes.Cut(after[1:], []byte{'/'}); ok {
			before = append([]byte("N/A"), next...)
		}
	}
	if !ok {
		return
	}
	if w := bytes.Fields(before); len(w) > 0 {
		p.read(name, used, "", w[len(w)-1])
	}
	if w := bytes.Fields(after); len(w) > 0 {
		p.read(name+" limit", total, "", w[0])
	}
}
