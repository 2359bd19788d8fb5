package model

// Probabilities of who limits; they sum to 1.
type Probabilities struct {
	Target   float64 `json:"target"`
	Drafter  float64 `json:"drafter"`
	Both     float64 `json:"both"`
	Upstream float64 `json:"upstream"`
	Unknown  float64 `json:"unknown"`
}

// Of returns the probability of a side; that of Unknown for any other word.
func (p Probabilities) Of(side string) float64 {
	switch side {
	case Target:
		return p.Target
	case Drafter:
		return p.Drafter
	case Both:
		return p.Both
	case Upstream:
		return p.Upstream
	}
	return p.Unknown
}

// Waits are shares of worker time.
type Waits struct {
	TargetPut   *Interval `json:"target_put,omitempty"`
	DrafterGate *Interval `json:"drafter_gate,omitempty"`
	TargetInput *Interval `json:"target_input,omitempty"`
}

// A Shared limit is a resource both sides need.
type Shared struct {
	Resource    string  `json:"resource"` // none, gil, driver, host, gpu, collective
	Probability float64 `json:"probability"`
	Note        string  `json:"note,omitempty"`
}

// An Entry of the ledger is one source's reading of one quantity.
type Entry struct {
	Source  string    `json:"source"`
	Side    string    `json:"side,omitempty"`
	Reading string    `json:"reading"`
	Busy    *Interval `json:"busy,omitempty"` // the side's busy share by this source
	Weight  float64   `json:"weight"`         // 0 where it was set aside
	At      []Pos     `json:"at"`
}

// A Limiter is who limits, and how that is known.
type Limiter struct {
	Side            string          `json:"side"`
	Strength        string          `json:"strength"`
	Probabilities   Probabilities   `json:"probabilities"`
	Busy            Sides[Interval] `json:"busy"`
	Wait            Waits           `json:"wait"`
	CapacityItemsS  Sides[Interval] `json:"capacity_items_per_s"`
	CapacityTokensS Sides[Interval] `json:"capacity_tokens_per_s"`
	Headroom        Sides[Interval] `json:"headroom"` // share this side can be outrun by before it limits
	Shared          Shared          `json:"shared"`
	Ledger          []Entry         `json:"ledger"`
}

// A WhatIf is the throughput gained by a change, as a share of today's.
type WhatIf struct {
	Change    string    `json:"change"`
	Kind      string    `json:"kind"` // speed, stragglers, split, watermark, capacity
	Gain      *Interval `json:"gain,omitempty"`
	Range     string    `json:"range,omitempty"`
	NextLimit string    `json:"next_limit,omitempty"`
	Coupled   bool      `json:"coupled"`
	// MemoryBytes is what the queue's hidden states take with as many items as
	// the watermark or capacity says; absent where the size of an item is not known.
	MemoryBytes *float64 `json:"memory_bytes,omitempty"`
}

// A Loss is GPU time that made nothing.
type Loss struct {
	Cause    string   `json:"cause"`
	GPUHours float64  `json:"gpu_hours"`
	Cost     *float64 `json:"cost,omitempty"`
}

// Inside is what one side's busy time is spent on: its device or its host.
type Inside struct {
	GPUActive            *Interval `json:"gpu_active,omitempty"` // share of time with a kernel resident, mean over the side's devices
	AtWork               *Interval `json:"at_work,omitempty"`    // busy share without the measured wait for prompts, where that is measured
	MemorySwing          *float64  `json:"memory_swing,omitempty"`
	Bound                string    `json:"bound"` // device, host, input, unknown
	Why                  string    `json:"why,omitempty"`
	SpreadBetweenWorkers *float64  `json:"spread_between_workers,omitempty"`
}

// starvedFrom: a wait for prompts that a report prints (chosen).
const starvedFrom = 0.05

// Starved reports a side that waits for its input: that wait is part of its
// busy share, so that more input would give it a higher capacity.
func (l *Limiter) Starved(side string) bool {
	return side == Target && l.Wait.TargetInput != nil && l.Wait.TargetInput.Mid >= starvedFrom
}

// A Worker is one worker's own reading, where it has one.
type Worker struct {
	Side   string   `json:"side"`
	Worker string   `json:"worker"`
	Busy   *float64 `json:"busy,omitempty"`
	ItemsS *float64 `json:"items_per_s,omitempty"`
}
