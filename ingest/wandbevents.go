package ingest

import (
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// WandbEvents reads the system metrics of W&B: wandb-events.jsonl of old runs,
// and the events of a run exported line by line.
var WandbEvents = &Format{
	Name:   "wandb-events",
	Doc:    "system metrics of W&B as JSON lines (wandb-events.jsonl, or run.history(stream=\"events\") saved): all devices, the host's processors and memory, every 15 to 30 s",
	Record: "nobody should: every 15 s is too slow beside a queue; nvidia-smi --query-gpu=… -lms 200",
	Detect: detectWandbEvents,
	Parse:  parseWandbEvents,
	Parts:  true,
}

// detectWandbEvents wants W&B's time and a system metric, and no training step.
func detectWandbEvents(_ string, head []byte) bool {
	keys := jsonHead(head)
	if keys["_timestamp"] == 0 || keys["_step"] != 0 {
		return false
	}
	for k := range keys {
		if _, ok := wandbSystem(k); ok {
			return true
		}
	}
	return false
}

// wandbSystem takes "system." or "system/" off a key. Newer files have the bare
// names of devices.
func wandbSystem(key string) (string, bool) {
	if rest, ok := strings.CutPrefix(key, "system"); ok && rest != "" && (rest[0] == '.' || rest[0] == '/') {
		return rest[1:], true
	}
	return key, strings.HasPrefix(key, "gpu.")
}

// wandbGPU are the metrics of a device. "memory" is the time of the memory's
// controller; how full it is stands under memoryAllocated, in percent of what
// no key tells.
var wandbGPU = map[string]dcgmField{
	"gpu": {smiField{col: model.GPUSMUtil, class: smiShare}, "%"}, "memory": {smiField{col: model.GPUMemUtil, class: smiShare}, "%"},
	"memoryAllocatedBytes": {smiField{col: model.GPUMemUsed, class: smiMemory}, "B"}, "temp": {smiField{col: model.GPUTemperature, class: smiTemperature}, "C"},
	"powerWatts": {smiField{col: model.GPUPower, class: smiPower}, "W"}, "enforcedPowerLimitWatts": {smiField{col: model.GPUPowerLimit, class: smiPower}, "W"},
	"smClock": {smiField{col: model.GPUSMClock, class: smiClock}, "MHz"},
}

// wandbHost are the metrics of the host that are read. From version 0.13 on "cpu"
// is the process alone, as a share of all processors.
var wandbHost = map[string]metricName{
	"cpu": {"host.cpu", "ratio", 0.01}, "memory": {"host.memory", "ratio", 0.01}, "memory_percent": {"host.memory", "ratio", 0.01},
	"proc.cpu.threads": {"process.threads", "threads", 1}, "proc.memory.rssMB": {"process.rss", "B", 1 << 20},
}

// A wandbColumn is what a key means.
type wandbColumn struct {
	gpu    int64 // -1 for the host
	field  dcgmField
	metric metricName
	newer  bool // no version before 0.13 writes it
}

type wandbParser struct {
	metricRows
	stamp scan.Stamp
	cols  map[string]wandbColumn
	gpus  []gpuReading // by index
}

func parseWandbEvents(src *Source, out *model.RunBuilder) error {
	p := &wandbParser{metricRows: metricRows{src: src, out: out}, cols: map[string]wandbColumn{}}
	out.File.Note("one record every 15 to 30 s: too slow to be held against the depth of a queue")
	return jsonLines(src, out, p.record)
}

// column finds out once what a key means.
func (p *wandbParser) column(key string) wandbColumn {
	c, ok := p.cols[key]
	if ok {
		return c
	}
	c = wandbColumn{gpu: -1}
	name, _ := wandbSystem(key)
	if rest, ok := strings.CutPrefix(name, "gpu."); ok {
		index, quantity, _ := strings.Cut(rest, ".")
		if n, isNumber := scan.Int([]byte(index)); isNumber && n >= 0 && n < smiSlots {
			c.gpu, c.field = n, wandbGPU[quantity]
		} else if index == "process" {
			p.out.File.Note("gpu.process.* repeats the devices of the process: not read")
		}
	} else if name != key {
		c.metric, c.newer = wandbOfHost(name)
	}
	if len(p.cols) < 10000 {
		p.cols[key] = c
	}
	return c
}

// wandbOfHost finds a metric of the host, or of one of its processors, and says
// whether the name is one of newer versions.
func wandbOfHost(name string) (m metricName, newer bool) {
	if rest, ok := strings.CutPrefix(name, "cpu."); ok {
		core, ok := strings.CutSuffix(rest, ".cpu_percent")
		if n, isNumber := scan.Int([]byte(core)); ok && isNumber && n >= 0 {
			m = metricName{"core." + core, "ratio", 0.01}
		}
		return m, true
	}
	return wandbHost[name], name == "memory_percent" || strings.HasPrefix(name, "disk.")
}

func (p *wandbParser) record(j *jsonCursor) bool {
	w := smiWhen{}
	type pair struct {
		c    wandbColumn
		key  string
		cell []byte
	}
	var cells []pair
	newer := false
	j.members(func(key string) {
		cell := j.cell()
		if key == "_timestamp" {
			w, _ = wandbTime(&p.stamp, cell)
			return
		}
		c := p.column(key)
		newer = newer || c.newer
		if len(cell) > 0 && (c.field.class != smiOther || c.metric.key != "") {
			cells = append(cells, pair{c, key, cell})
		}
	})
	switch {
	case j.err != nil:
		return false
	case w.kind == model.ClockNone:
		p.src.Reject("no _timestamp, want epoch seconds")
		return false
	}
	for i := range p.gpus {
		p.gpus[i].begin(p.src.Line(), p.src.Offset())
	}
	for _, x := range cells {
		if x.c.gpu >= 0 {
			p.device(x.c.gpu).read(x.key, x.c.field.smiField, x.c.field.unit, x.cell)
		} else if v, ok := scan.Float(x.cell); ok {
			key := x.c.metric.key
			if key == "host.cpu" && newer {
				key = "process.cpu"
			}
			p.add(w, key, v*x.c.metric.scale, x.c.metric.unit)
		}
	}
	for i := range p.gpus {
		if p.gpus[i].readings() {
			p.gpus[i].cells[model.GPUIndex] = gpuCell{ok: true, i: int64(i)}
			p.gpus[i].write(w)
		}
	}
	return len(cells) > 0
}

func (p *wandbParser) device(i int64) *gpuReading {
	for int64(len(p.gpus)) <= i {
		g := gpuReading{src: p.src, out: p.out}
		g.begin(p.src.Line(), p.src.Offset())
		p.gpus = append(p.gpus, g)
	}
	return &p.gpus[i]
}

// wandbTime reads epoch seconds with any number of digits behind the point.
func wandbTime(stamp *scan.Stamp, cell []byte) (smiWhen, bool) {
	if t, ok := scan.Epoch(cell); ok {
		return smiWhen{t, model.ClockUTC}, true
	}
	if v, ok := scan.Float(cell); ok && v > 1e8 && v < 1e11 {
		return smiWhen{int64(v * 1e9), model.ClockUTC}, true
	}
	return wholeTime(stamp, cell)
}
