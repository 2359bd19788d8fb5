package ingest

import (
	"bytes"
	"strconv"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// GPUList reads the lists of devices: no readings, but which index has which
// uuid and place on the bus.
var GPUList = &Format{
	Name:   "gpu-list",
	Doc:    "nvidia-smi -L and dcgmi discovery -l: the model, uuid and place on the bus of each index, by which other files' devices are told",
	Record: "nvidia-smi -L > gpus.txt",
	Detect: alone(detectGPUList),
	Parse:  parseGPUList,
}

// detectGPUList wants nothing else in the first lines: a log may begin with a
// list.
func detectGPUList(_ string, head []byte) bool {
	listed := false
	for line := range firstLines(head, 50) {
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		_, _, _, device := listedGPU(line)
		switch {
		case device, bytes.HasPrefix(line, []byte("| GPU ID | Device Information")):
			listed = true
		case len(line) > 0 && !dateLine(line) && !bytes.HasPrefix(line, []byte("GPU ")) && !listFrame(line):
			return false
		}
	}
	return listed
}

// listFrame reports the lines between the devices: parts of one, and frames
// and counts of dcgmi.
func listFrame(line []byte) bool {
	return line[0] == '+' || line[0] == '|' || bytes.HasPrefix(line, []byte("MIG ")) || bytes.HasSuffix(line, []byte(" found."))
}

// listedGPU reads a line of nvidia-smi -L: GPU 0: NVIDIA H200 (UUID: GPU-…).
func listedGPU(line []byte) (index int64, name, uuid []byte, ok bool) {
	rest, ok := bytes.CutPrefix(scan.Trim(bytes.TrimRight(line, "\r")), []byte("GPU "))
	number, rest, colon := bytes.Cut(rest, []byte(": "))
	name, uuid, has := bytes.Cut(rest, []byte(" (UUID: "))
	uuid, end := bytes.CutSuffix(uuid, []byte(")"))
	index, whole := scan.Int(number)
	return index, name, uuid, ok && colon && has && end && whole && index >= 0 && index < 1<<12
}

type gpuListParser struct {
	src   *Source
	out   *model.RunBuilder
	index int64 // of the box of dcgmi in work, -1 outside
}

func parseGPUList(src *Source, out *model.RunBuilder) error {
	p := &gpuListParser{src: src, out: out, index: -1}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(stripANSI(line), "\r"))
		if index, name, uuid, ok := listedGPU(line); ok {
			gpuModel(out, src.Line(), src.Offset(), name)
			p.fact(index, factUUID, uuid)
			out.Claim(1)
		} else if box, ok := bytes.CutPrefix(line, []byte("|")); ok {
			p.box(bytes.Split(bytes.TrimSuffix(box, []byte("|")), []byte("|")))
		} else {
			p.rest(line)
		}
	}
}

// box reads a line of dcgmi's table: an index, or nothing, and a name with its
// value.
func (p *gpuListParser) box(cells [][]byte) {
	if n, ok := scan.Int(scan.Trim(cells[0])); ok && len(cells) == 2 {
		p.index = n
	} else if len(scan.Trim(cells[0])) > 0 {
		p.index = -1 // the header of another table, of switches or processors
	}
	name, value, ok := bytes.Cut(scan.Trim(cells[len(cells)-1]), []byte(": "))
	if value = scan.Trim(value); !ok || p.index < 0 || p.index >= 1<<12 {
		p.out.Skip(1)
		return
	}
	switch string(name) {
	case "Name":
		gpuModel(p.out, p.src.Line(), p.src.Offset(), value)
	case "PCI Bus ID":
		p.fact(p.index, factBus, value)
	case "Device UUID":
		p.fact(p.index, factUUID, value)
	}
	p.out.Claim(1)
}

// rest takes the other lines: frames and counts of dcgmi, parts of a device.
func (p *gpuListParser) rest(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("MIG ")) && bytes.Contains(line, []byte("(UUID: MIG-")):
		migEnabled(p.out, p.src.Line(), p.src.Offset())
		p.out.Claim(1)
	case len(line) == 0, line[0] == '+', bytes.HasSuffix(line, []byte(" found.")), dateLine(line):
		p.out.Skip(1)
	default:
		p.src.Reject("%q, want a device as nvidia-smi -L or dcgmi discovery -l prints it", clip(line))
	}
}

// factUUID and factBus end the keys gpu.N.uuid and gpu.N.pci_bus of facts.
const factUUID, factBus = ".uuid", ".pci_bus"

func (p *gpuListParser) fact(index int64, what string, value []byte) {
	key := "gpu." + strconv.FormatInt(index, 10) + what
	for _, f := range p.out.Facts {
		if f.Key == key && f.Value == string(value) {
			return // a loop prints the list again
		}
	}
	p.out.Facts = append(p.out.Facts, model.Fact{Key: key, Value: string(value), Line: int32(p.src.Line()), Byte: p.src.Offset()})
}

// listedName reads such a fact: the index, and the name as gpuNames keeps it.
func listedName(f model.Fact) (index int64, name string) {
	number, ok := strings.CutPrefix(f.Key, "gpu.")
	if n, uuid := strings.CutSuffix(number, factUUID); ok && uuid {
		number, name = n, f.Value
	} else if n, bus := strings.CutSuffix(number, factBus); ok && bus {
		number, name = n, busName(f.Value)
	}
	index, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, ""
	}
	return index, name
}
