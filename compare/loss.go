package compare

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"

	"tidemark/internal/stats"
	"tidemark/model"
)

// A lossChange is how the loss of the new runs departs from that of the base
// at equal tokens or steps.
type lossChange struct {
	ok    bool
	why   string
	by    string // tokens, steps
	rel   float64
	se    float64
	df    float64
	base  float64
	fresh float64
}

// leastPaired is how many places on both curves a comparison needs.
const leastPaired = 4

// A curve is loss over how far the run had come.
type curve struct{ x, y []float64 }

// lossAtEqualTokens pairs the curves place by place where they overlap: the
// last values alone say who ran longer, not who learns better.
func lossAtEqualTokens(base, fresh []*Run) lossChange {
	for _, by := range []struct {
		name string
		of   func(model.Block) *float64
	}{
		{"steps", func(b model.Block) *float64 { return b.Step }},
		{"tokens", func(b model.Block) *float64 { return b.Gone }},
	} {
		a, b := curves(base, by.of), curves(fresh, by.of)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		// Where items differ in length, equal steps are not equal tokens.
		if by.name == "steps" && !sameItems(base, fresh) {
			continue
		}
		if c := paired(a, b); c.ok {
			c.by = by.name
			return c
		}
		return lossChange{why: "the runs do not overlap in " + by.name + ": they train different parts"}
	}
	return lossChange{why: "loss over steps or tokens is not recorded on both sides"}
}

func sameItems(base, fresh []*Run) bool {
	m := metric(perItemID)
	a, b := readings(m, base), readings(m, fresh)
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return math.Abs(stat.Mean(values(a), nil)-stat.Mean(values(b), nil)) < 0.02
}

func curves(runs []*Run, of func(model.Block) *float64) []curve {
	var out []curve
	for _, r := range runs {
		var c curve
		for _, b := range r.Blocks {
			x := of(b)
			if x == nil || b.Loss == nil || !(*b.Loss > 0) || len(c.x) > 0 && *x <= c.x[len(c.x)-1] {
				continue
			}
			c.x, c.y = append(c.x, *x), append(c.y, *b.Loss)
		}
		if len(c.x) >= leastPaired {
			out = append(out, c)
		}
	}
	return out
}

func (c curve) at(x float64) (float64, bool) {
	i := sort.SearchFloat64s(c.x, x)
	switch {
	case i == len(c.x) || i == 0 && c.x[0] != x:
		return 0, false
	case c.x[i] == x:
		return c.y[i], true
	}
	w := (x - c.x[i-1]) / (c.x[i] - c.x[i-1])
	return c.y[i-1] + w*(c.y[i]-c.y[i-1]), true
}

// paired is the mean of ln(new/base) over the places of the first base curve.
func paired(base, fresh []curve) lossChange {
	var d []float64
	var a, b float64
	for _, x := range base[0].x {
		u, ok := average(base, x)
		v, ok2 := average(fresh, x)
		if ok && ok2 {
			d, a, b = append(d, math.Log(v/u)), a+u, b+v
		}
	}
	if len(d) < leastPaired {
		return lossChange{}
	}
	se, df := stats.MeanError(d)
	n := float64(len(d))
	return lossChange{ok: true, rel: stat.Mean(d, nil), se: se, df: df, base: a / n, fresh: b / n}
}

func average(list []curve, x float64) (float64, bool) {
	sum := 0.0
	for _, c := range list {
		v, ok := c.at(x)
		if !ok {
			return 0, false
		}
		sum += v
	}
	return sum / float64(len(list)), true
}

// addLoss states the change of the loss; the seed of a run moves it too.
func (p *pair) addLoss(m *Metric) {
	c := model.MetricChange{ID: m.ID, Label: m.Label, Kind: m.Kind, Better: m.Better}
	l := p.loss
	if !l.ok {
		c.Why = l.why
		p.out.Metrics = append(p.out.Metrics, c)
		return
	}
	c.Label = "loss at equal " + l.by
	c.Base, c.New = &model.Interval{Lo: l.base, Mid: l.base, Hi: l.base}, &model.Interval{Lo: l.fresh, Mid: l.fresh, Hi: l.fresh}
	seed := betweenLoss * math.Sqrt(1/float64(len(p.base))+1/float64(len(p.fresh)))
	conf := p.opt.confidence()
	half := math.Hypot(stats.T(conf, math.Max(l.df, 1))*l.se, stats.T(conf, math.Inf(1))*seed)
	e := estimate{mid: l.rel, lo: l.rel - half, hi: l.rel + half, sd: math.Hypot(l.se, seed), basis: "blocks", spread: spread{between: betweenLoss, df: math.Inf(1)}}
	e.p = probability(e.mid, half, e.spread, e.sd, conf)
	p.set(&c, m, e)
}
