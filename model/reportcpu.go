package model

// A Dominant cost: what the threads do, and which part of training it serves.
type Dominant struct {
	Mechanism string     `json:"mechanism"`
	Cause     string     `json:"cause"`
	Family    string     `json:"family"`
	Role      string     `json:"role,omitempty"`
	Share     *Interval  `json:"share,omitempty"` // of the role's active samples
	Frames    []TopFrame `json:"frames,omitempty"`
	Tie       bool       `json:"tie"`
	// Stacks are its heaviest, with the rule that named each.
	Stacks []HeavyStack `json:"stacks,omitempty"`
}

// A ShareOf is an id with its share of a role's active samples.
type ShareOf struct {
	ID     string   `json:"id"`
	Share  Interval `json:"share"`
	Family string   `json:"family,omitempty"`
}

// A RoleCPU is what the threads of one role do.
type RoleCPU struct {
	Samples    float64    `json:"samples"` // active
	Threads    int        `json:"threads"`
	Dominant   *Dominant  `json:"dominant,omitempty"`
	Mechanisms []ShareOf  `json:"mechanisms"`
	Causes     []ShareOf  `json:"causes"`
	Families   []FamilyOf `json:"families"`
	Frames     []TopFrame `json:"frames"`
	Unresolved *Interval  `json:"unresolved,omitempty"` // share that ends in a Python line over C code
	// States are samples by state: cpu, spin, wait, unknown; those that wait are
	// beside the active ones.
	States map[string]float64 `json:"states,omitempty"`
	// Code by its own samples, heaviest first.
	Functions []CodeUse `json:"functions,omitempty"`
	Lines     []CodeUse `json:"lines,omitempty"`
	Files     []CodeUse `json:"files,omitempty"`
}

// A FamilyOf is the share of mechanisms or causes that one remedy serves.
type FamilyOf struct {
	Family     string   `json:"family"`
	Label      string   `json:"label"`
	Mechanism  string   `json:"mechanism"` // largest members
	Cause      string   `json:"cause"`
	Share      Interval `json:"share"`
	Samples    float64  `json:"samples"`
	Unresolved bool     `json:"unresolved,omitempty"`
}

// A TopFrame is a leaf, and the line of the program that leads to it.
type TopFrame struct {
	Function  string  `json:"function"`
	File      string  `json:"file,omitempty"`
	Line      int     `json:"line,omitempty"`
	From      string  `json:"from,omitempty"`
	Share     float64 `json:"share"` // of the role's active samples
	Samples   float64 `json:"samples"`
	Role      string  `json:"role,omitempty"`
	Mechanism string  `json:"mechanism"`
	Cause     string  `json:"cause"`
	Rule      string  `json:"rule,omitempty"`
	At        *Pos    `json:"at,omitempty"`
}

// A HotThread used at least 0.85 of a core, on average, for 30 s or more.
type HotThread struct {
	TID  string  `json:"tid"`
	Name string  `json:"name,omitempty"`
	Role string  `json:"role"`
	CPU  float64 `json:"cpu"`
	Does string  `json:"does"`
}

// GIL is what is known of the interpreter lock.
type GIL struct {
	Share *Interval `json:"share,omitempty"` // of time some thread held it, from captures that know the holder
	Bound *Interval `json:"bound,omitempty"`
	Note  string    `json:"note"`
}

// A CaptureInfo is what a capture of stacks can carry.
type CaptureInfo struct {
	RateHz    *float64 `json:"rate_hz,omitempty"`
	DurationS *float64 `json:"duration_s,omitempty"`
	LagS      *float64 `json:"lag_s,omitempty"`
	Errors    *float64 `json:"errors,omitempty"`
	Idle      string   `json:"idle"`   // yes, no, unknown
	Native    string   `json:"native"` // yes, no
	GIL       string   `json:"gil"`
	Quality   string   `json:"quality"` // good, fair, poor
	Limits    []string `json:"limits"`  // what each shortcoming does to the claim

	Nonblocking   string   `json:"nonblocking,omitempty"`    // yes, no, unknown
	FunctionLines string   `json:"function_lines,omitempty"` // lines are those where functions begin: yes, suspected, no
	Looks         *float64 `json:"looks,omitempty"`          // of each thread, in dumps
	Expected      *float64 `json:"expected,omitempty"`       // samples that the sampler says it took
	Seen          *float64 `json:"seen,omitempty"`           // samples in the file
}

// CPU is what sampled stacks and thread telemetry say of the processors.
type CPU struct {
	Samples    float64            `json:"samples"`
	Dominant   *Dominant          `json:"dominant,omitempty"`
	Roles      map[string]RoleCPU `json:"roles"`
	HotThreads []HotThread        `json:"hot_threads"`
	Busiest    []HotThread        `json:"busiest"` // the busiest threads, hot or not
	GIL        GIL                `json:"gil"`
	Capture    *CaptureInfo       `json:"capture,omitempty"`
	All        *RoleCPU           `json:"all,omitempty"`  // of all threads
	Diff       *ProfileDiff       `json:"diff,omitempty"` // of two captures
}
