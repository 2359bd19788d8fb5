package report

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/internal/reporttest"
	"tidemark/model"
)

// TestPauses: pauses are one line of the terminal and of Markdown, by kind, and
// none where there are none.
func TestPauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		phases []model.Phase
		want   string
	}{
		{"none", []model.Phase{{Kind: "warm-up", ToS: 5}, {Kind: "steady", FromS: 5, ToS: 1000}}, ""},
		{"two alike", []model.Phase{{Kind: "checkpoint", FromS: 100, ToS: 124.5}, {Kind: "checkpoint", FromS: 300, ToS: 325.3}}, "auses 2 × 25 s, checkpoint, 5.0 % of the run; left out"},
		{"with a drain", []model.Phase{{Kind: "stall", FromS: 100, ToS: 120}, {Kind: "drain", FromS: 120, ToS: 170}, {Kind: "eval", FromS: 300, ToS: 310}, {Kind: "eval", FromS: 400, ToS: 440}}, "auses 1 × 20 s, stall; 2 × 10–40 s, eval, 7.0 % of the run; left out, with the drain after them (5.0 %)"},
	} {
		r := reporttest.Story()
		r.Phases, r.Run.DurationS = c.phases, 1000
		var screen, md bytes.Buffer
		if err := Text(&screen, r, Style{}); err != nil {
			t.Fatal(err)
		}
		if err := Markdown.Render(&md, r); err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]string{"terminal": screen.String(), "markdown": md.String()} {
			s = strings.Join(strings.Fields(s), " ")
			if got := strings.Contains(s, "auses "); got != (c.want != "") || !strings.Contains(s, c.want) {
				t.Errorf("%s, %s: want %q in\n%s", c.name, name, c.want, s)
			}
		}
	}
}
