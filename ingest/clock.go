package ingest

import (
	"fmt"
	"math"

	"tidemark/internal/config"
	"tidemark/model"
)

const day = int64(86400e9)

// A stretch is the time that the rows of some files cover.
type stretch struct{ first, last int64 }

func (s stretch) empty() bool { return s.first > s.last }

func (s stretch) add(o stretch) stretch {
	return stretch{min(s.first, o.first), max(s.last, o.last)}
}

// overlap returns how much of the shorter stretch lies in the other one, in [0,1].
func (s stretch) overlap(o stretch) float64 {
	if s.empty() || o.empty() {
		return 0
	}
	both := min(s.last, o.last) - max(s.first, o.first)
	short := min(s.last-s.first, o.last-o.first)
	switch {
	case both < 0:
		return 0
	case short == 0:
		return 1
	}
	return float64(both) / float64(short)
}

var nothing = stretch{math.MaxInt64, math.MinInt64}

// Align puts every file on one clock: UTC files as they are, local times by
// the zone that the user gives or that makes them overlap the UTC files, times
// of day by the date that does. What it did stands in each file's Clock.
func Align(run *model.Run, cfg *config.Config) {
	spans := fileSpans(run)
	utc, local := nothing, nothing
	for i, f := range run.Files {
		f.Clock.Shift, f.Clock.How, f.Clock.Placed = 0, "no time", false
		switch f.Clock.Kind {
		case model.ClockUTC:
			utc = utc.add(spans[i])
		case model.ClockLocal:
			local = local.add(spans[i])
		}
	}
	z := findZone(cfg, utc, local)
	ref := utc
	if !local.empty() {
		ref = ref.add(stretch{local.first + z.shift, local.last + z.shift})
	}
	turns := map[int32][]turn{}
	run.Undated = ref.empty() && undated(run, spans)
	for i, f := range run.Files {
		if !f.Clock.Placed {
			place(f, spans[i], ref, z)
		}
		turns[int32(i)] = inZone(f, cfg, spans[i])
		offset(f, cfg)
		if !spans[i].empty() {
			spans[i] = stretch{spans[i].first + f.Clock.Shift, spans[i].last + f.Clock.Shift + turned(turns[int32(i)])}
		}
		if f.Clock.Placed && spans[i].first <= spans[i].last {
			f.First, f.Last = spans[i].first, spans[i].last
		}
	}
	alignTraces(run)
	shift(run, turns)
}

// alignTraces moves traces and the times of samples by their files' shifts.
// They bind no zone: a trace may be of another day.
func alignTraces(run *model.Run) {
	for _, t := range run.Traces {
		f := run.Files[t.File]
		t.Shift(f.Clock.Shift)
		if t.Clock {
			f.First, f.Last = t.From, t.To
		}
	}
	p := run.Stacks
	for i, x := range p.Times {
		d := run.Files[p.Captures[p.Threads[p.Samples[x.Sample].Thread].Capture].File].Clock.Shift
		p.Times[i].From, p.Times[i].To = x.From+d, x.To+d
	}
}

// place decides the clock of one file.
func place(f *model.File, s, ref stretch, z zone) {
	c := &f.Clock
	switch {
	case c.Kind == model.ClockUTC:
		c.Placed, c.How = true, "UTC as printed"
	case c.Kind == model.ClockLocal:
		c.Placed, c.How, c.Shift = !math.IsInf(z.err, 1) || ref.empty(), z.how, z.shift
		if c.Placed {
			c.Error = z.err
		}
	case c.Kind == model.ClockDay && !s.empty() && !ref.empty():
		d := bestDay(stretch{s.first + z.shift, s.last + z.shift}, ref)
		if d == nil {
			c.How = "time of day that, taken as " + zoneName(-z.shift) + ", fits no date of the run: --tz says in which zone it is"
			return
		}
		c.Placed, c.Shift = true, z.shift+*d
		c.How = "time of day taken as " + zoneName(-z.shift) + ", date from the overlap with dated sources"
	case c.Kind == model.ClockDay:
		c.How = "time of day without a date"
	case c.Kind == model.ClockElapsed:
		c.How = "elapsed time from a start that is not stamped"
	}
}

// undated places the files of a run that no source dates, and reports whether
// there are any: times of day as those of one day and the next, or a single
// recording's time since its start.
func undated(run *model.Run, spans []stretch) bool {
	kind, n := model.ClockElapsed, 0
	for i, f := range run.Files {
		if k := f.Clock.Kind; !spans[i].empty() && k == model.ClockDay {
			kind = k
		} else if !spans[i].empty() && k == model.ClockElapsed && run.Recorder(int32(i)) == int32(i) {
			n++
		}
	}
	if kind == model.ClockElapsed && n != 1 {
		return false
	}
	any := false
	for i, f := range run.Files {
		if c := &f.Clock; !spans[i].empty() && c.Kind == kind {
			any = true
			c.Placed, c.How, c.Shift = true, "time of day, of a date that is not recorded", day // 0 is no time
			if kind == model.ClockElapsed {
				c.How = "time since a start that is not stamped"
			}
		}
	}
	return any
}

// bestDay returns the whole days to add to s to overlap ref most.
func bestDay(s, ref stretch) *int64 {
	best, at := 0.0, int64(0)
	from := (ref.first-s.last)/day - 1
	for d := from; d <= (ref.last-s.first)/day+1 && d-from < 1000; d++ {
		if o := ref.overlap(stretch{s.first + d*day, s.last + d*day}); o > best {
			best, at = o, d*day
		}
	}
	if best == 0 {
		return nil
	}
	return &at
}

// offset adds what the user says a file's clock is off by.
func offset(f *model.File, cfg *config.Config) {
	for name, sec := range cfg.ClockOffset {
		if !config.Names(name, f.Path) {
			continue
		}
		f.Clock.Shift += int64(sec * 1e9)
		f.Clock.Placed = f.Clock.Placed || f.Clock.Kind == model.ClockElapsed // the start, as given
		f.Clock.How += fmt.Sprintf(", %+g s as given", sec)
	}
}

// fileSpans returns the stretch of each file's rows, in its own time.
func fileSpans(run *model.Run) []stretch {
	spans := make([]stretch, len(run.Files))
	for i := range spans {
		spans[i] = nothing
	}
	for _, t := range run.Tables() {
		for _, b := range t.Batches {
			if first, last, ok := b.Span(); ok {
				s := &spans[b.File]
				s.first, s.last = min(s.first, first), max(s.last, last)
			}
		}
	}
	return spans
}

// shift moves the rows of every file by its clock's shift, and those after the
// beginning or end of summer time by what that adds.
func shift(run *model.Run, turns map[int32][]turn) {
	for _, t := range run.Tables() {
		for _, b := range t.Batches {
			d := run.Files[b.File].Clock.Shift
			if list := turns[b.File]; len(list) > 0 {
				turnRows(b, d, list)
			} else if d != 0 {
				b.Shift(0, d)
			}
		}
	}
}

func abs(v int64) int64 { return max(v, -v) }
