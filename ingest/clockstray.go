package ingest

import (
	"fmt"

	"tidemark/model"
)

// A stray is a row whose time is off from those before and after it.
type stray struct {
	at  instant
	by  int64 // ns after the nearer of them, below 0 before
	end bool  // the first or the last row of the file
}

// ahead reports whether a row that jumps forward is off, and no clock was set
// back after it: the next row goes on from before the jump.
func ahead(jump, next int64) bool {
	return jump > strayFar && next >= -stepBack && jump > 10*max(next, stepBack)
}

// endFar is how many times the span of all other rows the first or the last one
// must lie off, and a day at least, to be a stray: a run may end with a line
// that was written long after it.
const endFar = 100

// dropEnds takes off the first and the last row where they are off.
func dropEnds(list []instant) ([]instant, []stray) {
	var strays []stray
	for _, first := range []bool{true, false} {
		x, rest := list[0], list[1:]
		if !first {
			x, rest = list[len(list)-1], list[:len(list)-1]
		}
		if len(rest) < 3 {
			continue
		}
		s := nothing
		for _, r := range rest {
			s = s.add(stretch{r.t, r.t})
		}
		by := x.t - min(max(x.t, s.first), s.last)
		if abs(by) > max(day, endFar*(s.last-s.first)) {
			list, strays = rest, append(strays, stray{x, by, true})
		}
	}
	return list, strays
}

// clearStrays takes the times of rows that are far off, and notes all.
func clearStrays(f *model.File, tables []*model.Table, strays []stray) {
	far := map[instant]bool{}
	for _, s := range strays {
		side, others, how := "before", "the line above, which the lines below do not share", "kept as it is"
		if s.by > 0 {
			side = "after"
		}
		if s.end {
			others = "all others"
		}
		if abs(s.by) > strayFar {
			far[s.at], how = true, "left out"
		}
		warnAt(f, s.at, fmt.Sprintf("time %s %s %s: %s", seconds(abs(s.by)), side, others, how))
	}
	if len(far) == 0 {
		return
	}
	for _, x := range tables {
		for _, b := range x.Batches {
			for r := range b.Rows() {
				if t, ok := b.Int(0, r); ok && far[instant{t, b.Line(r), b.Byte(r)}] {
					b.Clear(0, r)
				}
			}
		}
	}
}
