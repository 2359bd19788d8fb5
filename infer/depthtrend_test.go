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
	f := longestFree(walk(1000, 0.1), []span{{0, 1000e9}}, 10, 60)
	if rate := f.moved / f.seconds; rate < 0.09 || rate > 0.11 || f.seconds < 430 || f.seconds > 480 {
		t.Errorf("moved %g in %g s, want 0.1 a second for about 440 s", f.moved, f.seconds)
	}
	if !f.tells(50, 1000) {
		t.Errorf("%+v tells nothing of a queue that fills", f)
	}
	if idle := longestFree(walk(1000, 0), []span{{0, 1000e9}}, 10, 60); idle.tells(50, 1000) {
		t.Errorf("%+v tells something of a depth that stays at its gate", idle)
	}
}

// TestReleased: after a pause the queue runs down by 0.2 items a second until it
// is at its gate; what it does there, and after a pause that left it there, does
// not count.
func TestReleased(t *testing.T) {
	var p Points
	for i := range 1000 {
		v := max(58-0.2*float64(i%500), 10)
		if i >= 500 && i < 600 {
			v = 10
		}
		p.add(int64(i)*1e9, math.Round(v))
	}
	f := releasedFree(p, []span{{0, 499e9}, {500e9, 1000e9}}, 10, 60)
	if f.moved != -45 && f.moved != -46 || f.seconds < 225 || f.seconds > 237 {
		t.Errorf("moved %g in %g s, want 58 to 12 or 13 in about 230 s", f.moved, f.seconds)
	}
}

// TestTrend: where items are counted the ratio is that of puts to gets; where
// they are not, what the depth did tells the product of ratio and places. Activity
// of that time then tells nothing of waits.
func TestTrend(t *testing.T) {
	r := &Readings{Queue: &QueueReadings{Depth: walk(400, 0.1)}}
	s := &SteadyState{Running: []span{{0, 400e9}}}
	u := &DepthUse{Capacity: 60, MinReady: 10, Gate: "level"}
	counted, guessed := &evidence{}, &evidence{}
	guessed.enter(term{what: "active", value: 1, sd: 0.05}, "", nil, nil)
	counted.trend(r, u, &Pace{ItemsS: &model.Interval{Lo: 1, Mid: 1, Hi: 1}}, s, noise{serviceNoise, placesSpread})
	guessed.trend(r, u, nil, s, noise{serviceNoise, placesSpread})
	if len(counted.terms) != 1 || len(guessed.terms) != 2 {
		t.Fatalf("%d and %d terms, want 1 and 2", len(counted.terms), len(guessed.terms))
	}
	if x := counted.terms[0]; x.what != "ratio" || math.Abs(x.value-math.Log(1.1)) > 0.01 {
		t.Errorf("ratio %+v, want about ln 1.1", x)
	}
	if x := guessed.terms[1]; x.what != "drift" || x.value < 2*x.sd {
		t.Errorf("drift %+v, want one well above 0", x)
	}
	if x := guessed.terms[0]; x.free != 1 || x.predict(state{r: 1, k: 10}, 0.6, 0) != 1 {
		t.Errorf("activity %+v, want one of a time without waits", x)
	}
}

// TestSoFar: half of the time the queue filled, so this run's waits are half of
// what the model's will be; a measured wait for prompts stays as it is.
func TestSoFar(t *testing.T) {
	same := func(v float64) *model.Interval { return &model.Interval{Lo: v, Mid: v, Hi: v} }
	l := &model.Limiter{Wait: model.Waits{TargetPut: same(0.4), DrafterGate: same(0)}}
	u, w := &LimitUse{}, &WaitUse{Input: &Wait{Share: *same(0.3)}}
	u.soFar(l, w, 0.5)
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"put wait", l.Wait.TargetPut.Mid, 0.2}, {"busy", l.Busy.Target.Mid, 0.8}, {"at work", u.Work.Target.Mid, 0.5}, {"drafters busy", l.Busy.Drafter.Mid, 1}} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s %g, want %g", c.what, c.got, c.want)
		}
	}
}
