package infer

import (
	"cmp"
	"math"

	"tidemark/internal/stats"
	"tidemark/model"
)

// The model behind the verdict: a birth-death queue with K places between the
// gate and capacity (M/M/1/K). K counts places in units of the service noise:
// by the diffusion approximation a buffer of B items between sides whose items
// scatter with squared coefficients of variation that sum to s is one of
// K = 2B/s places. With r = ln(target capacity / drafter capacity):
//
//	put wait share  = p(full)  = (1-ρ)ρ^K / (1-ρ^(K+1)),  ρ = e^r
//	gate wait share = p(empty) = (1-ρ)    / (1-ρ^(K+1))
//	throughput      = drafter capacity · (1 - p(empty))
//
// Targets that wait a share w of their unblocked time for prompts are faster by
// exp(-(w/c)^1.4) of a speed-up of their own work only, c = 0.15 + 0.2/n for n
// targets (fitted on simulated loaders that make one prompt ahead: 2 to 7 targets,
// service CV 0.1 to 1, loaders at 0.4 to 0.9 of the slower side). On pipelines
// drawn likewise TestDrawnGains finds all gains of 10 %, and 97 % of those of 10
// to 50 %, within 3 points. The rest of the elasticity is the loader's.
//
// Sides that share a lock wait a share m of their busy time for it. A speed-up
// of the other side frees the lock too: a part x = 2·m·(the other side's part
// of all work under the lock) of the elasticity moves over to it. The factor 2
// was read off simulated locks at 0.3 to 0.9 of their time held, and holds for
// recorded threads of one interpreter; it is taken as known within a half.

// pEmpty is the share of time that the drafters find the gate shut.
func pEmpty(r, k float64) float64 {
	switch {
	case math.Abs(r)*(k+1) < 1e-9:
		return 1 / (k + 1)
	case r > 0:
		return math.Expm1(r) / math.Expm1(min(r*(k+1), 700))
	}
	return -math.Expm1(r) / -math.Expm1(r*(k+1))
}

// pFull is the share of time that the targets find the queue full.
func pFull(r, k float64) float64 { return pEmpty(-r, k) }

// A state is one point of the model's parameters, with its probability.
type state struct {
	r, k, input float64 // ln capacity ratio, places, input wait share of the targets
	lock        float64 // share of busy time waited for a shared lock
	feed        float64 // how loosely targets hang on their prompts; 0 is five targets' loaderCoupling
	weight      float64
	at          int     // of r, on the grid
	flow        float64 // 1 - pEmpty, 0 where it is not worked out
}

// flowing is the drafters' busy share.
func (s state) flowing() float64 {
	if s.flow > 0 {
		return s.flow
	}
	return 1 - pEmpty(s.r, s.k)
}

// own is ln of what prompts let through of a speed-up of the targets' work by a
// factor. Faster targets wait for more of their time, so larger factors are
// taken in steps of a tenth.
func (s state) own(factor float64) float64 {
	left := math.Log(factor)
	if s.input == 0 {
		return left
	}
	wait := s.input / max(1-pFull(s.r, s.k), 1e-3)
	through, work, feed := 0.0, 1-wait, cmp.Or(s.feed, loaderCoupling)
	for math.Abs(left) > 1e-9 {
		step := max(min(left, ownStep), -ownStep)
		got := step * math.Exp(-math.Pow(wait/feed, loaderPower))
		through, left = through+got, left-step
		work *= math.Exp(got - step)
		wait = max(1-work, 0)
	}
	return through
}

// ownStep is ln 1.1, the step that the coupling was fitted on.
const ownStep = 0.0953101798043249

// gain is the relative throughput with either side sped up by a factor.
func (s state) gain(target, drafter float64) float64 {
	r := s.r
	if drafter != 1 {
		r -= math.Log(drafter)
	}
	if target != 1 {
		r += s.own(target)
	}
	return drafter*(1-pEmpty(r, s.k))/s.flowing() - 1
}

// lockSteps: halvings of the distance to the fixed point of gainLocked.
const lockSteps = 6

// gainLocked is gain where the sides share a lock. use is each side's part of all
// work under it. A worker finds the lock held by a side with a probability that
// grows with items/s times the time an item holds it, and waits a part of that
// time: that side's part of the waits changes by g/f² where throughput changes by
// g and its work is faster by f. Shorter waits make the other side faster as
// well, so both capacities move. TestDrawnGains finds 98 % and more of the gains of
// drawn pipelines with a lock within 3 points, where the waits are known, and of
// a model without the lock at least a point fewer.
func (s state) gainLocked(target, drafter float64, use model.Sides[float64]) float64 {
	if s.lock == 0 || use.Target == nil || use.Drafter == nil {
		return s.gain(target, drafter)
	}
	step := max(target, 1.1) // also without a step, shorter waits speed up the targets
	through := s.own(step) / math.Log(step)
	now, g := s.flowing(), 1.0
	for range lockSteps {
		wait := s.lock * g * (*use.Target/(target*target) + *use.Drafter/(drafter*drafter))
		t, d := 1/((1-s.lock)/target+wait), 1/((1-s.lock)/drafter+wait)
		r := s.r + through*math.Log(t) - math.Log(d)
		g = (g + d*(1-pEmpty(r, s.k))/now) / 2
	}
	return g - 1
}

