package stackrules

import (
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
		`^(put|get_\w+) \(`:                  {{heads: []string{"put (", "get_"}, needles: []string{"put", "get_"}}},
		`\(.*torch/(cuda|xpu)/`:              {{needles: []string{"torch/"}}},
		`^take_gil\b|^drop_gil\b`:            {{heads: []string{"take_gil"}, needles: []string{"take_gil"}}, {heads: []string{"drop_gil"}, needles: []string{"drop_gil"}}},
		`(?i)\(queue|^wait`:                  {{folded: []string{"(queue"}}, {folded: []string{"wait"}}},
		`\w+`:                                {{}},
		`^_*(ppoll|poll)`:                    {{needles: []string{"oll", "poll"}}},
		`^(wait|wait_for) \((.*/)?queue\.py`: {{heads: []string{"wait (", "wait (queue.py", "wait_for (", "wait_for (queue.py"}, needles: []string{"queue.py"}}},
		`^(__)?(poll|_\w*)x`:                 {{heads: []string{"pollx", "__pollx", "_", "___"}}},
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		same := cmp.Options{cmp.AllowUnexported(branch{}), cmpopts.SortSlices(func(a, b string) bool { return a < b }), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(want, branches(re), same); diff != "" {
			t.Errorf("branches(%s) (-want +got):\n%s", expr, diff)
		}
	}
}

// TestBranchesLoseNothing: a frame that an expression of the rules matches may
// match it, also in other letters, with more around it, or cut off.
func TestBranchesLoseNothing(t *testing.T) {
	r, matched := load(t), 0
	for _, l := range readLabelled(t) {
		for frame := range strings.SplitSeq(l.stack, ";") {
			for _, s := range []string{frame, strings.ToUpper(frame), strings.ToLower(frame), "_" + frame, frame + "(queue.py)", "\u017f" + frame, frame[:len(frame)/2], frame + " (K\u017f)"} {
				for i := range r.tests {
					x := &r.tests[i]
					if !x.re.matches(s) {
						continue
					}
					if matched++; !x.mayMatch(s) {
						t.Errorf("%q: matches %s, but %+v", s, x.re(), x.branches)
					}
				}
			}
		}
	}
	if matched < 1000 {
		t.Errorf("%d matches, want thousands", matched)
	}
}
