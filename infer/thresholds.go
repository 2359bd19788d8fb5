package infer

// Thresholds used by the analyzers, each with its source. "Contract" is the
// project's own definition of a word; "measured" was read off labelled runs.
const (
	// hotShare and hotSeconds: a thread is hot from this mean share of a core
	// over so long (contract; two readings of a busy thread differ
	// by a few points, so 0.95 would miss threads that never pause).
	hotShare   = 0.85
	hotSeconds = 30.0

	// flowStart, flowEnd: work flows from half of its median rate on, and has
	// ended under a tenth. Any value between noise and level does; these lie
	// in the middle of an empty range in all recorded runs.
	flowStart = 0.5
	flowEnd   = 0.1
	// maxWarmup: a longer cut is no warm-up but a run without steady state
	// (MSER cuts 30 % of a run with a later shift; contract).
	maxWarmup = 0.25
	// warmupEffect: a warm-up that is less than 3 % slower is left in
	// (smallest effect that change-point guards accept).
	warmupEffect = 0.03
	// pauseRate, pauseSeconds: a pause is a stretch at under a fifth of the rate.
	// A neighbouring stretch at under nine tenths was cut by it.
	pauseRate    = 0.2
	pauseSeconds = 5.0
	pauseEdge    = 0.9
	// shiftEffect: a change of level from 10 % on ends a steady state; smaller
	// ones are within the daily scatter of training jobs (13-26 % between
	// days, 0.3 % within a run) and are printed as drift.
	shiftEffect = 0.10
	// minSteady: share of the run that a steady state must last (contract).
	minSteady = 0.30

	// Blocks for resampling: 20 s hold several correlation times of waits at
	// the item rates of such pipelines; 12 are the fewest that give an
	// interval with a tolerable error.
	blockSeconds = 20.0
	minBlocks    = 12.0
	maxBlocks    = 60.0

	// zoneHeld: a zone decides the queue class from this share of the time on (contract).
	zoneHeld = 0.60
)

// Evidence about waits and devices.
const (
	// waitSlack: a wait counter may exceed its workers' time by so much, for
	// waits that began before a block and are booked when they end.
	waitSlack = 0.05
	// gpuIdle: a reading up to here is an idle window (NVML rounds to 1 %).
	gpuIdle = 0.05
	// gpuShareError: standard error of "active over level while active" as a
	// share of time at work (measured on simulated runs: within 0.02 where
	// items are longer than a reading's window, off by 0.04 to 0.06 where not).
	gpuShareError = 0.05
)

// Who limits.
const (
	// elastic, inelastic: a side limits where it is 10 % faster and throughput
	// follows by 0.6 of that or more, and by under 0.4 for the other (contract).
	elastic   = 0.6
	inelastic = 0.4
	// loaderCoupling, loaderPower: how fast a speed-up of the targets' own work
	// is lost in waiting for prompts (fitted: see limitmodel.go).
	loaderCoupling = 0.20
	loaderPower    = 1.6
	// noInput: prior probability that the targets never wait for prompts (so
	// waits at the queue alone leave about a third to upstream, as many as the
	// simulated pipelines with starving drafters have).
	noInput = 0.62
	// serviceNoise: prior median of the sum of squared coefficients of
	// variation of both services; lognormal services with CVs of 0.45 and 0.35.
	serviceNoise = 0.32
	// placesSpread: standard deviation of ln K, where the noise is taken from
	// the prior, and where it is measured on counts.
	placesSpread   = 0.9
	placesMeasured = 0.5
	// modelError: what the queue model itself may be off in a wait share
	// (worst difference to simulated gates taken one at a time, CV up to 1).
	modelError = 0.013
	// ratioError: what the ratio of capacities itself may be off where it comes
	// from conservation of items (drift, rounding of counters).
	ratioError = 0.005
	// unseenTrend, unseenNoise: standard error of ln of the ratio of capacities
	// from waits alone, where nothing counts items: while neither end of the
	// queue was touched (a queue may fill by a tenth of all items), and else.
	unseenTrend = 0.10
	unseenNoise = 0.015
	// windowError: standard error of a busy share from a stacks window of 45 s
	// (measured on simulated runs; the samples in it are correlated).
	windowError = 0.045
	// threadError: standard error of a busy share from thread CPU, whose level
	// while busy has to be guessed (recorded runs with spinning waits: 0.05).
	threadError = 0.05
	// idleShown: part of the idle time of a device that idle readings must
	// show (a meter whose window is shorter than items shows nearly all of it),
	// where the device is at work for less than idleFrom of the time.
	idleShown = 0.4
	idleFrom  = 0.88
	// meterWindow: a meter's window in s; NVML documents 1/6 s to 1 s by product.
	meterWindow = 0.25
	// activityPower: weight of devices and threads beside other sources: what
	// makes one of them misread a wait makes the other, too.
	activityPower = 0.7
	// unknownFloor: what is never certain, with measured waits and without.
	unknownFloor   = 0.006
	unknownWithout = 0.02
	contradiction  = 3.0 // standard errors from which readings disagree
	sharedLimit    = 0.945
	// lockRefuted, refutedLimit: probability of a shared lock (prior 0.06) under
	// which the samples speak against it, and how sure a side may be then.
	lockRefuted      = 0.02
	refutedLimit     = 0.985
	strengthLimits   = 0.95
	strengthProbably = 0.80
	sideFrom         = 0.50
)

// splitError widens the prediction for another split of the GPUs: published
// splits of such a pipeline were 2 to 27 % off the two-capacities model.
const splitError = 0.10

// Inside the sides, and the data itself.
const (
	// hostBound, deviceBound: GPU active share of busy time under which a side
	// is host-bound, and from which it is device-bound. NVML counts any
	// resident kernel, so the upper one is high (TraceML bands 30/70, widened
	// for launch gaps).
	hostBound   = 0.60
	deviceBound = 0.80
	// traceLaunches: fewer launches than one step has are no step.
	traceLaunches = 100
	// traceMost, traceLeast: a cause is named where it makes up half of the idle
	// time, and a tenth of all time (contract; under that the device is nearly full).
	traceMost  = 0.5
	traceLeast = 0.10
	// conservationSlack: a reading between a put and its count may be off by one.
	conservationSlack = 1.0
	// bothWaits: see utilisation.
	bothWaits = 0.03
)

// Thread CPU as evidence of pausing.
const (
	// fullCore: from here a side's threads use most of a core each, so that a
	// lower share of the other side means pauses.
	fullCore = 0.80
	// activeLevel: share of a core of a thread that never pauses, at least; the
	// rest is system time that the sampling of CPU time misses.
	activeLevel = 0.94
	// threadSeconds: shortest record that counts.
	threadSeconds = 10.0
)

// Advice.
const (
	// unresolvedShare: from here the answer is "record --native", not a cost.
	unresolvedShare = 0.40
	// minCost: costs under 5 % of a side's time make no experiment: their gain
	// is within the drift of a run.
	minCost       = 0.05
	maxSteps      = 3
	maxRecordings = 2
)
