package compare

import (
	"errors"
	"math"
	"slices"

	"tidemark/internal/stats"
	"tidemark/model"
)

// Options say how runs are compared. The zero value is the default.
type Options struct {
	// About names traits that the comparison is about; they do not void it.
	About []string
	// QueueAsked makes a comparison in which only the queue's size and
	// watermark differ one about them.
	QueueAsked bool
	// Confidence of intervals, 0 = 0.95.
	Confidence float64
}

func (o Options) confidence() float64 {
	if o.Confidence == 0 {
		return 0.95
	}
	return o.Confidence
}

// ErrEmpty is returned where a side has no run.
var ErrEmpty = errors.New("no run on one side of the comparison")

// A pair is a comparison under way.
type pair struct {
	base, fresh []*Run
	opt         Options
	out         *model.Comparison
	est         map[string]estimate
	extra       float64 // standard deviation between hosts, where they differ
	loss        lossChange
	sets        []difference // differences it is about
}

// Compare says what changed from base to fresh.
func Compare(base, fresh []*Run, opt Options) (*model.Comparison, error) {
	if len(base) == 0 || len(fresh) == 0 {
		return nil, ErrEmpty
	}
	base, fresh = sane(base), sane(fresh)
	types(base, fresh)
	p := &pair{base: base, fresh: fresh, opt: opt, est: map[string]estimate{}, out: &model.Comparison{
		Void: []string{}, About: []string{}, Notes: []string{}, Stacks: []model.StackChange{}, Metrics: []model.MetricChange{},
		Base: listed(base), New: listed(fresh),
	}}
	p.traits()
	p.fit()
	p.metrics()
	p.stacks()
	p.discover()
	p.noise()
	p.waterfall()
	p.words()
	return p.out, nil
}

func listed(runs []*Run) []model.ComparedRun {
	out := []model.ComparedRun{}
	m := metric(throughputID)
	for _, r := range runs {
		c := model.ComparedRun{Name: r.Name, Start: r.Start, Limiter: r.Limiter, Class: r.Class, SteadyS: r.SteadyS, Blocks: len(r.Blocks)}
		if x, ok := read(m, r); ok {
			c.Effective = math.Min(x.n, float64(len(r.Blocks)))
			c.Throughput = around(m, x, 0.95)
		}
		out = append(out, c)
	}
	return out
}

// around is a reading with the run's own error.
func around(m *Metric, x reading, confidence float64) *model.Interval {
	half := stats.T(confidence, math.Max(x.df, 1)) * x.se
	if m.Kind == relative {
		return &model.Interval{Lo: math.Exp(x.v - half), Mid: math.Exp(x.v), Hi: math.Exp(x.v + half)}
	}
	return &model.Interval{Lo: max(x.v-half, 0), Mid: x.v, Hi: min(x.v+half, max(1, x.v))}
}

// traits sorts what differs: voids, what the comparison is about, notes.
func (p *pair) traits() {
	var different []difference
	for _, t := range Traits {
		d, differs, known := differ(t, p.base, p.fresh)
		switch {
		case differs:
			different = append(different, d)
		case !known && len(d.base)+len(d.fresh) > 0:
			p.out.Notes = append(p.out.Notes, t.Label+" is recorded on one side only: taken as equal")
		}
	}
	queueOnly := p.opt.QueueAsked && !slices.ContainsFunc(different, func(d difference) bool { return d.Name != "capacity" && d.Name != "min_ready" })
	for _, d := range different {
		if queueOnly && len(d.base) == 1 && len(d.fresh) == 1 || slices.Contains(p.opt.About, d.Name) {
			p.out.About, p.sets = append(p.out.About, d.text()), append(p.sets, d)
		} else {
			p.out.Void = append(p.out.Void, d.text())
		}
	}
	for _, t := range noteTraits {
		d, differs, known := differ(t, p.base, p.fresh)
		if !known || !differs || slices.Equal(d.base, d.fresh) {
			continue
		}
		p.out.Notes = append(p.out.Notes, d.text())
		if t.Name == "hosts" {
			p.extra = betweenHosts * math.Sqrt2
		}
	}
}

// fit keeps the runs that tell something of their pipeline, with what their
// pauses have in common.
func (p *pair) fit() {
	if len(p.out.Void) == 0 {
		var left []string
		p.base, p.fresh, left = fit(p.base, p.fresh)
		p.out.Notes = append(p.out.Notes, left...)
	}
	p.base, p.fresh = evenPauses(p.base, p.fresh)
}