// elasticity is the change of log throughput over that of a side 10 % faster.
func (s state) elasticity() (target, drafter float64) {
	ln := math.Log(1.1)
	return math.Log1p(s.gain(1.1, 1)) / ln, math.Log1p(s.gain(1, 1.1)) / ln
}

// label names who limits at this point, by the definition of truth, from the sides'
// elasticities. shift is the part of each that a shared lock moves to the other side.
func (s state) label(own, other, shift float64) string {
	t, d := own+shift*(other-own), other+shift*(own-other)
	switch {
	case t >= elastic && d < inelastic:
		return model.Target
	case d >= elastic && t < inelastic:
		return model.Drafter
	case t < inelastic && d < inelastic && s.input > 0:
		feed := state{r: s.r, k: s.k}
		if all, _ := feed.elasticity(); all-own >= inelastic {
			return model.Upstream
		}
	}
	return model.Both
}

// A term is one reading of a quantity of the model.
type term struct {
	source string
	side   string
	what   string // put, gate, input, active, busy, coupling, height, drift, ratio
	value  float64
	sd     float64
	bound  int     // 0: about value, -1: at most value, 1: at least
	power  float64 // tempering of correlated sources, 1 = full
	locks  bool    // waits for a shared lock are missing in it
	free   float64 // part of its time in which nobody waited for the queue, as it filled or drained
}

// predict is the model's value for a term.
func (t *term) predict(s state, full, empty float64) float64 {
	full, empty = full*(1-t.free), empty*(1-t.free)
	switch t.what {
	case "put":
		return full
	case "gate":
		return empty
	case "input":
		return s.input
	case "active":
		return max(1-full-s.input, 0) * t.seen(s)
	case "busy":
		return (1 - empty) * t.seen(s)
	case "coupling":
		return min(full, empty)
	case "height":
		return height(s.r * s.k)
	case "drift":
		return s.r * s.k
	}
	return s.r
}

// seen is the part of busy time that a source sees.
func (t *term) seen(s state) float64 {
	if t.locks {
		return 1 - s.lock
	}
	return 1
}

// height is the mean of a truncated exponential on [0,1] with rate kappa: the
// mean depth between gate and capacity.
func height(kappa float64) float64 {
	if math.Abs(kappa) < 1e-4 {
		return 0.5 + kappa/12
	}
	return 1/-math.Expm1(-kappa) - 1/kappa
}

// z is how many standard errors a term lies off a state.
func (t *term) z(s state, full, empty float64) float64 {
	z := (t.predict(s, full, empty) - t.value) / t.error(s)
	if t.bound < 0 && z < 0 || t.bound > 0 && z > 0 {
		return 0
	}
	return z
}

// error is the term's standard error at a state: a shared lock is not waited
// for by both sides alike, and a drift that nothing counts is known in part.
func (t *term) error(s state) float64 {
	switch {
	case t.locks && s.lock > 0:
		return math.Hypot(t.sd, lockUneven*s.lock)
	case t.what == "drift":
		lo, hi := min(t.value, 0), max(t.value, 0) // no scale turns a walk's direction
		return math.Hypot(t.sd, scatterError*min(max(s.r*s.k, lo), hi))
	}
	return t.sd
}

// tail is the degrees of freedom of Student's t, by which a term that is far off
// loses its say instead of forbidding everything else: on simulated runs for tuning
// 4 had the worse Brier score, more than 8 the same and fewer clear runs right.
const tail = 8.0

func logLike(z float64) float64 { return -(tail + 1) / 2 * math.Log1p(z*z/tail) }

// quantiles gives the 95 % interval of a function of the state.
func quantiles(states []state, f func(state) float64) model.Interval {
	v, w := make([]float64, len(states)), make([]float64, len(states))
	for i, s := range states {
		v[i], w[i] = f(s), s.weight
	}
	q := stats.Weighted(v, w, 0.025, 0.5, 0.975)
	return model.Interval{Lo: q[0], Mid: q[1], Hi: q[2]}
}

// lockFactor: see the model's description; it is taken as known within a half.
const lockFactor = 2.0

// shift is the part of each side's elasticity that a shared lock moves to the
// other. use is each side's part of all work under it; none gives 0.
func (s state) shift(use model.Sides[float64], factor float64) float64 {
	if s.lock == 0 || use.Target == nil || use.Drafter == nil {
		return 0
	}
	part := *use.Target // of the side that waits at the queue, whose work hinders the other
	if s.r < 0 {
		part = *use.Drafter
	}
	return min(factor*s.lock*part, 0.5)
}

// labels sums the probability of each label.
func labels(states []state, use model.Sides[float64]) map[string]float64 {
	p := map[string]float64{}
	for _, s := range states {
		own, other := s.elasticity()
		if s.lock == 0 {
			p[s.label(own, other, 0)] += s.weight
			continue
		}
		for _, f := range [...]struct{ factor, p float64 }{{lockFactor / 2, 0.3}, {lockFactor, 0.4}, {1.5 * lockFactor, 0.3}} {
			p[s.label(own, other, s.shift(use, f.factor))] += f.p * s.weight
		}
	}
	return p
}
