package infer

import (
	"cmp"
	"math"
	"slices"

	"tidemark/model"
)

// A wish is a recording, and the probability that it would move.
type wish struct {
	text, command string
	seconds       float64
	mass          float64
}

// recordings asks for what would settle what is open, the one that moves most
// probability first.
func (n *nextSteps) recordings(stacks *StackUse, waits *WaitUse) {
	out := n.p.Out
	list := append(renames(waits), n.open(stacks)...)
	slices.SortStableFunc(list, func(a, b wish) int { return cmp.Compare(b.mass, a.mass) })
	seen := map[string]bool{}
	for _, w := range list {
		if seen[w.command] || len(out.Next) >= maxSteps+maxRecordings {
			continue
		}
		seen[w.command] = true
		step := model.Step{Kind: "recording", Text: w.text, Command: w.command}
		if w.seconds > 0 {
			step.Seconds = &w.seconds
		}
		out.Next = append(out.Next, step)
	}
}

// renames lists the counters that were set aside for their unit: nothing costs
// less than a header.
func renames(w *WaitUse) []wish {
	if w == nil {
		return nil
	}
	var list []wish
	for _, r := range w.Renamed {
		list = append(list, wish{r.text, r.column, 0, 1})
	}
	return list
}

// open lists what is not settled.
func (n *nextSteps) open(stacks *StackUse) []wish {
	out := n.p.Out
	q := out.Limiter.Probabilities
	var list []wish
	add := func(text, command string, seconds, mass float64) {
		list = append(list, wish{text, command, seconds, mass})
	}
	if both := min(q.Target, q.Upstream); both >= openMass {
		add("whether the targets wait for prompts", IdleRecord, 60, 2*both)
	}
	if c := out.CPU; c != nil && c.Dominant != nil {
		if r := c.Roles[c.Dominant.Role]; r.Unresolved != nil && r.Unresolved.Mid > unresolvedShare {
			add("which C calls these lines make", StackRecord, 60, openMass)
		}
	}
	if stacks != nil && stacks.OneProcess && stacks.GILShare == nil && stacks.GILCleared == "" {
		add("who holds the GIL", GILRecord, 60, min(q.Both, max(q.Target, q.Drafter)))
	}
	undecided := 1 - max(q.Target, q.Drafter, q.Both, q.Upstream)
	for _, s := range out.Skipped {
		what, known := settles[s.Analyzer]
		if s.RecordWith == "" || !known {
			continue
		}
		seconds, mass := 60.0, 0.0
		if s.Analyzer == Waits.Name {
			seconds, mass = n.waitSeconds(), undecided+openMass
		}
		add(what, s.RecordWith, seconds, mass)
	}
	return list
}

// IdleRecord shows waiting threads with what they wait for.
const IdleRecord = "py-spy record --idle --rate 20 -d 60 -f raw --threads -o pyspy.idle.txt -p PID > pyspy.log"

// settles words what a missing source would settle.
var settles = map[string]string{
	Waits.Name: "who waits, measured", Stacks.Name: "what the threads do", GPUActivity.Name: "device or host", QueueClass.Name: "where the queue stands",
}

// waitSeconds is how long wait counters must run to tell the ratio of
// capacities from where the verdict changes: the standard error of the ratio
// was 0.03 with 300 items at a CV of 0.4 (simulated), and falls with the root
// of the items. At least a minute, at most half an hour.
func (n *nextSteps) waitSeconds() float64 {
	if n.u == nil || n.u.X <= 0 {
		return 60
	}
	edge := elastic * math.Log(1.1)
	r := quantiles(n.u.States, func(s state) float64 { return s.r })
	spread := min(max(math.Abs(math.Abs(r.Mid)-edge)/2, 0.01), 0.05)
	items := 300 * (0.03 / spread) * (0.03 / spread)
	return math.Round(min(max(items/n.u.X, 60), 1800))
}
