// Package compare holds runs against each other and against a policy: what
// changed, by how much, why, and whether that is a failure. It reads
// model.Report alone. Metrics stand in metrics.go, rules in rules.go, what
// makes runs incomparable in pipeline.go, every threshold in thresholds.go.
package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"tidemark/model"
)

// A Run is what a comparison needs of one report; a baseline file holds these.
// Absent is nil, never 0.
type Run struct {
	Name       string                    `json:"name"`
	Start      string                    `json:"start,omitempty"`
	Pipeline   Pipeline                  `json:"pipeline"`
	Setting    Setting                   `json:"setting"`
	Limiter    string                    `json:"limiter"`
	P          model.Probabilities       `json:"p"` // of who limits
	Class      string                    `json:"class"`
	ClassP     *float64                  `json:"class_p,omitempty"`
	Steady     bool                      `json:"steady"`
	SteadyS    float64                   `json:"steady_s"` // s in blocks
	PauseS     float64                   `json:"pause_s"`  // s of pauses between the first block and the last
	Pauses     int                       `json:"pauses"`
	PauseCV    float64                   `json:"pause_cv"` // relative scatter that one pause adds to their sum
	AtCapacity *float64                  `json:"at_capacity,omitempty"`
	DepthP95   *float64                  `json:"depth_p95,omitempty"`
	Blocks     []model.Block             `json:"blocks"`
	Values     map[string]model.Interval `json:"values"` // metrics without blocks, by id
	Shares     []Share                   `json:"shares"` // of mechanisms
	Quality    string                    `json:"quality,omitempty"`
	CaptureS   *float64                  `json:"capture_s,omitempty"` // s over which stacks were sampled
	Findings   []string                  `json:"findings"`
	Formats    []string                  `json:"formats"`
	Has        []string                  `json:"has"` // kinds of evidence, see Kinds
	Unread     []string                  `json:"unread"`
	Unsound    []string                  `json:"unsound"` // checks of the data that failed
	GPUHours   *float64                  `json:"gpu_hours,omitempty"`

	gpuType string // what the comparison under way tells GPUs apart by
}

// A Share is the use of one mechanism by one role.
type Share struct {
	Role  string         `json:"role"`
	ID    string         `json:"id"`
	Share model.Interval `json:"share"`
}

// From extracts a Run from a report.
func From(r *model.Report) *Run {
	run := &Run{
		Name: r.Run.Name, Start: r.Run.Start, Pipeline: pipelineOf(r), Setting: settingOf(r),
		Limiter: r.Limiter.Side, P: r.Limiter.Probabilities, Class: r.Queue.Class, ClassP: r.Queue.Probability,
		Steady: r.Steady.Found, AtCapacity: r.Queue.AtCapacity, Blocks: slices.Clone(r.Blocks), Values: map[string]model.Interval{}, Shares: []Share{},
		Findings: []string{}, Formats: []string{}, Has: []string{}, Unread: []string{}, Unsound: []string{},
	}
	if run.Blocks == nil {
		run.Blocks = []model.Block{}
	}
	if r.Queue.Depth != nil {
		run.DepthP95 = &r.Queue.Depth.P95
	}
	run.times(r)
	run.values(r)
	run.shares(r)
	run.evidence(r)
	return run
}

// times books the steady state and the pauses within it.
func (run *Run) times(r *model.Report) {
	for _, b := range r.Blocks {
		run.SteadyS += b.ToS - b.FromS
	}
	if len(r.Blocks) == 0 {
		return
	}
	from, to := r.Blocks[0].FromS, r.Blocks[len(r.Blocks)-1].ToS
	for _, p := range r.Phases {
		if !isPause(p) {
			continue
		}
		if d := min(p.ToS, to) - max(p.FromS, from); d > 0 {
			run.PauseS += d
			run.Pauses++
		}
	}
	t := r.Run.Topology
	if n := len(t.TargetGPUs) + len(t.DrafterGPUs); n > 0 {
		run.GPUHours = new(float64(n) * (run.SteadyS + run.PauseS) / 3600)
	}
}

func (run *Run) values(r *model.Report) {
	for _, m := range Metrics {
		if m.Of == nil {
			continue
		}
		if v := m.Of(r); v != nil {
			run.Values[m.ID] = *v
		}
	}
	if run.PauseS > 0 || run.SteadyS > 0 {
		run.Values[pausesID] = run.pauses(r)
	}
}

// lost is the share of work that pauses cost: what the whole stretch made
// against what it would have made at the steady rate. The queue fills in a
// pause and what is in it is caught up later, so the pauses' own time is too
// much; it is taken where tokens are not counted.
func (run *Run) lost() float64 {
	b := run.Blocks
	if run.Pauses == 0 || len(b) < 3 {
		return 0
	}
	var work, seconds float64
	for _, x := range b[1:] {
		if x.Tokens != nil {
			work, seconds = work+*x.Tokens, seconds+x.ToS-x.FromS
		}
	}
	first, last := b[0], b[len(b)-1]
	if first.Gone == nil || last.Gone == nil || work <= 0 || last.ToS <= first.ToS {
		return run.PauseS / (run.PauseS + run.SteadyS)
	}
	overall := (*last.Gone - *first.Gone) / (last.ToS - first.ToS)
	return min(max(1-overall/(work/seconds), 0), 1)
}

