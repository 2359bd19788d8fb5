package infer

// Thresholds used by the analyzers, each with its source. "Contract" is the
// project's own definition of a word; "measured" was read off labelled runs;
// "chosen" is a judgement that nothing measured, with what it trades. What was
// measured on drawn pipelines is held by TestThresholdsOnDrawnPipelines.
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
	// A neighbouring stretch at under nine tenths was cut by it (chosen: lower or
	// longer, and short evaluations stay in the steady rate; higher or shorter, and
	// the noise of slow pipelines becomes pauses).
	pauseRate    = 0.2
	pauseSeconds = 5.0
	pauseEdge    = 0.9
	// holeSeconds, holeSteps: no reading for so long, and for so many times the
	// usual step, is a hole in the record and not its rhythm (chosen: a run that
	// prints every few seconds; a shorter stop is found as a pause).
	holeSeconds = 60.0
	holeSteps   = 20
	// refillRise: a stretch in which the depth stays under the gate and makes half
	// of what it lacked there, or more, is a wait at the gate (chosen: a wait ends
	// at the gate, a pause of the targets leaves the depth where it is).
	refillRise = 0.5
	// filledRise: part of the room between the watermarks by which the depth rises
	// in a stretch without work that is a pause whatever else the record shows
	// (chosen: less is what lumps of work do to a small queue).
	filledRise = 0.5
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
	// waits that began before a block and are booked when they end (chosen: 1 s of
	// a block of 20 s; more hides a wrong unit).
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
	// is lost in waiting for prompts, for five targets; more of them even out a
	// part of it (fitted: see limitmodel.go).
	loaderCoupling = loaderMany + loaderFew/5
	loaderMany     = 0.15
	loaderFew      = 0.2
	loaderPower    = 1.4
	// noInput: prior probability that the targets never wait for prompts (so
	// waits at the queue alone leave over a third to upstream, about as many as the
	// simulated pipelines with starving drafters have).
	noInput = 0.60
	// tunedWithin: scale of ln of the ratio of capacities that pipelines are tuned
	// to, and untuned: density of all other ratios over that of 1. A third of the
	// simulated pipelines lies within 0.15, the others anywhere from 0.4 to 2.5.
	tunedWithin = 0.18
	untuned     = 0.3
	// serviceNoise: prior median of the sum of squared coefficients of
	// variation of both services; lognormal services with CVs of 0.45 and 0.35.
	serviceNoise = 0.32
	// placesSpread, placesMeasured: standard deviation of ln K, where the noise is
	// taken from the prior (measured on drawn pipelines: 0.88), and where it is
	// measured on counts (chosen: about half; less lets a wrong count decide, more
	// loses a right one).
	placesSpread   = 0.9
	placesMeasured = 0.5
	// modelError: what the queue model itself may be off in a wait share
	// (worst difference to simulated gates taken one at a time, CV up to 1).
	modelError = 0.013
	// freeMoved: part of the room that the depth moves in one go before it is
	// taken for a queue that fills or drains (chosen: less may be the walk of a
	// balanced queue, more loses short records of a filling one).
	freeMoved = 0.25
	// freeLeast: part of the run that such a stretch must last, else it may be a
	// pause of one side that no rate shows (chosen).
	freeLeast = 0.1
	// freeTime: part of the run between the watermarks in one go from which it
	// says what the run does (chosen: over a half, so that there is one only).
	freeTime = 0.6
	// touchedFull, touchedGate: shares of time at capacity and under the gate up
	// to which a queue touched neither (chosen: a few readings, such as those of a
	// start below the gate).
	touchedFull = 0.01
	touchedGate = 0.02
	// scatterError: relative standard error of a drift of the depth where nothing
	// counts items, beside that of the walk: the scatter is that of both sides'
	// services and of how many items are taken at once (chosen: less trusts the
	// scatter alone, more makes the drift say nothing but its direction).
	scatterError = 0.5
	// ratioError: what the ratio of capacities itself may be off where it comes
	// from conservation of items (measured on drawn pipelines of two services, by
	// their waits over 20,000 items: nine of ten within 0.012).
	ratioError = 0.012
	// unseenTrend, unseenNoise: standard error of ln of the ratio of capacities
	// from waits alone, where nothing counts items: while neither end of the
	// queue was touched (a queue may fill by a tenth of all items), and else
	// (measured on drawn pipelines: the median over their lengths is 0.016).
	unseenTrend = 0.10
	unseenNoise = 0.015
	// windowError: standard error of a busy share from a stacks window of 45 s
	// (measured on simulated runs: 0.045; the samples in it are correlated, and the
	// run itself is one of many that the pipeline could have had).
	windowError = 0.05
	// pausedError: standard error that a pause, with the drain after it, adds to
	// the busy share of a window that holds a part of them (of 0.1 to 0.25 the best
	// Brier score on simulated runs for tuning, but nearly flat).
	pausedError = 0.2
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
	// lockUneven: how differently the sides wait for a shared lock, as a share
	// of that wait (simulated locks with 2 to 11 workers).
	lockUneven = 0.2
	// unknownFloor, unknownWithout: what is never certain, with measured waits and
	// without (chosen: of the size of the confident errors in docs/calibration.md;
	// more costs the clear runs their score).
	unknownFloor   = 0.006
	unknownWithout = 0.01
	// contradiction: standard errors from which readings disagree (chosen: by
	// chance one pair in 370).
	contradiction = 3.0
	// sharedLimit: how sure a side may be while both are threads of one interpreter
	// and nothing speaks against its lock: just under "limits" (contract).
	sharedLimit = 0.945
	// lockRefuted, refutedLimit: probability of a shared lock (prior 0.06) under
	// which the samples speak against it, and how sure a side may be then (chosen:
	// a third of the prior; what stays open is what short captures miss).
	lockRefuted  = 0.02
	refutedLimit = 0.985
	// strengthLimits, strengthProbably, sideFrom: probabilities from which a side
	// "limits", "probably limits", and is named at all (contract).
	strengthLimits   = 0.95
	strengthProbably = 0.80
	sideFrom         = 0.50
)

