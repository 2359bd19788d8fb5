package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/config"
)

// TestFaultOfOneFormat: a panic while one file is looked at costs that file, and not the
// others.
func TestFaultOfOneFormat(t *testing.T) {
	all := Formats
	defer func() { Formats = all }()
	Formats = append([]*Format{{Name: "faulty", Detect: func(name string, _ []byte) bool {
		if name == "bad.log" {
			panic("out of range")
		}
		return false
	}}}, all...)
	dir := t.TempDir()
	text := "2026-11-29 08:00:01 step=1 loss=2.5\n2026-11-29 08:00:02 step=2 loss=2.4\n2026-11-29 08:00:03 step=3 loss=2.3\n"
	for _, name := range []string{"bad.log", "good.log"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, err := Read(context.Background(), []string{dir}, nil, &config.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range run.Files {
		bad := strings.HasSuffix(f.Path, "bad.log")
		if got := f.Damaged && strings.Contains(f.Reason, "internal error"); got != bad || (f.Rows == 0) != bad {
			t.Errorf("%s: damaged %t, %d rows, reason %q", f.Path, f.Damaged, f.Rows, f.Reason)
		}
	}
}
