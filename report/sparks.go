package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

const (
	sparkColumns = 60
	sparkLead    = 11
)

var sparkLevels = []rune("▁▂▃▄▅▆▇█")

// A spark is one curve of the terminal's timeline.
type spark struct {
	name    string
	v       []float64 // by column, NaN where nothing was recorded
	lo, hi  float64
	reading string
	scale   string
}

// lines draws the run's curves on one time axis.
func (t *text) lines() {
	sparks := t.sparks()
	if len(sparks) == 0 || t.r.Run.DurationS <= 0 {
		return
	}
	clock := "UTC"
	if t.r.Run.Start == "" {
		clock = "elapsed"
	}
	t.add("%s%s", pad(clock, sparkLead), timeAxis(t.r.Run.Start, t.r.Run.DurationS))
	for _, s := range sparks {
		t.add("%s%s   %s  scale %s", pad(s.name, sparkLead), draw(s), pad(s.reading, 8), s.scale)
	}
	t.blank()
}

func (t *text) sparks() []spark {
	r := t.r
	var out []spark
	end := r.Run.DurationS
	add := func(name string, v []float64, lo, hi float64, reading, scale string) {
		for _, x := range v {
			if !math.IsNaN(x) {
				out = append(out, spark{name, v, lo, hi, reading, scale})
				return
			}
		}
	}
	if s := find(r, "throughput"); s != nil && r.Throughput.Steady != nil {
		v := columns(s, end)
		lo, hi := bounds(v)
		if hw := r.Throughput.HighWater; hw != nil {
			hi = max(hi, hw.Value)
		}
		add(strings.TrimSuffix(r.Throughput.Unit, ""), v, lo, hi, say.SI(r.Throughput.Steady.Mid), say.SI(lo)+" – "+say.SI(hi))
	}
	if s := find(r, "depth"); s != nil && r.Queue.Depth != nil {
		top := r.Queue.Depth.P95
		if r.Queue.Capacity != nil {
			top = *r.Queue.Capacity
		}
		add("depth", columns(s, end), 0, top, say.Ends(r.Queue.Depth.P5, r.Queue.Depth.P95), fmt.Sprintf("0 – %.0f", top))
	}
	for _, w := range []struct {
		name, series string
		v            *model.Interval
	}{
		{"gate wait", "wait.gate", r.Limiter.Wait.DrafterGate},
		{"put wait", "wait.put", r.Limiter.Wait.TargetPut},
		{"prompts", "wait.input", r.Limiter.Wait.TargetInput},
	} {
		if s := find(r, w.series); s != nil && w.v != nil && w.v.Hi >= 0.01 {
			v := columns(s, end)
			top := shareTop(v)
			add(w.name, v, 0, top, say.Percent(w.v.Mid), fmt.Sprintf("0 – %.0f %%", 100*top))
		}
	}
	for _, side := range []string{model.Target, model.Drafter} {
		in := r.Inside.Of(side)
		if in == nil || in.GPUActive == nil {
			continue
		}
		v, n := sideGPU(r, side, end)
		if n > 0 {
			add("GPU "+gpuNames(r, side), v, 0, 1, say.Round(in.GPUActive.Mid), "0 – 100 %")
		}
	}
	return out
}

// shareTop is the end of a scale of shares that holds all of v.
func shareTop(v []float64) float64 {
	_, hi := bounds(v)
	for _, top := range []float64{0.1, 0.2, 0.5} {
		if hi <= top {
			return top
		}
	}
	return 1
}

func gpuNames(r *model.Report, side string) string {
	if side == model.Target {
		return say.Indices(r.Run.Topology.TargetGPUs)
	}
	return say.Indices(r.Run.Topology.DrafterGPUs)
}

// sideGPU is the mean over the devices of one side.
func sideGPU(r *model.Report, side string, end float64) (v []float64, n int) {
	sum := make([]float64, sparkColumns)
	for i := range r.Series {
		s := &r.Series[i]
		if !strings.HasPrefix(s.Name, "gpu.") || s.Side != side {
			continue
		}
		n++
		for k, x := range columns(s, end) {
			sum[k] += x
		}
	}
	for k := range sum {
		sum[k] /= float64(n)
	}
	return sum, n
}

func find(r *model.Report, name string) *model.Series {
	for i := range r.Series {
		if r.Series[i].Name == name {
			return &r.Series[i]
		}
	}
	return nil
}

// columns averages a series into the columns of the drawing.
func columns(s *model.Series, end float64) []float64 {
	sum, n := make([]float64, sparkColumns), make([]float64, sparkColumns)
	for i, t := range s.T {
		if s.Lo[i] == nil || s.Hi[i] == nil || t < 0 || t > end {
			continue
		}
		k := min(int(t/end*sparkColumns), sparkColumns-1)
		sum[k] += (*s.Lo[i] + *s.Hi[i]) / 2
		n[k]++
	}
	for k := range sum {
		sum[k] /= n[k]
	}
	return fillGaps(sum, s)
}

// fillGaps lets a value stand in the columns up to the next reading where
// readings are sparser than columns.
func fillGaps(v []float64, s *model.Series) []float64 {
	if len(s.T) >= 2*sparkColumns {
		return v
	}
	reach := int(math.Ceil(sparkColumns / float64(max(len(s.T), 1))))
	for k := range v {
		for d := 1; d <= reach && math.IsNaN(v[k]) && k-d >= 0; d++ {
			if !math.IsNaN(v[k-d]) {
				v[k] = v[k-d]
			}
		}
	}
	return v
}

// bounds leaves some air under the lowest value.
func bounds(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if !math.IsNaN(x) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return max(lo-(hi-lo)/2, 0), hi
}

func draw(s spark) string {
	out := make([]rune, len(s.v))
	for i, x := range s.v {
		if math.IsNaN(x) {
			out[i] = ' '
			continue
		}
		f := 0.0
		if s.hi > s.lo {
			f = (x - s.lo) / (s.hi - s.lo)
		}
		out[i] = sparkLevels[min(max(int(f*8), 0), 7)]
	}
	return string(out)
}

// timeAxis prints clock times at round minutes, or elapsed time where the
// start is not known.
func timeAxis(start string, seconds float64) string {
	row := []rune(strings.Repeat(" ", sparkColumns+6))
	put := func(at float64, label string) {
		k := int(at / seconds * sparkColumns)
		if k+len(label) > len(row) {
			return
		}
		for i, r := range label {
			row[k+i] = r
		}
	}
	step := tickStep(seconds)
	begin, err := time.Parse(time.RFC3339Nano, start)
	if err != nil {
		for at := 0.0; at < seconds; at += step {
			put(at, say.Elapsed(at))
		}
		return strings.TrimRight(string(row), " ")
	}
	layout := "15:04"
	if step < 60 {
		layout = "15:04:05"
	}
	first := begin.Truncate(time.Duration(step * float64(time.Second))).Add(time.Duration(step * float64(time.Second)))
	for at := first; at.Before(begin.Add(time.Duration(seconds * float64(time.Second)))); at = at.Add(time.Duration(step * float64(time.Second))) {
		put(at.Sub(begin).Seconds(), at.UTC().Format(layout))
	}
	return strings.TrimRight(string(row), " ")
}

// tickStep is a round number of seconds whose labels do not touch.
func tickStep(seconds float64) float64 {
	for _, s := range []float64{5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if cells := sparkColumns * s / seconds; cells >= 10 || s >= 60 && cells >= 7 {
			return s
		}
	}
	return 86400 * math.Ceil(seconds/86400/8)
}
