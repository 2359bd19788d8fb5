package compare

// z95 is the two-sided normal quantile at 95 %.
const z95 = 1.959963984540054

// Scatter between runs where no repeated runs measure it, as the standard
// deviation of one run. Rates: 2 %, which covers what runs of one pipeline on
// one kind of host show; across hosts and days raw rates differ by 13-26 %
// (aprender#2009, fast_mail_parser#128), which 8 % covers at 95 %. Shares
// within one run are ratios and hold tighter: 0.7 points for mechanisms. Waits
// and activity follow the ratio of the two sides' speeds: 1.5 points, which is
// 2 % of either at 80 % busy. Tokens per item depend on the data alone.
const (
	betweenRate  = 0.02
	betweenHosts = 0.08
	betweenShare = 0.007
	betweenWait  = 0.015
	betweenItem  = 0.005
	betweenLoss  = 0.01
)

// leastRepeats is how many degrees of freedom runs must give before their own
// scatter replaces the stated one: with one, a 95 % interval spans 12.7 errors.
const leastRepeats = 2

// fullRepeats is from how many degrees of freedom on the measured scatter
// stands alone.
const fullRepeats = 6

// leastScatter is the least that a measured variance between runs may be, as a
// share of that which their own blocks give: the 2.5 % point of a variance with
// six degrees of freedom.
const leastScatter = 0.2

// leastEffective is the fewest independent blocks a single run needs: under
// four, its own error is not known within a factor of two.
const leastEffective = 4

// rankRuns is how many runs each side needs for the rank test: from five
// against five its 95 % interval is not merely the range of all differences.
const rankRuns = 5

// mixError is the standard deviation of the exponent with which the time of an
// item grows with its tokens, around 1: attention adds to it, fixed costs take off.
const mixError = 0.25

// Effects under these are not called changes, however sure.
const (
	leastRelative = 0.01
	leastPoints   = 0.01
	leastLoss     = 0.01
)

// falseDiscovery is the rate at which a metric is called changed.
const falseDiscovery = 0.05

// leastSamples is how many active samples a role's shares are taken from.
const leastSamples = 100

// leastMet is the probability that a capture of stacks met a pause, under which
// that is no explanation of a change at the usual 5 %.
const leastMet = 0.05

// neverFull is the share of time at capacity under which the queue's size
// cannot have held anything up.
const neverFull = 0.001

// untouched is the put wait under which targets never met a full queue.
const untouched = 0.005

// leastSteady is the share of time that must be steady: between pauses that
// take more than half, the queue never comes back to its level, and what is
// left is the catching up (simulated: pauses of 20 s every 90 s).
const leastSteady = 0.45
