package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidemark/internal/say"
	"tidemark/model"
)

// Conditional compares what the targets do while the queue is starved with what
// they do while it is not.
var Conditional = &Analyzer{
	Name: "conditional",
	Doc: `What the target threads do while the queue is starved (depth under min_ready) against while it is not.

Needs stacks with times and their place on the run's clock. py-spy's chrome traces have times since an unknown start, so the start must be given (clock_offset); an error of that start mixes the two states. A difference says what goes together with starving, not what causes it: whatever the targets do slower is also what they do more of while the queue runs empty. The flame graph holds the time while the queue is fed as the first value and while it starves as the second.`,
	Requires: []*Analyzer{ReadingsOf, Topology, Stacks, Roles, Steady},
	Run: func(p *Pass) (any, error) {
		c, err := newConditional(p)
		if err != nil {
			return nil, err
		}
		c.split()
		if c.fed.n < minActive || c.starved.n < minActive {
			return nil, &SkipError{
				Needs:  fmt.Sprintf("%.0f timed samples of the targets in each state; there are %.0f while the queue is starved and %.0f while it is not", minActive, c.starved.n, c.fed.n),
				Record: TimedRecord,
			}
		}
		p.Find(c.finding())
		p.Draw(c.flame()...)
		return nil, nil
	},
}

// TimedRecord records stacks with times, and when they began.
const TimedRecord = `date +%s; py-spy record -f chrometrace --rate 20 -d 120 -o profile.trace.json --pid PID; then clock_offset: {profile.trace.json: SECONDS} in tidemark.yaml`

// conditional splits timed samples by the state of the queue.
type conditional struct {
	run          *model.Run
	classes      *StackClasses
	roles        *RoleMap
	depth        Points
	least        float64 // min_ready
	fed, starved condition
}

// A condition is the targets' samples in one state of the queue.
type condition struct {
	n          float64 // samples
	seconds    float64 // thread time
	stacks     map[int32]float64
	mechanisms map[string]float64
	at         map[string]model.Pos // of the heaviest sample
	most       map[string]float64
}

func newCondition() condition {
	return condition{stacks: map[int32]float64{}, mechanisms: map[string]float64{}, at: map[string]model.Pos{}, most: map[string]float64{}}
}

func newConditional(p *Pass) (*conditional, error) {
	c := &conditional{run: p.Run, fed: newCondition(), starved: newCondition()}
	var ok, ok2 bool
	c.classes, ok = Result[*StackClasses](p, Stacks)
	c.roles, ok2 = Result[*RoleMap](p, Roles)
	if !ok || !ok2 || len(p.Run.Stacks.Times) == 0 {
		return nil, &SkipError{Needs: "stacks of the targets with the time of each sample", Record: TimedRecord}
	}
	if !slices.ContainsFunc(p.Run.Stacks.Times, c.placed) {
		x := p.Run.Stacks.Times[0]
		return nil, &SkipError{
			Needs:  "when " + c.file(x).Path + " began: its times count from its own start",
			Record: "clock_offset: {" + c.file(x).Path + ": SECONDS} in tidemark.yaml, the start in seconds since 1970 UTC",
		}
	}
	topo, _ := Result[*model.Topology](p, Topology)
	r, _ := Result[*Readings](p, ReadingsOf)
	if topo == nil || topo.MinReady == nil || r == nil || r.Queue == nil || len(r.Queue.Depth.T) < 2 {
		return nil, &SkipError{Needs: "readings of the queue's depth, and min_ready"}
	}
	c.depth, c.least = r.Queue.Depth, *topo.MinReady
	return c, nil
}

func (c *conditional) file(x model.SampleTime) *model.File {
	th := c.run.Stacks.Threads[c.run.Stacks.Samples[x.Sample].Thread]
	return c.run.Files[c.run.Stacks.Captures[th.Capture].File]
}

func (c *conditional) placed(x model.SampleTime) bool { return c.file(x).Clock.Placed }

