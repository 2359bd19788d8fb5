package model

// Schema is the name of the JSON form of a Report.
const Schema = "tidemark/report/v1"

// An Interval is an estimate at 95 %: Lo <= Mid <= Hi.
type Interval struct {
	Lo  float64 `json:"lo"`
	Mid float64 `json:"mid"`
	Hi  float64 `json:"hi"`
}

// A Sides is a value for each side; a side without one is absent.
type Sides[T any] struct {
	Target  *T `json:"target,omitempty"`
	Drafter *T `json:"drafter,omitempty"`
}

// Of returns the value of a side.
func (s Sides[T]) Of(side string) *T {
	if side == Drafter {
		return s.Drafter
	}
	return s.Target
}

// Set sets the value of a side.
func (s *Sides[T]) Set(side string, v *T) {
	if side == Drafter {
		s.Drafter = v
	} else {
		s.Target = v
	}
}

// The sides, and what else may limit.
const (
	Target   = "target"
	Drafter  = "drafter"
	Both     = "both"
	Upstream = "upstream"
	Unknown  = "unknown"
)

// The queue classes, named after the side that runs ahead.
const (
	TargetBound  = "target-bound"
	DrafterBound = "drafter-bound"
	Balanced     = "balanced"
	Unsettled    = "unsettled"
)

// A Report is all that a renderer, a figure or a comparison may see. It
// survives JSON unchanged. Absent is nil or omitted, never 0.
type Report struct {
	Schema     string        `json:"schema"`
	Kind       string        `json:"kind"` // run, profile, comparison, fleet
	Version    string        `json:"version"`
	Verdict    Verdict       `json:"verdict"`
	Run        RunInfo       `json:"run"`
	Steady     Steady        `json:"steady"`
	Phases     []Phase       `json:"phases"`
	Throughput Throughput    `json:"throughput"`
	Queue      QueueInfo     `json:"queue"`
	Limiter    Limiter       `json:"limiter"`
	WhatIf     []WhatIf      `json:"what_if"`
	Losses     []Loss        `json:"losses"`
	Inside     Sides[Inside] `json:"inside"`
	Workers    []Worker      `json:"workers"`
	CPU        *CPU          `json:"cpu,omitempty"`
	Findings   []Finding     `json:"findings"`
	Next       []Step        `json:"next"`
	Checks     []Check       `json:"checks"`
	Skipped    []Skipped     `json:"skipped"`
	Inputs     []Input       `json:"inputs"`
	Series     []Series      `json:"series"`
	Blocks     []Block       `json:"blocks"`
	Flames     []Flame       `json:"flames"`
	Traces     []TraceInfo   `json:"traces,omitempty"`
	Comparison *Comparison   `json:"comparison,omitempty"`
	Check      *CheckResult  `json:"check,omitempty"`
}

// A Verdict is the answer in words.
type Verdict struct {
	Headline string   `json:"headline"` // one sentence, ends with a period
	Lead     string   `json:"lead"`     // speed, shortfall, and what either side would pay
	Queue    string   `json:"queue"`    // meaning of the depth first, class id in brackets
	Because  []Reason `json:"because"`
	Strength string   `json:"strength"` // "limits", "probably limits", "leans", "cannot tell"; of a profile, "measured"
}

// A Reason is one sentence of the verdict and where it was read.
type Reason struct {
	Text   string `json:"text"`
	Source string `json:"source"` // file, or n
	At     []Pos  `json:"at,omitempty"`
}

// RunInfo is what the run was.
type RunInfo struct {
	Name      string   `json:"name"`
	Start     string   `json:"start,omitempty"` // RFC 3339, UTC
	DurationS float64  `json:"duration_s"`
	Clock     string   `json:"clock"`
	Topology  Topology `json:"topology"`
	Hosts     []string `json:"hosts,omitempty"`
	GPUs      []string `json:"gpus,omitempty"`      // models by name, as printed; one cut short ends in ...
	GPUSizes  []string `json:"gpu_sizes,omitempty"` // memory and power limit of each kind, such as 140 GiB, 700 W
	ClockHz   *float64 `json:"clock_hz,omitempty"`  // mean SM clock
}

