package tidemark_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tidemark"
	"tidemark/compare"
	"tidemark/report"
)

func load(t *testing.T, paths ...string) *tidemark.Set {
	t.Helper()
	s, err := tidemark.Load(t.Context(), paths, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaOfComparisons holds the reports of comparisons and checks against
// the schema: two runs, another pipeline, baseline files alone, a check.
func TestSchemaOfComparisons(t *testing.T) {
	a, b, other := load(t, "testdata/runs/story-depth20"), load(t, "testdata/runs/story-depth60"), load(t, "testdata/runs/real-01")
	var file bytes.Buffer
	if err := compare.WriteBaseline(&file, a.Runs); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "baseline.json")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	kept := load(t, path)
	for name, c := range map[string]struct {
		base, fresh *tidemark.Set
		history     string
	}{"two runs": {a, b, ""}, "another pipeline": {other, b, ""}, "baseline files": {kept, kept, ""}, "history": {a, b, "throughput"}} {
		r, err := tidemark.Compare(c.base, c.fresh, compare.Options{QueueAsked: true}, c.history)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.JSON.Render(&out, r); err != nil {
			t.Fatal(err)
		}
		v := decode(t, out.Bytes())
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		ordered(t, name, v)
	}
	r, err := tidemark.Check(compare.Default(true), kept, b)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report.JSON.Render(&out, r); err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(decode(t, out.Bytes())); err != nil {
		t.Errorf("check: %v", err)
	}
}
