package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIApps reads nvidia-smi --query-compute-apps: which process is on which
// device. It has no readings of a device.
var SMIApps = &Format{
	Name:   "nvidia-smi-apps",
	Doc:    "nvidia-smi --query-compute-apps=… --format=csv: which process is on which device, and its memory; a device's own activity is not in it",
	Record: "nvidia-smi --query-compute-apps=timestamp,gpu_uuid,pid,process_name,used_gpu_memory --format=csv -l 1 -f apps.csv",
	Detect: detectSMIApps,
	Parse:  parseSMIApps,
}

// smiAppsHeader returns the names of a header with a process in it, nil for
// any other line.
func smiAppsHeader(line []byte) (names []string, units []string) {
	if _, table := smiHeader(line); table != smiProcHeader {
		return nil, nil
	}
	used := false
	for _, cell := range bytes.Split(line, []byte{','}) {
		name, unit := smiName(cell)
		used = used || name == "used_gpu_memory" || name == "used_memory"
		names, units = append(names, name), append(units, unit)
	}
	if !used { // the table of accounted processes, which have ended
		return nil, nil
	}
	return names, units
}

func detectSMIApps(_ string, head []byte) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		if failure, chatter := smiMessage(line); len(line) == 0 || failure || chatter {
			continue
		}
		names, _ := smiAppsHeader(line)
		return names != nil
	}
	return false
}

type smiAppsParser struct {
	metricRows
	names, units []string
	name         int // column of the process's name, which may hold commas; -1
	stamp        scan.Stamp
	seen         map[string]bool
}

func parseSMIApps(src *Source, out *model.RunBuilder) error {
	p := &smiAppsParser{metricRows: metricRows{src: src, out: out}, name: -1, seen: map[string]bool{}}
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		line = scan.Trim(bytes.TrimRight(line, "\r"))
		failure, chatter := smiMessage(line)
		switch names, units := smiAppsHeader(line); {
		case failure:
			out.Event(src.Line(), src.Offset(), 0, "gpu.error", clip(line))
			out.Claim(1)
		case names != nil:
			p.bind(names, units)
			out.Skip(1)
		case len(line) == 0, chatter:
			out.Skip(1)
		default:
			p.row(p.cells(line))
		}
	}
}

func (p *smiAppsParser) bind(names, units []string) {
	p.names, p.units, p.name = names, units, -1
	for k, n := range names {
		if n == "process_name" || n == "name" {
			p.name = k
		}
	}
}

// cells cuts a row from both ends: what is left in the middle is the name.
func (p *smiAppsParser) cells(line []byte) [][]byte {
	cells := bytes.Split(line, []byte{','})
	if extra := len(cells) - len(p.names); extra > 0 && p.name >= 0 {
		cells[p.name] = bytes.Join(cells[p.name:p.name+1+extra], []byte{','})
		cells = append(cells[:p.name+1], cells[p.name+1+extra:]...)
	}
	return cells
}

func (p *smiAppsParser) row(cells [][]byte) {
	if len(cells) != len(p.names) || p.src.Cut() {
		p.src.Reject("%d cells, want %d as in the header", len(cells), len(p.names))
		return
	}
	w, gpu, pid, name := smiWhen{}, "", "", ""
	memory, unit := []byte(nil), ""
	for k, n := range p.names {
		cell := scan.Trim(cells[k])
		switch n {
		case "timestamp":
			w, _ = wholeTime(&p.stamp, cell)
		case "gpu_uuid", "gpu_bus_id", "pci.bus_id", "uuid":
			if gpu == "" || n == "gpu_uuid" {
				gpu = string(cell)
			}
		case "pid":
			if v, ok := scan.Int(cell); ok && v > 0 {
				pid = string(cell)
			}
		case "process_name", "name":
			name = string(cell)
		case "used_gpu_memory", "used_memory":
			memory, unit = cell, p.units[k]
		}
	}
	if pid == "" {
		p.src.Reject("no process id, want a number under pid")
		return
	}
	p.process(gpu, strings.TrimSpace(pid+" "+name))
	if v, ok := gpuNumber(smiMemory, unit, memory); ok && v >= 0 {
		p.add(w, "gpu."+gpu+".pid."+pid+".fb", v, "B")
	}
	p.out.Claim(1)
}

// process keeps which process was seen on which device, once.
func (p *smiAppsParser) process(gpu, text string) {
	if key := gpu + " " + text; !p.seen[key] && len(p.seen) < 4096 {
		p.seen[key] = true
		p.out.Facts = append(p.out.Facts, model.Fact{Key: "gpu." + gpu + ".process", Value: text, Line: int32(p.src.Line()), Byte: p.src.Offset()})
	}
}
