package infer

import (
	"cmp"
	"math"
	"slices"
)

// A prior is what is known of the parameters before any reading.
type prior struct {
	places float64 // median of K
	spread float64 // standard deviation of ln K
	centre float64 // a first guess of r, where the grid is fine
	locked bool    // the sides may share a lock
	feed   float64 // of every state
}

// posterior weighs a grid of states by prior and terms. Terms that say nothing
// of the waits for prompts and lock are worked out once for all their values,
// those that say nothing of prompts once for all of theirs.
func posterior(terms []term, known prior) (states []state, top state) {
	var here, lock, inner []term
	for _, t := range terms {
		switch {
		case t.what == "active" || t.what == "input":
			inner = append(inner, t)
		case t.locks:
			lock = append(lock, t)
		default:
			here = append(here, t)
		}
	}
	rs, rw := ratioGrid(known.centre)
	ks, kw := placesGrid(known.places, known.spread)
	var cells []cell
	for i, r := range rs {
		for j, k := range ks {
			c := cell{at: i, r: r, k: k, full: pFull(r, k), empty: pEmpty(r, k)}
			c.base = rw[i] + kw[j] + weigh(here, state{r: r, k: k}, c.full, c.empty)
			cells = append(cells, c)
		}
	}
	g := &grids{cells, innerGrid(known), rs}
	list := normalize(g.search(lock, inner))
	return g.likely(list), g.state(slices.MaxFunc(list, candidate.compare))
}

// grids are what states are made of: a cell of the one with an entry of the inner one.
type grids struct {
	cells  []cell
	inner  []state // waits for prompts and lock, with ln of their prior as weight
	ratios []float64
}

// A candidate is a state by its places in the grids: of the many that are looked at, few are
// drawn.
type candidate struct {
	weight      float64
	cell, inner int32
}

func (a candidate) compare(b candidate) int { return cmp.Compare(a.weight, b.weight) }

// state is a cell with an entry of the inner grid.
func (g *grids) state(x candidate) state {
	c, in := &g.cells[x.cell], &g.inner[x.inner]
	return state{r: c.r, k: c.k, input: in.input * (1 - c.full), lock: in.lock, feed: in.feed, weight: x.weight, at: c.at}
}

// search returns the states that are not negligible, with ln of their weights.
// Every further term only lowers a weight, so with the likeliest cell first the
// rest can be left out early.
func (g *grids) search(lock, inner []term) []candidate {
	inputs := 1 + inputLevels // the grid goes through them once for each lock
	tuned := tunedPriors(g.ratios, g.inner[:inputs])
	slices.SortFunc(g.cells, func(a, b cell) int { return cmp.Compare(b.base, a.base) })
	out := make([]candidate, 0, 1<<14) // as many as runs have: the labelled ones up to 12,000
	best := math.Inf(-1)
	for n := range g.cells {
		c := &g.cells[n]
		if c.base < best-negligible {
			break
		}
		base, at := 0.0, -1.0
		for i := range g.inner {
			x := candidate{cell: int32(n), inner: int32(i)}
			s := g.state(x)
			if s.lock != at {
				base, at = c.base+weigh(lock, s, c.full, c.empty), s.lock
			}
			prior := base + g.inner[i].weight + tuned[c.at*inputs+i%inputs]
			if prior < best-negligible {
				continue
			}
			x.weight = prior + weigh(inner, s, c.full, c.empty)
			if x.weight > best-negligible {
				best = max(best, x.weight)
				out = append(out, x)
			}
		}
	}
	return out
}

// likely draws points from the states, evenly spaced in their probability along
// the ratio, each with a ratio of its own within its cell of the grid: quantiles
// of what is computed from them stay within 1/points of probability, and do not
// snap to the grid.
func (g *grids) likely(list []candidate) []state {
	out := make([]state, 0, points)
	sum := 0.0
	for _, i := range g.byRatio(list) {
		for sum += list[i].weight; len(out) < points && (float64(len(out))+0.5)/points <= sum; {
			out = append(out, g.state(list[i]).within(g.ratios, len(out)))
		}
	}
	for i := range out {
		out[i].weight = 1 / float64(len(out))
		out[i].flow = out[i].flowing()
	}
	return out
}

