package infer_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/infer"
	"tidemark/model"
)

// TestPublishedSplits holds the table of splits against a published pipeline
// that was measured as 1 + 7 (50.1 samples/s) and as 2 + 6 (39.0 to 39.5): from
// the record of either, the other is on its right side, further splits are
// worse, and a row that is marked as coupled has an interval that holds what was
// measured.
func TestPublishedSplits(t *testing.T) {
	for _, c := range []struct {
		archive, split string
		lo, hi         float64  // measured there, over what was measured here
		order          []string // best first
	}{
		{"published-1-7", "2 targets + 6 drafters", 39.0 / 50.1, 39.5 / 50.1, []string{"now", "2 targets + 6 drafters", "3 targets + 5 drafters"}},
		{"published-2-6", "1 target + 7 drafters", 50.1 / 39.5, 50.1 / 39.0, []string{"1 target + 7 drafters", "now", "3 targets + 5 drafters", "4 targets + 4 drafters"}},
	} {
		rows := map[string]model.WhatIf{"now": {Gain: &model.Interval{}}}
		for _, w := range splitsOf(t, c.archive) {
			rows[w.Change] = w
		}
		w := rows[c.split]
		if w.Gain == nil || !w.Coupled || w.Range == "" || 1+w.Gain.Lo > c.lo || 1+w.Gain.Hi < c.hi {
			t.Errorf("%s: %s: %+v (%+v), want a coupled gain that holds %+.3f to %+.3f, and a warning", c.archive, c.split, w, w.Gain, c.lo-1, c.hi-1)
		}
		got := slices.Clone(c.order)
		slices.SortStableFunc(got, func(a, b string) int {
			if rows[a].Gain.Mid > rows[b].Gain.Mid {
				return -1
			}
			return 1
		})
		if !slices.Equal(got, c.order) {
			t.Errorf("%s: splits from best to worst %q, want %q", c.archive, got, c.order)
		}
	}
}

func splitsOf(t *testing.T, archive string) (list []model.WhatIf) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "whatif", archive+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	in := slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
	s := section{analyzers: []*infer.Analyzer{infer.WhatIfs}, show: func(_ *model.Run, r *model.Report, _ any) any {
		for _, w := range r.WhatIf {
			if w.Kind == "split" {
				list = append(list, w)
			}
		}
		return nil
	}}
	s.run(t, in)
	return list
}
