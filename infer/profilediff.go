package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidemark/internal/say"
	"tidemark/model"
)

const (
	// sameTotal: captures whose active time differs by less are read by either
	// column. Windows of one run differ by as much.
	sameTotal = 0.05
	// leastPoints: smaller changes of a share are not listed.
	leastPoints = 0.001
	// disagree: a column misleads where it says a cost changed by a point or
	// more and the other says it did not, or changed the other way.
	disagree = 0.01
	// diffFunctions is how many functions the table has.
	diffFunctions = 30
)

// Difference is the report of what changed from base to now: two profiles,
// each with the labels it was made with and the name it goes by.
func Difference(base, now *model.Report, baseLabels, nowLabels *Labels, baseName, nowName string) *model.Report {
	out := emptyReport()
	out.Kind, out.Version = "profile", now.Version
	out.Run = now.Run
	out.Limiter, out.Queue = now.Limiter, now.Queue
	out.Verdict = model.Verdict{Because: []model.Reason{}, Strength: "measured"}
	out.Inputs = append(append(out.Inputs, base.Inputs...), now.Inputs...)
	a, b := baseLabels.costs, nowLabels.costs
	if a == nil || b == nil {
		out.Verdict.Headline, out.Verdict.Strength = "No sampled stacks that give shares of time in one of the two.", "cannot tell"
		return out
	}
	d := &differ{base: a, now: b}
	d.out = &model.ProfileDiff{Base: d.side(a, base, baseName), New: d.side(b, now, nowName), Rows: []model.DiffRow{}}
	d.families(base.CPU.All, now.CPU.All)
	d.functions()
	d.measure()
	out.CPU = &model.CPU{
		Samples: now.CPU.Samples, Roles: now.CPU.Roles, HotThreads: []model.HotThread{}, Busiest: []model.HotThread{},
		Capture: now.CPU.Capture, All: now.CPU.All, Dominant: now.CPU.Dominant, Diff: d.out,
	}
	out.Flames = mergeFlames(base.Flames, now.Flames)
	out.Verdict.Headline = d.headline()
	if few := d.few(); few != "" {
		out.Verdict.Headline, out.Verdict.Strength = few, "cannot tell"
	}
	out.Verdict.Lead = fmt.Sprintf("From %s to %s.", baseName, nowName)
	return out
}

// few says that a capture holds too few samples for any claim, "" where both
// hold enough. No row is then clear of its intervals.
func (d *differ) few() string {
	side := d.out.Base
	if d.out.New.Samples < side.Samples {
		side = d.out.New
	}
	if side.Samples >= minActive {
		return ""
	}
	for i := range d.out.Rows {
		d.out.Rows[i].Clear = false
	}
	return fmt.Sprintf("Too few samples to compare: %s active in %s, want %s.", say.Count(side.Samples), side.Name, say.Count(minActive))
}

type differ struct {
	base, now *costs
	out       *model.ProfileDiff
}

// side describes one capture. Cores are active samples over ticks.
func (d *differ) side(c *costs, r *model.Report, name string) model.DiffSide {
	s := model.DiffSide{Name: name, Samples: c.all.active, Threads: r.CPU.All.Threads}
	if c.main.Rate > 0 {
		s.RateHz = &c.main.Rate
	}
	if c.main.Seconds > 0 {
		s.Seconds = &c.main.Seconds
	}
	if c.main.Ticks > 0 && len(c.list) == 1 {
		s.Cores = new(c.all.active / c.main.Ticks)
	}
	return s
}

func (d *differ) families(base, now *model.RoleCPU) {
	find := func(r *model.RoleCPU, id string) (model.Interval, float64) {
		for _, f := range r.Families {
			if f.Family == id {
				return f.Share, f.Samples
			}
		}
		return model.Interval{}, 0
	}
	for _, id := range sortedKeys(families) {
		a, an := find(base, id)
		b, bn := find(now, id)
		if an > 0 || bn > 0 {
			d.add("family", id, families[id].label, an, bn, a, b)
		}
	}
}

// functions compares own samples of every function, wherever its lines moved.
func (d *differ) functions() {
	a, b := d.base.selfByFunction(), d.now.selfByFunction()
	ids := map[string]bool{}
	for id := range a {
		ids[id] = true
	}
	for id := range b {
		ids[id] = true
	}
	at := len(d.out.Rows)
	for _, id := range sortedKeys(ids) {
		an, bn := a[id], b[id]
		x, y := an/d.base.all.active, bn/d.now.all.active
		if math.Abs(y-x) >= leastPoints {
			d.add("function", id, id, an, bn, wilson(x, d.base.all.effective(d.base)), wilson(y, d.now.all.effective(d.now)))
		}
	}
	byPoints := func(p, q model.DiffRow) int {
		return cmp.Or(cmp.Compare(math.Abs(q.Points), math.Abs(p.Points)), cmp.Compare(p.ID, q.ID))
	}
	slices.SortStableFunc(d.out.Rows[:at], byPoints)
	slices.SortStableFunc(d.out.Rows[at:], byPoints)
	d.out.Rows = d.out.Rows[:min(len(d.out.Rows), at+diffFunctions)]
}

