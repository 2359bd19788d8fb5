package compare

import (
	"slices"
	"testing"
)

// TestFindingKinds: each finding that a policy may forbid rests on a kind of
// evidence that a run may hold, so that the rule can say where none is.
func TestFindingKinds(t *testing.T) {
	for _, id := range FindingIDs() {
		if kind := needOf(id); !slices.ContainsFunc(Kinds, func(k Kind) bool { return k.Name == kind }) {
			t.Errorf("%s rests on %q, which is no kind of evidence", id, kind)
		}
	}
}
