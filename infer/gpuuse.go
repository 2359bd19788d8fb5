package infer

import (
	"fmt"
	"math"
	"slices"

	"tidemark/internal/say"
	"tidemark/internal/shard"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A Device is one GPU's readings over the steady state.
type Device struct {
	Index  int
	Side   string // target, drafter, both, or ""
	Util   Points // sm_util, whole run
	Mean   float64
	Level  float64 // while it is active
	Memory Points  // in use, of a device of a side
	First  model.Pos
	Blocks []float64
	sided  bool    // of a side, or of both
	like   *Device // while all is read, whose times are those of this one as well, nil for none
}

// A SideGPU is a side's devices together.
type SideGPU struct {
	Active  model.Interval // mean share of time with a kernel resident
	Share   model.Interval // active over the level while active: share of time at work
	SD      float64
	Devices int
	Spread  float64 // largest less smallest device mean
	Swing   *float64
	At      []model.Pos
}

// GPUUse is what the devices' readings say.
type GPUUse struct {
	Devices []*Device
	Sides   map[string]*SideGPU
	Shared  bool // one device serves both sides
	Unseen  []int
}

// GPUActivity reads the devices' utilisation by side.
var GPUActivity = &Analyzer{
	Name: "gpu",
	Doc: `GPU active share, its level while active, and the spread between devices, by side.

utilization.gpu is the share of a short window with any kernel resident: one-sided evidence, since a spinning collective or a hang reads 100 %, and windows that are read once a second see a fifth of the time.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady},
	Run: func(p *Pass) (any, error) {
		topo, _ := Result[*model.Topology](p, Topology)
		s, ok := Result[*SteadyState](p, Steady)
		if !ok {
			return nil, &SkipError{Needs: "a steady state"}
		}
		used, others := devices(p.Run, slices.Concat(topo.TargetGPUs, topo.DrafterGPUs))
		u := &GPUUse{Sides: map[string]*SideGPU{}, Devices: used}
		if len(u.Devices) == 0 {
			if at, split := splitGPUs(p.Run); split {
				return nil, &SkipError{Needs: fmt.Sprintf("GPU utilisation over time: MIG is enabled (%s:%d), and NVML gives none of a GPU that is split", at.File, at.Line), Record: MIGRecord}
			}
			return nil, &SkipError{Needs: "GPU utilisation over time", Record: "nvidia-smi --query-gpu=timestamp,index,name,uuid,utilization.gpu,utilization.memory,memory.used,power.draw --format=csv -lms 200 -f nvidia-smi.csv"}
		}
		if err := configuredGPUs(topo, u.Devices); err != nil {
			return nil, err
		}
		gpuNames(p)
		gpuLevels(p, used, others)
		u.assign(topo)
		n := len(u.Devices) / 2
		shard.All(func() { measureAll(u.Devices[:n], s) }, func() { measureAll(u.Devices[n:], s) })
		for _, side := range []string{model.Target, model.Drafter} {
			u.side(side, s)
		}
		return u, nil
	},
}

// MIGRecord reads the profiling counters of GPUs that MIG has split.
const MIGRecord = `dcgmi dmon -e 1001,1002,1004,1005,155,252 -d 1000 | while IFS= read -r l; do printf '%s %s\n' "$(date -u +%FT%TZ)" "$l"; done > dcgm.log`

// splitGPUs returns where a source says that MIG is enabled.
func splitGPUs(run *model.Run) (at model.Pos, ok bool) {
	for _, f := range run.Facts {
		if f.Key == model.FactMIG {
			return run.FactPos(f), true
		}
	}
	return at, false
}

// sharedWords names the devices of both sides.
func (u *GPUUse) sharedWords() string {
	var list []int
	for _, d := range u.Devices {
		if d.Side == model.Both {
			list = append(list, d.Index)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 1 {
		return fmt.Sprintf("both sides run on GPU %d: its time is shared", list[0])
	}
	return fmt.Sprintf("both sides run on GPUs %s: their time is shared", say.Indices(list))
}

func (u *GPUUse) assign(t *model.Topology) {
	for _, d := range u.Devices {
		target, drafter := slices.Contains(t.TargetGPUs, d.Index), slices.Contains(t.DrafterGPUs, d.Index)
		switch {
		case target && drafter:
			d.Side, u.Shared = model.Both, true
		case target:
			d.Side = model.Target
		case drafter:
			d.Side = model.Drafter
		}
	}
	for _, g := range slices.Concat(t.TargetGPUs, t.DrafterGPUs) {
		if !slices.ContainsFunc(u.Devices, func(d *Device) bool { return d.Index == g }) && !slices.Contains(u.Unseen, g) {
			u.Unseen = append(u.Unseen, g)
		}
	}
}

func measureAll(devices []*Device, s *SteadyState) {
	most := 0
	for _, d := range devices {
		most = max(most, len(d.Util.V))
	}
	work := make([]float64, 0, most)
	for _, d := range devices {
		d.measure(s, work)
	}
}

// measure takes mean and level over the steady state. The level while active
// is the median of the readings within a fifth of the busiest: a reading's
// window is shorter than most items, so those lie inside one, and the median
// leaves the noise of the meter out.
// all is memory to work in, empty.
func (d *Device) measure(s *SteadyState, all []float64) {
	var counts stats.Hundredths
	var sum, n float64
	counted := true
	for _, b := range s.Blocks {
		part := d.Util.between(b.from, b.to).V
		if len(part) == 0 {
			d.Blocks = append(d.Blocks, math.NaN())
			continue
		}
		d.Blocks = append(d.Blocks, mean(part))
		for _, v := range part {
			sum += v
		}
		n += float64(len(part))
		counted = counted && counts.Add(part)
	}
	d.Mean, d.Level = math.NaN(), math.NaN()
	switch {
	case n == 0:
	case counted:
		d.Mean = sum / n
		active := counts.Above(leastActive(counts.Quantile(0.95)))
		d.Level = active.Quantile(0.5)
	default:
		d.Mean = sum / n
		for _, b := range s.Blocks {
			all = append(all, d.Util.between(b.from, b.to).V...)
		}
		least := leastActive(stats.Select(all, 0.95))
		d.Level = stats.Select(slices.DeleteFunc(all, func(v float64) bool { return v <= least }), 0.5)
	}
}

// leastActive is what readings of a device at work are above, by a high one.
func leastActive(high float64) float64 { return max(gpuIdle, 0.8*high) }

// side sums up the devices of one side.
func (u *GPUUse) side(side string, s *SteadyState) {
	g := &SideGPU{}
	sums, counts := make([]float64, len(s.Blocks)), make([]float64, len(s.Blocks))
	lo, hi := math.Inf(1), math.Inf(-1)
	var level float64
	for _, d := range u.Devices {
		if d.Side != side && d.Side != model.Both || math.IsNaN(d.Mean) {
			continue
		}
		g.Devices++
		g.At = append(g.At, d.First)
		lo, hi = min(lo, d.Mean), max(hi, d.Mean)
		level += d.Level
		for i, v := range d.Blocks {
			if !math.IsNaN(v) {
				sums[i], counts[i] = sums[i]+v, counts[i]+1
			}
		}
		if sw := swing(d.Memory, s); sw != nil && (g.Swing == nil || *sw > *g.Swing) {
			g.Swing = sw
		}
	}
	if g.Devices == 0 {
		return
	}
	g.Active = stats.Ratio(keep(sums, counts), keep(counts, counts))
	g.Spread = hi - lo
	level /= float64(g.Devices)
	if level > 0 && !math.IsNaN(level) {
		f := func(v float64) float64 { return min(v/level, 1) }
		g.Share = model.Interval{Lo: f(g.Active.Lo), Mid: f(g.Active.Mid), Hi: f(g.Active.Hi)}
		g.SD = gpuShareError
	}
	u.Sides[side] = g
}

// keep returns v where n is above 0.
func keep(v, n []float64) []float64 {
	var out []float64
	for i := range v {
		if n[i] > 0 {
			out = append(out, v[i])
		}
	}
	return out
}

// swing is the range of memory in use over the steady state, 5th to 95th
// percentile, as a share of its largest value.
func swing(mem Points, s *SteadyState) *float64 {
	var v []float64
	for _, x := range s.Spans {
		v = append(v, mem.between(x.from, x.to).V...)
	}
	if len(v) < 10 {
		return nil
	}
	top := stats.Quantile(v, 1)
	if top <= 0 {
		return nil
	}
	return new((stats.Quantile(v, 0.95) - stats.Quantile(v, 0.05)) / top)
}
