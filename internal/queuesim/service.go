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
