package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Files count by themselves and in directories; flags and what is not there do not.
func TestHoldAtLeast(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "sub/b.csv"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 1000), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		args  []string
		bytes int64
		want  bool
	}{
		{[]string{"run", dir, "-o", "x.json"}, 2000, true},
		{[]string{"run", dir}, 2001, false},
		{[]string{"run", filepath.Join(dir, "a.csv"), "--tz", "UTC"}, 1000, true},
		{[]string{"run", filepath.Join(dir, "a.csv")}, 1001, false},
		{[]string{"run", "-"}, 1, false},
		{nil, 1, false},
	} {
		if large(tc.args) {
			t.Errorf("%q are a large run", tc.args)
		}
		if got := holdAtLeast(tc.args, tc.bytes); got != tc.want {
			t.Errorf("%q hold %d bytes: %v, want %v", tc.args, tc.bytes, got, tc.want)
		}
	}
}
