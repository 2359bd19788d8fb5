package tidemark_test

import (
	"bytes"
	"context"
	"testing"

	"tidemark"
	"tidemark/report"
)

// TestProfileSchema: the reports of one capture and of two are what the schema says.
func TestProfileSchema(t *testing.T) {
	const base, now = "testdata/runs/story-depth60", "testdata/runs/story-python-only"
	one, err := tidemark.Profile(context.Background(), []string{base}, nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	two, err := tidemark.ProfileDiff(context.Background(), base, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*tidemark.Analysis{"one": one, "two": two} {
		var b bytes.Buffer
		if err := report.JSON.Render(&b, a.Report); err != nil {
			t.Fatal(err)
		}
		if err := schema(t).Validate(decode(t, b.Bytes())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if one.Report.CPU.All == nil || one.Report.CPU.Dominant == nil || len(one.Report.CPU.Dominant.Stacks) == 0 || len(one.Report.Flames) == 0 {
		t.Error("want costs of all threads, a dominant one with its stacks, and flames")
	}
	if two.Report.CPU.Diff == nil || len(two.Report.CPU.Diff.Rows) == 0 {
		t.Error("want rows of what changed")
	}
}

// TestProfileNothing: what holds no stacks is an error that says what it is.
func TestProfileNothing(t *testing.T) {
	if _, err := tidemark.Profile(context.Background(), []string{"testdata/runs/README.md"}, nil, nil, false); err == nil {
		t.Error("a page of text: no error")
	}
}
