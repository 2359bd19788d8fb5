package queuesim

import (
	"math"
	"math/rand/v2"
)

func (s *Service) mean() float64 {
	if len(s.List) == 0 {
		return s.Mean
	}
	var sum float64
	for _, v := range s.List {
		sum += v
	}
	return sum / float64(len(s.List))
}

func (s *Service) speed(worker int) float64 {
	if worker < len(s.Speed) {
		return s.Speed[worker]
	}
	return 1
}

// Faster returns the service with all workers faster by a factor.
func (s Service) Faster(by float64, workers int) Service {
	speed := make([]float64, workers)
	for i := range speed {
		speed[i] = s.speed(i) * by
	}
	s.Speed = speed
	return s
}

// A lognormal draws times with a mean and a coefficient of variation.
type lognormal struct {
	rng       *rand.Rand
	mu, sigma float64
	list      []float64
}

// newLognormal returns a source of its own for a seed and a stream, so that a
// change of one side leaves the other's draws alone.
func newLognormal(mean, cv float64, list []float64, seed, stream uint64) lognormal {
	v := math.Log1p(cv * cv)
	return lognormal{
		rng: rand.New(rand.NewPCG(seed, stream)), mu: math.Log(mean) - v/2, sigma: math.Sqrt(v), list: list,
	}
}

func (d *lognormal) draw() float64 {
	switch {
	case len(d.list) > 0:
		return d.list[d.rng.IntN(len(d.list))]
	case d.sigma == 0:
		return math.Exp(d.mu)
	}
	return math.Exp(d.mu + d.sigma*d.rng.NormFloat64())
}

// wanderSteps is how many steps of the process make one correlation time.
const wanderSteps = 8

// A path is a Wander on its way, in steps of fixed length, so that a change of
// speed leaves it as it is.
type path struct {
	rng   *rand.Rand
	w     Wander
	x, at float64 // ln of the speed up to the time at
}

func newPath(w Wander, seed, stream uint64) path {
	p := path{rng: rand.New(rand.NewPCG(seed, stream)), w: w}
	p.x = w.SD * p.rng.NormFloat64()
	return p
}

// until returns the factor on the speed at t, which must not fall.
func (p *path) until(t float64) float64 {
	if !(p.w.SD > 0 && p.w.Time > 0) {
		return 1
	}
	keep := math.Exp(-1.0 / wanderSteps)
	for ; p.at < t; p.at += p.w.Time / wanderSteps {
		p.x = keep*p.x + math.Sqrt(1-keep*keep)*p.w.SD*p.rng.NormFloat64()
	}
	return math.Exp(p.x)
}
