package compare

import (
	"math"

	"tidemark/model"
)

// The kinds of change.
const (
	relative = "relative" // ln of a ratio inside, a share outside
	points   = "points"   // a difference of shares
)

const (
	throughputID  = "throughput"
	itemsID       = "items"
	perItemID     = "tokens_per_item"
	overallID     = "overall"
	pausesID      = "pauses"
	lossID        = "loss"
	targetCapID   = "target.capacity"
	drafterCapID  = "drafter.capacity"
	putID         = "put_wait"
	gateID        = "gate_wait"
	inputID       = "input_wait"
	targetBusyID  = "target.busy"
	drafterBusyID = "drafter.busy"
	targetGPUID   = "target.gpu_active"
	drafterGPUID  = "drafter.gpu_active"
)

// A Metric is one quantity that is compared. It comes from blocks where Block
// is set and blocks hold it, else from Of.
type Metric struct {
	ID, Label, Unit, Kind string
	Better                string  // up, down, or "" where neither is
	Between               float64 // stated scatter of one run
	Host                  bool    // another host shifts it
	Of                    func(*model.Report) *model.Interval
	// Block returns what a block adds to a ratio of totals.
	Block func(*Run, model.Block) (num, den float64, ok bool)
}

// Metrics are all quantities that are compared, beside the shares of mechanisms.
var Metrics = []*Metric{
	{
		ID: throughputID, Label: "throughput", Kind: relative, Better: "up", Between: betweenRate, Host: true,
		Of:    func(r *model.Report) *model.Interval { return r.Throughput.Steady },
		Block: func(r *Run, b model.Block) (float64, float64, bool) { return perSecond(b, r.work(b)) },
	},
	{
		ID: itemsID, Label: "items", Unit: "items/s", Kind: relative, Between: betweenRate, Host: true,
		Of:    func(r *model.Report) *model.Interval { return r.Throughput.Items },
		Block: func(_ *Run, b model.Block) (float64, float64, bool) { return perSecond(b, b.Items) },
	},
	{
		ID: perItemID, Label: "tokens per item", Unit: "tokens", Kind: relative, Between: betweenItem,
		Block: func(_ *Run, b model.Block) (float64, float64, bool) {
			if b.Tokens == nil || b.Items == nil {
				return 0, 0, false
			}
			return *b.Tokens, *b.Items, *b.Items > 0
		},
	},
	{
		ID: targetCapID, Label: "target capacity", Kind: relative, Better: "up", Between: betweenRate, Host: true,
		Of: func(r *model.Report) *model.Interval { return capacity(r).Target },
	},
	{
		ID: drafterCapID, Label: "drafter capacity", Kind: relative, Better: "up", Between: betweenRate, Host: true,
		Of: func(r *model.Report) *model.Interval { return capacity(r).Drafter },
	},
	{
		ID: putID, Label: "targets blocked at put", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return r.Limiter.Wait.TargetPut },
	},
	{
		ID: gateID, Label: "drafters wait at the gate", Unit: "share", Kind: points, Between: betweenWait,
		Of:    func(r *model.Report) *model.Interval { return r.Limiter.Wait.DrafterGate },
		Block: func(_ *Run, b model.Block) (float64, float64, bool) { return shareOf(b, b.Wait.Drafter) },
	},
	{
		ID: inputID, Label: "targets wait for prompts", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return r.Limiter.Wait.TargetInput },
	},
	{
		ID: targetBusyID, Label: "targets busy", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return r.Limiter.Busy.Target },
	},
	{
		ID: drafterBusyID, Label: "drafters busy", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return r.Limiter.Busy.Drafter },
	},
	{
		ID: targetGPUID, Label: "target GPUs active", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return gpuActive(r.Inside.Target) },
	},
	{
		ID: drafterGPUID, Label: "drafter GPUs active", Unit: "share", Kind: points, Between: betweenWait,
		Of: func(r *model.Report) *model.Interval { return gpuActive(r.Inside.Drafter) },
	},
	{ID: overallID, Label: "throughput with pauses", Kind: relative, Better: "up", Between: betweenRate, Host: true},
	{ID: pausesID, Label: "lost to pauses", Unit: "share", Kind: points, Better: "down", Between: betweenShare},
	{ID: lossID, Label: "loss at equal tokens", Kind: relative, Better: "down", Between: betweenLoss},
}

// capacity is in tokens where they are known, so that longer items are no slower side.
func capacity(r *model.Report) model.Sides[model.Interval] {
	if c := r.Limiter.CapacityTokensS; c.Target != nil || c.Drafter != nil {
		return c
	}
	return r.Limiter.CapacityItemsS
}

func gpuActive(in *model.Inside) *model.Interval {
	if in == nil {
		return nil
	}
	return in.GPUActive
}

// work is what the run's throughput counts; a block without it is left out.
func (run *Run) work(b model.Block) *float64 {
	if run.Pipeline.Unit == "tok/s" {
		return b.Tokens
	}
	return b.Items
}

func perSecond(b model.Block, v *float64) (num, den float64, ok bool) {
	if v == nil || b.ToS <= b.FromS {
		return 0, 0, false
	}
	return *v, b.ToS - b.FromS, true
}

func shareOf(b model.Block, v *float64) (num, den float64, ok bool) {
	if v == nil || b.ToS <= b.FromS {
		return 0, 0, false
	}
	return *v * (b.ToS - b.FromS), b.ToS - b.FromS, true
}

func metric(id string) *Metric {
	for _, m := range Metrics {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// MetricIDs are the names that a policy may use.
func MetricIDs() []string {
	var ids []string
	for _, m := range Metrics {
		ids = append(ids, m.ID)
	}
	return ids
}

// unit is the metric's unit on these runs.
func (m *Metric) unit(runs []*Run) string {
	if m.Unit != "" || m.ID == lossID || len(runs) == 0 {
		return m.Unit
	}
	if u := runs[0].Pipeline.Unit; u != "" {
		return u
	}
	return "items/s"
}

// inside turns a value into the scale on which noise adds: ln for rates.
func (m *Metric) inside(v float64) float64 {
	if m.Kind == relative {
		return math.Log(v)
	}
	return v
}

// outside turns a change back: a relative change, or points.
func (m *Metric) outside(d float64) float64 {
	if m.Kind == relative {
		return math.Expm1(d)
	}
	return d
}
