package model

// A CodeUse is the active samples of one function, line or file: Self where it
// is the innermost frame with a name, Total where it stands anywhere in the
// stack, counted once a stack.
type CodeUse struct {
	Function  string  `json:"function,omitempty"` // of a file, ""
	File      string  `json:"file,omitempty"`
	Line      int     `json:"line,omitempty"` // of a function, its heaviest; of a file, 0
	Native    bool    `json:"native,omitempty"`
	Self      float64 `json:"self"`
	Total     float64 `json:"total"`
	Mechanism string  `json:"mechanism,omitempty"` // largest one of Self; where Self is 0, none
}

// A HeavyStack is one distinct stack, and the rule that named it.
type HeavyStack struct {
	Frames    []string `json:"frames"` // root first, "function file:line", without what only starts threads
	Matched   string   `json:"matched,omitempty"`
	Rule      string   `json:"rule"`
	Mechanism string   `json:"mechanism"`
	Cause     string   `json:"cause"`
	State     string   `json:"state"`
	Samples   float64  `json:"samples"`
	Share     float64  `json:"share"` // of the role's active samples
	At        *Pos     `json:"at,omitempty"`
}

// A ProfileDiff is what changed from one capture to another.
type ProfileDiff struct {
	Base     DiffSide  `json:"base"`
	New      DiffSide  `json:"new"`
	Rows     []DiffRow `json:"rows"`     // largest change first
	Measure  string    `json:"measure"`  // what to read: share, absolute
	Misleads string    `json:"misleads"` // why the other one misleads
}

// A DiffSide is one of two captures.
type DiffSide struct {
	Name    string   `json:"name"`
	Samples float64  `json:"samples"`
	Threads int      `json:"threads"`
	RateHz  *float64 `json:"rate_hz,omitempty"`
	Seconds *float64 `json:"duration_s,omitempty"`
	Cores   *float64 `json:"cores,omitempty"` // active threads on average, where rate and duration are known
}

// A DiffRow is one family of costs, or one function by its own samples, in
// both captures. Cores are active threads on average.
type DiffRow struct {
	Kind      string   `json:"kind"` // family, function
	ID        string   `json:"id"`
	Label     string   `json:"label"`
	BaseN     float64  `json:"base_samples"`
	NewN      float64  `json:"new_samples"`
	Base      Interval `json:"base_share"`
	New       Interval `json:"new_share"`
	BaseCores *float64 `json:"base_cores,omitempty"`
	NewCores  *float64 `json:"new_cores,omitempty"`
	Points    float64  `json:"points"`             // change of the share, in [-1,1]
	Change    *float64 `json:"change,omitempty"`   // relative change of cores
	Misleads  string   `json:"misleads,omitempty"` // share or absolute, where they disagree
	Clear     bool     `json:"clear"`              // the intervals of the shares keep apart
}
