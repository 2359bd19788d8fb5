package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIXML reads nvidia-smi -q -x: one document, or many behind each other as a
// loop appends them.
var SMIXML = &Format{
	Name:      "nvidia-smi-xml",
	Doc:       "nvidia-smi -q -x of any driver (device DTD v9 to v13), one or many documents in a file, the last one perhaps cut",
	Record:    "nvidia-smi -q -x -l 1 -f gpu.xml (--query-gpu with -lms 200 is smaller and quicker)",
	Detect:    detectSMIXML,
	Parse:     parseSMIXML,
	LongLines: true,
}

// smiXMLPaths are the readings by parent and name below a <gpu>, over all
// versions of the DTD. Power moved twice; of its limits the one in force comes first.
var smiXMLPaths = map[string]smiField{
	"gpu/uuid": {col: model.GPUUUID, class: smiUUID}, "pci/pci_bus_id": {col: model.GPUBus, class: smiBus},
	"utilization/gpu_util": {col: model.GPUSMUtil, class: smiShare}, "utilization/memory_util": {col: model.GPUMemUtil, class: smiShare},
	"fb_memory_usage/used": {col: model.GPUMemUsed, class: smiMemory}, "fb_memory_usage/total": {col: model.GPUMemTotal, class: smiMemory},
	"power_readings/power_draw": {col: model.GPUPower, class: smiPower}, "gpu_power_readings/power_draw": {col: model.GPUPower, class: smiPower},
	"gpu_power_readings/instant_power_draw":    {col: model.GPUPower, class: smiPower, rank: 1},
	"gpu_power_readings/average_power_draw":    {col: model.GPUPower, class: smiPower, rank: 2},
	"power_readings/enforced_power_limit":      {col: model.GPUPowerLimit, class: smiPower},
	"power_readings/power_limit":               {col: model.GPUPowerLimit, class: smiPower, rank: 1},
	"gpu_power_readings/current_power_limit":   {col: model.GPUPowerLimit, class: smiPower},
	"gpu_power_readings/requested_power_limit": {col: model.GPUPowerLimit, class: smiPower, rank: 1},
	"clocks/sm_clock":                          {col: model.GPUSMClock, class: smiClock},
	"temperature/gpu_temp":                     {col: model.GPUTemperature, class: smiTemperature},
	"pci/tx_util":                              {col: model.GPUPCIeTX, class: smiRate}, "pci/rx_util": {col: model.GPUPCIeRX, class: smiRate},
}

func detectSMIXML(_ string, head []byte) bool {
	i := bytes.Index(head, []byte("<nvidia_smi_log"))
	return i >= 0 && bytes.IndexByte(bytes.TrimLeft(head, " \t\r\n"), '<') == 0
}

// smiXMLDepth is deeper than any such document; elements below are not told apart.
const smiXMLDepth = 32

// An smiXMLParser reads tags one after another; nothing but the names of the
// open elements is kept.
type smiXMLParser struct {
	smiDocument
	stamp scan.Stamp
	open  [smiXMLDepth]string
	depth int
	gpu   int // depth of the open <gpu>, 0 outside
	mig   int // depth of the open <mig_device>, 0 outside
	path  []byte
}

func parseSMIXML(src *Source, out *model.RunBuilder) error {
	p := &smiXMLParser{smiDocument: smiDocument{gpuReading: gpuReading{src: src, out: out}}}
	for {
		line, ok := src.Next()
		if !ok {
			p.cut()
			return src.Err()
		}
		p.line(line)
	}
}

// cut closes what the end of the file has left open.
func (p *smiXMLParser) cut() {
	if p.depth > 0 {
		p.out.File.Truncated = true
		p.out.File.Note("the last document is cut: what was whole in it is kept")
		if p.gpu > 0 && p.inside && !p.readings() && len(p.parts) == 0 {
			p.inside = false
		}
	}
	p.close()
}

// line reads the tags of a line, and the text between two that belong together.
func (p *smiXMLParser) line(line []byte) {
	whole, used, bad := line, false, false
	text, opened := []byte(nil), false
	for {
		i := bytes.IndexByte(line, '<')
		if i < 0 {
			break
		}
		text = line[:i]
		end := bytes.IndexByte(line[i:], '>')
		if end < 0 {
			bad = true
			break
		}
		tag := line[i+1 : i+end]
		line = line[i+end+1:]
		switch {
		case len(tag) == 0:
			bad = true
		case tag[0] == '?' || tag[0] == '!':
			p.restart()
		case tag[0] == '/':
			if opened {
				used = p.value(scan.Trim(text)) || used
			}
			bad = !p.leave(tag[1:]) || bad
			opened = false
		case tag[len(tag)-1] == '/':
			opened = false
		default:
			p.enter(tag)
			opened = true
		}
	}
	switch {
	case bad:
		p.src.Reject("%q, want tags that are closed in the order in which they were opened", clip(scan.Trim(whole)))
	case used:
		p.out.Claim(1)
	default:
		p.out.Skip(1)
	}
}

