package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// mlflowHost are MLflow's metrics of the host; all of a process' devices are
// under mlflowGPU.
var mlflowHost = map[string]metricName{
	"cpu_utilization_percentage": {"host.cpu", "ratio", 0.01}, "system_memory_usage_percentage": {"host.memory", "ratio", 0.01},
}

// mlflowGPU are those of a device, behind gpu_0_.
var mlflowGPU = map[string]dcgmField{
	"utilization_percentage": {smiField{col: model.GPUSMUtil, class: smiShare}, "%"},
	"memory_usage_megabytes": {smiField{col: model.GPUMemUsed, class: smiMemory}, "MB"},
	"power_usage_watts":      {smiField{col: model.GPUPower, class: smiPower}, "W"},
}

// An mlflowSystem reads a metric that MLflow has taken of the system by itself:
// telemetry, and no series of the training.
type mlflowSystem struct {
	metricRows
	metric metricName
	gpu    int64
	field  dcgmField
}

// newMLflowSystem returns nil for a key that is no metric of the system.
func newMLflowSystem(src *Source, out *model.RunBuilder, key string) *mlflowSystem {
	name, ok := strings.CutPrefix(key, "system/")
	if !ok {
		return nil
	}
	out.File.Note("one look at the system every 10 s: too slow to be held against the depth of a queue")
	m := &mlflowSystem{metricRows: metricRows{src: src, out: out}}
	if rest, ok := strings.CutPrefix(name, "gpu_"); ok {
		index, quantity, _ := strings.Cut(rest, "_")
		if n, isNumber := scan.Int([]byte(index)); isNumber && n >= 0 && n < smiSlots {
			m.gpu, m.field = n, mlflowGPU[quantity]
		}
	}
	if m.metric, ok = mlflowHost[name]; !ok {
		m.metric.key, m.metric.unit, m.metric.scale = sheetKey(key)
	}
	return m
}

func (m *mlflowSystem) row(t int64, value []byte) {
	w := smiWhen{t, model.ClockUTC}
	if m.field.class != smiOther {
		g := gpuReading{src: m.src, out: m.out}
		g.begin(m.src.Line(), m.src.Offset())
		if g.read(m.out.File.Path, m.field.smiField, m.field.unit, bytes.Clone(value)) {
			g.cells[model.GPUIndex] = gpuCell{ok: true, i: m.gpu}
			g.write(w)
		}
		return
	}
	if v, ok := sheetNumber(value); ok {
		m.add(w, m.metric.key, v*m.metric.scale, m.metric.unit)
	}
}
