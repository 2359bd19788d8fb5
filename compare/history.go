package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

const (
	leastSegment = 4    // runs: a permutation test of fewer cannot reach 1 %
	historyLevel = 0.01 // of the permutation test, and of Kendall's for a drift
	leastHistory = 8    // runs
	mostHistory  = 300  // runs: the test is quadratic; later ones count
)

// History looks for changes of a metric's level over past runs, the new ones
// last. Runs of another pipeline than the last are left out.
func History(past, fresh []*Run, id string) (*model.History, error) {
	m := metric(id)
	if m == nil {
		return nil, fmt.Errorf("history: unknown metric %q", id)
	}
	if len(fresh) == 0 {
		return nil, ErrEmpty
	}
	runs := sane(slices.Concat(past, fresh))
	types(runs)
	last := runs[len(runs)-1]
	for _, part := range [][]*Run{runs[:len(past)], runs[len(past):]} {
		slices.SortStableFunc(part, func(a, b *Run) int { return cmp.Compare(a.Start, b.Start) })
	}
	h := &model.History{Metric: id, Unit: m.unit(fresh), Points: []model.HistoryPoint{}, Changes: []model.HistoryShift{}, Left: []string{}}
	var v []float64
	for _, r := range runs {
		if why := unlike(r, last); why != "" {
			h.Left = append(h.Left, r.Name+": "+why)
			continue
		}
		x, ok := read(m, r)
		if !ok {
			h.Left = append(h.Left, r.Name+": no "+m.Label)
			continue
		}
		value := x.v
		if m.Kind == relative {
			value = math.Exp(x.v)
		}
		h.Points, v = append(h.Points, model.HistoryPoint{Name: r.Name, Start: r.Start, Value: value}), append(v, x.v)
	}
	if over := len(v) - mostHistory; over > 0 {
		h.Left = append(h.Left, fmt.Sprintf("the first %d runs: the last %d are looked at", over, mostHistory))
		h.Points, v = h.Points[over:], v[over:]
	}
	shifts(h, m, v)
	h.Text = historyWords(h, m)
	if r := alike(h, v); r > 0 && len(h.Changes) > 0 {
		h.Text += fmt.Sprintf(" Runs resemble those before them beyond that (correlation %.1f), so a change may be none.", r)
	}
	return h, nil
}

// Earlier are the past runs without the new ones themselves, which a table may
// hold already.
func Earlier(past, fresh []*Run) []*Run {
	return slices.DeleteFunc(slices.Clone(past), func(p *Run) bool {
		return slices.ContainsFunc(fresh, func(r *Run) bool { return r.Start != "" && p.Start == r.Start && p.Name == r.Name })
	})
}

