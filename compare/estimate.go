package compare

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"tidemark/internal/stats"
)

// A reading is one run's value of a quantity, on the scale where noise adds.
type reading struct {
	v  float64
	se float64 // of the run's own mean, from its blocks
	df float64 // of se; +Inf where it is stated
	n  float64 // effective blocks
}

// read takes a metric from a run; ok is false where the run lacks it.
func read(m *Metric, r *Run) (reading, bool) {
	if m.ID == overallID {
		return withPauses(r)
	}
	if m.Block != nil {
		if x, ok := fromBlocks(m, r); ok {
			return x, true
		}
	}
	v, ok := r.Values[m.ID]
	if !ok || m.Kind == relative && !(v.Lo > 0) {
		return reading{}, false
	}
	half := (m.inside(v.Hi) - m.inside(v.Lo)) / 2
	return reading{v: m.inside(v.Mid), se: half / z95, df: math.Inf(1), n: math.Inf(1)}, finite(m.inside(v.Mid))
}

// withPauses is the throughput over the whole stretch, pauses counted.
func withPauses(r *Run) (reading, bool) {
	x, ok := read(metric(throughputID), r)
	p, has := r.Values[pausesID]
	if !ok || !has || p.Mid > 0.99 {
		return x, false
	}
	x.v += math.Log(1 - p.Mid)
	x.se = math.Hypot(x.se, (p.Hi-p.Mid)/z95/(1-p.Mid))
	return x, true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// fromBlocks is a ratio of totals; the error is that of the mean of what each
// block departs from it.
func fromBlocks(m *Metric, r *Run) (reading, bool) {
	num, den := m.blocks(r)
	if m.Kind == relative && len(num) > 0 {
		num, den = joined(num, den)
	}
	sumNum, sumDen := floats.Sum(num), floats.Sum(den)
	if len(num) < 3 || sumDen <= 0 || m.Kind == relative && sumNum <= 0 {
		return reading{}, false
	}
	ratio, mean := sumNum/sumDen, sumDen/float64(len(den))
	rest := make([]float64, len(num))
	for i := range num {
		rest[i] = (num[i] - ratio*den[i]) / mean
		if m.Kind == relative {
			rest[i] /= ratio
		}
	}
	se, df := stats.MeanError(rest)
	return reading{v: m.inside(ratio), se: se, df: df, n: effective(rest, se)}, finite(m.inside(ratio))
}

// blocks are what each block of a run adds to the metric.
func (m *Metric) blocks(r *Run) (num, den []float64) {
	for _, b := range r.Blocks {
		if x, y, ok := m.Block(r, b); ok {
			num, den = append(num, x), append(den, y)
		}
	}
	return num, den
}

// effective is how many independent values would have the same error.
func effective(v []float64, se float64) float64 {
	if se <= 0 {
		return float64(len(v))
	}
	sd := stat.StdDev(v, nil)
	return math.Min(sd*sd/(se*se), float64(len(v)))
}

// readings are the values of a set of runs, those that lack it left out.
func readings(m *Metric, runs []*Run) []reading {
	var out []reading
	for _, r := range runs {
		if x, ok := read(m, r); ok {
			out = append(out, x)
		}
	}
	return out
}

func values(list []reading) []float64 {
	v := make([]float64, len(list))
	for i, x := range list {
		v[i] = x.v
	}
	return v
}

// A spread is how far one run of a pipeline lies from the next.
type spread struct {
	between  float64 // standard deviation of one run
	df       float64
	measured bool
	helped   bool // by the stated one
}

// spreadOf measures the scatter between runs where there are enough; else it is
// the stated one. Few runs are helped out by the stated scatter and their own
// errors, as prior degrees of freedom up to fullRepeats (Smyth 2004): two alone
// would span 4.3 errors.
func spreadOf(base, fresh []reading, stated float64) spread {
	var sum float64
	df := 0.0
	for _, side := range [][]reading{base, fresh} {
		if len(side) > 1 {
			sum += stat.Variance(values(side), nil) * float64(len(side)-1)
			df += float64(len(side) - 1)
		}
	}
	own := 0.0
	for _, x := range append(append([]reading{}, base...), fresh...) {
		own += x.se * x.se / float64(len(base)+len(fresh))
	}
	if df < leastRepeats {
		return spread{between: stated, df: math.Inf(1)}
	}
	prior := math.Max(fullRepeats-df, 0)
	v := (sum + prior*(stated*stated+own)) / (df + prior)
	return spread{between: math.Sqrt(math.Max(v, leastScatter*own)), df: df + prior, measured: true, helped: prior > 0}
}

// An estimate is a change on the scale where noise adds.
type estimate struct {
	mid, lo, hi float64
	p           float64
	sd          float64
	basis       string // runs, blocks, ranks
	spread      spread
}

// change estimates new minus base. extra is the standard deviation of what
// else is not known, such as the scatter between hosts.
func change(base, fresh []reading, stated, extra, confidence float64) estimate {
	s := spreadOf(base, fresh, stated)
	if s.measured && extra == 0 && len(base) >= rankRuns && len(fresh) >= rankRuns {
		return byRanks(base, fresh, s, confidence)
	}
	nb, nf := float64(len(base)), float64(len(fresh))
	e := estimate{mid: stat.Mean(values(fresh), nil) - stat.Mean(values(base), nil), spread: s, basis: "blocks"}
	between := s.between * math.Sqrt(1/nb+1/nf)
	half := stats.T(confidence, s.df) * between
	sd2 := between * between
	if s.measured {
		e.basis = "runs"
	} else {
		own, t := ownError(base, fresh, confidence)
		half, sd2 = math.Hypot(half, t*own), sd2+own*own
	}
	half = math.Hypot(half, stats.T(confidence, math.Inf(1))*extra)
	e.sd = math.Sqrt(sd2 + extra*extra)
	e.lo, e.hi = e.mid-half, e.mid+half
	e.p = probability(e.mid, half, s, e.sd, confidence)
	return e
}

// probability is that of no change, consistent with the interval: t of the
// runs where they are measured, else a normal with the interval's width.
func probability(mid, half float64, s spread, sd, confidence float64) float64 {
	switch {
	case half <= 0:
		return 1
	case s.measured:
		return stats.TwoSided(mid/sd, s.df)
	}
	return stats.TwoSided(mid*stats.T(confidence, math.Inf(1))/half, math.Inf(1))
}

// ownError joins the errors that runs have by themselves, with the t of their
// joint degrees of freedom (Welch 1947, Satterthwaite 1946).
func ownError(base, fresh []reading, confidence float64) (se, t float64) {
	sum, spent := 0.0, 0.0
	for _, side := range [][]reading{base, fresh} {
		for _, x := range side {
			v := x.se * x.se / float64(len(side)*len(side))
			sum += v
			spent += v * v / math.Max(x.df, 1)
		}
	}
	if spent == 0 {
		return math.Sqrt(sum), stats.T(confidence, math.Inf(1))
	}
	return math.Sqrt(sum), stats.T(confidence, math.Max(sum*sum/spent, 1))
}

// byRanks needs no assumption on the shape of noise.
func byRanks(base, fresh []reading, s spread, confidence float64) estimate {
	a, b := values(fresh), values(base)
	lo, mid, hi := stats.HodgesLehmann(a, b, confidence)
	sd := s.between * math.Sqrt(1/float64(len(a))+1/float64(len(b)))
	return estimate{mid: mid, lo: lo, hi: hi, p: stats.MannWhitney(a, b), sd: sd, basis: "ranks", spread: s}
}

// levelled scales the stated scatter of a wait down where there is next to
// none: a share near 0 on both sides does not scatter by more than itself.
func levelled(base, fresh []reading) float64 {
	const full = 0.02 // from 2 % on the stated scatter holds
	v := 0.0
	for _, side := range [][]reading{base, fresh} {
		sum := 0.0
		for _, x := range side {
			sum += math.Abs(x.v) / float64(len(side))
		}
		v = math.Max(v, sum)
	}
	return math.Min(math.Max(v/full, 0.05), 1)
}
