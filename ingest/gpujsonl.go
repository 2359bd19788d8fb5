package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// GPUJSONL reads readings of devices as people write them from pynvml: one
// object a device, or one a time with a list of devices.
var GPUJSONL = &Format{
	Name:   "gpu-jsonl",
	Doc:    "readings of devices as JSON lines, as a script with pynvml writes them: a time and a device, or a time and a list of devices; bytes and milliwatts, which NVML gives, are told by their size",
	Record: `a script with pynvml: {"ts":…,"gpu":0,"uuid":…,"util_pct":37,"mem_used_bytes":…,"power_w":…} (nvidia-smi --query-gpu=… -lms 200 needs none)`,
	Detect: detectGPUJSONL,
	Parse:  parseGPUJSONL,
	Finish: finishGPUJSONL,
}

// gpuJSONNames are the names that scripts use, without their unit. The fill
// level of the memory in percent is none of the quantities.
var gpuJSONNames = map[string]smiField{
	"gpu": {col: model.GPUIndex, class: smiIndex, rank: 1}, "gpu_id": {col: model.GPUIndex, class: smiIndex}, "gpu_index": {col: model.GPUIndex, class: smiIndex},
	"index": {col: model.GPUIndex, class: smiIndex}, "id": {col: model.GPUIndex, class: smiIndex, rank: 2}, "device": {col: model.GPUIndex, class: smiIndex, rank: 2}, "idx": {col: model.GPUIndex, class: smiIndex, rank: 2},
	"nvml_index": {col: model.GPUIndex, class: smiIndex}, "physical_index": {col: model.GPUIndex, class: smiIndex},
	"cuda_index": {col: model.GPUCUDA, class: smiIndex}, "cuda_id": {col: model.GPUCUDA, class: smiIndex}, "cuda_device": {col: model.GPUCUDA, class: smiIndex},
	"uuid": {col: model.GPUUUID, class: smiUUID}, "gpu_uuid": {col: model.GPUUUID, class: smiUUID},
	"pci_bus_id": {col: model.GPUBus, class: smiBus}, "bus_id": {col: model.GPUBus, class: smiBus}, "pci": {col: model.GPUBus, class: smiBus},
	"util": {col: model.GPUSMUtil, class: smiShare, rank: 1}, "utilization": {col: model.GPUSMUtil, class: smiShare, rank: 1}, "gpu_util": {col: model.GPUSMUtil, class: smiShare},
	"util_gpu": {col: model.GPUSMUtil, class: smiShare}, "gpu_utilization": {col: model.GPUSMUtil, class: smiShare}, "utilization_gpu": {col: model.GPUSMUtil, class: smiShare}, "utilization.gpu": {col: model.GPUSMUtil, class: smiShare}, "sm_util": {col: model.GPUSMUtil, class: smiShare},
	"mem_util": {col: model.GPUMemUtil, class: smiShare}, "util_mem": {col: model.GPUMemUtil, class: smiShare}, "utilization_memory": {col: model.GPUMemUtil, class: smiShare}, "utilization.memory": {col: model.GPUMemUtil, class: smiShare},
	"mem_used": {col: model.GPUMemUsed, class: smiMemory}, "memory_used": {col: model.GPUMemUsed, class: smiMemory}, "memory.used": {col: model.GPUMemUsed, class: smiMemory}, "used_memory": {col: model.GPUMemUsed, class: smiMemory},
	"mem_total": {col: model.GPUMemTotal, class: smiMemory}, "memory_total": {col: model.GPUMemTotal, class: smiMemory}, "memory.total": {col: model.GPUMemTotal, class: smiMemory},
	"power": {col: model.GPUPower, class: smiPower, rank: 1}, "power_draw": {col: model.GPUPower, class: smiPower}, "power.draw": {col: model.GPUPower, class: smiPower}, "power_usage": {col: model.GPUPower, class: smiPower},
	"power_limit": {col: model.GPUPowerLimit, class: smiPower}, "enforced_power_limit": {col: model.GPUPowerLimit, class: smiPower},
	"temp": {col: model.GPUTemperature, class: smiTemperature, rank: 1}, "temperature": {col: model.GPUTemperature, class: smiTemperature}, "gpu_temp": {col: model.GPUTemperature, class: smiTemperature},
	"sm_clock": {col: model.GPUSMClock, class: smiClock}, "clock_sm": {col: model.GPUSMClock, class: smiClock},
}

