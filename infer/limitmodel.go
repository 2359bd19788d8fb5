package infer

import (
	"cmp"
	"math"
	"slices"

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
// exp(-(w/0.2)^1.6) of a speed-up of their own work only (fitted on simulated
// loaders that make one prompt ahead: 1 to 7 targets, service CV 0.3 to 0.8,
// loaders at 0.5 to 1.6 of the targets' capacity; within 0.06 for two targets
// and more). The rest of the elasticity is the loader's.
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
	weight      float64
}

// own is the share of a speed-up of the targets' work that prompts let through.
func (s state) own() float64 {
	if s.input == 0 {
		return 1
	}
	return math.Exp(-math.Pow(s.input/max(1-pFull(s.r, s.k), 1e-3)/loaderCoupling, loaderPower))
}

// gain is the relative throughput with either side sped up by a factor.
func (s state) gain(target, drafter float64) float64 {
	r := s.r - math.Log(drafter)
	if target != 1 {
		r += s.own() * math.Log(target)
	}
	return drafter*(1-pEmpty(r, s.k))/(1-pEmpty(s.r, s.k)) - 1
}

// elasticity is the change of log throughput over that of a side 10 % faster.
func (s state) elasticity() (target, drafter float64) {
	ln := math.Log(1.1)
	return math.Log1p(s.gain(1.1, 1)) / ln, math.Log1p(s.gain(1, 1.1)) / ln
}

// label names who limits at this point, by the definition of truth. shift is
// the part of each elasticity that a shared lock moves to the other side.
func (s state) label(shift float64) string {
	own, other := s.elasticity()
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
	what   string // put, gate, input, active, busy, height, ratio
	value  float64
	sd     float64
	bound  int     // 0: about value, -1: at most value, 1: at least
	power  float64 // tempering of correlated sources, 1 = full
	locks  bool    // waits for a shared lock are missing in it
}

// predict is the model's value for a term.
func (t term) predict(s state, full, empty float64) float64 {
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
	}
	return s.r
}

