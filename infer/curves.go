package infer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/shard"
	"tidemark/model"
)

// maxPoints is the most points a series keeps (contract: 2,000); figures are
// narrower than this, so nothing that could be seen is lost.
const maxPoints = 600

// Curves reduces the series that figures draw, and the blocks that
// comparisons resample.
var Curves = &Analyzer{
	Name: "curves",
	Doc: `Series for figures, extremes kept, and equal blocks of the steady state.

A point of a binned series stands for the stretch that begins at its time; a point of throughput for the stretch that ends there. Stretches without a reading are gaps, never zeros.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady, Throughput, QueueClass, Waits, GPUActivity, Limiter, Segments, HotThreads},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		s, ok2 := Result[*SteadyState](p, Steady)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "a training log or queue counters with times"}
		}
		c := &curves{p: p, r: r, s: s, whole: span{r.Start, r.End}}
		topo, _ := Result[*model.Topology](p, Topology)
		gpus, _ := Result[*GPUUse](p, GPUActivity)
		c.throughput()
		c.depth()
		waits, _ := Result[*WaitUse](p, Waits)
		c.waits(topo, waits)
		c.gpus(gpus)
		c.threads()
		pace, _ := Result[*Pace](p, Throughput)
		c.blocks(pace, waits)
		return nil, nil
	},
}

type curves struct {
	p     *Pass
	r     *Readings
	s     *SteadyState
	whole span
}

func (c *curves) add(name, side, unit string, t []float64, lo, hi []*float64) {
	if len(t) > 0 {
		c.p.Out.Series = append(c.p.Out.Series, model.Series{Name: name, Side: side, Unit: unit, T: t, Lo: lo, Hi: hi})
	}
}

// points adds a series as it is, thinned by keeping extremes where it is long.
func (c *curves) points(name, side, unit string, p Points) {
	if len(p.T) > maxPoints {
		c.extremes(name, side, unit, p)
		return
	}
	var t []float64
	var v []*float64
	for i := range p.T {
		t, v = append(t, c.s.at(p.T[i])), append(v, &p.V[i])
	}
	c.add(name, side, unit, t, v, v)
}

// extremes adds the lowest and highest value of each of maxPoints stretches.
func (c *curves) extremes(name, side, unit string, p Points) {
	n := min(maxPoints, max(len(p.T)/2, 1))
	width := max((c.whole.to-c.whole.from)/int64(n), 1)
	var t []float64
	var lo, hi []*float64
	for i := range int64(n) {
		from := c.whole.from + i*width
		part := p.between(from, from+width-1)
		t = append(t, c.s.at(from))
		if len(part.V) == 0 {
			lo, hi = append(lo, nil), append(hi, nil)
			continue
		}
		lo, hi = append(lo, new(slices.Min(part.V))), append(hi, new(slices.Max(part.V)))
	}
	c.add(name, side, unit, t, lo, hi)
}

// means adds the mean of the readings in stretches of about so many seconds.
func (c *curves) means(name, side, unit string, p Points, seconds float64) {
	n := min(maxPoints/2, max(int(c.whole.seconds()/max(seconds, 1.5*p.step())), 1))
	width := max((c.whole.to-c.whole.from)/int64(n), 1)
	var t []float64
	var v []*float64
	for i := range int64(n) {
		from := c.whole.from + i*width
		part := p.between(from, from+width-1)
		t = append(t, c.s.at(from))
		if len(part.V) == 0 {
			v = append(v, nil)
			continue
		}
		v = append(v, new(mean(part.V)))
	}
	c.add(name, side, unit, t, v, v)
}

// growth adds the growth of a cumulative count per second and unit in
// stretches of about so many seconds.
func (c *curves) growth(name, side, unit string, p Points, per, seconds float64) {
	n := min(maxPoints/2, max(int(c.whole.seconds()/max(seconds, 2*p.step())), 1))
	width := max((c.whole.to-c.whole.from)/int64(n), 1)
	var t []float64
	var v []*float64
	for i := range int64(n) {
		x := span{c.whole.from + i*width, c.whole.from + (i+1)*width}
		t = append(t, c.s.at(x.from))
		d, ok := gained(p, x)
		if !ok {
			v = append(v, nil)
			continue
		}
		v = append(v, new(d/x.seconds()/per))
	}
	c.add(name, side, unit, t, v, v)
}

// curveSeconds is the stretch of waits and GPU activity in figures.
const curveSeconds = 5

func (c *curves) throughput() {
	if l := c.r.Log; l != nil {
		for _, k := range []struct{ key, unit string }{{keyTokens, "tok/s"}, {keyItems, "items/s"}} {
			if rate := l.Keys[k.key]; len(rate.T) > 2 {
				c.points("throughput", "", k.unit, rate)
				c.moving(cumulate(rate, c.r.Start), k.unit)
				return
			}
		}
	}
	if q := c.r.Queue; q != nil && len(q.Gets.T) > 2 {
		c.growth("throughput", "", "items/s", q.Gets.increments(), 1, curveSeconds)
		c.moving(q.Gets.increments(), "items/s")
	}
}

// moving adds the mean over the 60 s around each point.
func (c *curves) moving(count Points, unit string) {
	if c.whole.seconds() < 180 {
		return
	}
	n := int64(min(maxPoints/2, int(c.whole.seconds()/5)))
	width := (c.whole.to - c.whole.from) / n
	var t []float64
	var v []*float64
	for i := range n {
		mid := c.whole.from + i*width
		d, ok := gained(count, span{mid - int64(30e9), mid + int64(30e9)})
		t = append(t, c.s.at(mid))
		if !ok {
			v = append(v, nil)
			continue
		}
		v = append(v, new(d/60))
	}
	c.add("throughput_60s", "", unit, t, v, v)
}

func (c *curves) depth() {
	if q := c.r.Queue; q != nil && len(q.Depth.T) > 1 {
		c.points("depth", "", "items", q.Depth)
	}
}

// waits draws those that are used: a counter that was set aside has no curve.
func (c *curves) waits(t *model.Topology, u *WaitUse) {
	if u == nil {
		return
	}
	if q := c.r.Queue; q != nil && t != nil {
		for _, w := range []struct {
			name, side string
			p          Points
			n          *int
			used       *Wait
		}{
			{"wait.put", model.Target, q.PutWait, t.TargetWorkers, u.Put},
			{"wait.gate", model.Drafter, q.GetWait, t.DrafterWorkers, u.Gate},
			{"wait.input", model.Target, q.Input, t.TargetWorkers, u.Input},
		} {
			if len(w.p.T) > 2 && w.n != nil && w.used != nil {
				c.growth(w.name, w.side, "ratio", w.p.increments(), float64(*w.n), curveSeconds)
			}
		}
		if q.Waits() {
			return
		}
	}
	if l := c.r.Log; l != nil {
		for _, w := range []struct{ name, side, key string }{
			{"wait.put", model.Target, keyPutWait}, {"wait.gate", model.Drafter, keyGateWait}, {"wait.input", model.Target, keyInputWait},
		} {
			if len(l.Keys[w.key].T) > 2 && l.Units[w.key] == "ratio" {
				c.means(w.name, w.side, "ratio", l.Keys[w.key], curveSeconds)
			}
		}
	}
}

func (c *curves) gpus(u *GPUUse) {
	if u == nil {
		return
	}
	for _, d := range u.Devices {
		side := d.Side
		if side == model.Both {
			side = ""
		}
		c.means(fmt.Sprintf("gpu.%d", d.Index), side, "ratio", d.Util, curveSeconds)
	}
}

// threads adds the busiest threads.
func (c *curves) threads() {
	if c.p.Out.CPU == nil {
		return
	}
	want := map[int64]string{}
	var order []int64
	for _, h := range c.p.Out.CPU.Busiest {
		if tid, err := strconv.ParseInt(h.TID, 10, 64); err == nil {
			want[tid] = h.Role
			order = append(order, tid)
		}
	}
	batches, room := c.p.Run.Threads.Batches, rowsEach(c.p.Run.Threads)
	var points, more map[int64]*Points
	n := len(batches) / 2
	shard.All(
		func() { points = c.threadPoints(batches[:n], want, room) },
		func() { more = c.threadPoints(batches[n:], want, room/2) },
	)
	for tid, q := range more {
		if p := points[tid]; p != nil {
			p.T, p.V = append(p.T, q.T...), append(p.V, q.V...)
		} else {
			points[tid] = q
		}
	}
	for _, tid := range order {
		if p := points[tid]; p != nil {
			p.sorted()
			c.means("thread."+strconv.FormatInt(tid, 10), sideOf(want[tid]), "ratio", *p, 2)
		}
	}
}

// threadPoints are the CPU shares of wanted threads, each with room for so many.
func (c *curves) threadPoints(batches []*model.Batch, want map[int64]string, room int) map[int64]*Points {
	points := map[int64]*Points{}
	var tids rounds[int64]
	var lists []*Points // by the number of a TID, nil for one that is not wanted
	b := model.NewReader(model.Threads, model.ThreadTID, model.ThreadT, model.ThreadCPU)
	for _, batch := range batches {
		if !placed(c.p.Run, batch) {
			continue
		}
		b.Read(batch)
		for r := range b.Rows() {
			tid, ok := b.Int(model.ThreadTID, r)
			t, ok2 := b.Int(model.ThreadT, r)
			v, ok3 := b.Float(model.ThreadCPU, r)
			if !ok || !ok2 || !ok3 {
				continue
			}
			k := tids.find(tid)
			if k == len(lists) {
				lists = append(lists, nil)
				if _, wanted := want[tid]; wanted {
					lists[k] = new(pointsFor(room))
					points[tid] = lists[k]
				}
			}
			if lists[k] != nil {
				lists[k].add(t, v)
			}
		}
	}
	return points
}

// rowsEach guesses how many rows each thread has: the first batch shows most of them.
func rowsEach(t *model.Table) int {
	seen := map[int64]bool{}
	for _, b := range t.Batches[:min(1, len(t.Batches))] {
		for r := range b.Rows() {
			if tid, ok := b.Int(model.ThreadTID, r); ok {
				seen[tid] = true
			}
		}
	}
	return t.Rows()/max(len(seen), 1) + 16
}

// sideOf is the side of a role, "" for any other.
func sideOf(role string) string {
	role, _, _ = strings.Cut(role, " ") // "target (inferred)"
	if role == model.Target || role == model.Drafter {
		return role
	}
	return ""
}

func (c *curves) blocks(pace *Pace, w *WaitUse) {
	for i, b := range c.s.Blocks {
		out := model.Block{FromS: c.s.at(b.from), ToS: c.s.at(b.to)}
		if pace != nil {
			out.Items, out.Tokens = gainedIn(pace.Items, b), gainedIn(pace.Tokens, b)
		}
		for _, side := range []string{model.Target, model.Drafter} {
			if v := waitBlocks(w, side); v != nil && !math.IsNaN(v[i]) {
				out.Wait.Set(side, new(v[i]))
				out.Busy.Set(side, new(1-v[i]))
			}
		}
		if q := c.r.Queue; q != nil {
			if part := q.Depth.between(b.from, b.to); len(part.V) > 0 {
				out.Depth = new(mean(part.V))
			}
		}
		c.training(&out, b, pace)
		c.p.Out.Blocks = append(c.p.Out.Blocks, out)
	}
}

// training is how far the run had come at the end of a block, and its loss there.
func (c *curves) training(out *model.Block, b span, pace *Pace) {
	if pace != nil && pace.Tokens != nil {
		if v, ok := pace.Tokens.interpolate(b.to); ok {
			out.Gone = &v
		}
	}
	l := c.r.Log
	if l == nil {
		return
	}
	if part := l.Keys[keyLoss].between(b.from, b.to); len(part.V) > 0 {
		out.Loss = new(mean(part.V))
	}
	if v, ok := l.Steps.interpolate(b.to); ok {
		out.Step = &v
	}
}

func gainedIn(p *Points, b span) *float64 {
	if p == nil {
		return nil
	}
	if d, ok := gained(*p, b); ok {
		return &d
	}
	return nil
}
