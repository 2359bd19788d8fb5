package infer

import (
	"iter"
	"maps"
	"strconv"
	"strings"

	"tidemark/model"
)

func mapKeys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// Topology reads who works where, and the two watermarks.
var Topology = &Analyzer{
	Name: "topology",
	Doc: `Reads GPUs and workers of either side, capacity and min_ready.

The user's configuration comes first, then configuration lines of the log, then the queue readings. A number of workers that nothing states is taken as the number of the side's GPUs, and said to be.`,
	Requires: []*Analyzer{ReadingsOf},
	Run: func(p *Pass) (any, error) {
		t := &model.Topology{From: map[string]string{}}
		r, _ := Result[*Readings](p, ReadingsOf)
		fromConfig(p, t)
		fromFacts(p, t)
		fromReadings(t, r)
		if err := configuredGate(t); err != nil {
			return nil, err
		}
		overruled(p, t, r)
		countWorkers(t)
		p.Out.Run.Topology = *t
		return t, nil
	},
}

// configuration is where a value is from that the user gave.
const configuration = "configuration"

func fromConfig(p *Pass, t *model.Topology) {
	c := p.Config
	if len(c.Targets) > 0 {
		t.TargetGPUs, t.From["target_gpus"] = c.Targets, configuration
	}
	if len(c.Drafters) > 0 {
		t.DrafterGPUs, t.From["drafter_gpus"] = c.Drafters, configuration
	}
	if c.Capacity != nil {
		t.QueueCapacity, t.From["queue_capacity"] = new(float64(*c.Capacity)), configuration
	}
	if c.MinReady != nil {
		t.MinReady, t.From["min_ready"] = new(float64(*c.MinReady)), configuration
	}
}

// The names under which configuration lines state the topology.
var (
	sideTarget   = `(?:target|teacher|producer|inference|rollout|generator)s?`
	sideDrafter  = `(?:drafter|draft|student|consumer|trainer)s?`
	reGPUs       = `[_ ]?(?:gpus?|devices?|ranks?|cuda)(?:_ids?)?$`
	reCount      = `(?:num[_ ]?|n_)?`
	reWorkers    = `[_ ]?(?:workers?|threads?|procs?|processes)$`
	gpuWords     = []string{"gpu", "device", "rank", "cuda"}
	workerWords  = []string{"worker", "thread", "proc"}
	factTGPU     = newFactName(gpuWords, `^`+sideTarget+reGPUs)
	factDGPU     = newFactName(gpuWords, `^`+sideDrafter+reGPUs)
	factTWork    = newFactName(workerWords, `^`+reCount+sideTarget+reWorkers)
	factDWork    = newFactName(workerWords, `^`+reCount+sideDrafter+reWorkers)
	factCapacity = newFactName([]string{"queue", "pool", "buffer", "capacity"}, `^(?:(?:hs|hidden_states?|sample|feature)?_?(?:queue|pool|buffer)[_ ]?(?:depth|size|capacity|len|max(?:size|_size)?)|capacity|max_?(?:pool|queue)_?size|queue_capacity|hs_queue_depth)$`)
	factMinReady = newFactName([]string{"ready", "watermark"}, `^(?:\w*_)?(?:min_?ready|low_watermark|ready_watermark)$`)
)

// fromFacts reads configuration lines; the first to state a thing counts.
func fromFacts(p *Pass, t *model.Topology) {
	for _, f := range p.Run.Facts {
		at := p.Run.FactPos(f).String()
		switch {
		case factTGPU.match(f.Key) != nil:
			setList(t, &t.TargetGPUs, "target_gpus", f.Value, at)
		case factDGPU.match(f.Key) != nil:
			setList(t, &t.DrafterGPUs, "drafter_gpus", f.Value, at)
		case factTWork.match(f.Key) != nil:
			setCount(t, &t.TargetWorkers, "target_workers", f.Value, at)
		case factDWork.match(f.Key) != nil:
			setCount(t, &t.DrafterWorkers, "drafter_workers", f.Value, at)
		case factCapacity.match(f.Key) != nil:
			setNumber(t, &t.QueueCapacity, "queue_capacity", f.Value, at)
		case factMinReady.match(f.Key) != nil:
			setNumber(t, &t.MinReady, "min_ready", f.Value, at)
		}
	}
}

func setList(t *model.Topology, dst *[]int, field, text, at string) {
	if *dst != nil {
		return
	}
	var list []int
	for _, s := range strings.FieldsFunc(strings.Trim(text, "[](){}\"' "), func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		s = strings.TrimPrefix(strings.Trim(s, `"'`), "cuda:")
		lo, hi, isRange := strings.Cut(s, "-")
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || a < 0 || b < a || b-a > 1024 {
			return
		}
		for ; a <= b; a++ {
			list = append(list, a)
		}
	}
	*dst, t.From[field] = list, at
}

func setCount(t *model.Topology, dst **int, field, text, at string) {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 && *dst == nil {
		*dst, t.From[field] = &n, at
	}
}

func setNumber(t *model.Topology, dst **float64, field, text, at string) {
	if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && v >= 0 && v < 1e9 && *dst == nil {
		*dst, t.From[field] = &v, at
	}
}

// fromReadings takes the watermarks that queue readings carry, and, where no
// capacity is stated, none: the largest depth seen is only a lower bound.
func fromReadings(t *model.Topology, r *Readings) {
	if r == nil || r.Queue == nil {
		return
	}
	at := r.Queue.First.String()
	if c := r.Queue.Capacity; len(c) > 0 && t.From["queue_capacity"] != configuration {
		t.QueueCapacity, t.From["queue_capacity"] = new(c.median()), at
	}
	if m := r.Queue.MinReady; len(m) > 0 && t.From["min_ready"] != configuration {
		t.MinReady, t.From["min_ready"] = new(m.median()), at
	}
}

// countWorkers takes a side's GPUs for its workers where nothing counts them.
func countWorkers(t *model.Topology) {
	if t.TargetWorkers == nil && len(t.TargetGPUs) > 0 {
		t.TargetWorkers, t.From["target_workers"] = new(len(t.TargetGPUs)), "one a GPU, not stated"
	}
	if t.DrafterWorkers == nil && len(t.DrafterGPUs) > 0 {
		t.DrafterWorkers, t.From["drafter_workers"] = new(len(t.DrafterGPUs)), "one a GPU, not stated"
	}
}