// selfByFunction returns the own samples of functions by name and file.
func (c *costs) selfByFunction() map[string]float64 {
	m := map[string]float64{}
	for _, s := range c.all.stacks.list {
		c.path = c.run.Stacks.Set.Path(s.stack, c.path[:0])
		if len(c.path) == 0 {
			continue
		}
		leaf := c.classes.Of(s.stack).Leaf
		if leaf < 0 {
			leaf = len(c.path) - 1
		}
		f := c.run.Stacks.Set.At(c.path[leaf])
		id := c.run.Text(f.Function)
		if file := c.run.Text(f.File); file != "" {
			id += " " + file
		}
		m[id] += s.n
	}
	return m
}

func (d *differ) add(kind, id, label string, an, bn float64, a, b model.Interval) {
	r := model.DiffRow{Kind: kind, ID: id, Label: label, BaseN: an, NewN: bn, Base: a, New: b, Points: b.Mid - a.Mid}
	r.Clear = a.Hi < b.Lo || b.Hi < a.Lo
	x, y := d.out.Base, d.out.New
	if x.Cores != nil && y.Cores != nil {
		r.BaseCores, r.NewCores = new(*x.Cores*a.Mid), new(*y.Cores*b.Mid)
		if *r.BaseCores > 0 {
			r.Change = new(*r.NewCores / *r.BaseCores - 1)
		}
	}
	d.out.Rows = append(d.out.Rows, r)
}

// measure decides which of the two columns to read. Shares have the whole as
// their measure: where the whole changed, a cost that stayed as it was takes
// another share. Amounts need rate and duration of both: without, they count
// how long was recorded.
func (d *differ) measure() {
	a, b := d.out.Base, d.out.New
	switch {
	case a.Cores == nil || b.Cores == nil:
		d.out.Measure = "share"
		d.out.Misleads = fmt.Sprintf("rate or length is not known for both, so %s against %s samples says only how much was recorded.", say.Count(a.Samples), say.Count(b.Samples))
	case math.Abs(*b.Cores / *a.Cores - 1) > sameTotal:
		d.out.Measure = "absolute"
		d.out.Misleads = fmt.Sprintf("all threads together were active on %s cores, then %s (%s), so a cost that did not change takes another share.", say.Short(*a.Cores), say.Short(*b.Cores), say.Gain(*b.Cores / *a.Cores - 1))
	default:
		d.out.Measure = "share"
		d.out.Misleads = fmt.Sprintf("active time is the same within %.0f %%, so both columns say the same; shares have the smaller error.", 100*sameTotal)
	}
	for i := range d.out.Rows {
		d.out.Rows[i].Misleads = d.misleads(d.out.Rows[i])
	}
	if d.out.Measure == "absolute" {
		slices.SortStableFunc(d.out.Rows, func(p, q model.DiffRow) int {
			return cmp.Or(cmp.Compare(p.Kind, q.Kind), cmp.Compare(math.Abs(*q.NewCores-*q.BaseCores), math.Abs(*p.NewCores-*p.BaseCores)))
		})
	}
}

// misleads names the column that must not be read where the two disagree.
func (d *differ) misleads(r model.DiffRow) string {
	if math.Abs(r.Points) < disagree {
		if d.out.Measure == "absolute" && r.Change != nil && math.Abs(*r.Change) > sameTotal && math.Abs(*r.NewCores-*r.BaseCores) >= disagree {
			return "share"
		}
		return ""
	}
	if d.out.Measure == "share" {
		if d.out.Base.Cores == nil && (r.NewN-r.BaseN)*r.Points <= 0 {
			return "absolute"
		}
		return ""
	}
	if r.Change != nil && (*r.Change*r.Points <= 0 || math.Abs(*r.Change) < sameTotal) {
		return "share"
	}
	return ""
}

func (d *differ) headline() string {
	for _, r := range d.out.Rows {
		switch {
		case r.Kind != "family":
		case d.out.Measure == "absolute":
			return fmt.Sprintf("Largest change: %s, %.2f to %.2f cores (%s to %s of active samples).", lowerWord(r.Label), *r.BaseCores, *r.NewCores, say.Round(r.Base.Mid), say.Round(r.New.Mid))
		case !r.Clear:
			return fmt.Sprintf("No cost changed beyond its interval; largest is %s, %s to %s of active samples.", lowerWord(r.Label), say.Round(r.Base.Mid), say.Round(r.New.Mid))
		default:
			return fmt.Sprintf("Largest change: %s, %s to %s of active samples.", lowerWord(r.Label), say.Round(r.Base.Mid), say.Round(r.New.Mid))
		}
	}
	return "Nothing to compare."
}