// A Topology is who works where. A count is absent where nothing tells it.
type Topology struct {
	TargetGPUs     []int             `json:"target_gpus,omitempty"`
	DrafterGPUs    []int             `json:"drafter_gpus,omitempty"`
	TargetWorkers  *int              `json:"target_workers,omitempty"`
	DrafterWorkers *int              `json:"drafter_workers,omitempty"`
	QueueCapacity  *float64          `json:"queue_capacity,omitempty"`
	MinReady       *float64          `json:"min_ready,omitempty"`
	From           map[string]string `json:"from"` // field: where it was read
}

// Steady is the part of the run that the verdict is about.
type Steady struct {
	Found bool    `json:"found"`
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
	Why   string  `json:"why"`
}

// A Phase is a part of the run: warm-up, steady, checkpoint, eval, stall, tail.
type Phase struct {
	Kind        string   `json:"kind"`
	FromS       float64  `json:"from_s"`
	ToS         float64  `json:"to_s"`
	Note        string   `json:"note,omitempty"`
	Class       string   `json:"class,omitempty"`
	Side        string   `json:"side,omitempty"`
	Probability *float64 `json:"probability,omitempty"`
}

// Throughput is how fast the run was. Unit is "tok/s" or "items/s".
type Throughput struct {
	Unit      string     `json:"unit,omitempty"`
	Steady    *Interval  `json:"steady,omitempty"`
	Best60s   *Interval  `json:"best_60s,omitempty"`
	Best300s  *Interval  `json:"best_300s,omitempty"`
	Best60At  *Span      `json:"best_60s_at,omitempty"`
	Best300At *Span      `json:"best_300s_at,omitempty"`
	HighWater *HighWater `json:"high_water,omitempty"`
	Shortfall *float64   `json:"shortfall,omitempty"` // share under the high-water mark
	Items     *Interval  `json:"items,omitempty"`     // items/s
	Source    string     `json:"source,omitempty"`
}

// A Span is a stretch of the run, in seconds from its start.
type Span struct {
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
}

// HighWater is the best throughput this pipeline is known to reach.
type HighWater struct {
	Value float64 `json:"value"`
	From  string  `json:"from"`
}

// Zones are shares of the steady state's time that the depth spent in each.
type Zones struct {
	Full        float64 `json:"full"`
	Between     float64 `json:"between"`
	AtWatermark float64 `json:"at_watermark"`
	Starved     float64 `json:"starved"`
}

