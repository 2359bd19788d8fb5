package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/benchdata"
)

// BenchmarkRun is whole commands in process: a run of 40 MB of each kind of file,
// and one of 1 MB of all.
func BenchmarkRun(b *testing.B) {
	for _, k := range benchdata.Kinds {
		b.Run(k.Name, func(b *testing.B) { benchmarkRun(b, 40<<20, k) })
	}
	b.Run("small", func(b *testing.B) { benchmarkRun(b, 1<<20) })
}

func benchmarkRun(b *testing.B, size int64, kinds ...*benchdata.Kind) {
	dir, out := b.TempDir(), filepath.Join(b.TempDir(), "report.json")
	if err := benchdata.Write(dir, 1, size, kinds...); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if code := run([]string{"run", dir, "-o", out}, strings.NewReader(""), io.Discard, io.Discard); code != exitOK {
			b.Fatalf("exit code %d, want %d", code, exitOK)
		}
	}
}
