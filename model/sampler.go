package model

// A SamplerNote is what a sampler printed about one recording.
type SamplerNote struct {
	File     int32
	Line     int32
	Rate     float64 // samples/s, 0 unknown
	Duration float64 // s as asked for, 0 unknown
	Lag      float64 // largest "behind in sampling", s
	LagLines []int32
	Output   string // file named in "Wrote … to"
	Samples  float64
	Errors   float64
	Done     bool // the "Wrote" line was seen
	Failed   string
}

// AddNote adds what one message says, or what a later part of a log says, to
// the recording that is under way, or begins another one. A message that says
// nothing begins none.
func (p *Profile) AddNote(n SamplerNote) {
	last := len(p.Notes) - 1
	if last >= 0 && p.Notes[last].continuedBy(&n) {
		p.Notes[last].add(&n)
	} else if !n.empty() {
		p.Notes = append(p.Notes, n)
	}
}

// continuedBy reports whether o is of the same recording: it does not begin
// one, and a recording that is done neither lags nor writes.
func (n *SamplerNote) continuedBy(o *SamplerNote) bool {
	return o.Rate == 0 && !(n.Done && (o.Done || len(o.LagLines) > 0))
}

func (n *SamplerNote) empty() bool {
	return n.Rate == 0 && len(n.LagLines) == 0 && !n.Done && n.Failed == "" && n.Samples == 0 && n.Errors == 0
}

// add takes over what a later message says. Counts printed later are the
// larger and replace the earlier ones.
func (n *SamplerNote) add(o *SamplerNote) {
	n.Lag = max(n.Lag, o.Lag)
	n.LagLines = append(n.LagLines, o.LagLines...)
	if o.Done {
		n.Done, n.Output, n.Samples, n.Errors = true, o.Output, o.Samples, o.Errors
	} else if !n.Done {
		n.Samples, n.Errors = max(n.Samples, o.Samples), max(n.Errors, o.Errors)
	}
	if n.Failed == "" {
		n.Failed = o.Failed
	}
}
