package infer

import (
	"math"
	"testing"

	"tidemark/model"
)

// TestUtilisationLaw: both sides' capacities times their busy shares are one
// throughput, at any ratio and buffer.
func TestUtilisationLaw(t *testing.T) {
	for _, r := range []float64{-2, -0.3, -1e-3, 0, 1e-12, 0.05, 0.7, 2} {
		for _, k := range []float64{0.5, 1, 7, 50, 400} {
			target, drafter := math.Exp(r)*(1-pFull(r, k)), 1-pEmpty(r, k)
			if math.Abs(target-drafter) > 1e-9 {
				t.Errorf("r=%g K=%g: throughput %.12f by the targets, %.12f by the drafters", r, k, target, drafter)
			}
		}
	}
}

// TestOnePlace holds the model against the loss system with one place, whose
// shares are known: full ρ/(1+ρ), empty 1/(1+ρ).
func TestOnePlace(t *testing.T) {
	for _, rho := range []float64{0.25, 1, 4} {
		r := math.Log(rho)
		if got, want := pFull(r, 1), rho/(1+rho); math.Abs(got-want) > 1e-12 {
			t.Errorf("ρ=%g: full %g, want %g", rho, got, want)
		}
		if got, want := pEmpty(r, 1), 1/(1+rho); math.Abs(got-want) > 1e-12 {
			t.Errorf("ρ=%g: empty %g, want %g", rho, got, want)
		}
	}
}

// TestLabels are the definition's own cases.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		s    state
		want string
	}{
		{state{r: -0.2, k: 150}, model.Target},
		{state{r: 0.2, k: 150}, model.Drafter},
		{state{r: 0, k: 150}, model.Both},
		{state{r: -0.02, k: 150}, model.Both}, // a 10 % step reaches the other limit
		{state{r: -0.5, k: 150, input: 0.5}, model.Upstream},
		{state{r: 0.5, k: 150, input: 0.5}, model.Drafter},
	} {
		own, other := c.s.elasticity()
		if got := c.s.label(own, other, 0); got != c.want {
			t.Errorf("%+v: %s, want %s", c.s, got, c.want)
		}
	}
}

// TestHeight: the mean of a truncated exponential is a half without drift,
// antisymmetric about it, and 1/rate far from the walls.
func TestHeight(t *testing.T) {
	for _, k := range []float64{0, 1e-5, 0.3, 5, 80} {
		if s := height(k) + height(-k); math.Abs(s-1) > 1e-6 {
			t.Errorf("height(%g) + height(-%g) = %g, want 1", k, k, s)
		}
	}
	if got := height(-100); math.Abs(got-0.01) > 1e-9 {
		t.Errorf("height(-100) = %g, want 0.01", got)
	}
}

// TestPosteriorFollowsTheWaits: sharp waits decide, and probabilities are mirrored with the sides.
func TestPosteriorFollowsTheWaits(t *testing.T) {
	at := func(put, gate float64) map[string]float64 {
		terms := []term{{what: "put", value: put, sd: 0.015, power: 1}, {what: "gate", value: gate, sd: 0.015, power: 1}, {what: "input", value: 0, sd: 0.02, power: 1}}
		return sums(posterior(terms, prior{places: 300, spread: 0.9, centre: math.Log1p(-gate) - math.Log1p(-put)}))
	}
	if p := at(0, 0.19); p[model.Target] < 0.95 {
		t.Errorf("drafters wait 19 %%: %v, want target", p)
	}
	if p := at(0.4, 0); p[model.Drafter] < 0.95 {
		t.Errorf("targets blocked 40 %%: %v, want drafter", p)
	}
	if p := at(0, 0); p[model.Both] < 0.5 {
		t.Errorf("nobody waits: %v, want both", p)
	}
}

// TestStarvedTargets: without a sign of the targets' own activity, waits leave
// upstream open; with idle targets they say it.
func TestStarvedTargets(t *testing.T) {
	waits := []term{{what: "put", value: 0, sd: 0.015, power: 1}, {what: "gate", value: 0.5, sd: 0.015, power: 1}}
	open := sums(posterior(waits, prior{places: 300, spread: 0.9, centre: math.Log(0.5)}))
	if open[model.Upstream] < 0.1 || open[model.Upstream] > 0.5 {
		t.Errorf("waits alone: %v, want upstream open", open)
	}
	idle := sums(posterior(append(waits, term{what: "active", value: 0.4, sd: 0.05, power: 1}), prior{places: 300, spread: 0.9, centre: math.Log(0.5)}))
	if idle[model.Upstream] < 0.9 {
		t.Errorf("targets active 40 %%: %v, want upstream", idle)
	}
}

func BenchmarkPosterior(b *testing.B) {
	terms := []term{{what: "put", value: 0, sd: 0.015, power: 1}, {what: "gate", value: 0.19, sd: 0.015, power: 1}, {what: "height", value: 0, sd: 0.03, power: 0.25}, {what: "active", value: 1, sd: 0.05, power: 1}}
	b.ReportAllocs()
	for b.Loop() {
		posterior(terms, prior{places: 300, spread: 0.9, centre: -0.2, locked: true})
	}
}

func sums(states []state, _ state) map[string]float64 { return labels(states, model.Sides[float64]{}) }
