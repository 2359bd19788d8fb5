package infer

import "tidemark/model"

// Labels is what inference says of single rows, for the tables on disk.
type Labels struct {
	classes *StackClasses
	roles   *RoleMap
	gpus    *GPUUse
	run     *model.Run
	costs   *costs
}

func labelsOf(run *model.Run, passes map[*Analyzer]*Pass) *Labels {
	l := &Labels{run: run}
	l.classes, _ = resultOf[*StackClasses](passes, Stacks)
	l.roles, _ = resultOf[*RoleMap](passes, Roles)
	l.gpus, _ = resultOf[*GPUUse](passes, GPUActivity)
	l.costs, _ = resultOf[*costs](passes, CPUCost)
	return l
}

func resultOf[T any](passes map[*Analyzer]*Pass, a *Analyzer) (v T, ok bool) {
	if p := passes[a]; p != nil {
		v, ok = p.result.(T)
	}
	return v, ok
}

// Captures returns the captures that the costs were read from, nil where there
// are none, and their rate in samples/s and length in s, 0 where unknown.
func (l *Labels) Captures() (list []int32, rate, seconds float64) {
	if l.costs == nil {
		return nil, 0, 0
	}
	return l.costs.list, l.costs.main.Rate, l.costs.main.Seconds
}

// Sample returns what is said of a sample of the profile; "" where nothing is.
func (l *Labels) Sample(i int) (role, state, mechanism, cause string) {
	s := l.run.Stacks.Samples[i]
	if l.roles != nil && len(l.roles.Thread) > 0 {
		role = l.roles.Of(s)
	}
	if l.classes != nil {
		c := l.classes.Of(s.Stack)
		state, mechanism, cause = stateOf(c, s.Hint&model.HintIdle != 0), c.Mechanism, c.Cause
	}
	return role, state, mechanism, cause
}

// Mark writes sides and roles into the gpu and threads tables of the run.
func (l *Labels) Mark() {
	if l.gpus != nil {
		side := map[int64]int32{}
		for _, d := range l.gpus.Devices {
			if d.Side != "" {
				side[int64(d.Index)] = l.run.Strings.Code(d.Side)
			}
		}
		mark(l.run.GPU, model.GPUSide, func(b *model.Batch, r int) int32 {
			g, _ := b.Int(model.GPUIndex, r)
			return side[g]
		})
	}
	if l.roles == nil {
		return
	}
	role := map[int64]int32{}
	for _, t := range l.roles.Sorted() {
		if t.Role != "" {
			role[t.TID] = l.run.Strings.Code(t.Role)
		}
	}
	mark(l.run.Threads, model.ThreadRole, func(b *model.Batch, r int) int32 {
		tid, ok := b.Int(model.ThreadTID, r)
		if !ok {
			return 0
		}
		return role[tid]
	})
}

// mark sets a Text column wherever of gives a code above 0.
func mark(t *model.Table, col int, of func(b *model.Batch, row int) int32) {
	for _, b := range t.Batches {
		for r := range b.Rows() {
			if c := of(b, r); c > 0 {
				b.PutText(col, r, c)
			}
		}
	}
	t.Pack()
}
