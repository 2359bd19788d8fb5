package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/model"
)

// A Pipeline is what must be the same for throughputs to be compared.
type Pipeline struct {
	TargetGPUs     int      `json:"target_gpus,omitempty"` // 0 unknown
	DrafterGPUs    int      `json:"drafter_gpus,omitempty"`
	TargetWorkers  *int     `json:"target_workers,omitempty"`
	DrafterWorkers *int     `json:"drafter_workers,omitempty"`
	Capacity       *float64 `json:"capacity,omitempty"`
	MinReady       *float64 `json:"min_ready,omitempty"`
	GPUs           []string `json:"gpus,omitempty"`      // models by name
	GPUSizes       []string `json:"gpu_sizes,omitempty"` // memory and power limit
	Unit           string   `json:"unit,omitempty"`      // of throughput
}

// A Setting is what else may differ: it explains a change and forbids nothing.
type Setting struct {
	Hosts   []string `json:"hosts,omitempty"`
	Date    string   `json:"date,omitempty"`
	Clock   *float64 `json:"sm_clock_hz,omitempty"`
	QueueHz *float64 `json:"queue_hz,omitempty"`
	StackHz *float64 `json:"stack_hz,omitempty"`
	Version string   `json:"version,omitempty"`
}

func pipelineOf(r *model.Report) Pipeline {
	t := r.Run.Topology
	return Pipeline{
		TargetGPUs: len(t.TargetGPUs), DrafterGPUs: len(t.DrafterGPUs), TargetWorkers: t.TargetWorkers, DrafterWorkers: t.DrafterWorkers,
		Capacity: t.QueueCapacity, MinReady: t.MinReady, GPUs: r.Run.GPUs, GPUSizes: r.Run.GPUSizes, Unit: r.Throughput.Unit,
	}
}

func settingOf(r *model.Report) Setting {
	s := Setting{Hosts: r.Run.Hosts, Clock: r.Run.ClockHz, QueueHz: r.Queue.Hz, Version: r.Version}
	s.Date, _, _ = strings.Cut(r.Run.Start, "T")
	if r.CPU != nil && r.CPU.Capture != nil {
		s.StackHz = r.CPU.Capture.RateHz
	}
	return s
}

// A Trait is one thing that runs may differ in.
type Trait struct {
	Name  string // as --about and about: name it
	Label string
	Of    func(*Run) string // "" where the run does not tell
}

// Traits void a comparison of throughput where they differ, unless it is about them.
var Traits = []Trait{
	{"topology", "GPUs or workers", func(r *Run) string { return topologyWords(r.Pipeline) }},
	{"capacity", "queue capacity", func(r *Run) string { return amount(r.Pipeline.Capacity) }},
	{"min_ready", "min_ready", func(r *Run) string { return amount(r.Pipeline.MinReady) }},
	{"gpu", "GPU type", func(r *Run) string { return r.gpuType }},
	{"unit", "unit of throughput", func(r *Run) string { return r.Pipeline.Unit }},
}

func topologyWords(p Pipeline) string {
	if p.TargetGPUs+p.DrafterGPUs == 0 && p.TargetWorkers == nil && p.DrafterWorkers == nil {
		return ""
	}
	s := ""
	if p.TargetGPUs+p.DrafterGPUs > 0 {
		s = fmt.Sprintf("%d + %d GPUs", p.TargetGPUs, p.DrafterGPUs)
	}
	if t, d := p.TargetWorkers, p.DrafterWorkers; t != nil && d != nil && (*t != p.TargetGPUs || *d != p.DrafterGPUs) {
		s = strings.TrimPrefix(s+fmt.Sprintf(", %d + %d workers", *t, *d), ", ")
	}
	return s
}

func amount(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%g", *v)
}

// notes are the settings that are worth a line where they differ.
var noteTraits = []Trait{
	{"hosts", "host", func(r *Run) string { return strings.Join(r.Setting.Hosts, ", ") }},
	{"date", "date", func(r *Run) string { return r.Setting.Date }},
	{"clock", "mean SM clock", func(r *Run) string {
		if r.Setting.Clock == nil {
			return ""
		}
		return fmt.Sprintf("%.0f MHz", 50*math.Round(*r.Setting.Clock/50e6)) // a step of 50 MHz is worth a line
	}},
	{"queue_hz", "queue readings", func(r *Run) string { return rate(r.Setting.QueueHz) }},
	{"stack_hz", "stack samples", func(r *Run) string { return rate(r.Setting.StackHz) }},
	{"version", "version of the analyzer", func(r *Run) string { return r.Setting.Version }},
}

func rate(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.3g per second", *v)
}

// A difference is a trait with the values of both sides.
type difference struct {
	Trait
	base, fresh []string
}

func (d difference) text() string {
	return d.Label + " " + strings.Join(d.base, " and ") + " against " + strings.Join(d.fresh, " and ")
}

// differ compares a trait. Known is false where a side does not tell.
func differ(t Trait, base, fresh []*Run) (d difference, differs, known bool) {
	d = difference{t, valuesOf(t, base), valuesOf(t, fresh)}
	known = len(d.base) > 0 && len(d.fresh) > 0
	return d, known && !slices.Equal(d.base, d.fresh) || len(d.base) > 1 || len(d.fresh) > 1, known
}

func valuesOf(t Trait, runs []*Run) []string {
	var out []string
	for _, r := range runs {
		if v := t.Of(r); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}