// splitError widens the prediction for another split of the GPUs: ln of what it
// may be off, for each unit that ln of the two numbers of GPUs moves. A published
// pipeline of 1 + 7 lost 21 to 22 % as 2 + 6 (ln moves by 0.85) where two
// capacities lose nothing: 0.29, and a tenth more.
const splitError = 0.32

// Inside the sides, and the data itself.
const (
	// hostBound, deviceBound: GPU active share of busy time under which a side
	// is host-bound, and from which it is device-bound. NVML counts any
	// resident kernel, so the upper one is high (TraceML bands 30/70, widened
	// for launch gaps).
	hostBound   = 0.60
	deviceBound = 0.80
	// traceLaunches: fewer launches than one step has are no step (chosen: ten
	// layers of ten kernels).
	traceLaunches = 100
	// traceMost, traceLeast: a cause is named where it makes up half of the idle
	// time, and a tenth of all time (contract; under that the device is nearly full).
	traceMost  = 0.5
	traceLeast = 0.10
	// gpuApart: recordings of a device may differ by their windows from second to
	// second, over gpuApartLeast readings hardly in the mean (chosen).
	gpuApart      = 0.25
	gpuApartLeast = 20
	// conservationSlack: a reading between a put and its count may be off by one.
	conservationSlack = 1.0
	// bothWaits: share of time that both sides wait, which they cannot do at once
	// for long (chosen: twice the largest in simulation, see utilisation).
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
	// threadSeconds: shortest record that counts (chosen: five readings of pidstat
	// at 2 s).
	threadSeconds = 10.0
)

// Advice.
const (
	// unresolvedShare: from here the answer is "record --native", not a cost
	// (chosen: the largest cost may then be one that has no name).
	unresolvedShare = 0.40
	// minCost: costs under 5 % of a side's time make no experiment: their gain
	// is within the drift of a run.
	minCost       = 0.05
	maxSteps      = 3
	maxRecordings = 2
)

// alternateShare: sides take turns where each limits for a fifth of the steady
// state or more; shorter spells are noise of a queue near balance.
const (
	alternateShare = 0.20
	// turnsSure: what a verdict over segments may claim; where their ends lie is
	// known to a block only, and a share near 0.6 or 0.4 may fall either way.
	turnsSure = 0.85
)

// trendFit: share of the variance that a straight line in time must explain
// for a long transient to be the filling or draining of the queue (chosen: more
// than the 0.75 that it explains of a step).
const trendFit = 0.8

