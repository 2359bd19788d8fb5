package ingest

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/internal/txtartest"
)

// TestRecordings reads what real writers have written in binary, which the
// archives hold as base64: all rows and notes must be as in their want.
func TestRecordings(t *testing.T) {
	txtartest.Run(t, "testdata/binary/*/*.txtar", func(t *testing.T, in []txtar.File) string {
		var sb strings.Builder
		for _, f := range in {
			data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(f.Data), "\n", ""))
			if err != nil {
				t.Fatal(err)
			}
			b := readBytes(t, strings.TrimSuffix(f.Name, ".base64"), data)
			if want := filepath.Base(filepath.Dir(t.Name())); b.File.Format != want {
				t.Errorf("%s read as %s, want %s", f.Name, b.File.Format, want)
			}
			dump(&sb, b)
		}
		return sb.String()
	})
}