// restart begins a document, whatever the one before has left open.
func (p *smiXMLParser) restart() {
	if p.depth > 0 {
		p.src.warn("a document begins within another one, which is cut")
	}
	p.close()
	p.depth, p.gpu, p.mig = 0, 0, 0
}

func (p *smiXMLParser) enter(tag []byte) {
	name, rest, _ := bytes.Cut(tag, []byte{' '})
	if string(name) == "nvidia_smi_log" && p.depth > 0 {
		p.restart()
	}
	if p.depth < smiXMLDepth {
		p.open[p.depth] = smiXMLName(name)
	}
	p.depth++
	if string(name) == "mig_device" && p.gpu > 0 && p.mig == 0 {
		p.mig = p.depth
		p.beginPart()
	}
	if string(name) == "gpu" && p.gpu == 0 {
		p.gpu = p.depth
		bus := ""
		if k := bytes.Index(rest, []byte(`id="`)); k >= 0 {
			id, _, _ := bytes.Cut(rest[k+4:], []byte{'"'})
			bus = string(id)
		}
		p.device(bus)
	}
}

// smiXMLName is a name without an allocation where it is one of those needed.
func smiXMLName(name []byte) string {
	switch string(name) {
	case "gpu":
		return "gpu"
	case "pci":
		return "pci"
	case "utilization":
		return "utilization"
	case "fb_memory_usage":
		return "fb_memory_usage"
	case "power_readings":
		return "power_readings"
	case "gpu_power_readings":
		return "gpu_power_readings"
	case "clocks":
		return "clocks"
	case "temperature":
		return "temperature"
	}
	return string(name)
}

// leave closes an element, and what is open within it; it reports false where
// that is anything.
func (p *smiXMLParser) leave(tag []byte) bool {
	name := scan.Trim(tag)
	if p.depth == 0 {
		return false
	}
	to := p.depth - 1 // what is left open
	if to < smiXMLDepth && string(name) != p.open[to] {
		for to--; to >= 0 && string(name) != p.open[to]; to-- {
		}
		if to < 0 {
			return false // closes nothing
		}
	}
	right := to == p.depth-1
	if p.depth = to; p.depth < p.mig {
		p.endPart()
		p.mig = 0
	}
	if p.depth < p.gpu {
		p.end()
		p.gpu = 0
	}
	if p.depth == 0 {
		p.close()
	}
	return right
}

// value takes the text of the element that closes; it reports whether it was needed.
func (p *smiXMLParser) value(text []byte) bool {
	if p.depth < 2 || p.depth > smiXMLDepth {
		return false
	}
	name := p.open[p.depth-1]
	parent := p.open[p.depth-2]
	switch {
	case p.depth == 2 && name == "timestamp":
		if p.smiDocument.time(&p.stamp, text) {
			return true
		}
		p.src.warn("time %q, want one such as Sun Nov 29 15:27:15 2026", clip(text))
		return false
	case p.depth == 2 && name == "attached_gpus":
		p.attached, _ = scan.Int(text)
		return true
	case p.mig > 0 && p.part != nil:
		if p.depth > p.mig+2 {
			return false
		}
		return p.part.value(strings.TrimPrefix(parent, "shared_"), name, text)
	case p.gpu == 0 || p.depth > p.gpu+2:
		return false
	case parent == "mig_mode" && name == "current_mig":
		if string(text) == "Enabled" {
			migEnabled(p.out, p.src.Line(), p.src.Offset())
		}
		return true
	case p.depth == p.gpu+1 && name == "product_name":
		gpuModel(p.out, p.src.Line(), p.src.Offset(), text)
		return true
	case p.depth == p.gpu+1 && name == "minor_number":
		if n, ok := scan.Int(text); ok {
			p.minor = n
		}
		return true
	case strings.HasPrefix(parent, "clocks_event_reasons") || strings.HasPrefix(parent, "clocks_throttle_reasons"):
		bit := smiReasons[strings.TrimPrefix(strings.TrimPrefix(name, "clocks_event_reason_"), "clocks_throttle_reason_")]
		p.reason(bit, text)
		return bit != 0
	}
	p.path = append(append(append(p.path[:0], parent...), '/'), name...)
	f, ok := smiXMLPaths[string(p.path)]
	return ok && p.read(name, f, "", text)
}
