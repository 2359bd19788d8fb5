package ingest

import (
	"strconv"

	"tidemark/internal/scan"
	"tidemark/model"
)

// dcgmExported are the metrics of dcgm-exporter.
var dcgmExported = map[string]dcgmField{
	"DCGM_FI_DEV_GPU_UTIL": dcgmFields["GPUTL"], "DCGM_FI_DEV_MEM_COPY_UTIL": dcgmFields["MCUTL"], "DCGM_FI_DEV_POWER_USAGE": dcgmFields["POWER"],
	"DCGM_FI_DEV_GPU_TEMP": dcgmFields["TMPTR"], "DCGM_FI_DEV_FB_USED": dcgmFields["FBUSD"], "DCGM_FI_DEV_FB_TOTAL": dcgmFields["FBTTL"],
	"DCGM_FI_DEV_SM_CLOCK": dcgmFields["SMCLK"], "DCGM_FI_PROF_GR_ENGINE_ACTIVE": dcgmFields["GRACT"], "DCGM_FI_PROF_SM_ACTIVE": dcgmFields["SMACT"],
	"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": dcgmFields["TENSO"], "DCGM_FI_PROF_DRAM_ACTIVE": dcgmFields["DRAMA"],
	"DCGM_FI_PROF_PCIE_TX_BYTES": dcgmFields["PCITX"], "DCGM_FI_PROF_PCIE_RX_BYTES": dcgmFields["PCIRX"],
	"DCGM_FI_DEV_POWER_MGMT_LIMIT":       {smiField{col: model.GPUPowerLimit, class: smiPower}, "W"},
	"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": {smiField{col: model.GPUClockReasons, class: smiMask}, ""},
}

// smiExported are the metrics of nvidia_gpu_exporter, in base units.
var smiExported = map[string]dcgmField{
	"nvidia_smi_utilization_gpu_ratio":      {smiField{col: model.GPUSMUtil, class: smiRatio}, ""},
	"nvidia_smi_utilization_memory_ratio":   {smiField{col: model.GPUMemUtil, class: smiRatio}, ""},
	"nvidia_smi_memory_used_bytes":          {smiField{col: model.GPUMemUsed, class: smiMemory}, "B"},
	"nvidia_smi_memory_total_bytes":         {smiField{col: model.GPUMemTotal, class: smiMemory}, "B"},
	"nvidia_smi_power_draw_watts":           {smiField{col: model.GPUPower, class: smiPower}, "W"},
	"nvidia_smi_enforced_power_limit_watts": {smiField{col: model.GPUPowerLimit, class: smiPower}, "W"},
	"nvidia_smi_temperature_gpu":            {smiField{col: model.GPUTemperature, class: smiTemperature}, "C"},
	"nvidia_smi_index":                      {smiField{col: model.GPUIndex, class: smiIndex}, ""},
}

// device takes a reading of a device. Those of a part of it (MIG) make rows of
// their own, without an index.
func (p *promParser) device(s *promSample, f dcgmField) bool {
	switch string(s.name) {
	case "DCGM_FI_DEV_XID_ERRORS":
		return p.xid(s)
	case "nvidia_smi_gpu_info":
		gpuModel(p.out, p.src.Line(), p.src.Offset(), s.label("name"))
		return true
	}
	index, uuid := s.label("gpu"), s.labelOf("UUID", "gpu_uuid", "uuid")
	if f.class == smiOther || len(index) == 0 && len(uuid) == 0 {
		return false
	}
	part := s.labelOf("GPU_I_ID", "gpu_instance_id")
	id := string(s.labelOf("Hostname", "instance", "node")) + "|" + string(index) + "|" + string(uuid) + "|" + string(part)
	g := p.gpus[id]
	if g == nil {
		g = &gpuReading{src: p.src, out: p.out}
		g.begin(p.src.Line(), p.src.Offset())
		if host := s.labelOf("Hostname", "node"); len(host) > 0 {
			g.setText(model.GPUHost, string(host))
		}
		p.identify(g, s, index, uuid, part)
		gpuModel(p.out, p.src.Line(), p.src.Offset(), s.label("modelName"))
		p.gpus[id] = g
		w := p.now
		p.order = append(p.order, func() { g.write(w) })
	}
	if s.missing {
		g.absent(string(s.name), f.smiField, []byte("NaN"))
		return true
	}
	if f.col == model.GPUSMUtil && f.rank == 1 {
		p.out.File.Note("GR_ENGINE_ACTIVE (any engine at work) is taken as sm_util where GPU_UTIL is missing")
	}
	g.counter(string(s.name), f, strconv.AppendFloat(nil, s.value, 'f', -1, 64))
	return true
}

func (p *promParser) identify(g *gpuReading, s *promSample, index, uuid, part []byte) {
	if len(part) > 0 {
		var device gpuReading
		if len(uuid) > 0 {
			device.out = p.out
			device.setText(model.GPUUUID, string(uuid))
		}
		g.partOf(&device, "MIG "+string(part))
		return
	}
	if n, ok := scan.Int(index); ok && n >= 0 && n < 1<<12 {
		g.cells[model.GPUIndex] = gpuCell{ok: true, i: n}
	}
	if len(uuid) > 0 {
		g.setText(model.GPUUUID, string(uuid))
	}
	if bus := s.label("pci_bus_id"); len(bus) > 0 {
		g.setText(model.GPUBus, string(bus))
	}
}

// xid makes an event of the last Xid error of a device where it changes: the
// gauge keeps it for ever.
func (p *promParser) xid(s *promSample) bool {
	key := string(s.labelOf("Hostname", "instance")) + string(s.labelOf("UUID", "gpu"))
	last, known := p.xids[key]
	p.xids[key] = s.value
	if known && last != s.value && s.value != 0 && !s.missing {
		p.out.Event(p.src.Line(), p.src.Offset(), p.now.t, "gpu.error", "Xid "+strconv.FormatFloat(s.value, 'f', -1, 64)+" on GPU "+string(s.labelOf("gpu", "UUID")))
	}
	return true
}