// byRatio returns the indexes of candidates in the order of their ratios, of equal ones in
// their own order.
func (g *grids) byRatio(list []candidate) []int32 {
	n := len(g.ratios)
	next := make([]int32, n+1)
	for _, x := range list {
		next[g.cells[x.cell].at+1]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	order := make([]int32, len(list))
	for i, x := range list {
		at := g.cells[x.cell].at
		order[next[at]] = int32(i)
		next[at]++
	}
	return order
}

// within moves the ratio of draw n somewhere between the middles of its cell of
// the grid and the neighbouring ones; by the golden ratio no two draws meet.
func (s state) within(grid []float64, n int) state {
	lo, hi := grid[max(s.at-1, 0)], grid[min(s.at+1, len(grid)-1)]
	_, x := math.Modf(float64(n) * math.Phi)
	lo, hi = (lo+s.r)/2, (s.r+hi)/2
	s.r = lo + x*(hi-lo)
	return s
}

// points is how many states stand for the posterior: 1,000 resolve the ends of a
// 95 % interval to 0.001 of probability, a twenty-fifth of what lies beyond them.
const points = 1000

// A cell is a ratio and places with what is known there before the waits for
// prompts and lock.
type cell struct {
	at                      int
	r, k, full, empty, base float64
}

// negligible: ln weight under the best from which a state is left out.
const negligible = 10.0

func weigh(terms []term, s state, full, empty float64) (sum float64) {
	odds := 1.0 // terms of full power share one logarithm
	for i := range terms {
		t := &terms[i]
		z := t.z(s, full, empty)
		if t.power == 1 {
			odds *= 1 + z*z/tail
		} else {
			sum += t.power * logLike(z)
		}
		if t.locks && s.lock > 0 || t.what == "drift" {
			sum += t.power * math.Log(t.sd/t.error(s))
		}
	}
	return sum - (tail+1)/2*math.Log(odds)
}

// normalize turns log weights into probabilities, and drops states that make
// up less than a two-thousandth together.
func normalize(list []candidate) []candidate {
	best := slices.MaxFunc(list, candidate.compare).weight
	var total float64
	for i := range list {
		list[i].weight = math.Exp(list[i].weight - best)
		total += list[i].weight
	}
	least := 5e-4 * total / float64(len(list))
	list = slices.DeleteFunc(list, func(x candidate) bool { return x.weight < least })
	total = 0
	for _, x := range list {
		total += x.weight
	}
	for i := range list {
		list[i].weight /= total
	}
	return list
}

// tunedPriors are ln of the prior of the ratio of capacities that the sides would
// have if the targets never waited for prompts, at most 0: flat with a ridge
// around 0, where pipelines are tuned to. There is one for each ratio and each
// of the first inputs of the grid.
func tunedPriors(ratios []float64, inputs []state) []float64 {
	out := make([]float64, 0, len(ratios)*len(inputs))
	slowed := make([]float64, len(inputs))
	for i, g := range inputs {
		slowed[i] = math.Log1p(-g.input)
	}
	for _, r := range ratios {
		for _, s := range slowed {
			out = append(out, math.Log((untuned+math.Exp(-math.Abs(r-s)/tunedWithin))/(1+untuned)))
		}
	}
	return out
}

// ratioGrid covers ln ratios from -2.5 to 2.5, finely around 0 and the guess,
// with ln of the widths of its cells.
func ratioGrid(centre float64) (v, w []float64) {
	add := func(lo, hi, step float64) {
		for x := lo; x <= hi; x += step {
			v = append(v, x)
		}
	}
	add(-2.5, -0.5, 0.1)
	add(-0.45, 0.45, 0.05)
	add(0.5, 2.5, 0.1)
	add(-0.15, 0.15, 0.01)
	add(centre-0.08, centre+0.08, 0.005)
	slices.Sort(v)
	w = make([]float64, len(v))
	for i := range v {
		lo, hi := v[max(i-1, 0)], v[min(i+1, len(v)-1)]
		w[i] = math.Log(max((hi-lo)/2, 1e-9))
	}
	return v, w
}

// placesGrid is log-normal around the prior median, with log weights.
func placesGrid(median, spread float64) (v, w []float64) {
	for x := -2.0; x <= 2.0; x++ {
		v, w = append(v, max(median*math.Exp(x*spread), 0.5)), append(w, -x*x/2)
	}
	return v, w
}

// inputLevels is how many waits for prompts stand for all of them.
const inputLevels = 18

// innerGrid holds the targets' wait for prompts, as a share of their unblocked
// time (none in most, else anything), and both sides' wait for a shared lock,
// as a share of busy time, with log weights.
func innerGrid(known prior) []state {
	out := []state{{feed: known.feed, weight: math.Log(noInput)}}
	for i := range inputLevels {
		x := (float64(i) + 0.5) / inputLevels
		out = append(out, state{input: x * (0.4 + 0.6*x), feed: known.feed, weight: math.Log((1 - noInput) * (0.4 + 1.2*x) / inputLevels)})
	}
	if !known.locked {
		return out
	}
	plain := slices.Clone(out)
	for i := range out {
		out[i].weight += math.Log(lockWaits[0].p)
	}
	for _, l := range lockWaits[1:] {
		for _, s := range plain {
			s.lock, s.weight = l.share, s.weight+math.Log(l.p)
			out = append(out, s)
		}
	}
	return out
}

// lockWaits is the prior of the share of busy time waited for a shared lock: 0
// stands for all under 0.04. Of the drawn pipelines, a quarter of which have a
// lock, 0.96 wait less than that and next to none over 0.14
// (TestThresholdsOnDrawnPipelines); more is left to the longer waits, for threads of
// one interpreter that hold its lock nearly all the time: less would let no reading
// show them.
var lockWaits = []struct{ share, p float64 }{{0, 0.89}, {0.08, 0.06}, {0.2, 0.02}, {0.35, 0.015}, {0.55, 0.015}}
