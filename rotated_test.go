package tidemark_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark"
)

// TestRotated cuts the files of a run as logrotate does, the header in the
// oldest part only: but for the files' own names, nothing in the report changes.
func TestRotated(t *testing.T) {
	for _, name := range []string{"real-01", "story-depth60"} {
		t.Run(name, func(t *testing.T) {
			whole := t.TempDir()
			if err := os.CopyFS(whole, os.DirFS(filepath.Join("testdata/runs", name))); err != nil {
				t.Fatal(err)
			}
			cut := t.TempDir()
			if err := os.CopyFS(cut, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{"gpu.csv", "nvidia-smi.csv", "queue.csv", "train.log"} {
				rotate(t, filepath.Join(cut, f))
			}
			a, b := placeless(t, whole), placeless(t, cut)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("-whole +rotated:\n%s", diff)
			}
		})
	}
}

// rotate cuts a file into three parts at line ends.
func rotate(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return
	}
	lines := bytes.SplitAfter(data, []byte{'\n'})
	n := len(lines) / 3
	for i, part := range [][][]byte{lines[:n], lines[n : 2*n], lines[2*n:]} {
		name := fmt.Sprintf("%s.%d", path, 2-i)
		if i == 2 {
			name = path
		}
		if err := os.WriteFile(name, bytes.Join(part, nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// placeless is the report on a directory without the list of its files and the
// places in them.
func placeless(t *testing.T, dir string) any {
	t.Helper()
	r, err := tidemark.Analyze(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Inputs, r.Run.Name, r.Run.Clock = nil, "", ""
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{".csv", ".log"} {
		b = bytes.ReplaceAll(b, []byte(end+".2"), []byte(end))
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return withoutPlaces(v)
}

func withoutPlaces(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range []string{"at", "from"} {
			delete(x, k)
		}
		for k, e := range x {
			x[k] = withoutPlaces(e)
		}
	case []any:
		for i, e := range x {
			x[i] = withoutPlaces(e)
		}
		return slices.Clip(x)
	}
	return v
}
