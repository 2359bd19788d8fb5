package tidemark_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "tidemark"

// mayImport says which of our packages a package may import, by their first
// path element. A package that is not listed has no place in the picture.
var mayImport = map[string][]string{
	"model":    {},
	"internal": {"model", "internal"},
	"ingest":   {"model", "internal"},
	"infer":    {"model", "internal"},
	"compare":  {"model", "internal"},
	"plots":    {"model", "internal"},
	"report":   {"model", "internal", "plots"},
	".":        {"model", "internal", "ingest", "infer", "compare", "plots", "report"},
	"fleet":    {"model", "internal", "ingest", "infer", "compare", "plots", "report", "."},
	"cmd":      {"model", "internal", "ingest", "infer", "compare", "plots", "report", ".", "fleet"},
}

// corners are the only files that may import a dependency, so that replacing
// it touches one corner.
var corners = []struct {
	path  string
	files []string // path.Match patterns
}{
	{"github.com/apache/arrow", []string{"model/arrow*.go", "internal/tablefile/*.go"}},
	{"github.com/parquet-go", []string{"internal/tablefile/*.go"}},
	{"gonum.org/v1/plot", []string{"plots/*.go", "internal/pdfcanvas/*.go"}},
	{"codeberg.org/go-pdf/fpdf", []string{"report/pdf*.go", "internal/pdfcanvas/*.go"}},
	{"github.com/google/pprof", []string{"ingest/pprof*.go", "internal/stackfile/*.go"}},
	{"github.com/spf13/cobra", []string{"cmd/analyze/*.go"}},
	{"log", []string{"cmd/analyze/*.go"}},
}

// sweeping are package names that say nothing of what is inside.
var sweeping = []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "base", "shared"}

// TestLayout checks the directions of docs/architecture.md: who may import
// whom, which files may touch a dependency, and that nothing registers itself.
func TestLayout(t *testing.T) {
	n := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && foreign(name):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		n++
		checkFile(t, filepath.ToSlash(name))
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d Go files: %v", n, err)
	}
}

// foreign reports whether a directory is outside of the module.
func foreign(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func checkFile(t *testing.T, name string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	if slices.Contains(sweeping, f.Name.Name) {
		t.Errorf("%s: package %s: want the name of one thing", name, f.Name.Name)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			t.Errorf("%s: func init: want a line in a table instead", name)
		}
	}
	if strings.HasSuffix(f.Name.Name, "_test") {
		return // sees only what is exported, and may see all of it
	}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if err := checkImport(name, p); err != nil {
			t.Error(err)
		}
	}
}

// checkImport says what is wrong with one import of one file.
func checkImport(name, imported string) error {
	from := element(path.Dir(name))
	allowed, ok := mayImport[from]
	if !ok {
		return fmt.Errorf("%s: directory %s has no place in the layout", name, from)
	}
	if rel, ours := within(imported, module); ours && element(rel) != from && !slices.Contains(allowed, element(rel)) {
		return fmt.Errorf("%s: imports %s; %s may import %v of ours", name, imported, from, allowed)
	}
	for _, c := range corners {
		if _, in := within(imported, c.path); in && !matches(c.files, name) {
			return fmt.Errorf("%s: imports %s, want that only in %v", name, imported, c.files)
		}
	}
	return nil
}

// within returns a path relative to a root at or above it.
func within(p, root string) (string, bool) {
	if p == root {
		return ".", true
	}
	return strings.CutPrefix(p, root+"/")
}

// element is the first element of a path; "." is the root package.
func element(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// TestLayoutFinds checks that the checks above would find anything at all.
func TestLayoutFinds(t *testing.T) {
	for _, c := range []struct{ file, imported string }{
		{"model/run.go", "tidemark/internal/lines"},
		{"ingest/read.go", "tidemark/infer"},
		{"infer/queue.go", "tidemark"},
		{"report/text.go", "tidemark/ingest"},
		{"model/table.go", "github.com/apache/arrow/go/v14/arrow"},
		{"infer/queue.go", "log/slog"},
		{"other/x.go", "fmt"},
	} {
		if checkImport(c.file, c.imported) == nil {
			t.Errorf("%s may import %s, want a complaint", c.file, c.imported)
		}
	}
}
