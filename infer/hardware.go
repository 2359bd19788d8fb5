package infer

import (
	"fmt"
	"strings"

	"tidemark/model"
)

// Hardware says on what the run ran: hosts, types of GPU, mean SM clock.
var Hardware = &Analyzer{
	Name: "hardware",
	Doc: `Hosts, GPU types and the mean SM clock, so that a comparison knows what else differs.

A type is the device's name where a source prints it, else its memory and power limit, which tell most types apart but not all.`,
	Run: func(p *Pass) (any, error) {
		info := &p.Out.Run
		hosts := map[string]bool{}
		for _, c := range []struct {
			table *model.Table
			host  int
		}{{p.Run.Queue, model.QueueHost}, {p.Run.GPU, model.GPUHost}, {p.Run.Threads, model.ThreadHost}} {
			textsOf(p.Run, c.table, c.host, hosts)
		}
		info.Hosts, info.GPUs = sortedKeys(hosts), gpuTypes(p.Run)
		info.ClockHz = meanClock(p.Run.GPU)
		if len(info.Hosts)+len(info.GPUs) == 0 && info.ClockHz == nil {
			return nil, &SkipError{Needs: "readings that name hosts, GPU types or clocks", Record: "nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu,clocks.sm,memory.total,power.limit --format=csv -l 1"}
		}
		return nil, nil
	},
}

// maxKinds bounds the texts kept of a column that holds other things than names.
const maxKinds = 64

func textsOf(run *model.Run, t *model.Table, col int, into map[string]bool) {
	for _, b := range t.Batches {
		if !b.Has(col) {
			continue
		}
		last := int32(-1)
		for r := range b.Rows() {
			code, ok := b.Text(col, r)
			if !ok || code == last {
				continue
			}
			last = code
			if s := run.Text(code); s != "" && len(into) < maxKinds {
				into[s] = true
			}
		}
	}
}

// gpuTypes prefers names to the pair of memory and power limit.
func gpuTypes(run *model.Run) []string {
	types := map[string]bool{}
	for _, f := range run.Facts {
		if f.Key == "gpu_name" && f.Value != "" && len(types) < maxKinds {
			types[strings.TrimSpace(f.Value)] = true
		}
	}
	if len(types) > 0 {
		return sortedKeys(types)
	}
	for _, b := range run.GPU.Batches {
		for r := range b.Rows() {
			mem, ok := b.Float(model.GPUMemTotal, r)
			if !ok || len(types) >= maxKinds || b.OK(model.GPUPart, r) {
				continue
			}
			s := fmt.Sprintf("%.0f GiB", mem/(1<<30))
			if w, ok := b.Float(model.GPUPowerLimit, r); ok {
				s += fmt.Sprintf(", %.0f W", w)
			}
			types[s] = true
		}
	}
	return sortedKeys(types)
}

func meanClock(t *model.Table) *float64 {
	var sum, n float64
	for _, b := range t.Batches {
		for r := range b.Rows() {
			if v, ok := b.Float(model.GPUSMClock, r); ok && !b.OK(model.GPUPart, r) {
				sum, n = sum+v, n+1
			}
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / n)
}