func (p *pair) metrics() {
	p.loss = lossAtEqualTokens(p.base, p.fresh)
	for _, m := range Metrics {
		if m.ID == lossID {
			p.addLoss(m)
			continue
		}
		p.add(m)
	}
}

// add estimates one metric. The change of throughput allows for how the time
// of an item may grow with its tokens.
func (p *pair) add(m *Metric) {
	base, fresh := readings(m, p.base), readings(m, p.fresh)
	c := model.MetricChange{ID: m.ID, Label: m.Label, Unit: m.unit(p.base), Kind: m.Kind, Better: m.Better}
	if len(base) == 0 && len(fresh) == 0 {
		return
	}
	c.Base, c.New = mean(m, base, 0.95), mean(m, fresh, 0.95)
	if len(base) == 0 || len(fresh) == 0 {
		c.Why = "not recorded on one side"
		p.out.Metrics = append(p.out.Metrics, c)
		return
	}
	extra := 0.0
	if m.Host {
		extra = p.extra
	}
	if m.ID == throughputID || m.ID == overallID || m.ID == targetCapID || m.ID == drafterCapID {
		extra = math.Hypot(extra, mixError*math.Abs(p.mix()))
	}
	stated := m.Between
	switch m.ID {
	case putID, gateID, inputID:
		stated *= levelled(base, fresh)
	}
	e := change(base, fresh, stated, extra, p.opt.confidence())
	p.set(&c, m, e)
}

func (p *pair) set(c *model.MetricChange, m *Metric, e estimate) {
	p.est[m.ID] = e
	c.Change = interval(m, e)
	c.P, c.Basis = new(min(max(e.p, 0), 1)), e.basis
	p.out.Metrics = append(p.out.Metrics, *c)
}

func interval(m *Metric, e estimate) *model.Interval {
	return &model.Interval{Lo: bounded(m.outside(e.lo)), Mid: m.outside(e.mid), Hi: bounded(m.outside(e.hi))}
}

// bounded keeps an interval without an end printable.
func bounded(v float64) float64 { return min(max(v, -1e6), 1e6) }

// mean is the average over runs with its own interval.
func mean(m *Metric, list []reading, confidence float64) *model.Interval {
	if len(list) == 0 {
		return nil
	}
	var sum, se2 float64
	df := math.Inf(1)
	for _, x := range list {
		sum, se2, df = sum+x.v, se2+x.se*x.se, math.Min(df, x.df)
	}
	n := float64(len(list))
	return around(m, reading{v: sum / n, se: math.Sqrt(se2) / n, df: df}, confidence)
}

// mix is ln of the ratio of tokens per item, 0 where it is not known.
func (p *pair) mix() float64 {
	m := metric(perItemID)
	base, fresh := readings(m, p.base), readings(m, p.fresh)
	if len(base) == 0 || len(fresh) == 0 {
		return 0
	}
	return change(base, fresh, betweenItem, 0, 0.95).mid
}

// discover calls changes at a false-discovery rate over all that was tested.
func (p *pair) discover() {
	var ps []float64
	for _, c := range p.out.Metrics {
		if c.P != nil {
			ps = append(ps, *c.P)
		}
	}
	for i := range p.out.Stacks {
		ps = append(ps, p.est[stackKey(&p.out.Stacks[i])].p)
	}
	q := stats.BenjaminiHochberg(ps)
	k := 0
	for i := range p.out.Metrics {
		c := &p.out.Metrics[i]
		if c.P == nil {
			continue
		}
		c.Q = new(min(q[k], 1))
		c.Changed = q[k] <= falseDiscovery && math.Abs(c.Change.Mid) >= least(c.Kind)
		k++
	}
	for i := range p.out.Stacks {
		s := &p.out.Stacks[i]
		s.Changed = q[k] <= falseDiscovery && math.Abs(s.Change.Mid) >= leastPoints
		k++
	}
}

func least(kind string) float64 {
	if kind == relative {
		return leastRelative
	}
	return leastPoints
}

// noise states the scatter between runs and the least drop that would be seen.
func (p *pair) noise() {
	e, ok := p.est[throughputID]
	if !ok {
		p.out.Noise = model.Noise{Between: betweenRate, From: "stated: no throughput on one side"}
		return
	}
	p.out.Noise = model.Noise{Between: e.spread.between, Measured: e.spread.measured, From: noiseWords(e, p)}
	p.out.Method = methodWords(e, p)
	const power80 = 0.8416 // normal quantile of 80 %
	p.out.Smallest = new(-math.Expm1(-((e.hi - e.mid) + power80*e.sd)))
}
