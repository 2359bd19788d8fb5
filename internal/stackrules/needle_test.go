package stackrules

import (
	"regexp/syntax"
	"slices"
	"testing"
)

// TestNeedles checks what an expression needs; a text that matches without a
// needle would be lost.
func TestNeedles(t *testing.T) {
	for expr, want := range map[string][]string{
		`^(put|get_\w+) \(`:                  {"put", "get_"},
		`\(.*torch/(cuda|xpu)/`:              {"torch/"},
		`^take_gil\b|^drop_gil\b`:            {"take_gil", "drop_gil"},
		`(?i)queue`:                          nil,
		`\w+`:                                nil,
		`^_*(ppoll|poll)`:                    {"oll", "poll"},
		`^(wait|wait_for) \((.*/)?queue\.py`: {"queue.py"},
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got := needles(re)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("needles(%s) = %q, want %q", expr, got, want)
		}
	}
}
