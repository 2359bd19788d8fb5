package infer

// Thresholds used by the analyzers, each with its source.
const (
	// hotShare and hotSeconds: a thread is hot from this mean share of a core
	// over so long (the report's contract; two readings of a busy thread differ
	// by a few points, so 0.95 would miss threads that never pause).
	hotShare   = 0.85
	hotSeconds = 30.0
)
