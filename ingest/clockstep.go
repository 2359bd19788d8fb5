package ingest

import (
	"cmp"
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

// strayFar is how far off the time of a single row must be to be left out. A
// line that another process held back in a buffer is off by less, and stays.
const strayFar = int64(60e9)

// A clockStep is a place from which on the times of a file fell behind.
type clockStep struct {
	at instant
	by int64 // ns to add from there on
}

// unstep makes the times of a file whose clock was set back go on rising: what
// follows the step is moved forward so that the row after it comes as long after
// the row before it as rows do. A single row that is off stays where it is, with a note,
// or loses its time where that would tear the file's span apart.
func unstep(f *model.File, tables []*model.Table) {
	if f.Clock.Kind != model.ClockUTC && f.Clock.Kind != model.ClockLocal {
		return // elapsed times begin anew; times of day have their own midnights
	}
	list := instants(tables)
	if len(list) < 3 {
		return
	}
	list, strays := dropEnds(list)
	steps, more := clockSteps(list)
	strays = append(strays, more...)
	if len(steps) > maxSteps || len(strays) > maxSteps && len(strays) > len(list)/100 {
		f.Note(fmt.Sprintf("times fall back %d times: several clocks in one file, kept as printed", len(steps)+len(strays)))
		return
	}
	clearStrays(f, tables, strays)
	for _, s := range steps {
		warnAt(f, s.at, fmt.Sprintf("the clock was set back by %s: later times are moved forward by that", seconds(s.by)))
	}
	f.Clock.SetBack = len(steps) > 0
	move(tables, steps)
}

// clockSteps follows the times down the file and tells the steps of its clock
// from single rows that are off.
func clockSteps(list []instant) (steps []clockStep, strays []stray) {
	shift, last := int64(0), list[0].t
	for i := 1; i < len(list); i++ {
		at := list[i].t + shift
		left := len(list) - i
		switch {
		case left > 1 && ahead(at-last, list[i+1].t+shift-last):
			strays = append(strays, stray{at: list[i], by: at - max(last, list[i+1].t+shift)})
		case last-at <= stepBack:
			last = max(last, at)
		case left > 2 && last-(list[i+2].t+shift) <= stepBack:
			strays = append(strays, stray{at: list[i], by: at - last})
		default:
			by := setBack(last-at, list[i:])
			steps = append(steps, clockStep{list[i], by})
			shift += by
			last = at + by
		}
	}
	return steps, strays
}

// setBack is by how much a clock was set back, as of the rows that follow: they
// come after the one before by what is between them, and at the end of summer
// time it is an hour.
func setBack(fell int64, after []instant) int64 {
	gap := int64(0)
	for _, x := range after {
		if gap = x.t - after[0].t; gap != 0 {
			break
		}
	}
	if gap < 0 || gap > maxStepGap {
		gap = 0
	}
	if abs(fell-hour) <= max(2*gap, hourSlack) {
		return hour
	}
	return fell + gap
}

// hour is how much clocks go back by at the end of summer time, hourSlack how
// far off a fall by it may be, maxStepGap the longest time between rows that
// is taken for what passed.
const hour, hourSlack, maxStepGap = int64(3600e9), int64(5e9), int64(60e9)

func seconds(ns int64) string { return fmt.Sprintf("%.4g s", float64(ns)/1e9) }

// warnAt notes an odd time.
func warnAt(f *model.File, x instant, msg string) {
	e := model.SyntaxError{Pos: model.Pos{File: f.Path, Line: int(x.line), Byte: x.off}, Msg: msg}
	f.OddTimes.Add(e)
	if len(f.Warnings) < model.MaxWarnings {
		f.Warnings = append(f.Warnings, e)
	}
}

// An instant is the time of a row, or of several of one line or record.
type instant struct {
	t    int64
	line int32
	off  int64
}

func (a instant) place(b instant) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.off, b.off))
}

// instants returns the times of the table with most rows, in the order of the
// file; nil where they rise and lie together.
func instants(tables []*model.Table) (list []instant) {
	var most *model.Table
	for _, x := range tables {
		if most == nil || x.Rows() > most.Rows() {
			most = x
		}
	}
	if most == nil || rising(most) {
		return nil
	}
	for _, b := range most.Batches {
		for r := range b.Rows() {
			if v, ok := b.Int(0, r); ok {
				x := instant{v, b.Line(r), b.Byte(r)}
				if n := len(list); n == 0 || list[n-1] != x {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// rising reports that no time falls behind by more than stepBack, and that no
// row lies a day off: the rule, told without a copy of the column.
func rising(x *model.Table) bool {
	const notYet = int64(-1 << 62)
	last := notYet
	for _, b := range x.Batches {
		if first, end, ok := b.Rising(); ok && end-first <= day && last-first <= stepBack && (last == notYet || first-last <= day) {
			last = max(last, end)
			continue
		}
		for v := range b.Times() {
			if last-v > stepBack || last > notYet && v-last > day {
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
				n := sort.Search(len(steps), func(i int) bool { return steps[i].at.place(instant{0, b.Line(r), b.Byte(r)}) > 0 })
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
