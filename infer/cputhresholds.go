package infer

import "math"

// Thresholds of the processor side, each with its source.
const (
	// idleThread: a thread under 2 % of a core does no worker's job (pools that
	// wake now and then read 0 to 1 % in the recorded runs).
	idleThread = 0.02
	// loadGap: sides are told by load only across a gap of 10 points; between
	// threads of one side 5 points are common in the recorded runs.
	loadGap = 0.10
	// loadApart: difference of the loads by stacks, relative to the larger, from
	// which their order is sure: twice the error of the difference of two windows.
	loadApart = 2 * math.Sqrt2 * windowError
)

const (
	// slipShare: in a capture without waiting threads fewer samples than this
	// stand in waits (0.1 to 0.5 % in the recorded ones; with --idle over 10 %).
	slipShare = 0.02
	// sampledWaits: from a tenth on, waits are no slips of a sampler that works
	// without native frames (with them up to 10 % of idle pools slip in).
	sampledWaits = 0.10
	// minActive: no dominant cost is named from fewer active samples.
	minActive = 100.0
	// bothMissing: worker time that neither side's samples cover and the queue
	// cannot explain, since at most one side waits at it for long.
	bothMissing = 0.10
)

const (
	// minThread: threads with fewer active samples say nothing of the spread.
	minThread = 20.0
	// independent: samples a second of one thread that may be called
	// independent. A phase of an item lasts tenths of a second, and samples
	// within it are alike.
	independent = 5.0
)

// openShare: from a tenth on, samples that end in a line over C code are
// reported: below, no largest cost could change by them in the recorded runs.
const openShare = 0.10

const (
	// runnableWait: threads on two cores read 35-60 % of their time runnable
	// without a core when oversubscribed, under 1 % else (measured).
	runnableWait = 0.20
	// minLooks: fewer dumps than this give no share.
	minLooks = 10.0
)

// contended: native samples of workers that wait for the interpreter lock; in
// the recorded runs limited by it 18-53 %, in others none.
const contended = 0.10
