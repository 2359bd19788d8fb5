package model

import "slices"

// A Comparison is what changed from one set of runs to another, by how much and why.
type Comparison struct {
	Headline string   `json:"headline"` // one sentence, ends with a period
	Lead     string   `json:"lead"`     // how sure, and what this data could show
	Void     []string `json:"void"`     // differences that make throughputs incomparable
	About    []string `json:"about"`    // differences that the comparison is about
	Notes    []string `json:"notes"`    // other differences, which explain but do not forbid
	Method   string   `json:"method"`   // the unit of noise and the assumption, in a sentence
	// Smallest is the least relative drop of throughput that this data would show four times in five.
	Smallest  *float64       `json:"smallest,omitempty"`
	Noise     Noise          `json:"noise"`
	Base      []ComparedRun  `json:"base"`
	New       []ComparedRun  `json:"new"`
	Metrics   []MetricChange `json:"metrics"`
	Waterfall *Waterfall     `json:"waterfall,omitempty"`
	Stacks    []StackChange  `json:"stacks"`
	History   *History       `json:"history,omitempty"`
}

// Noise is the scatter of throughput between runs of one pipeline.
type Noise struct {
	Between  float64 `json:"between"`  // relative standard deviation of one run
	Measured bool    `json:"measured"` // from repeated runs; else stated
	From     string  `json:"from"`
}

// A ComparedRun is one run of either side.
type ComparedRun struct {
	Name       string    `json:"name"`
	Start      string    `json:"start,omitempty"`
	Throughput *Interval `json:"throughput,omitempty"`
	Limiter    string    `json:"limiter"`
	Class      string    `json:"class"`
	SteadyS    float64   `json:"steady_s"`
	Blocks     int       `json:"blocks"`
	Effective  float64   `json:"effective_blocks"` // after autocorrelation
}

// A MetricChange is one quantity on both sides. Change is relative for rates
// and times, a difference for shares (kind points).
type MetricChange struct {
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	Unit    string    `json:"unit"`
	Kind    string    `json:"kind"` // relative, points
	Base    *Interval `json:"base,omitempty"`
	New     *Interval `json:"new,omitempty"`
	Change  *Interval `json:"change,omitempty"`
	P       *float64  `json:"p,omitempty"` // of no change
	Q       *float64  `json:"q,omitempty"` // of p, after Benjamini and Hochberg
	Changed bool      `json:"changed"`
	Better  string    `json:"better,omitempty"` // up, down; absent where neither is
	Basis   string    `json:"basis,omitempty"`  // runs, blocks
	Why     string    `json:"why,omitempty"`    // there is no change to state
}

// A Waterfall takes the change of items/s apart. The parts are factors as
// ln(new/base); they add up to the total.
type Waterfall struct {
	Unit  string   `json:"unit"`
	Base  float64  `json:"base"`
	New   float64  `json:"new"`
	Total Interval `json:"total"` // ln(new/base)
	Parts []Part   `json:"parts"`
	Cause string   `json:"cause"` // id of a part, or none
	Text  string   `json:"text"`  // the cause in a sentence
}

// A Part of a waterfall.
type Part struct {
	ID    string   `json:"id"` // target_service, drafter_service, put_block, gate_wait, input_wait, item_mix, pauses
	Label string   `json:"label"`
	Ln    Interval `json:"ln"`    // ln of its factor
	Delta float64  `json:"delta"` // of the unit
}

// A StackChange is the use of one mechanism by one role on both sides.
type StackChange struct {
	Role     string    `json:"role"`
	ID       string    `json:"id"`
	Base     *Interval `json:"base,omitempty"` // share of the role's active samples
	New      *Interval `json:"new,omitempty"`
	BaseS    *float64  `json:"base_s,omitempty"` // worker-seconds per item
	NewS     *float64  `json:"new_s,omitempty"`
	Change   *Interval `json:"change,omitempty"` // of the share, points
	Changed  bool      `json:"changed"`
	Absolute *Interval `json:"absolute,omitempty"` // of worker-seconds per item
}

// A History is a quantity over past runs, oldest first.
type History struct {
	Metric  string         `json:"metric"`
	Unit    string         `json:"unit"`
	Points  []HistoryPoint `json:"points"`
	Changes []HistoryShift `json:"changes"`
	Text    string         `json:"text"`
	Left    []string       `json:"left"` // runs left out, and why
}

// A HistoryPoint is one run.
type HistoryPoint struct {
	Name  string  `json:"name"`
	Start string  `json:"start,omitempty"`
	Value float64 `json:"value"`
}

// A HistoryShift is where the level changed: at once (step), or over many runs (drift).
type HistoryShift struct {
	Kind   string   `json:"kind"` // step, drift
	Index  int      `json:"index"`
	Name   string   `json:"name"` // the first run of the new level, or of the drift
	Before float64  `json:"before"`
	After  float64  `json:"after"`
	Change Interval `json:"change"` // relative
	P      float64  `json:"p"`
}

// The outcomes of a rule and of a check.
const (
	Pass         = "pass"
	Fail         = "fail"
	Inconclusive = "inconclusive"
)

// A CheckResult is what a policy says of a run.
type CheckResult struct {
	Status   string        `json:"status"` // pass, fail, inconclusive
	Headline string        `json:"headline"`
	Policy   string        `json:"policy"` // its file, or "default"
	Source   string        `json:"source"` // its text
	Rules    []RuleOutcome `json:"rules"`
	Joined   []string      `json:"joined"`
}

// A RuleOutcome is one rule applied.
type RuleOutcome struct {
	Rule    string    `json:"rule"`
	Name    string    `json:"name"` // unique within the policy
	Status  string    `json:"status"`
	Warn    bool      `json:"warn"`            // passed with a warning, for the policy says so
	Cause   string    `json:"cause,omitempty"` // of inconclusive: uncertain, missing, void
	Text    string    `json:"text"`            // measured value, limit, and why
	Value   *Interval `json:"value,omitempty"`
	Limit   *float64  `json:"limit,omitempty"`
	Unit    string    `json:"unit,omitempty"`
	LostGPU *float64  `json:"lost_gpu_hours,omitempty"` // what it costs in one run like this
}

// Shown returns the changes that a reader needs: throughput with its parts,
// and whatever changed.
func (c *Comparison) Shown() []MetricChange {
	always := []string{"throughput", "overall", "items", "tokens_per_item", "target.capacity", "drafter.capacity", "put_wait", "gate_wait", "loss"}
	var out []MetricChange
	for _, m := range c.Metrics {
		if (m.Base != nil || m.New != nil) && (m.Changed || slices.Contains(always, m.ID)) {
			out = append(out, m)
		}
	}
	return out
}