// Like are the past runs of the same pipeline as the last new one, all of them
// where none is.
func Like(past, fresh []*Run) []*Run {
	all := sane(slices.Concat(past, fresh))
	types(all)
	var out []*Run
	for i, r := range past {
		if unlike(all[i], all[len(all)-1]) == "" {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return past
	}
	return out
}

// Since are the past runs on the present level: those from the last step of a
// history on, all of them where it has none.
func Since(past []*Run, h *model.History) []*Run {
	from := 0
	for _, c := range h.Changes {
		if c.Kind == "step" {
			from = max(from, c.Index)
		}
	}
	now := slices.DeleteFunc(slices.Clone(past), func(r *Run) bool {
		return !slices.ContainsFunc(h.Points[from:], func(p model.HistoryPoint) bool { return p.Name == r.Name && p.Start == r.Start })
	})
	if len(now) == 0 {
		return past
	}
	return now
}

// unlike says in what a run's pipeline differs.
func unlike(r, last *Run) string {
	for _, t := range Traits {
		if d, differs, _ := differ(t, []*Run{r}, []*Run{last}); differs {
			return "another pipeline: " + d.text()
		}
	}
	return ""
}

// shifts finds steps by E-divisive, then asks whether one straight line tells
// the same with fewer parameters: a drift cut into steps is still a drift.
func shifts(h *model.History, m *Metric, v []float64) {
	if len(v) < leastHistory {
		return
	}
	cuts := stats.EDivisive(v, leastSegment, historyLevel)
	slope, p := stats.Trend(v)
	if p <= historyLevel && criterion(lineRest(v, slope), len(v), 2) < criterion(stepRest(v, cuts), len(v), 1+2*len(cuts)) {
		rise := slope * float64(len(v)-1)
		mid := stat.Mean(v, nil)
		if math.Abs(m.outside(rise)) >= least(m.Kind) {
			h.Changes = append(h.Changes, shift(h, m, "drift", 0, mid-rise/2, mid+rise/2, spreadLine(v, slope)*2/math.Sqrt(float64(len(v))), p))
		}
		return
	}
	bounds := append([]int{0}, append(slices.Clone(cuts), len(v))...)
	for i := 1; i+1 < len(bounds); i++ {
		a, b := v[bounds[i-1]:bounds[i]], v[bounds[i]:bounds[i+1]]
		before, after := stat.Mean(a, nil), stat.Mean(b, nil)
		if math.Abs(m.outside(after-before)) < least(m.Kind) {
			continue
		}
		se := math.Sqrt(stat.Variance(a, nil)/float64(len(a)) + stat.Variance(b, nil)/float64(len(b)))
		h.Changes = append(h.Changes, shift(h, m, "step", bounds[i], before, after, se, stats.MannWhitney(a, b)))
	}
}

func shift(h *model.History, m *Metric, kind string, at int, before, after, se, p float64) model.HistoryShift {
	value := func(v float64) float64 {
		if m.Kind == relative {
			return math.Exp(v)
		}
		return v
	}
	d := after - before
	return model.HistoryShift{
		Kind: kind, Index: at, Name: h.Points[at].Name, Before: value(before), After: value(after), P: p,
		Change: model.Interval{Lo: m.outside(d - z95*se), Mid: m.outside(d), Hi: m.outside(d + z95*se)},
	}
}

// criterion is that of Schwarz (1978) for a normal scatter: lower is better.
func criterion(rest float64, n, parameters int) float64 {
	return float64(n)*math.Log(math.Max(rest, 1e-12)/float64(n)) + float64(parameters)*math.Log(float64(n))
}

func stepRest(v []float64, cuts []int) float64 {
	return floats.Dot(offSteps(v, cuts), offSteps(v, cuts))
}

// offSteps is what is left of a series without the mean of each segment.
func offSteps(v []float64, cuts []int) []float64 {
	var out []float64
	from := 0
	for _, to := range append(slices.Clone(cuts), len(v)) {
		mean := stat.Mean(v[from:to], nil)
		for _, x := range v[from:to] {
			out = append(out, x-mean)
		}
		from = to
	}
	return out
}

func lineRest(v []float64, slope float64) float64 {
	return floats.Dot(offLine(v, slope), offLine(v, slope))
}

// offLine is what is left of a series without a straight line.
func offLine(v []float64, slope float64) []float64 {
	mid, half := stat.Mean(v, nil), float64(len(v)-1)/2
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x - mid - slope*(float64(i)-half)
	}
	return out
}

// alike is the correlation of neighbours in what steps or a drift leave over, 0
// where independent values show as much in one case of forty. Both tests take
// runs for independent: with a correlation of 0.5 they called a change in 23 %
// of 60 simulated runs without one, with none in 1 %.
func alike(h *model.History, v []float64) float64 {
	if len(v) < leastHistory {
		return 0
	}
	var cuts []int
	slope := 0.0
	for _, c := range h.Changes {
		if c.Kind == "drift" {
			slope, _ = stats.Trend(v)
		} else {
			cuts = append(cuts, c.Index)
		}
	}
	rest := offSteps(v, cuts)
	if slope != 0 {
		rest = offLine(v, slope)
	}
	r := floats.Dot(rest[1:], rest[:len(rest)-1]) / math.Max(floats.Dot(rest, rest), 1e-12)
	if r < 2/math.Sqrt(float64(len(v))) {
		return 0
	}
	return r
}

func spreadLine(v []float64, slope float64) float64 {
	return math.Sqrt(lineRest(v, slope) / float64(max(len(v)-2, 1)))
}

func historyWords(h *model.History, m *Metric) string {
	n := len(h.Points)
	if n < leastHistory {
		return fmt.Sprintf("Too few runs to tell a change from noise: %d comparable, want %d.", n, leastHistory)
	}
	if len(h.Changes) == 0 {
		return fmt.Sprintf("No step and no drift of %s over %d runs: what differs between them is noise.", m.Label, n)
	}
	var parts []string
	for _, c := range h.Changes {
		switch c.Kind {
		case "drift":
			parts = append(parts, fmt.Sprintf("a drift of %s over all %d runs", changeText(m, c.Change.Mid), n))
		default:
			parts = append(parts, fmt.Sprintf("a step of %s at %s, %d runs ago", changeText(m, c.Change.Mid), c.Name, n-1-c.Index))
		}
	}
	s := strings.Join(parts, "; ") + "."
	return strings.ToUpper(m.Label[:1]) + m.Label[1:] + " shows " + s
}

func changeText(m *Metric, d float64) string {
	if m.Kind == points {
		return fmt.Sprintf("%+.1f points", 100*d)
	}
	return say.Gain(d)
}