// rankByPlace is the rank of an index that is only the place in a list.
const rankByPlace = 9

// gpuJSONUnits are the ends of names that tell a unit.
var gpuJSONUnits = [...][2]string{
	{"_bytes", "B"},
	{"_mib", "MiB"},
	{"_mb", "MiB"},
	{"_gib", "GiB"},
	{"_gb", "GiB"},
	{"_mw", "mW"},
	{"_milliwatts", "mW"},
	{"_watts", "W"},
	{"_w", "W"},
	{"_percent", "%"},
	{"_pct", "%"},
	{"_ratio", "ratio"},
	{"_frac", "ratio"},
	{"_mhz", "MHz"},
	{"_celsius", "C"},
	{"_c", "C"},
	{"_b", "B"},
}

// gpuJSONKey recognises a name with or without its unit.
func gpuJSONKey(key string) (f smiField, unit string, ok bool) {
	name := strings.ToLower(key)
	if f, ok = gpuJSONNames[name]; ok {
		return f, "", true
	}
	for _, u := range gpuJSONUnits {
		if cut, has := strings.CutSuffix(name, u[0]); has {
			f, ok = gpuJSONNames[cut]
			return f, u[1], ok && (u[1] == "ratio" && f.class == smiShare || !foreignUnit(f.class, u[1]))
		}
	}
	return f, "", false
}

func isTimeKey(key string) bool {
	switch strings.ToLower(key) {
	case "ts", "timestamp", "time", "t", "datetime", "unix_time", "epoch", "wall_time":
		return true
	}
	return false
}

func isDeviceList(key string) bool {
	switch strings.ToLower(key) {
	case "gpus", "devices", "gpu_stats", "gpu":
		return true
	}
	return false
}

// detectGPUJSONL wants a time, and a list of devices or a device and a reading
// of it.
func detectGPUJSONL(_ string, head []byte) bool {
	time, list, index, reading := false, false, false, false
	for key, first := range jsonHead(head) {
		if key == "query_time" || key == "_timestamp" || key == "step" || key == "loss" || key == "level" || key == "event" {
			return false
		}
		f, _, ok := gpuJSONKey(key)
		time = time || isTimeKey(key)
		list = list || isDeviceList(key) && first == '['
		index = index || ok && f.class <= smiBus && first != '[' && first != '{'
		reading = reading || ok && f.class >= smiShare
	}
	return time && (list || index && reading)
}

type gpuJSONParser struct {
	src   *Source
	out   *model.RunBuilder
	stamp scan.Stamp
	rows  []gpuReading
}

func parseGPUJSONL(src *Source, out *model.RunBuilder) error {
	p := &gpuJSONParser{src: src, out: out}
	return jsonLines(src, out, p.record)
}

