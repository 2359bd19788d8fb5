package infer

import (
	"math"
	"testing"

	"tidemark/model"
)

// walk is a depth at 1 Hz from 0: it fills to the gate at once, then drifts by
// drift items a second, up to five items above that, and stops at the capacity of 60.
func walk(seconds int, drift float64) Points {
	var p Points
	for i := range seconds {
		v := math.Floor(10 + drift*float64(i) + float64(i*i%11)/2)
		p.add(int64(i)*1e9, min(v, 60))
	}
	return p
}

// TestFreeRun: a queue that fills at 0.1 items/s is over its gate of 10 for good
// after 0:20, and at its capacity for the first time 0:40 before 8:20.
func TestFreeRun(t *testing.T) {
	f := freeRunOf(walk(1000, 0.1), []span{{0, 1000e9}}, 10, 60)
	if rate := f.moved / f.seconds; rate < 0.09 || rate > 0.11 || f.seconds < 430 || f.seconds > 480 {
		t.Errorf("moved %g in %g s, want 0.1 a second for about 440 s", f.moved, f.seconds)
	}
	if !f.tells(50, 1000) {
		t.Errorf("%+v tells nothing of a queue that fills", f)
	}
	if idle := freeRunOf(walk(1000, 0), []span{{0, 1000e9}}, 10, 60); idle.tells(50, 1000) {
		t.Errorf("%+v tells something of a depth that stays at its gate", idle)
	}
}

// TestTrend: where items are counted the ratio is that of puts to gets; where
// they are not it is bounded from the side that the depth went to.
func TestTrend(t *testing.T) {
	r := &Readings{Queue: &QueueReadings{Depth: walk(400, 0.1)}}
	s := &SteadyState{Running: []span{{0, 400e9}}}
	u := &DepthUse{Capacity: 60, MinReady: 10, Gate: "level"}
	counted, guessed := &evidence{}, &evidence{}
	counted.trend(r, u, &Pace{ItemsS: &model.Interval{Lo: 1, Mid: 1, Hi: 1}}, s, noise{serviceNoise, placesSpread})
	guessed.trend(r, u, nil, s, noise{serviceNoise, placesSpread})
	if len(counted.terms) != 1 || len(guessed.terms) != 1 {
		t.Fatalf("%d and %d terms, want one each", len(counted.terms), len(guessed.terms))
	}
	if x := counted.terms[0]; x.bound != 0 || math.Abs(x.value-math.Log(1.1)) > 0.01 {
		t.Errorf("ratio %+v, want about ln 1.1", x)
	}
	if x := guessed.terms[0]; x.bound != 1 || x.value <= 0 {
		t.Errorf("ratio %+v, want a lower bound above 0", x)
	}
}
