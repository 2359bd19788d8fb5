package report

import (
	"unicode"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

// timelinePage lays everything over one time axis.
func timelinePage(d *document) error {
	d.page("Timeline")
	d.title(timelineTitle(d.r), sentence(d.r.Steady.Why))
	d.y = max(d.y, 33)
	return d.plot(plots.Timeline, pageLeft)
}

// sentence begins with a capital and ends with a period.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	if last := r[len(r)-1]; last != '.' && last != '?' && last != '…' {
		r = append(r, '.')
	}
	return string(r)
}

func timelineTitle(r *model.Report) string {
	s := r.Steady
	if !s.Found {
		return "No steady state was found: the verdict rests on " + plots.Judged(r) + "."
	}
	from, to := "the start", "the end"
	if s.FromS > 0 {
		from = say.Elapsed(s.FromS)
	}
	if s.ToS < 0.99*r.Run.DurationS {
		to = say.Elapsed(s.ToS)
	}
	title := "Steady from " + from + " to " + to
	switch who := limiterNames[r.Limiter.Side]; {
	case who == "":
		return title + "."
	case r.Limiter.Strength != "limits":
		return title + ": " + say.Limiting(who, r.Limiter.Strength) + "."
	default:
		return title + ": " + who + " set the pace."
	}
}