// record reads one line.
func (p *gpuJSONParser) record(j *jsonCursor) bool {
	p.rows = p.rows[:0]
	w, host, bad := smiWhen{}, "", []byte(nil)
	own := p.device()
	j.members(func(key string) {
		switch c := j.next(); {
		case isTimeKey(key):
			bad = j.cell()
			w, _ = wandbTime(&p.stamp, bad)
		case isDeviceList(key) && c == '[':
			j.elements(func() {
				g := p.device()
				g.cells[model.GPUIndex] = gpuCell{ok: true, rank: rankByPlace, i: int64(len(p.rows))} // by place, where no name tells
				j.members(func(key string) {
					if key == "name" || key == "model" {
						gpuModel(p.out, p.src.Line(), p.src.Offset(), []byte(j.optionalText()))
						return
					}
					p.value(&g, j, key)
				})
				p.rows = append(p.rows, g)
			})
		case key == "host" || key == "hostname" || key == "node":
			host = j.optionalText()
		default:
			p.value(&own, j, key)
		}
	})
	if j.err != nil {
		return false
	}
	if w.kind == model.ClockNone {
		p.src.Reject("time %q, want epoch seconds or YYYY-MM-DDTHH:MM:SS", clip(bad))
		return false
	}
	if own.readings() {
		p.rows = append(p.rows, own)
	}
	for i := range p.rows {
		if !p.rows[i].readings() {
			continue
		}
		p.rows[i].byCUDA()
		if host != "" {
			p.rows[i].setText(model.GPUHost, host)
		}
		p.rows[i].write(w)
	}
	return len(p.rows) > 0
}

func (p *gpuJSONParser) device() gpuReading {
	g := gpuReading{src: p.src, out: p.out}
	g.begin(p.src.Line(), p.src.Offset())
	return g
}

// value reads one member of a device. A name without a unit leaves it to the
// size: NVML gives bytes and milliwatts, nvidia-smi MiB and W.
func (p *gpuJSONParser) value(g *gpuReading, j *jsonCursor, key string) {
	f, unit, ok := gpuJSONKey(key)
	cell := j.cell()
	switch key {
	case "gpu_name", "gpu_model", "product_name":
		gpuModel(p.out, p.src.Line(), p.src.Offset(), cell)
		return
	}
	if !ok || len(cell) == 0 {
		return
	}
	if n, cuda := bytes.CutPrefix(cell, []byte("cuda:")); cuda && f.class == smiIndex {
		f, cell = smiField{col: model.GPUCUDA, class: smiIndex, rank: f.rank}, n
	}
	v, isNumber := scan.Float(cell)
	switch {
	case unit == "ratio":
		f.class, unit = smiRatio, ""
	case unit != "" || !isNumber:
	case f.class == smiMemory && v > 1e7:
		unit = "B"
		p.out.File.Note(key + ": taken as bytes, by its size")
	case f.class == smiMemory:
		unit = "MiB"
		p.out.File.Note(key + ": taken as MiB, by its size")
	case f.class == smiPower && v > 5000:
		unit = "mW"
		p.out.File.Note(key + ": taken as milliwatts, by its size")
	}
	g.read(key, f, unit, cell)
}

// byCUDA takes the index in the process for a device of which nothing else is
// known. A row of another file may say better.
func (g *gpuReading) byCUDA() {
	cuda, index := g.cells[model.GPUCUDA], g.cells[model.GPUIndex]
	if !cuda.ok || index.ok && index.rank < rankByPlace || g.cells[model.GPUUUID].ok || g.cells[model.GPUBus].ok {
		return
	}
	g.cells[model.GPUIndex] = cuda
	g.out.File.Note("only the index in a process (cuda:N) tells the devices apart: taken as NVML's, which CUDA_VISIBLE_DEVICES may have made another (inferred)")
}

// finishGPUJSONL says of shares that never reach 1 %, but are not whole, that
// they are none in percent.
func finishGPUJSONL(out *model.RunBuilder) {
	for _, col := range []int{model.GPUSMUtil, model.GPUMemUtil} {
		top, whole := 0.0, true
		for _, b := range out.GPU.Batches {
			for r := range b.Rows() {
				if v, ok := b.Float(col, r); ok {
					percent := v * 100
					top, whole = max(top, percent), whole && percent == float64(int64(percent+0.5))
				}
			}
		}
		if whole || top > 1 {
			continue
		}
		for _, b := range out.GPU.Batches {
			b.Scale(col, 100)
		}
		out.File.Note(model.GPU.Columns[col].Name + ": no value is over 1 and not all are whole: taken as shares, not as percent")
	}
}