// split divides the time of each timed sample of the targets by the depth then.
func (c *conditional) split() {
	gap := 3 * c.depth.step()
	if math.IsNaN(gap) {
		return
	}
	for _, x := range c.run.Stacks.Times {
		s := c.run.Stacks.Samples[x.Sample]
		if x.To <= x.From || c.roles.Of(s) != model.Target || !c.placed(x) {
			continue
		}
		var low, all float64
		c.depth.hold(x.From, x.To, gap, func(v, seconds float64) {
			all += seconds
			if v < c.least {
				low += seconds
			}
		})
		if all > 0 {
			c.add(&c.starved, s, low, low/all)
			c.add(&c.fed, s, all-low, 1-low/all)
		}
	}
}

func (c *conditional) add(to *condition, s model.Sample, seconds, n float64) {
	if seconds <= 0 {
		return
	}
	id := c.classes.Of(s.Stack).Mechanism
	to.n += n
	to.seconds += seconds
	to.stacks[s.Stack] += seconds
	to.mechanisms[id] += seconds
	if v := to.stacks[s.Stack]; v > to.most[id] {
		to.most[id], to.at[id] = v, c.run.SamplePos(s)
	}
}

func (x *condition) share(id string) float64 { return x.mechanisms[id] / x.seconds }

// finding lists the mechanisms whose shares differ most.
func (c *conditional) finding() model.Finding {
	all := map[string]float64{}
	for id := range c.fed.mechanisms {
		all[id] = 0
	}
	for id := range c.starved.mechanisms {
		all[id] = 0
	}
	ids := sortedKeys(all)
	diff := func(id string) float64 { return c.starved.share(id) - c.fed.share(id) }
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(math.Abs(diff(b)), math.Abs(diff(a))) })
	ids = ids[:min(len(ids), 5)]
	f := model.Finding{ID: "stacks.starved"}
	for _, id := range ids {
		e := model.Evidence{What: id + ", while starved less while not", Value: diff(id), Unit: "share"}
		if at, ok := c.starved.at[id]; ok {
			e.At = []model.Pos{at}
		}
		f.Evidence = append(f.Evidence, e)
	}
	if math.Abs(diff(ids[0])) < c.noise(ids[0]) {
		f.Claim = fmt.Sprintf("The targets do the same while the queue is starved and while it is not: the shares of no mechanism differ by more than chance (%s by %.1f points, %.3g and %.3g thread-seconds).",
			ids[0], 100*math.Abs(diff(ids[0])), c.starved.seconds, c.fed.seconds)
		return f
	}
	f.Claim = fmt.Sprintf("While the queue is starved, %s takes %s of the targets' sampled time, %s while it is not (%.3g and %.3g thread-seconds).",
		ids[0], say.Round(c.starved.share(ids[0])), say.Round(c.fed.share(ids[0])), c.starved.seconds, c.fed.seconds)
	return f
}

// noise is what two shares of one mechanism may differ by chance at 99 %, since
// the largest of several differences is shown. Neighbouring samples are alike:
// only so many a second are independent.
func (c *conditional) noise(id string) float64 {
	alone := func(x *condition) float64 { return math.Min(x.n, x.seconds*independent) }
	p := (c.starved.mechanisms[id] + c.fed.mechanisms[id]) / (c.starved.seconds + c.fed.seconds)
	return 2.58 * math.Sqrt(p*(1-p)*(1/alone(&c.starved)+1/alone(&c.fed)))
}

// flame is both states' stacks as one tree, the fed state first.
func (c *conditional) flame() []model.Flame {
	draw := func(x condition) []model.Flame {
		k := &costs{run: c.run, classes: c.classes, roles: c.roles, tallies: map[string]*tally{}}
		t := newTally(0)
		t.active = x.seconds
		for stack, seconds := range x.stacks {
			t.stacks.list = append(t.stacks.list, stackWeight{stack: stack, n: seconds})
		}
		t.stacks.sort()
		k.tallies[model.Target] = t
		f := k.flameOf(model.Target, flameNodes)
		f.Name = "target, queue fed against starved"
		return []model.Flame{f}
	}
	list := mergeFlames(draw(c.fed), draw(c.starved))
	for i := range list {
		list[i].Unit = "seconds"
	}
	return list
}
