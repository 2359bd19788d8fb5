package say

import (
	"fmt"
	"math"
	"strings"

	"tidemark/model"
)

// Quantity is one side of a compared metric, in the metric's own unit.
func Quantity(m model.MetricChange, v *model.Interval) string {
	switch {
	case v == nil:
		return ""
	case m.Kind == "points":
		return Percent(v.Mid)
	}
	return SI(v.Mid)
}

// Change is the change of a metric with its interval, or why there is none.
func Change(m model.MetricChange) string {
	v := m.Change
	switch {
	case v == nil:
		return "– " + m.Why
	case m.Kind == "points":
		return Points(v.Mid) + " pt (" + PointsRange(*v) + ")"
	case v.Hi > 10 || v.Lo < -0.999:
		return Gain(v.Mid) + " (no bound)"
	}
	return Gain(v.Mid) + " (" + GainRange(*v) + ")"
}

// Points is a difference of shares in percentage points: +1.7, −0.3.
func Points(v float64) string {
	s := signed(100*v, 1)
	if s != "0.0" && v > 0 {
		return "+" + s
	}
	return s
}

// PointsRange returns the ends of a difference of shares with their signs.
func PointsRange(i model.Interval) string { return Points(i.Lo) + " to " + Points(i.Hi) }

// Factor returns the ends of a factor that is given as its logarithm: (−3.1 to +8.5).
func Factor(ln model.Interval) string {
	return "(" + GainRange(model.Interval{Lo: math.Expm1(ln.Lo), Hi: math.Expm1(ln.Hi)}) + ")"
}

// Level is a value of a history: a share as one, a rate at three digits.
func Level(v float64, unit string) string {
	if unit == "share" {
		return Percent(v)
	}
	return SI(v)
}

// Shift is a change of level: points of a share, else relative.
func Shift(change float64, unit string) string {
	if unit == "share" {
		return Points(change) + " pt"
	}
	return Gain(change)
}

// Q is the probability of a false alarm, "" where none was found.
func Q(q *float64) string {
	switch {
	case q == nil:
		return ""
	case *q < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", *q)
}

// Runs names the runs of one side, at most four of them.
func Runs(list []model.ComparedRun) string {
	const most = 4
	var names []string
	for i, r := range list {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}
