package ingest

import (
	"fmt"
	"sort"

	"tidemark/model"
)

// stepBack is how far the times of one file must fall, and stay behind, for a
// step of the clock: lines of several processes are out of order by less.
const stepBack = int64(10e9)

// maxSteps is the most steps that a clock is believed to take in one file:
// more are two clocks whose lines are mixed.
const maxSteps = 8

// A clockStep is a place from which on the times of a file fell behind.
type clockStep struct {
	line int32
	by   int64 // ns to add from there on
}

// unstep makes the times of a file whose clock was set back go on rising: what
// follows the step is moved forward so that the row after it comes right after
// the row before it. A single row out of order stays where it is, with a note.
func unstep(f *model.File, tables []*model.Table) {
	if f.Clock.Kind != model.ClockUTC && f.Clock.Kind != model.ClockLocal {
		return // elapsed times begin anew; times of day have their own midnights
	}
	line, t := times(tables)
	if len(t) < 3 {
		return
	}
	var steps []clockStep
	shift, last := int64(0), t[0]
	for i := 1; i < len(t); i++ {
		at := t[i] + shift
		if last-at <= stepBack {
			last = max(last, at)
			continue
		}
		if i+2 < len(t) && last-(t[i+2]+shift) <= stepBack {
			warnStep(f, line[i], fmt.Sprintf("time %s before the line above, which the lines below do not share: kept as it is", seconds(last-at)))
			continue
		}
		by := last - at
		steps = append(steps, clockStep{line[i], by})
		shift += by
		last = max(last, t[i]+shift)
	}
	if len(steps) > maxSteps {
		f.Note(fmt.Sprintf("times fall back %d times: several clocks in one file, kept as printed", len(steps)))
		return
	}
	for _, s := range steps {
		warnStep(f, s.line, fmt.Sprintf("the clock was set back by %s: later times are moved forward by that", seconds(s.by)))
	}
	move(tables, steps)
}

func seconds(ns int64) string { return fmt.Sprintf("%.4g s", float64(ns)/1e9) }

func warnStep(f *model.File, line int32, msg string) {
	if len(f.Warnings) < model.MaxWarnings {
		f.Warnings = append(f.Warnings, model.SyntaxError{Pos: model.Pos{File: f.Path, Line: int(line)}, Msg: msg})
	}
}

// times returns the times of the table with most rows, in the order of lines.
func times(tables []*model.Table) (line []int32, t []int64) {
	var most *model.Table
	for _, x := range tables {
		if most == nil || x.Rows() > most.Rows() {
			most = x
		}
	}
	if most == nil || rising(most) {
		return nil, nil
	}
	for _, b := range most.Batches {
		for r := range b.Rows() {
			if v, ok := b.Int(0, r); ok {
				line, t = append(line, b.Line[r]), append(t, v)
			}
		}
	}
	return line, t
}

// rising reports that no time falls behind by more than stepBack: the rule,
// told without a copy of the column.
func rising(x *model.Table) bool {
	last := int64(-1 << 62)
	for _, b := range x.Batches {
		for v := range b.Times() {
			if last-v > stepBack {
				return false
			}
			last = max(last, v)
		}
	}
	return true
}

// move shifts the rows of all tables by the steps before their line.
func move(tables []*model.Table, steps []clockStep) {
	for _, x := range tables {
		for _, b := range x.Batches {
			for r := range b.Rows() {
				n := sort.Search(len(steps), func(i int) bool { return steps[i].line > b.Line[r] })
				var by int64
				for _, s := range steps[:n] {
					by += s.by
				}
				if v, ok := b.Int(0, r); ok && by != 0 {
					b.PutInt(0, r, v+by)
				}
			}
		}
	}
}
