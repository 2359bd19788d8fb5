package infer

import (
	"fmt"
	"math"
	"time"

	"tidemark/internal/say"
	"tidemark/model"
)

const (
	// zoneStep: zones differ by whole quarters of an hour.
	zoneStep = int64(15 * time.Minute)
	// zoneSlack: recordings of one run begin and end within some minutes.
	zoneSlack = int64(2 * time.Minute)
)

// apart reports sources that do not overlap the run's own record, but begin
// and end with it when moved by whole quarters of an hour. The readers place
// local times beside the rest of the run, so these came with a zone, a wrong one.
func (d *Doubt) apart(p *Pass, r *Readings) {
	ref := -1
	switch {
	case r.Queue != nil:
		ref = int(r.Queue.File)
	case r.Log != nil:
		ref = int(r.Log.File)
	default:
		return
	}
	list := recordings(p.Run)
	for _, f := range list {
		if f == nil {
			continue
		}
		if shift := zonesApart(list[ref], f); shift != 0 {
			d.add(p, doubt, clocksApart(list[ref], f, shift))
		}
	}
}

// clocksApart is the finding that f is off by shift.
func clocksApart(own, f *model.File, shift int64) model.Finding {
	here, there := model.Pos{File: f.Path, Line: 1}, model.Pos{File: own.Path, Line: 1}
	return model.Finding{
		ID:    "clock.apart",
		Claim: fmt.Sprintf("%s begins %+.4g h after %s and lasts as long: clocks a time zone apart, so the two cannot be read together.", f.Path, float64(shift)/float64(time.Hour), own.Path),
		Evidence: []model.Evidence{
			{What: "offset of the start", Value: math.Round(float64(f.First-own.First)/1e6) / 1e3, Unit: "s", At: []model.Pos{here, there}},
			{What: "time that it covers", Value: float64(f.Last-f.First) / 1e9, Unit: "s", At: []model.Pos{here}},
		},
		Advice: fmt.Sprintf("Say so: clock_offset: {%s: %+.0f} in tidemark.yaml (s); write times with their zone. The record lasts %s.", f.Path, -float64(shift)/1e9, say.Elapsed(float64(own.Last-own.First)/1e9)),
	}
}

// recordings lists the files by their number, with the whole time of a rotated
// recording at its oldest part and nil at the others.
func recordings(run *model.Run) []*model.File {
	list := make([]*model.File, len(run.Files))
	for i, f := range run.Files {
		first := run.Recorder(int32(i))
		if first == int32(i) {
			whole := *f
			list[i] = &whole
			continue
		}
		if o := list[first]; f.First != 0 && f.Clock.Placed {
			o.Last = max(o.Last, f.Last)
		}
	}
	return list
}

// zonesApart is the whole quarters of an hour, in ns, by which f is off, 0 where it is not.
func zonesApart(own, f *model.File) int64 {
	if f == own || !f.Clock.Placed || !own.Clock.Placed || f.First == 0 || own.First == 0 || f.Last <= f.First || own.Last <= own.First {
		return 0
	}
	if f.First <= own.Last && own.First <= f.Last {
		return 0
	}
	off := f.First - own.First
	shift := int64(math.Round(float64(off)/float64(zoneStep))) * zoneStep
	near := func(v int64) bool { return v > -zoneSlack && v < zoneSlack }
	if shift > 26*int64(time.Hour) || shift < -26*int64(time.Hour) || !near(off-shift) || !near(f.Last-own.Last-shift) {
		return 0
	}
	return shift
}
