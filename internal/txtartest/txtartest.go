// Package txtartest runs one function over txtar archives: every file but
// those named "want…" is input, and the output must equal the file "want".
package txtartest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the want section of txtar tests; read the diff before you commit it")

// Updating reports whether tests shall write what they expect.
func Updating() bool { return *update }

// Run applies f to the input files of each archive that glob matches. At
// least one must match. The comment of an archive says what it shows, and how
// the first version of its want was checked.
func Run(t *testing.T, glob string, f func(t *testing.T, in []txtar.File) string) {
	t.Helper()
	paths, err := filepath.Glob(glob)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no test data (%v)", glob, err)
	}
	for _, p := range paths {
		name := filepath.Base(filepath.Dir(p)) + "/" + strings.TrimSuffix(filepath.Base(p), ".txtar")
		t.Run(name, func(t *testing.T) { one(t, p, f) })
	}
}

func one(t *testing.T, path string, f func(*testing.T, []txtar.File) string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var in []txtar.File
	want := -1
	for i, file := range a.Files {
		if file.Name == "want" {
			want = i
			continue
		}
		in = append(in, file)
	}
	got := f(t, in)
	if *update {
		if want < 0 {
			a.Files = append(a.Files, txtar.File{Name: "want"})
			want = len(a.Files) - 1
		}
		a.Files[want].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want < 0 {
		t.Fatalf("%s: no want section; run with -update and read what it writes", path)
	}
	if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
