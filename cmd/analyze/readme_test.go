package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme runs the README's command and compares what it prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const prompt = "$ go run ./cmd/analyze "
	_, rest, ok := strings.Cut(string(readme), prompt)
	if !ok {
		t.Fatalf("README.md has no line that begins with %q", prompt)
	}
	command, rest, _ := strings.Cut(rest, "\n")
	want, _, _ := strings.Cut(rest, "```")
	args := strings.Fields(command)
	for i, a := range args {
		args[i] = strings.Replace(a, "testdata/", "../../testdata/", 1)
		if strings.HasPrefix(a, "report.") {
			args[i] = t.TempDir() + "/" + a
		}
	}
	var out, errs bytes.Buffer
	if code := run(args, nil, &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	got, _, _ := strings.Cut(out.String(), "wrote ")
	want, _, _ = strings.Cut(want, "wrote ")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("README.md shows other output (-README +command):\n%s", diff)
	}
}
