package plots

import (
	"tidemark/internal/say"
	"tidemark/model"
)

// A takenOver is the gain at which another side limits instead.
type takenOver struct {
	side string
	room model.Interval
}

// takeOver is the room of the side that does not limit: the sentence, the
// badge of that side and the arrow of capacities say the same. Nil where no
// side limits alone, or the room is not known.
func takeOver(r *model.Report) *takenOver {
	other := model.Drafter
	switch r.Limiter.Side {
	case model.Target:
	case model.Drafter:
		other = model.Target
	default:
		return nil
	}
	room := r.Limiter.Headroom.Of(other)
	if room == nil || !finite(room.Lo, room.Mid, room.Hi) || room.Mid <= 0 {
		return nil
	}
	return &takenOver{other, *room}
}

func (t *takenOver) words() string {
	s := t.side + "s take over at " + say.Gain(t.room.Mid)
	if t.room.Hi-t.room.Lo > narrow {
		s += " (" + say.RoundRange(t.room) + ")"
	}
	return s
}

// takeOver marks that gain over all rows; one beyond the axis has an arrow
// head at its end.
func (p pen) takeOver(v scale, foot float64, t *takenOver) {
	if t == nil {
		return
	}
	const top = whatIfTop - 0.6
	fill, text, pale := side(t.side)
	a, b := v.clamp(t.room.Lo), v.clamp(t.room.Hi)
	p.fill(a, top, b-a, foot-top, pale)
	f, s := type7.strong().in(text), t.words()
	if t.room.Mid > v.hi {
		p.past(v.b+2, 1.3, 1, fill)
		p.right(v.b-0.6, 2.2, f, s)
		return
	}
	x := v.clamp(t.room.Mid)
	p.line(x, top, x, foot, 0.4, mix(fill, ink, 0.25))
	if b+1.5+p.width(f, s) <= pageWidth {
		p.text(b+1.5, 2.2, f, s)
	} else {
		p.right(a-1.5, 2.2, f, s)
	}
}
