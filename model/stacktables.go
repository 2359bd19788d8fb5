package model

// StackTables returns the sampled stacks as tables, for export: one row per
// sample with its thread, and the frames of every stack that a sample has,
// each stack once, at the place of its first sample. label says what the
// thread of a sample is and what it does; "" is left missing, and label may be nil.
//
// The tables have no times: no sampler read here prints them. They grow with
// the distinct stacks, not with the samples counted.
func (r *Run) StackTables(label func(sample int) (role, state, mechanism, cause string)) (stacks, frames *Table) {
	stacks, frames = NewTable(Stacks), NewTable(Frames)
	seen := make([]bool, r.Stacks.Set.Stacks())
	var codes []int32
	for i, s := range r.Stacks.Samples {
		th := r.Stacks.Threads[s.Thread]
		c := r.Stacks.Captures[th.Capture]
		row := stacks.addOf(c.File, int(s.Line), s.Byte)
		r.sampleRow(row, s, th, c)
		if label != nil {
			role, state, mechanism, cause := label(i)
			r.text(row, SampleRole, role)
			r.text(row, SampleState, state)
			r.text(row, SampleMechanism, mechanism)
			r.text(row, SampleCause, cause)
		}
		if seen[s.Stack] {
			continue
		}
		seen[s.Stack] = true
		codes = r.Stacks.Set.Path(s.Stack, codes[:0])
		for depth, f := range codes {
			r.frameRow(frames.addOf(c.File, int(s.Line), s.Byte), s.Stack, depth, r.Stacks.Set.At(f))
		}
	}
	return stacks, frames
}

// addOf is Add for a row of a file; a batch holds rows of one file.
func (t *Table) addOf(file int32, line int, off int64) *Batch {
	if t.cur != nil && t.cur.File != file {
		t.cur = nil
	}
	b := t.Add(line, off)
	b.File = file
	return b
}

func (r *Run) sampleRow(row *Batch, s Sample, th StackThread, c Capture) {
	r.text(row, SampleProfile, r.Files[c.File].Path)
	r.text(row, SampleTID, th.TID)
	r.text(row, SampleThread, th.Name)
	if th.PID != 0 {
		row.SetInt(SamplePID, th.PID)
	}
	row.SetInt(SampleStack, int64(s.Stack))
	if s.N > 0 {
		row.SetFloat(SampleSamples, s.N)
	}
	if s.Seconds > 0 {
		row.SetFloat(SampleDuration, s.Seconds)
	}
}

func (r *Run) frameRow(row *Batch, stack int32, depth int, f Frame) {
	row.SetInt(FrameStack, int64(stack))
	row.SetInt(FrameDepth, int64(depth))
	row.SetText(FrameFunction, f.Function)
	switch {
	case f.File == 0:
	case f.Native:
		row.SetText(FrameObject, f.File)
	default:
		row.SetText(FrameFile, f.File)
	}
	if f.Line > 0 {
		row.SetInt(FrameLine, int64(f.Line))
	}
}

// text sets a Text cell, or leaves it missing where s is empty.
func (r *Run) text(row *Batch, col int, s string) {
	if s != "" {
		row.SetText(col, r.Strings.Code(s))
	}
}
