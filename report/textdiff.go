package report

import (
	"fmt"

	"tidemark/internal/say"
	"tidemark/model"
)

// diffRows is how many changes the terminal report lists.
const diffRows = 22

// diff is the table of two captures: shares and absolute amounts side by side.
func (t *text) diff(d *model.ProfileDiff, to int) {
	t.wrap("Read the column "+d.Measure+": "+d.Misleads, 0)
	t.blank()
	t.add("base %s   new %s", diffSide(d.Base), diffSide(d.New))
	t.add("%s%10s%10s%9s%12s%10s%9s  %s", pad("", 38), "share", "new", "points", "cores", "new", "change", "misleads")
	shown := min(len(d.Rows), max(3, min(diffRows, to-len(t.rows)-2)))
	for _, r := range d.Rows[:shown] {
		t.add("%s%10s%10s%9s%12s%10s%9s  %s", pad(shorten(diffName(r), 37), 38), say.Round(r.Base.Mid), say.Round(r.New.Mid), points(r),
			cores(r.BaseCores), cores(r.NewCores), change(r.Change), r.Misleads)
	}
	if more := len(d.Rows) - shown; more > 0 {
		t.add("%d changes more, in -o diff.json; ~ marks changes of share within the intervals", more)
	} else {
		t.add("~ marks changes of share within the intervals")
	}
	t.blank()
}

func diffName(r model.DiffRow) string {
	if r.Kind == "function" {
		return "  " + r.Label
	}
	return r.Label
}

func diffSide(s model.DiffSide) string {
	out := fmt.Sprintf("%s: %s active samples", s.Name, say.Count(s.Samples))
	if s.Cores != nil {
		out += ", " + say.Short(*s.Cores) + " cores"
	}
	return out
}

// points is a change of share; within the intervals it is marked.
func points(r model.DiffRow) string {
	s := fmt.Sprintf("%+.1f", 100*r.Points)
	if !r.Clear {
		s = "~" + s
	}
	return s
}

func cores(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.2f", *v)
}

func change(v *float64) string {
	if v == nil {
		return "?"
	}
	return say.Gain(*v)
}