// Waits that are not what they seem.
const (
	// helperShare, minHelper: a wait is that of helper threads where those have
	// nine tenths of its samples, and 20 samples at least (a slip of one look is no caller).
	helperShare = 0.9
	minHelper   = 20.0
	// pinnedReadings, pinnedBand: so many readings of a depth, of which nine in ten
	// lie within this part of the capacity, show that something holds it (chosen).
	pinnedReadings = 100
	pinnedBand     = 0.05
	// leastLines: records of a log whose waits are taken for a measurement (chosen).
	leastLines = 30
	// closedFrom, closedTo: the part of their workers' time that such records must
	// account for. Rounding, logging and the time between two records are not
	// printed; records left out, or times that hold each other, show (chosen).
	closedFrom, closedTo = 0.8, 1.1
	// serialWait: a worker that waits for a second works a second later; where the
	// time between records grows by less than half of the wait, others waited (chosen).
	serialWait = 0.5
	// unevenWait: by so much of the time between records must the wait vary for that (chosen).
	unevenWait = 0.005
	// boundPower: weight of a wait that is only a bound of the side's own (chosen).
	boundPower = 0.5
	// constantSpread: a wait that is measured varies by more than this between
	// blocks; where it is one number within it, a cap or a constant was booked
	// (simulated waits between 0.05 and 0.95: 0.04 and more at 20 s).
	constantSpread = 0.005
	// wholeWorkers: a share this near to a whole number of workers is that many
	// workers waiting all the time, which is constant by right (chosen).
	wholeWorkers = 0.03
	// resetRows, resetEven: a counter that falls in a fifth of its rows, or five
	// times or more at distances with so small a relative spread, is reset by a
	// poll (chosen: a restart resets a counter once or twice, and never evenly).
	resetRows = 0.20
	resetMost = 5
	resetEven = 0.15
	// gateSlack: a gate wait may exceed the share of time under min_ready by so
	// much: what a worker takes to wake up is booked as well.
	gateSlack = 0.10
	// peerShare: collectives of the drafters from here on, with gate waits from
	// here on, are named together (under it neither pays for a look).
	peerShare = 0.05
	// doubt: what moves to unknown for each doubt in the data: enough to make
	// "limits" of a verdict "probably limits" (chosen for that).
	doubt = 0.06
	// overfullShare: readings above the capacity, in one of a hundred or more.
	overfullShare = 0.01
	// overlapLeast, overlapSamples: the part of the shorter of two recordings that
	// makes them of one time (clocks are off by less), and how many of its readings
	// are held against the other (chosen).
	overlapLeast   = 0.05
	overlapSamples = 2000
	// fewItems: under so many items in the steady state the sampling error of a
	// share is 0.05 and more (1/2/sqrt(n) at 100).
	fewItems = 100.0
	// deadSeconds: without a put or a get for so long, with items under min_ready.
	deadSeconds = 30.0
	// lockedPhase: mean resultant of the phases of readings within steps, from
	// which they are locked to them (0 for unrelated clocks, 1 for one phase).
	lockedPhase = 0.8
	// filling: rise of the depth over the last half of the record, as a share of
	// the capacity, by which the queue still fills (chosen: less is the walk of a
	// steady queue, more misses a slow filling).
	filling = 0.15
)

// Devices, links and the host.
const (
	// memorySwing, memoryGrowth: range of memory in use and its growth over the
	// steady state, as shares of the largest (10 % of a device is the room of a batch).
	memorySwing  = 0.10
	memoryGrowth = 0.10
	// slowClock: a device whose clock is 5 % under its side's median is slow;
	// boost clocks of one type differ by 1 to 2 %.
	slowClock = 0.05
	// underLoad: clocks count from this utilisation on; idle devices clock down.
	underLoad = 0.5
	// spinUtil, spinPower, spinMemory: all cycles busy at low power without
	// memory traffic is a spin or a hang (published hangs: 100 %, 20-40 % of the
	// limit, 0 %; a busy-wait kernel on H200 draws about a third).
	spinUtil    = 0.995
	spinPower   = 0.45
	spinMemory  = 0.02
	spinSeconds = 30.0
	// PCIe x16 in one direction, B/s: generation 4 and 5 after encoding (PCI-SIG).
	pcieGen4 = 31.5e9
	pcieGen5 = 63e9
	// pcieBusy: from here on copies may wait for the link (memcpy reaches 80-85 %).
	pcieBusy = 0.5
	// throttledShare: share of periods in which the quota ran out, from which it
	// shows in step times.
	throttledShare = 0.05
	// coresFull: processors in use over those allowed.
	coresFull = 0.95
	// straggler: items/s under the side's median by this share (workers of one
	// side differ by a few percent by the items they draw).
	straggler = 0.15
	// minWorkers: the median of fewer tells not who lags.
	minWorkers = 3
	// minRates: rates that a worker must have printed for a mean with an error.
	minRates = 5
	// minBusy: a worker that works less of its time tells too little of its speed.
	minBusy = 0.05
)

// openMass: probability from which two answers are both open, so that the
// recording between them is asked for.
const openMass = 0.10

// deviceFull: a device that both sides use is full from here on: then waiting
// for it is waiting for work to be done, whosever it is.
const deviceFull = 0.90
