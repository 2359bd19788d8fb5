package stackrules

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestBranches checks what the ways to match an expression need; a text that
// matches without that would be lost.
func TestBranches(t *testing.T) {
	for expr, want := range map[string][]branch{
		`^(put|get_\w+) \(`:                  {{heads: []string{"put ("}, needles: []string{"put"}}, {heads: []string{"get_"}, needles: []string{"get_"}}},
		`\(.*torch/(cuda|xpu)/`:              {{needles: []string{"torch/"}}, {needles: []string{"torch/"}}},
		`\((.*/)?(cuda|xpu)?\.py`:            {{needles: []string{".py"}}},
		`^take_gil\b|^drop_gil\b`:            {{heads: []string{"take_gil"}, needles: []string{"take_gil"}}, {heads: []string{"drop_gil"}, needles: []string{"drop_gil"}}},
		`(?i)\(queue|^wait`:                  {{folded: []string{"(queue"}}, {folded: []string{"wait"}}},
		`\w+`:                                {{}},
		`^_*(ppoll|poll)`:                    {{needles: []string{"oll", "poll"}}},
		`^(wait|wait_for) \((.*/)?queue\.py`: {{heads: []string{"wait (", "wait (queue.py", "wait_for (", "wait_for (queue.py"}, needles: []string{"queue.py"}}},
		`^(__)?(poll|_\w*)x`:                 {{heads: []string{"pollx", "__pollx"}, needles: []string{"poll"}}, {heads: []string{"_", "___"}}},
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		same := cmp.Options{cmp.AllowUnexported(branch{}), cmpopts.IgnoreFields(branch{}, "expr"), cmpopts.SortSlices(func(a, b string) bool { return a < b }), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(want, branches(re), same); diff != "" {
			t.Errorf("branches(%s) (-want +got):\n%s", expr, diff)
		}
	}
}

// TestPatternsAreTheirExpressions: the ways to match an expression of the rules
// match the same frames as it does, also in other letters, with more around them,
// or cut off.
func TestPatternsAreTheirExpressions(t *testing.T) {
	matched := 0
	for _, expr := range expressions(t) {
		re := regexp.MustCompile(expr)
		p, err := newPattern(expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range readLabelled(t) {
			for frame := range strings.SplitSeq(l.stack, ";") {
				for _, s := range []string{frame, strings.ToUpper(frame), strings.ToLower(frame), "_" + frame, frame + "(queue.py)", "\u017f" + frame, frame[:len(frame)/2], frame + " (K\u017f)"} {
					want := re.MatchString(s)
					if got := p.matches(s); got != want {
						t.Errorf("%q: %v by its ways, %v by %s", s, got, want, expr)
					}
					if want {
						matched++
					}
				}
			}
		}
	}
	if matched < 1000 {
		t.Errorf("%d matches, want thousands", matched)
	}
}

// FuzzPattern: an expression of a user's own matches what the compiled one does.
func FuzzPattern(f *testing.F) {
	f.Add(`^(put|get_\w+) \(`, "get_x (a.py)")
	f.Add(`(?i)a(b|(?-i:c))?$|^x{2,3}`, "AC")
	f.Add(`(a|b)*(c|d)\b`, "abd")
	f.Add("\ufffd", "\xad0\xfb")
	f.Add("^\ufffd\\w+x", "\xada0x")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		p, err2 := newPattern(expr)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, want %v", expr, err2, err)
		}
		if err == nil && p.matches(text) != re.MatchString(text) {
			t.Errorf("%q in %q: %v by its ways, want %v", expr, text, p.matches(text), re.MatchString(text))
		}
	})
}
