package ingest

import (
	"strings"

	"tidemark/model"
)

// GPUStat reads gpustat --json, one object or many.
var GPUStat = &Format{
	Name:     "gpustat-json",
	Doc:      "gpustat --json, one object or many behind each other",
	Record:   "nobody should: nvidia-smi --query-gpu=… -lms 200 asks the same driver more often; while :; do gpustat --json; sleep 1; done > gpustat.json",
	Detect:   detectGPUStat,
	Parse:    parseGPUStat,
	Document: true,
}

func detectGPUStat(_ string, head []byte) bool {
	keys := jsonHead(head)
	return keys["query_time"] == '"' && keys["gpus"] == '['
}

// gpustatKeys are gpustat's names; memory is in MiB, which it calls MB.
var gpustatKeys = map[string]dcgmField{
	"index": {smiField{col: model.GPUIndex, class: smiIndex}, ""}, "uuid": {smiField{col: model.GPUUUID, class: smiUUID}, ""},
	"utilization.gpu": {smiField{col: model.GPUSMUtil, class: smiShare}, "%"}, "temperature.gpu": {smiField{col: model.GPUTemperature, class: smiTemperature}, "C"},
	"power.draw": {smiField{col: model.GPUPower, class: smiPower}, "W"}, "enforced.power.limit": {smiField{col: model.GPUPowerLimit, class: smiPower}, "W"},
	"memory.used": {smiField{col: model.GPUMemUsed, class: smiMemory}, "MiB"}, "memory.total": {smiField{col: model.GPUMemTotal, class: smiMemory}, "MiB"},
}

// A gpustatDevice is an element of gpus.
type gpustatDevice struct {
	gpuReading
	lost bool
}

func parseGPUStat(src *Source, out *model.RunBuilder) error {
	d := &jsonDocs{src: src, out: out}
	return d.each(func() {
		var gpus []*gpustatDevice
		when, host := smiWhen{}, ""
		d.members(func(key string) {
			switch key {
			case "query_time":
				when = d.time()
			case "hostname":
				host = d.optionalText()
			case "gpus":
				d.elements(func() { gpus = append(gpus, d.gpustatDevice()) })
			default:
				d.skip()
			}
		})
		if d.err != nil {
			return
		}
		for _, g := range gpus {
			switch {
			case g.lost:
				out.Event(g.line, g.off, when.t, "gpu.error", "GPU is lost")
			case g.readings():
				if host != "" {
					g.setText(model.GPUHost, host)
				}
				g.write(when)
			}
		}
	})
}

// time reads a time, as a string or a number.
func (d *jsonDocs) time() smiWhen {
	at := d.i
	text := d.cell()
	w, ok := wholeTime(&d.clock.stamp, text)
	if !ok && len(text) > 0 {
		d.out.Warn(&model.SyntaxError{Pos: d.pos(at), Msg: "time \"" + clip(text) + "\", want epoch seconds or YYYY-MM-DDTHH:MM:SS"})
	}
	return w
}

func (d *jsonDocs) gpustatDevice() *gpustatDevice {
	d.next()
	g := &gpustatDevice{gpuReading: gpuReading{src: d.src, out: d.out}}
	at := d.pos(d.i)
	g.begin(at.Line, at.Byte)
	d.members(func(key string) {
		if key == "name" {
			name := d.optionalText()
			if g.lost = strings.Contains(name, "is Lost"); !g.lost {
				gpuModel(d.out, g.line, g.off, []byte(name))
			}
			return
		}
		f, ok := gpustatKeys[key]
		if cell := d.cell(); ok && len(cell) > 0 {
			g.read(key, f.smiField, f.unit, cell)
		}
	})
	return g
}
