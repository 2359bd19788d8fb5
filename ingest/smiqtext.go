package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// SMIText reads nvidia-smi -q, one report or many behind each other.
var SMIText = &Format{
	Name:   "nvidia-smi-q",
	Doc:    "nvidia-smi -q as text, whole or with -d: the readings of all devices, one report or many in a file",
	Record: "nvidia-smi -q -d UTILIZATION,MEMORY,POWER,CLOCK,PERFORMANCE -l 1 -f gpu.txt (--query-gpu is smaller and quicker)",
	Detect: detectSMIText,
	Parse:  parseSMIText,
}

// smiTextPaths are the readings by section and key, both in lower case.
// "… Samples" sections hold the mean of the last seconds, not this moment.
var smiTextPaths = map[string]smiField{
	"/gpu uuid": {col: model.GPUUUID, class: smiUUID}, "pci/bus id": {col: model.GPUBus, class: smiBus},
	"utilization/gpu": {col: model.GPUSMUtil, class: smiShare}, "utilization/memory": {col: model.GPUMemUtil, class: smiShare},
	"fb memory usage/used": {col: model.GPUMemUsed, class: smiMemory}, "fb memory usage/total": {col: model.GPUMemTotal, class: smiMemory},
	"power readings/power draw": {col: model.GPUPower, class: smiPower}, "gpu power readings/power draw": {col: model.GPUPower, class: smiPower},
	"gpu power readings/instantaneous power draw": {col: model.GPUPower, class: smiPower, rank: 1},
	"gpu power readings/average power draw":       {col: model.GPUPower, class: smiPower, rank: 2},
	"power readings/enforced power limit":         {col: model.GPUPowerLimit, class: smiPower},
	"power readings/power limit":                  {col: model.GPUPowerLimit, class: smiPower, rank: 1},
	"gpu power readings/current power limit":      {col: model.GPUPowerLimit, class: smiPower},
	"gpu power readings/requested power limit":    {col: model.GPUPowerLimit, class: smiPower, rank: 1},
	"clocks/sm":                    {col: model.GPUSMClock, class: smiClock},
	"temperature/gpu current temp": {col: model.GPUTemperature, class: smiTemperature},
	"pci/tx throughput":            {col: model.GPUPCIeTX, class: smiRate}, "pci/rx throughput": {col: model.GPUPCIeRX, class: smiRate},
}

var smiTextTitle = []byte("==NVSMI LOG==")

func detectSMIText(_ string, head []byte) bool {
	i := bytes.Index(head, smiTextTitle)
	if i < 0 {
		return false
	}
	for _, line := range bytes.Split(head[:i], []byte{'\n'}) { // nothing but blanks, dates and messages before it
		line = scan.Trim(bytes.TrimRight(line, "=\r"))
		failure, chatter := smiMessage(line)
		if len(line) > 0 && !failure && !chatter {
			return false
		}
	}
	return true
}

// An smiTextParser follows the sections by their indent.
type smiTextParser struct {
	smiDocument
	stamp   scan.Stamp
	section []byte // lower case, of the level below a device
	below   string // of the level below that, of a MIG device
	path    []byte
}

func parseSMIText(src *Source, out *model.RunBuilder) error {
	p := &smiTextParser{smiDocument: smiDocument{gpuReading: gpuReading{src: src, out: out}}}
	for {
		line, ok := src.Next()
		if !ok {
			p.close()
			return src.Err()
		}
		if p.line(bytes.TrimRight(line, " \t\r")) {
			out.Claim(1)
		} else {
			out.Skip(1)
		}
	}
}

// line reports whether a line was needed.
func (p *smiTextParser) line(line []byte) bool {
	indent := 0
	for indent < len(line) && line[indent] == ' ' {
		indent++
	}
	key, value, pair := bytes.Cut(line[indent:], []byte(" : "))
	key = scan.Trim(key)
	if !pair && bytes.HasPrefix(key, []byte("GPU ")) && indent == 0 {
		p.device(string(scan.Trim(key[4:])))
		p.section = p.section[:0]
		return true
	}
	if failure, _ := smiMessage(line); failure {
		p.out.Event(p.src.Line(), p.src.Offset(), p.when.t, "gpu.error", clip(line))
		return true
	}
	switch {
	case bytes.Contains(line, smiTextTitle):
		p.close()
		return false
	case indent == 0 && string(key) == "Timestamp":
		return p.smiDocument.time(&p.stamp, scan.Trim(value))
	case indent == 0 && string(key) == "Attached GPUs":
		p.attached, _ = scan.Int(scan.Trim(value))
		return true
	case !p.inside || len(key) == 0:
		return false
	case !pair && indent == 4:
		p.endPart()
		p.section = bytes.ToLower(append(p.section[:0], key...))
		if string(p.section) == "mig device" {
			p.beginPart()
			p.below = ""
		}
		return false
	case indent == 4 && pair:
		p.endPart()
		p.section = p.section[:0]
	case p.part != nil:
		return p.migLine(indent, pair, strings.ToLower(string(key)), scan.Trim(value))
	}
	return pair && indent <= 12 && p.value(indent, key, scan.Trim(value))
}

// migLine takes a line of a MIG device: its ids, and below its sections.
func (p *smiTextParser) migLine(indent int, pair bool, key string, text []byte) bool {
	switch {
	case indent == 8 && !pair:
		p.below = strings.TrimPrefix(key, "shared ")
		return false
	case indent == 8:
		p.below = ""
	}
	return pair && indent <= 12 && !p.src.Cut() && p.part.value(p.below, key, text)
}

// value takes a pair of the device in work. Pairs of deeper sections are not
// readings of the device, but for reasons for the clock, which stand at two levels.
func (p *smiTextParser) value(indent int, key, text []byte) bool {
	if bytes.HasSuffix(p.section, []byte("s event reasons")) || bytes.HasSuffix(p.section, []byte("s throttle reasons")) {
		bit := smiReasons[strings.ReplaceAll(strings.ToLower(string(key)), " ", "_")]
		p.reason(bit, text)
		return bit != 0
	}
	if indent == 4 && string(key) == "Minor Number" {
		if n, ok := scan.Int(text); ok {
			p.minor = n
		}
		return true
	}
	if indent == 4 && string(key) == "Product Name" {
		gpuModel(p.out, p.src.Line(), p.src.Offset(), text)
		return true
	}
	if string(p.section) == "mig mode" && string(key) == "Current" {
		if string(text) == "Enabled" {
			migEnabled(p.out, p.src.Line(), p.src.Offset())
		}
		return true
	}
	if indent > 8 || indent == 8 && len(p.section) == 0 || p.src.Cut() {
		return false
	}
	p.path = append(append(p.path[:0], p.section...), '/')
	for _, c := range key {
		if c-'A' < 26 {
			c |= 0x20
		}
		p.path = append(p.path, c)
	}
	f, ok := smiTextPaths[string(p.path)]
	return ok && p.read(string(p.path), f, "", text)
}
