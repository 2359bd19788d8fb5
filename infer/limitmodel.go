package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/internal/stats"
	"tidemark/model"
)

// The model behind the verdict: a birth-death queue with K places between the
// gate and capacity (M/M/1/K; K counts places in units of the service noise,
// so that K = items of buffer over the sum of squared coefficients of
// variation of both services stands for any distribution by the diffusion
// approximation). With r = ln(target capacity / drafter capacity):
//
//	put wait share  = p(full)  = (1-ρ)ρ^K / (1-ρ^(K+1)),  ρ = e^r
//	gate wait share = p(empty) = (1-ρ)    / (1-ρ^(K+1))
//	throughput      = drafter capacity · (1 - p(empty))
//
// A starved target side waits a share w of its time for prompts, and then is
// faster by a share exp(-w/0.18) of any speed-up of its own work only (measured
// on simulated runs with a limited loader).

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
	weight      float64
}

// gain is the relative throughput with either side sped up by a factor.
func (s state) gain(target, drafter float64) float64 {
	own := math.Exp(-s.input / loaderCoupling)
	r := s.r + own*math.Log(target) - math.Log(drafter)
	return drafter*(1-pEmpty(r, s.k))/(1-pEmpty(s.r, s.k)) - 1
}

// elasticity is the change of log throughput over that of a side 10 % faster.
func (s state) elasticity() (target, drafter float64) {
	ln := math.Log(1.1)
	return math.Log1p(s.gain(1.1, 1)) / ln, math.Log1p(s.gain(1, 1.1)) / ln
}

// label names who limits at this point, by the definition of truth.
func (s state) label() string {
	t, d := s.elasticity()
	switch {
	case t >= elastic && d < inelastic:
		return model.Target
	case d >= elastic && t < inelastic:
		return model.Drafter
	case t < inelastic && d < inelastic && s.input > minInput && s.r < 0:
		return model.Upstream
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
		return max(1-full-s.input, 0)
	case "busy":
		return 1 - empty
	case "height":
		return height(s.r * s.k)
	}
	return s.r
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
	z := (t.predict(s, full, empty) - t.value) / t.sd
	if t.bound < 0 && z < 0 || t.bound > 0 && z > 0 {
		return 0
	}
	return z
}

// logLike is Student's t with 4 degrees of freedom: a term that is far off
// loses its say instead of forbidding everything else.
func logLike(z float64) float64 { return -2.5 * math.Log1p(z*z/4) }

// posterior weighs a grid of states by prior and terms. places is the prior
// median of K, centre a first guess of r.
func posterior(terms []term, places, centre float64) []state {
	rs, rw := ratioGrid(centre)
	ks, kw := placesGrid(places)
	is, iw := inputGrid()
	out := make([]state, 0, len(rs)*len(ks)*len(is))
	best := math.Inf(-1)
	for i, r := range rs {
		for j, k := range ks {
			full, empty := pFull(r, k), pEmpty(r, k)
			for m, in := range is {
				s := state{r: r, k: k, input: in}
				ll := math.Log(rw[i] * kw[j] * iw[m])
				if full+in > 1 {
					continue
				}
				for _, t := range terms {
					ll += t.power * logLike(t.z(s, full, empty))
				}
				s.weight = ll
				best = max(best, ll)
				out = append(out, s)
			}
		}
	}
	var total float64
	for i := range out {
		out[i].weight = math.Exp(out[i].weight - best)
		total += out[i].weight
	}
	for i := range out {
		out[i].weight /= total
	}
	return slices.DeleteFunc(out, func(s state) bool { return s.weight < 1e-7 })
}

// ratioGrid covers ln ratios from -2.5 to 2.5, finely around the guess. The
// prior is flat with a ridge around 0, where pipelines are tuned to.
func ratioGrid(centre float64) (v, w []float64) {
	for x := -2.5; x <= 2.5; x += 0.02 {
		v = append(v, x)
	}
	for x := centre - 0.08; x <= centre+0.08; x += 0.002 {
		v = append(v, x)
	}
	slices.Sort(v)
	w = make([]float64, len(v))
	for i, x := range v {
		lo, hi := v[max(i-1, 0)], v[min(i+1, len(v)-1)]
		w[i] = (hi - lo) / 2 * (0.5/5 + 0.5*math.Exp(-math.Abs(x)/0.25)/0.5)
	}
	return v, floor(w)
}

// placesGrid is log-normal around the prior median, with a spread of a factor e.
func placesGrid(median float64) (v, w []float64) {
	for x := -2.5; x <= 2.5; x += 0.5 {
		v, w = append(v, max(median*math.Exp(x), 0.5)), append(w, math.Exp(-x*x/2))
	}
	return v, w
}

// inputGrid holds the share of target time spent waiting for prompts: none in
// seven of ten, else anything.
func inputGrid() (v, w []float64) {
	v, w = []float64{0}, []float64{0.7}
	for x := 0.02; x < 1; x += 0.02 {
		v, w = append(v, x), append(w, 0.3*0.02)
	}
	return v, w
}

func floor(w []float64) []float64 {
	for i := range w {
		w[i] = max(w[i], 1e-12)
	}
	return w
}

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

// labels sums the probability of each label.
func labels(states []state) map[string]float64 {
	p := map[string]float64{}
	for _, s := range states {
		p[s.label()] += s.weight
	}
	return p
}
