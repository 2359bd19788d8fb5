package infer

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/model"
)

// Hardware says on what the run ran: hosts, types of GPU, mean SM clock.
var Hardware = &Analyzer{
	Name: "hardware",
	Doc: `Hosts, models of GPU and the mean SM clock, so that a comparison knows what else differs.

A model is the device's name where a source prints it: nvidia-smi, gpustat, dcgm-exporter, rocm-smi, a trace. Memory and power limit are kept beside it: they tell most models apart, but not all.`,
	Run: func(p *Pass) (any, error) {
		info := &p.Out.Run
		hosts := map[string]bool{}
		for _, c := range []struct {
			table *model.Table
			host  int
		}{{p.Run.Queue, model.QueueHost}, {p.Run.GPU, model.GPUHost}, {p.Run.Threads, model.ThreadHost}} {
			textsOf(p.Run, c.table, c.host, hosts)
		}
		info.Hosts, info.GPUs, info.GPUSizes = sortedKeys(hosts), gpuModels(p.Run), gpuSizes(p.Run)
		info.ClockHz = meanClock(p.Run.GPU)
		if len(info.Hosts)+len(info.GPUs)+len(info.GPUSizes) == 0 && info.ClockHz == nil {
			return nil, &SkipError{Needs: "readings that name hosts, models of GPU or clocks", Record: "nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu,clocks.sm,memory.total,power.limit --format=csv -l 1"}
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

// gpuModels are the names of models. One that a source cut short is dropped
// where another has it whole.
func gpuModels(run *model.Run) []string {
	names := map[string]bool{}
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && len(names) < maxKinds {
			names[name] = true
		}
	}
	for _, f := range run.Facts {
		if f.Key == "gpu_name" {
			add(f.Value)
		}
	}
	for _, t := range run.Traces {
		for _, d := range t.Devices {
			if d.Name > 0 {
				add(run.Text(d.Name))
			}
		}
	}
	var list []string
	for _, name := range sortedKeys(names) {
		begin, cut := strings.CutSuffix(name, "...")
		whole := func(other string) bool { return other != name && strings.HasPrefix(other, begin) }
		if !cut || !slices.ContainsFunc(sortedKeys(names), whole) {
			list = append(list, name)
		}
	}
	return list
}

// gpuSizes are the pairs of memory and power limit.
func gpuSizes(run *model.Run) []string {
	sizes := map[string]bool{}
	b := model.NewReader(model.GPU, model.GPUMemTotal, model.GPUPowerLimit)
	for _, batch := range run.GPU.Batches {
		if !batch.Has(model.GPUMemTotal) {
			continue
		}
		b.Read(batch)
		var memory, power float64
		rows := b.Rows()
		if b.Same(model.GPUMemTotal) && b.Same(model.GPUPowerLimit) && b.Same(model.GPUPart) {
			rows = 1
		}
		for r := range rows {
			m, ok := b.Float(model.GPUMemTotal, r)
			w, _ := b.Float(model.GPUPowerLimit, r)
			if !ok || m == memory && w == power || len(sizes) >= maxKinds || b.OK(model.GPUPart, r) {
				continue
			}
			memory, power = m, w
			s := fmt.Sprintf("%.0f GiB", m/(1<<30))
			if w > 0 {
				s += fmt.Sprintf(", %.0f W", w)
			}
			sizes[s] = true
		}
	}
	var list []string
	for _, s := range sortedKeys(sizes) {
		more := func(other string) bool { return strings.HasPrefix(other, s+",") }
		if !slices.ContainsFunc(sortedKeys(sizes), more) {
			list = append(list, s)
		}
	}
	return list
}

func meanClock(t *model.Table) *float64 {
	var sum, n float64
	b := model.NewReader(model.GPU, model.GPUSMClock)
	for _, batch := range t.Batches {
		b.Read(batch)
		if v := b.Floats(model.GPUSMClock); v != nil && !b.Has(model.GPUPart) {
			for _, x := range v {
				sum += x
			}
			n += float64(len(v))
			continue
		}
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
