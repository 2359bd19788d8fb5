package report

import (
	"bytes"
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
