package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every file gets the sum of its bytes, whether it was recognised, is empty, or
// was read in parts.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{}
	for i, n := range []int{0, 3, 200, 60000} {
		name := fmt.Sprintf("f%d.csv", i)
		text := "timestamp,depth,capacity\n" + strings.Repeat("1795939200.000,9,60\n", n)
		if i == 0 {
			text = "neither a table nor a log"
		}
		sum := sha256.Sum256([]byte(text))
		want[name] = hex.EncodeToString(sum[:])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sums := NewSums(context.Background())
	run, err := Read(context.Background(), []string{dir}, nil, nil, sums)
	if err != nil {
		t.Fatal(err)
	}
	sums.Rest(run)
	sums.Wait(run)
	if len(run.Files) != len(want) {
		t.Fatalf("%d files, want %d", len(run.Files), len(want))
	}
	for _, f := range run.Files {
		if f.SHA256 != want[f.Path] {
			t.Errorf("%s: sum %q, want %q", f.Path, f.SHA256, want[f.Path])
		}
	}
}
