package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

// TestStragglersOnScreen: a side without stragglers takes a line where it brings
// over 3 %, and only then; the rest stands in the JSON.
func TestStragglersOnScreen(t *testing.T) {
	for _, c := range []struct {
		name string
		gain *model.Interval
		want string // of the line, "" for none
	}{
		{"much", &model.Interval{Lo: 0.05, Mid: 0.087, Hi: 0.09}, "+8.7 % (5.0–9.0)"},
		{"little", &model.Interval{Lo: 0, Mid: 0.02, Hi: 0.05}, ""},
		{"not known", nil, ""},
	} {
		r := reporttest.Story()
		r.WhatIf = append(r.WhatIf, model.WhatIf{Change: "all targets at median speed", Kind: "stragglers", Gain: c.gain})
		var b bytes.Buffer
		if err := Text(&b, r, Style{}); err != nil {
			t.Fatal(err)
		}
		line := ""
		for s := range strings.Lines(b.String()) {
			if rest, ok := strings.CutPrefix(s, "all at median speed"); ok {
				line = strings.TrimSpace(rest)
			}
		}
		if line != c.want {
			t.Errorf("%s: line %q, want %q", c.name, line, c.want)
		}
	}
}

// TestLinesMore: what is cut off is to be had by the command that made the report.
func TestLinesMore(t *testing.T) {
	for want, r := range map[string]*model.Report{
		"analyze run PATH -o report.pdf":         {Kind: "run"},
		"analyze profile FILE -o report.pdf":     {Kind: "profile"},
		"analyze compare BASE NEW -o report.pdf": {Kind: "comparison", Comparison: &model.Comparison{}},
		"analyze check PATH -o report.pdf":       {Kind: "run", Check: &model.CheckResult{}, Comparison: &model.Comparison{}},
	} {
		x := &text{r: r, rows: slices.Repeat([]string{"x"}, textLines+2)}
		if got := string(x.fit()); !strings.HasSuffix(got, " 3 lines more: "+want+"\n") || strings.Count(got, "\n") != textLines {
			t.Errorf("%s: ends in %q", want, got[max(len(got)-80, 0):])
		}
	}
}