// seen is the part of busy time that a source sees.
func (t term) seen(s state) float64 {
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
func (t term) z(s state, full, empty float64) float64 {
	z := (t.predict(s, full, empty) - t.value) / t.error(s)
	if t.bound < 0 && z < 0 || t.bound > 0 && z > 0 {
		return 0
	}
	return z
}

// error is the term's standard error at a state: a shared lock is not waited
// for by both sides alike.
func (t term) error(s state) float64 {
	if t.locks && s.lock > 0 {
		return math.Hypot(t.sd, lockUneven*s.lock)
	}
	return t.sd
}

// logLike is Student's t with 4 degrees of freedom: a term that is far off
// loses its say instead of forbidding everything else.
func logLike(z float64) float64 { return -2.5 * math.Log1p(z*z/4) }

// A prior is what is known of the parameters before any reading.
type prior struct {
	places float64 // median of K
	spread float64 // standard deviation of ln K
	centre float64 // a first guess of r, where the grid is fine
	locked bool    // the sides may share a lock
}

// posterior weighs a grid of states by prior and terms. Terms that say nothing
// of the waits for prompts and lock are worked out once for all their values.
func posterior(terms []term, known prior) []state {
	rs, rw := ratioGrid(known.centre)
	ks, kw := placesGrid(known.places, known.spread)
	var here, inner []term
	for _, t := range terms {
		if t.what == "active" || t.what == "input" || t.locks {
			inner = append(inner, t)
		} else {
			here = append(here, t)
		}
	}
	cells := make([]cell, 0, len(rs)*len(ks))
	for i, r := range rs {
		for j, k := range ks {
			c := cell{r: r, k: k, full: pFull(r, k), empty: pEmpty(r, k)}
			c.base = rw[i] + kw[j] + weigh(here, state{r: r, k: k}, c.full, c.empty)
			cells = append(cells, c)
		}
	}
	grid := innerGrid(known.locked)
	best := bestWeight(cells, grid, inner)
	out := make([]state, 0, 4096)
	for _, c := range cells {
		for _, g := range grid {
			// Every further term only lowers a weight.
			if c.base+g.weight < best-negligible {
				continue
			}
			if s := c.state(g, inner); s.weight > best-negligible {
				best = max(best, s.weight)
				out = append(out, s)
			}
		}
	}
	return likely(normalize(out, best))
}

// bestWeight is the largest ln weight among the states of the likeliest cells.
func bestWeight(cells []cell, grid []state, inner []term) float64 {
	best := math.Inf(-1)
	order := slices.Clone(cells)
	slices.SortFunc(order, func(a, b cell) int { return cmp.Compare(b.base, a.base) })
	for _, c := range order[:min(len(order), 16)] {
		for _, g := range grid {
			if c.base+g.weight > best {
				best = max(best, c.state(g, inner).weight)
			}
		}
	}
	return best
}

// state is the cell's state at waits for prompts and lock, with its ln weight.
func (c cell) state(g state, inner []term) state {
	s := state{r: c.r, k: c.k, input: g.input * (1 - c.full), lock: g.lock}
	s.weight = c.base + g.weight + weigh(inner, s, c.full, c.empty)
	return s
}

// likely draws points from the states, which are in the order of their ratio,
// evenly spaced in their probability: quantiles of what is computed from them stay within 1/points of
// probability, and cost a tenth.
func likely(states []state) []state {
	if len(states) <= 2*points {
		return states
	}
	out := make([]state, 0, points)
	sum, next := 0.0, 0.5/points
	for _, s := range states {
		n := 0
		for sum += s.weight; next <= sum; next += 1.0 / points {
			n++
		}
		if n > 0 {
			s.weight = float64(n) / points
			out = append(out, s)
		}
	}
	return out
}

// points is how many states stand for the posterior: 2,000 resolve the ends of
// a 95 % interval to 0.0005 of probability.
const points = 2000

// A cell is a ratio and places with what is known there before the waits for
// prompts and lock.
type cell struct{ r, k, full, empty, base float64 }

// negligible: ln weight under the best from which a state is left out.
const negligible = 10.0

func weigh(terms []term, s state, full, empty float64) (sum float64) {
	for _, t := range terms {
		sum += t.power * logLike(t.z(s, full, empty))
		if t.locks && s.lock > 0 {
			sum += t.power * math.Log(t.sd/t.error(s))
		}
	}
	return sum
}

// normalize turns log weights into probabilities, and drops states that make
// up less than a two-thousandth together.
func normalize(states []state, best float64) []state {
	var total float64
	for i := range states {
		states[i].weight = math.Exp(states[i].weight - best)
		total += states[i].weight
	}
	least := 5e-4 * total / float64(len(states))
	states = slices.DeleteFunc(states, func(s state) bool { return s.weight < least })
	total = 0
	for _, s := range states {
		total += s.weight
	}
	for i := range states {
		states[i].weight /= total
	}
	return states
}

// ratioGrid covers ln ratios from -2.5 to 2.5, finely around 0 and the guess,
// with log weights. The prior is flat with a ridge around 0, where pipelines
// are tuned to.
func ratioGrid(centre float64) (v, w []float64) {
	add := func(lo, hi, step float64) {
		for x := lo; x <= hi; x += step {
			v = append(v, x)
		}
	}
	add(-2.5, -0.5, 0.1)
	add(-0.45, 0.45, 0.05)
	add(0.5, 2.5, 0.1)
	add(-0.15, 0.15, 0.01)
	add(centre-0.08, centre+0.08, 0.005)
	slices.Sort(v)
	w = make([]float64, len(v))
	for i, x := range v {
		lo, hi := v[max(i-1, 0)], v[min(i+1, len(v)-1)]
		w[i] = math.Log(max((hi-lo)/2, 1e-9) * (0.5/5 + 0.5*math.Exp(-math.Abs(x)/0.25)/0.5))
	}
	return v, w
}

// placesGrid is log-normal around the prior median, with log weights.
func placesGrid(median, spread float64) (v, w []float64) {
	for x := -2.0; x <= 2.0; x++ {
		v, w = append(v, max(median*math.Exp(x*spread), 0.5)), append(w, -x*x/2)
	}
	return v, w
}

// innerGrid holds the targets' wait for prompts, as a share of their unblocked
// time (none in most, else anything), and both sides' wait for a shared lock,
// as a share of busy time, with log weights.
func innerGrid(locked bool) []state {
	out := []state{{weight: math.Log(noInput)}}
	const n = 18
	for i := range n {
		x := (float64(i) + 0.5) / n
		out = append(out, state{input: x * (0.4 + 0.6*x), weight: math.Log((1 - noInput) * (0.4 + 1.2*x) / n)})
	}
	if !locked {
		return out
	}
	plain := slices.Clone(out)
	for i := range out {
		out[i].weight += math.Log(lockWaits[0].p)
	}
	for _, l := range lockWaits[1:] {
		for _, s := range plain {
			s.lock, s.weight = l.share, s.weight+math.Log(l.p)
			out = append(out, s)
		}
	}
	return out
}

// lockWaits is the prior of the share of busy time waited for a shared lock.
var lockWaits = []struct{ share, p float64 }{{0, 0.85}, {0.08, 0.09}, {0.2, 0.03}, {0.35, 0.015}, {0.55, 0.015}}

// quantiles gives the 95 % interval of a function of the state.
func quantiles(states []state, f func(state) float64) model.Interval {
	v, w := make([]float64, len(states)), make([]float64, len(states))
	for i, s := range states {
		v[i], w[i] = f(s), s.weight
	}
	q := stats.Weighted(v, w, 0.025, 0.5, 0.975)
	return model.Interval{Lo: q[0], Mid: q[1], Hi: q[2]}
}

// likeliest returns the state with the largest weight.
func likeliest(states []state) state {
	return slices.MaxFunc(states, func(a, b state) int { return cmp.Compare(a.weight, b.weight) })
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
		if s.lock == 0 {
			p[s.label(0)] += s.weight
			continue
		}
		for _, f := range [...]struct{ factor, p float64 }{{lockFactor / 2, 0.3}, {lockFactor, 0.4}, {1.5 * lockFactor, 0.3}} {
			p[s.label(s.shift(use, f.factor))] += f.p * s.weight
		}
	}
	return p
}
