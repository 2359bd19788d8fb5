package ingest

import (
	"time"

	"tidemark/internal/config"
	"tidemark/model"
)

// A turn is where summer time begins or ends in the local times of a file.
type turn struct {
	from int64 // local
	by   int64 // ns that times from there on are moved, less those before it
}

// inZone places a file of local times in the zone that the user gives, and
// returns the turns of summer time in it. Where the clock was set back and the
// times moved forward, they go on in the zone of the file's beginning.
func inZone(f *model.File, cfg *config.Config, s stretch) (turns []turn) {
	loc, err := cfg.Location()
	if err != nil || loc == nil || f.Clock.Kind != model.ClockLocal || s.empty() {
		return nil
	}
	off := zoneOffset(loc, s.first, true)
	if _, end := time.Unix(0, s.first-off).In(loc).ZoneBounds(); !f.Clock.SetBack && !end.IsZero() && end.UnixNano()+off <= s.last {
		off = zoneOffset(loc, s.first, false) // in the first of two hours it would have been
	}
	f.Clock.Shift = -off
	at := time.Unix(0, s.first-off).In(loc)
	for !f.Clock.SetBack && len(turns) < maxTurns {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.UnixNano()+off > s.last {
			break
		}
		_, next := end.Zone()
		turns = append(turns, turn{end.UnixNano() + off, off - int64(next)*1e9})
		at, off = end, int64(next)*1e9
	}
	return turns
}

// maxTurns is more than a recording can last through.
const maxTurns = 8

// turned is what all turns add.
func turned(turns []turn) (by int64) {
	for _, t := range turns {
		by += t.by
	}
	return by
}

// turnRows moves the rows of a file by its shift and the turns before them.
func turnRows(b *model.Batch, shift int64, turns []turn) {
	for r := range b.Rows() {
		v, ok := b.Int(0, r)
		if !ok {
			continue
		}
		d := shift
		for _, t := range turns {
			if v >= t.from {
				d += t.by
			}
		}
		b.PutInt(0, r, v+d)
	}
}

// zoneOffset returns how far a zone is ahead of UTC, in ns, at a local time. At
// the end of summer time an hour comes twice: first says which is meant.
func zoneOffset(loc *time.Location, local int64, first bool) int64 {
	guess := time.Unix(0, local).UTC()
	_, off := time.Date(guess.Year(), guess.Month(), guess.Day(), guess.Hour(), guess.Minute(), guess.Second(), 0, loc).Zone()
	for _, at := range [...]int64{local - int64(off)*1e9 - hour, local - int64(off)*1e9 + hour} {
		_, other := time.Unix(0, at).In(loc).Zone()
		_, back := time.Unix(0, local-int64(other)*1e9).In(loc).Zone()
		if other == back && other != off && (other > off) == first {
			off = other
		}
	}
	return int64(off) * 1e9
}
