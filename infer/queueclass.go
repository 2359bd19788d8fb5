package infer

import (
	"math"
	"slices"

	"tidemark/internal/shard"
	"tidemark/internal/stats"
	"tidemark/model"
)

// A DepthUse is what the depth did over the steady state.
type DepthUse struct {
	Depth     Points // readings in the steady state's spans
	Zones     model.Zones
	Capacity  float64
	MinReady  float64
	Pinned    bool    // held in a narrow band by what is not known
	AtCap     float64 // share of time at capacity
	BelowGate float64 // share of time under min_ready
	Effective float64
	Moved     float64 // items, change of the depth over the spans
	Gate      string
	At        []model.Pos
	gap       float64 // s that a reading may stand for
	held      holding
}

// QueueClass says what the depth alone says.
var QueueClass = &Analyzer{
	Name: "queue",
	Doc: `The queue's class, named after the side that runs ahead, and its meaning in words.

Zones are time-weighted: w = max(1, 0.1·(capacity − min_ready)); full from capacity − w, starved under min_ready − w, at the watermark within w of min_ready. The class says who runs ahead, not who limits: with the gate on, a starving drafter stops at min_ready, so a depth that sits there is what a target-limited pipeline looks like.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Steady},
	Run:      runQueueClass,
}

// meanings words each class, meaning first.
var meanings = map[string]string{
	model.TargetBound:  "queue full, the target side runs ahead",
	model.DrafterBound: "queue drained, the drafter side runs ahead",
	model.Unsettled:    "the depth alternates, no zone holds most of the time",
	model.Unknown:      "no usable depth",
}

// Of a queue that comes to neither of its ends.
const (
	fillingMeaning  = "queue filling all along, the target side runs ahead"
	drainingMeaning = "queue draining all along, the drafter side runs ahead"
	pinnedMeaning   = "queue held in a narrow band far from both ends, by what is not known"
)

func runQueueClass(p *Pass) (any, error) {
	r, _ := Result[*Readings](p, ReadingsOf)
	topo, _ := Result[*model.Topology](p, Topology)
	s, ok := Result[*SteadyState](p, Steady)
	q := &p.Out.Queue
	q.Class, q.Meaning, q.GateKind = model.Unknown, meanings[model.Unknown], "unknown"
	if !ok || r.Queue == nil || len(r.Queue.Depth.T) < 2 {
		return nil, &SkipError{Needs: "the depth of the queue over time", Record: QueueRecord}
	}
	q.Capacity, q.MinReady = topo.QueueCapacity, topo.MinReady
	if topo.QueueCapacity == nil || *topo.QueueCapacity <= 0 {
		return nil, &SkipError{Needs: "the capacity of the queue", Record: "capacity: N in tidemark.yaml, or --capacity N"}
	}
	u := depthUse(r.Queue.Depth, s, topo)
	if len(u.Depth.T) < 2 {
		return nil, &SkipError{Needs: "readings of the depth in the steady state", Record: QueueRecord}
	}
	u.Gate = gateKind(r.Queue, u)
	u.At = []model.Pos{r.Queue.First}
	if topo.MinReady == nil && u.pinned() {
		u.Pinned = true
		p.Check(model.Check{
			Name: "queue.pinned", Value: new(stats.Median(u.Depth.V)),
			Text: "something holds the depth far from both ends, and min_ready is not known: a gate there (then the targets limit) or a bound of the queue (then the drafters do); --min-ready N tells which, and the depth is no evidence until then",
		})
	}
	u.publish(p, q, s, p.Run.Files[r.Queue.File].Path)
	return u, nil
}

// QueueRecord says what to record of the queue.
const QueueRecord = "at 10 Hz from the training process: timestamp,queue,depth,capacity,min_ready,puts_total,gets_total,put_wait_seconds_total,get_wait_seconds_total"

func depthUse(depth Points, s *SteadyState, topo *model.Topology) *DepthUse {
	u := &DepthUse{Capacity: *topo.QueueCapacity}
	if topo.MinReady != nil {
		u.MinReady = *topo.MinReady
	}
	u.Depth = depth.within(s.Spans)
	if len(u.Depth.T) == 0 {
		return u
	}
	for _, x := range s.Spans {
		if v := depth.between(x.from, x.to).V; len(v) > 0 {
			u.Moved += v[len(v)-1] - v[0]
		}
	}
	u.Effective = stats.Effective(u.Depth.V)
	u.gap = holdGap(u.Depth)
	u.held = u.Depth.held(s.Spans, u.gap)
	u.Zones = u.zonesOf(u.held)
	u.AtCap = u.held.share(func(v float64) bool { return v >= u.Capacity })
	u.BelowGate = u.held.share(func(v float64) bool { return v < u.MinReady })
	return u
}

// pinned reports a depth that stays in a narrow band between the ends of the
// queue: two sides that are alike would let it wander.
func (u *DepthUse) pinned() bool {
	if len(u.Depth.V) < pinnedReadings {
		return false
	}
	ends := stats.Weighted(u.held.v, u.held.sec, 0.05, 0.95)
	return ends[0] >= 3 && ends[1] <= u.Capacity/2 && ends[1]-ends[0] <= max(2, pinnedBand*u.Capacity)
}

// holdGap is how long a reading may stand for: a gap in the recording is not a level.
func holdGap(p Points) float64 { return max(5*p.step(), 1) }

// zones are shares of the time of a span.
func (u *DepthUse) zones(x span) model.Zones { return u.zonesOf(u.Depth.held([]span{x}, u.gap)) }

func (u *DepthUse) zonesOf(h holding) model.Zones {
	capacity, ready := u.Capacity, u.MinReady
	w := max(1, 0.1*(capacity-ready))
	var z model.Zones
	for i, v := range h.v {
		share := h.sec[i] / h.total
		switch {
		case v >= capacity-w:
			z.Full += share
		case v < ready-w:
			z.Starved += share
		case v <= ready+w:
			z.AtWatermark += share
		default:
			z.Between += share
		}
	}
	return z
}

// classOf names the class of a set of zones.
func classOf(z model.Zones) string {
	switch {
	case z.Full > zoneHeld:
		return model.TargetBound
	case z.Starved > zoneHeld:
		return model.DrafterBound
	case z.AtWatermark+z.Between > zoneHeld:
		return model.Balanced
	}
	return model.Unsettled
}

func (u *DepthUse) publish(p *Pass, q *model.QueueInfo, s *SteadyState, source string) {
	q.Class, q.Source, q.GateKind = classOf(u.Zones), source, u.Gate
	q.Zones = &u.Zones
	q.Meaning = u.meaning(q.Class)
	q.Samples, q.EffectiveSamples = len(u.Depth.T), u.Effective
	if step := u.Depth.step(); step > 0 {
		q.Hz = new(1 / step)
	}
	q.Depth = u.held.depth()
	q.Histogram = u.histogram()
	q.AtCapacity = &u.AtCap
	var share float64
	for _, b := range q.Histogram {
		if b.Depth >= u.MinReady-1 && b.Depth <= u.MinReady {
			share += b.Share
		}
	}
	share = min(share, 1) // a sum of shares may come out above by rounding
	if q.MinReady != nil {
		q.AtMinReady = &share
	}
	shard.All(
		func() { q.Probability = u.probability(s, q.Class) },
		func() { u.phases(p.Out.Phases, s) },
	)
}

// phases gives the steady ones their class.
func (u *DepthUse) phases(list []model.Phase, s *SteadyState) {
	for i := range list {
		if ph := &list[i]; ph.Kind == "steady" {
			ph.Class = classOf(u.zones(span{s.Start + int64(ph.FromS*1e9), s.Start + int64(ph.ToS*1e9)}))
		}
	}
}

func (u *DepthUse) meaning(class string) string {
	room := u.Capacity - u.MinReady
	switch {
	case class != model.Balanced:
		return meanings[class]
	case u.Pinned:
		return pinnedMeaning
	case u.Moved > freeMoved*room && trending(u.Depth):
		return fillingMeaning
	case -u.Moved > freeMoved*room && trending(u.Depth):
		return drainingMeaning
	case u.Zones.AtWatermark > u.Zones.Between:
		return "queue at its min_ready watermark, neither side far ahead"
	}
	return "queue wandering between the watermarks, neither side far ahead"
}

// maxBins keeps a histogram readable and a report small.
const maxBins = 128

func (u *DepthUse) histogram() []model.Bin {
	h := u.held
	top := u.Capacity
	if n := len(h.v); n > 0 {
		top = max(top, h.v[n-1])
	}
	width := math.Ceil((top + 1) / maxBins)
	bins := make([]model.Bin, int((top+1)/width)+1)
	for i, v := range h.v {
		bins[int(max(v, 0)/width)].Share += h.sec[i]
	}
	out := bins[:0]
	for i, b := range bins {
		if b.Share > 0 {
			out = append(out, model.Bin{Depth: float64(i) * width, Width: width, Share: b.Share / h.total})
		}
	}
	return out
}

// probability is how often the class comes out when blocks are drawn again.
func (u *DepthUse) probability(s *SteadyState, class string) *float64 {
	each := make([]model.Zones, len(s.Blocks))
	shard.Do(len(each), 1, func(from, to int) {
		for i := from; i < to; i++ {
			each[i] = u.zones(s.Blocks[i])
		}
	})
	each = slices.DeleteFunc(each, func(z model.Zones) bool { return !(z.Full+z.Between+z.AtWatermark+z.Starved > 0) })
	if len(each) < 2 {
		return nil
	}
	hits := 0
	stats.Bootstrap(len(each), func(draw []int) float64 {
		var z model.Zones
		for _, i := range draw {
			x := &each[i]
			z.Full += x.Full
			z.Between += x.Between
			z.AtWatermark += x.AtWatermark
			z.Starved += x.Starved
		}
		n := float64(len(draw))
		if classOf(model.Zones{Full: z.Full / n, Between: z.Between / n, AtWatermark: z.AtWatermark / n, Starved: z.Starved / n}) == class {
			hits++
		}
		return 0
	})
	share := min(float64(hits)/stats.Resamples, 1-1/float64(stats.Resamples))
	return &share
}

// gateKind recognises how drafters are let at the queue, from the lowest
// depths and the size of drops: a level gate never shows a depth under
// min_ready − 1 by a get; a hysteresis or batch gate saws between min_ready
// and near 0; a gate that only opens once leaves the depth near 0.
func gateKind(q *QueueReadings, u *DepthUse) string {
	if u.MinReady <= 1 {
		return "none"
	}
	v := u.Depth.V
	ends := stats.Weighted(u.held.v, u.held.sec, 0.02, 0.98)
	low, high := ends[0], ends[1]
	switch {
	case low > u.MinReady+1:
		return "unknown" // the gate was never tested
	case low >= u.MinReady-1-float64(drawn(q)):
		return "level"
	case high < u.MinReady/2:
		return "start"
	case drops(v) >= u.MinReady/2:
		return "batch"
	case high >= u.MinReady-1:
		return "hysteresis"
	}
	return "unknown"
}

// drawn allows for items that several workers take between two readings.
func drawn(q *QueueReadings) int {
	if q.FromLog {
		return 2
	}
	return 1
}

// drops is a large quantile of falls of the depth between readings.
func drops(v []float64) float64 {
	var d []float64
	for i := 1; i < len(v); i++ {
		if v[i] < v[i-1] {
			d = append(d, v[i-1]-v[i])
		}
	}
	if len(d) == 0 {
		return 0
	}
	return stats.Quantile(d, 0.5)
}
