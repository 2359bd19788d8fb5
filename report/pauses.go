package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// isPause tells pauses from the other kinds of phases; a drain follows one.
func isPause(kind string) bool {
	switch kind {
	case "steady", "warm-up", "tail", "earlier level", "drain":
		return false
	}
	return true
}

// pauses says how often and how long work stood still, by kind; "" where it never did.
func pauses(r *model.Report) string {
	var kinds []string
	lengths, still, draining := map[string][]float64{}, 0.0, 0.0
	for _, ph := range r.Phases {
		s := ph.ToS - ph.FromS
		if ph.Kind == "drain" {
			draining += s
		}
		if !isPause(ph.Kind) {
			continue
		}
		if lengths[ph.Kind] == nil {
			kinds = append(kinds, ph.Kind)
		}
		lengths[ph.Kind] = append(lengths[ph.Kind], s)
		still += s
	}
	if len(kinds) == 0 || r.Run.DurationS <= 0 {
		return ""
	}
	var list []string
	for _, k := range kinds {
		list = append(list, fmt.Sprintf("%d × %s s, %s", len(lengths[k]), wholeSeconds(lengths[k]), k))
	}
	out := fmt.Sprintf("pauses %s, %s of the run; left out", strings.Join(list, "; "), say.Round(still/r.Run.DurationS))
	if draining >= 0.005*r.Run.DurationS {
		out += fmt.Sprintf(", with the drain after them (%s)", say.Round(draining/r.Run.DurationS))
	}
	return out
}

// wholeSeconds is one length where all are alike, else the shortest and the longest.
func wholeSeconds(v []float64) string {
	lo, hi := math.Round(slices.Min(v)), math.Round(slices.Max(v))
	if hi-lo <= 1 {
		return fmt.Sprintf("%.0f", hi)
	}
	return fmt.Sprintf("%.0f–%.0f", lo, hi)
}