// pauses is the share of work lost to pauses. Its relative error is that of a
// renewal process: the scatter of lengths and of gaps over the root of their
// number; under three pauses that of events at random.
func (run *Run) pauses(r *model.Report) model.Interval {
	share := run.lost()
	var gaps, lengths []float64
	last := math.NaN()
	for _, p := range r.Phases {
		if !isPause(p) {
			continue
		}
		if !math.IsNaN(last) {
			gaps = append(gaps, p.FromS-last)
		}
		lengths, last = append(lengths, p.ToS-p.FromS), p.FromS
	}
	cv := 1.0
	if len(lengths) >= 3 {
		cv = max(math.Hypot(variation(gaps), variation(lengths)), leastVariation)
	}
	if run.Pauses > 0 {
		run.PauseCV = cv
	}
	half := z95 * cv * share / math.Sqrt(float64(max(run.Pauses, 1)))
	return model.Interval{Lo: max(share-half, 0), Mid: share, Hi: min(share+half, 1)}
}

// leastVariation keeps few pauses that happen to be alike from being certain.
const leastVariation = 0.2

func variation(v []float64) float64 {
	m, sd := stat.MeanStdDev(v, nil)
	if !(m > 0) || len(v) < 2 {
		return 1
	}
	return sd / m
}

func isPause(p model.Phase) bool {
	return p.Kind != "steady" && p.Kind != "warm-up" && p.Kind != "tail"
}

func (run *Run) shares(r *model.Report) {
	if r.CPU == nil {
		return
	}
	for _, role := range []string{model.Target, model.Drafter} {
		c, ok := r.CPU.Roles[role]
		if !ok || c.Samples < leastSamples {
			continue
		}
		for _, m := range c.Mechanisms {
			run.Shares = append(run.Shares, Share{role, m.ID, m.Share})
		}
	}
	if r.CPU.Capture != nil {
		run.Quality, run.CaptureS = r.CPU.Capture.Quality, r.CPU.Capture.DurationS
	}
}

// noRecording is the format of what nvidia-smi says of the machine: topology
// and help. Nobody misses readings in it.
const noRecording = "nvidia-smi-info"

func (run *Run) evidence(r *model.Report) {
	for _, f := range r.Findings {
		if !slices.Contains(run.Findings, f.ID) {
			run.Findings = append(run.Findings, f.ID)
		}
	}
	for _, in := range r.Inputs {
		if in.Format != "" && !slices.Contains(run.Formats, in.Format) {
			run.Formats = append(run.Formats, in.Format)
		}
		if in.Damaged || in.Format != "" && in.Format != noRecording && in.Reason != "" {
			run.Unread = append(run.Unread, in.Path+": "+in.Reason)
		}
	}
	slices.Sort(run.Formats)
	for _, k := range Kinds {
		if k.In(r) {
			run.Has = append(run.Has, k.Name)
		}
	}
	for _, c := range r.Checks {
		if !c.OK && slices.Contains(integrity, c.Name) {
			run.Unsound = append(run.Unsound, c.Name+": "+c.Text)
		}
	}
}

// A Kind is one kind of evidence that a run may hold.
type Kind struct {
	Name, Record string
	In           func(*model.Report) bool
}

// Kinds are the kinds of evidence that a policy may ask for.
var Kinds = []Kind{
	{"throughput", "a training log with tok/s, or queue counters with gets_total", func(r *model.Report) bool { return r.Throughput.Steady != nil }},
	{"queue", "readings of the queue's depth", func(r *model.Report) bool { return r.Queue.Samples > 0 }},
	{"waits", "counters of waiting at the queue", func(r *model.Report) bool {
		return r.Limiter.Wait.DrafterGate != nil || r.Limiter.Wait.TargetPut != nil
	}},
	{"gpu", "nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu --format=csv -l 1", func(r *model.Report) bool {
		return gpuActive(r.Inside.Target) != nil || gpuActive(r.Inside.Drafter) != nil
	}},
	{"stacks", "py-spy record --native --threads -f raw", func(r *model.Report) bool { return r.CPU != nil && r.CPU.Samples > 0 }},
	{"threads", "pidstat -t 2", func(r *model.Report) bool { return r.CPU != nil && len(r.CPU.Busiest) > 0 }},
	{"trace", "torch.profiler.profile and export_chrome_trace", func(r *model.Report) bool { return len(r.Traces) > 0 }},
}

// integrity are the checks of the data that a comparison rests on. Others,
// such as a slow sampling rate, widen intervals by themselves.
var integrity = []string{"conservation", "depth.bounds", "log.counters"}
