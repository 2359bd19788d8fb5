package tidemark_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/txtartest"
)

// TestDocs checks that the generated pages are those that the tables of
// formats and analyzers give; make docs writes them.
func TestDocs(t *testing.T) {
	for path, want := range map[string]string{
		"docs/formats.md":  formatsPage(),
		"docs/findings.md": findingsPage(),
	} {
		if txtartest.Updating() {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale, run make docs (-want +got):\n%s", path, diff)
		}
	}
}

func formatsPage() string {
	var read, refused strings.Builder
	list := slices.SortedFunc(slices.Values(ingest.Formats), func(a, b *ingest.Format) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range list {
		if f.Refuse != "" {
			fmt.Fprintf(&refused, "### %s\n\n%s\n\n%s\n\n", f.Name, paragraphs(f.Doc), paragraphs(f.Refuse))
			continue
		}
		fmt.Fprintf(&read, "### %s\n\n%s\n\n", f.Name, paragraphs(f.Doc))
		if f.Record != "" {
			fmt.Fprintf(&read, "```sh\n%s\n```\n\n", f.Record)
		}
	}
	out := "# What Tidemark reads\n\nMade from the table of formats in `ingest/formats.go` by `make docs`. " +
		"A file is recognised by its content; any may be packed by gzip, zstd, xz or bzip2, and stand in a directory, a zip or a tar, also one inside another. " +
		"The command under a format records it.\n\n" + read.String()
	if refused.Len() > 0 {
		out += "## Recognised but not read\n\n" + refused.String()
	}
	return strings.TrimRight(out, "\n") + "\n"
}

func findingsPage() string {
	var sb strings.Builder
	sb.WriteString("# What Tidemark says\n\nMade from the table of analyzers in `infer/analyzers.go` by `make docs`. " +
		"Each analyzer answers one question, and says when it is right and when it is wrong.\n\n")
	list := slices.SortedFunc(slices.Values(infer.Documented()), func(a, b *infer.Analyzer) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range list {
		fmt.Fprintf(&sb, "## %s\n\n%s\n\n", a.Name, paragraphs(a.Doc))
		if len(a.Requires) > 0 {
			names := make([]string, len(a.Requires))
			for i, r := range a.Requires {
				names[i] = r.Name
			}
			fmt.Fprintf(&sb, "Rests on: %s.\n\n", strings.Join(names, ", "))
		}
	}
	return strings.TrimRight(sb.String(), "\n") + "\n"
}

// paragraphs ends a text with a period and keeps its blank lines.
func paragraphs(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?:`") {
		s += "."
	}
	return s
}

// TestTables checks that every format and analyzer says what a reader of the
// generated pages needs, under a name of its own.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range ingest.Formats {
		if f.Name == "" || f.Doc == "" || f.Detect == nil || f.Parse == nil && f.Refuse == "" || seen[f.Name] {
			t.Errorf("format %q: want a name of its own, Doc, Detect, and Parse or Refuse", f.Name)
		}
		seen[f.Name] = true
	}
	for _, a := range infer.Documented() {
		if title, rest, _ := strings.Cut(a.Doc, "\n\n"); a.Name == "" || title == "" || rest == "" || a.Run == nil || seen[a.Name] {
			t.Errorf("analyzer %q: want a name of its own, Run, and Doc with a title and when it is right and wrong", a.Name)
		}
		seen[a.Name] = true
	}
}
