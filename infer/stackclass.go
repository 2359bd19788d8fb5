package infer

import (
	"tidemark/internal/config"
	"tidemark/internal/shard"
	"tidemark/internal/stackrules"
	"tidemark/model"
)

// StackClasses is what the rules say of every sampled stack.
type StackClasses struct {
	of      []int32 // by stack: index in list plus 1
	list    []stackrules.Class
	classer *stackrules.Classifier
	frames  func(code int32) stackrules.Frame
}

// Of returns the class of a sampled stack.
func (c *StackClasses) Of(stack int32) *stackrules.Class { return &c.list[c.of[stack]-1] }

// Stacks classifies all sampled stacks.
var Stacks = &Analyzer{
	Name: "stacks",
	Doc: `Mechanism and cause of every sampled stack, by the rules that analyze findings lists, a run's own stack-rules.json in front.

Right where the leaf is known: with native frames, or where the cost is Python code. A capture without native frames shows C code only as the Python line that called it; such a line stays unresolved.`,
	Run: func(p *Pass) (any, error) {
		if len(p.Run.Stacks.Samples) == 0 {
			return nil, &SkipError{Needs: "sampled stacks of the training processes", Record: StackRecord}
		}
		rules, err := rulesOf(p.Run)
		if err != nil {
			return nil, err
		}
		return classify(p.Run, rules), nil
	},
}

// rulesOf compiles the rules, a user's own in front.
func rulesOf(run *model.Run) (*stackrules.Rules, error) {
	if run.StackRules == nil {
		return stackrules.Load()
	}
	rules, err := stackrules.LoadWith(run.StackRules.Path, []byte(run.StackRules.Text))
	if err != nil {
		return nil, &config.Error{Err: err}
	}
	return rules, nil
}

// StackRecord records the stacks that this tool reads most of: a short window
// at a low rate, since native unwinding slows the run (at 99 Hz eight busy
// threads lost three quarters of their throughput, measured).
const StackRecord = "py-spy record --native --rate 20 -d 60 -f raw --threads -o pyspy.raw.txt -p PID > pyspy.log"

func classify(run *model.Run, rules *stackrules.Rules) *StackClasses {
	set := run.Stacks.Set
	c := &StackClasses{of: make([]int32, set.Stacks())}
	c.frames = func(code int32) stackrules.Frame {
		f := set.At(code)
		return stackrules.Frame{Function: run.Text(f.Function), File: run.Text(f.File), Native: f.Native}
	}
	c.classer = stackrules.NewClassifier(rules, set.Frames(), c.frames)
	var stacks []int32
	for _, s := range run.Stacks.Samples {
		if c.of[s.Stack] == 0 {
			stacks = append(stacks, s.Stack)
			c.of[s.Stack] = int32(len(stacks))
		}
	}
	c.list = make([]stackrules.Class, len(stacks))
	shard.Do(len(stacks), 256, func(from, to int) {
		var path []int32
		for i := from; i < to; i++ {
			path = set.Path(stacks[i], path[:0])
			c.list[i] = c.classer.Classify(path)
		}
	})
	return c
}
