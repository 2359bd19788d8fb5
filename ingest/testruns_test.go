package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/internal/txtartest"
)

// TestRuns reads the directory in every archive under testruns: what files say
// of each other. A file whose name ends in .gz is packed first.
func TestRuns(t *testing.T) {
	txtartest.Run(t, "testruns/*/*.txtar", func(t *testing.T, in []txtar.File) string {
		dir := t.TempDir()
		for _, f := range in {
			writeMember(t, filepath.Join(dir, f.Name), f.Data)
		}
		r := &reader{ctx: context.Background(), slots: make(chan struct{}, 2)}
		if err := r.all([]string{dir}, nil, nil); err != nil {
			return err.Error() + "\n"
		}
		var sb strings.Builder
		for _, b := range r.files {
			conserved(t, b.File)
			dump(&sb, b)
		}
		return sb.String()
	})
}

func writeMember(t *testing.T, path string, data []byte) {
	t.Helper()
	if strings.HasSuffix(path, ".gz") {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(data)
		w.Close()
		data = b.Bytes()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