// Depth are time-weighted quantiles of the depth, in items.
type Depth struct {
	P5   float64 `json:"p5"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Mean float64 `json:"mean"`
}

// A Bin is the share of time at one depth, or in [Depth, Depth+Width).
type Bin struct {
	Depth float64 `json:"depth"`
	Width float64 `json:"width"`
	Share float64 `json:"share"`
}

// QueueInfo is what the depth alone says.
type QueueInfo struct {
	Class            string   `json:"class"`
	Meaning          string   `json:"meaning"`
	Zones            *Zones   `json:"zones,omitempty"`
	Probability      *float64 `json:"probability,omitempty"` // of the class
	Depth            *Depth   `json:"depth,omitempty"`
	Capacity         *float64 `json:"capacity,omitempty"`
	MinReady         *float64 `json:"min_ready,omitempty"`
	GateKind         string   `json:"gate_kind"`              // level, hysteresis, batch, start, none, unknown
	Samples          int      `json:"samples"`                // readings of the depth in the steady state
	EffectiveSamples float64  `json:"effective_samples"`      // after autocorrelation
	Hz               *float64 `json:"hz,omitempty"`           // readings per second
	Histogram        []Bin    `json:"histogram,omitempty"`    // time-weighted
	AtMinReady       *float64 `json:"at_min_ready,omitempty"` // share of time in [min_ready-1, min_ready]
	AtCapacity       *float64 `json:"at_capacity,omitempty"`  // share of time at capacity
	Source           string   `json:"source,omitempty"`
}

// A Finding is one claim and what it rests on.
type Finding struct {
	ID            string     `json:"id"`
	Claim         string     `json:"claim"`
	Evidence      []Evidence `json:"evidence"`
	Advice        string     `json:"advice,omitempty"`
	PredictedGain *Interval  `json:"predicted_gain,omitempty"`
}

// Evidence is one number behind a claim, and the lines it was read from.
type Evidence struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
	At    []Pos   `json:"at,omitempty"`
}

// A Step is something to do next: an experiment, or a recording.
type Step struct {
	Kind    string    `json:"kind"` // experiment, recording
	Text    string    `json:"text"`
	Where   string    `json:"where,omitempty"` // file:line and share it rests on
	Command string    `json:"command,omitempty"`
	Seconds *float64  `json:"seconds,omitempty"`
	Gain    *Interval `json:"gain,omitempty"` // Hi is the bound set by the other side
}

// A Check is a named test of the data itself.
type Check struct {
	Name  string   `json:"name"`
	OK    bool     `json:"ok"`
	Value *float64 `json:"value,omitempty"`
	Limit *float64 `json:"limit,omitempty"`
	Text  string   `json:"text"`
}

// A Skipped analyzer says what it lacked.
type Skipped struct {
	Analyzer   string `json:"analyzer"`
	Needs      string `json:"needs"`
	RecordWith string `json:"record_with,omitempty"`
}

// An Input is one file and what became of it.
type Input struct {
	Path     string   `json:"path"`
	Format   string   `json:"format,omitempty"`
	Bytes    int64    `json:"bytes"`
	SHA256   string   `json:"sha256,omitempty"`
	Lines    int      `json:"lines"`
	Claimed  int      `json:"claimed"`
	Skipped  int      `json:"skipped"`
	Rejected int      `json:"rejected"`
	Rows     int      `json:"rows"`
	First    string   `json:"first,omitempty"`
	Last     string   `json:"last,omitempty"`
	Clock    string   `json:"clock,omitempty"`
	Reason   string   `json:"reason,omitempty"`  // why it was not read, or not to its end
	Damaged  bool     `json:"damaged,omitempty"` // the reason is damage, of it or of the archive it lies in
	Notes    []string `json:"notes"`
}

// A Series is a curve that figures draw: at most 2,000 points, with the
// lowest and highest value of what each point stands for.
type Series struct {
	Name string     `json:"name"`
	Side string     `json:"side,omitempty"`
	Unit string     `json:"unit"`
	T    []float64  `json:"t_s"`
	Lo   []*float64 `json:"lo"`
	Hi   []*float64 `json:"hi"`
}

// A Block is an equal span of the steady state.
type Block struct {
	FromS  float64        `json:"from_s"`
	ToS    float64        `json:"to_s"`
	Items  *float64       `json:"items,omitempty"`
	Tokens *float64       `json:"tokens,omitempty"`
	Busy   Sides[float64] `json:"busy"`
	Wait   Sides[float64] `json:"wait"`
	Depth  *float64       `json:"depth,omitempty"`
	Loss   *float64       `json:"loss,omitempty"` // mean of what was logged
	Step   *float64       `json:"step,omitempty"` // at its end
	Gone   *float64       `json:"gone,omitempty"` // tokens from the start of the run to its end
}

// A Flame is a tree of stacks with their weights. Node 0 is the root.
type Flame struct {
	Name  string      `json:"name"`
	Unit  string      `json:"unit"`
	Total float64     `json:"total"`
	Nodes []FlameNode `json:"nodes"`
}

// A FlameNode is one frame below its parent.
type FlameNode struct {
	Parent    int      `json:"parent"`
	Name      string   `json:"name"`
	File      string   `json:"file,omitempty"`
	Line      int      `json:"line,omitempty"`
	Value     float64  `json:"value"`
	Value2    *float64 `json:"value2,omitempty"`
	Role      string   `json:"role,omitempty"`
	Mechanism string   `json:"mechanism,omitempty"`
}
