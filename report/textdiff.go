package report

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// diffRows is how many changes the terminal report lists.
const diffRows = 22

// diff is the table of two captures: shares and absolute amounts side by side.
func (t *text) diff(d *model.ProfileDiff, to int) {
	t.wrap("Read the column "+d.Measure+": "+d.Misleads, 0)
	t.blank()
	t.wrap("base "+diffSide(d.Base), 5)
	t.wrap("new  "+diffSide(d.New), 5)
	known := d.Base.Cores != nil && d.New.Cores != nil
	head := []string{"share", "new", "points"}
	if known {
		head = append(head, "cores", "new", "change")
	}
	t.add("%s", strings.TrimRight(diffLine("", head, "misleads"), " "))
	shown := min(len(d.Rows), max(3, min(diffRows, to-len(t.rows)-2)))
	for _, r := range d.Rows[:shown] {
		cells := []string{say.Round(r.Base.Mid), say.Round(r.New.Mid), points(r)}
		if known {
			cells = append(cells, cores(r.BaseCores), cores(r.NewCores), change(r.Change))
		}
		t.add("%s", diffLine(diffName(r), cells, r.Misleads))
	}
	if more := len(d.Rows) - shown; more > 0 {
		t.add("%d changes more, in -o diff.json; ~ marks changes of share within the intervals", more)
	} else {
		t.add("~ marks changes of share within the intervals")
	}
	t.blank()
}

// diffLine sets the cells of a row to the right in columns of ten.
func diffLine(name string, cells []string, misleads string) string {
	line := pad(shorten(name, 37), 38)
	for _, c := range cells {
		line += left(c, 10)
	}
	return line + "  " + misleads
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
	s := say.Points(r.Points)
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
