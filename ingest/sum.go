package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"sync"

	"tidemark/model"
)

// Sums are the SHA-256 of a run's files, worked out while others work on the run.
type Sums struct {
	wg   sync.WaitGroup
	list []string
}

// Sum begins to sum the files of a run that lie on disk as they are; those of
// members of archives are known already.
func Sum(ctx context.Context, run *model.Run) *Sums {
	s := &Sums{list: make([]string, len(run.Files))}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range run.Files {
			next <- i
		}
	}()
	for range min(runtime.GOMAXPROCS(0), len(run.Files)) {
		s.wg.Go(func() {
			for i := range next {
				if s.list[i] = run.Files[i].SHA256; s.list[i] == "" && ctx.Err() == nil {
					s.list[i] = sumFile(ctx, run.Files[i])
				}
			}
		})
	}
	return s
}

// Wait returns the sums in the order of Run.Files, "" for a file that could not
// be read again.
func (s *Sums) Wait() []string {
	s.wg.Wait()
	return s.list
}

func sumFile(ctx context.Context, f *model.File) string {
	if !onDisk(f) {
		return ""
	}
	r, err := os.Open(f.Disk)
	if err != nil {
		return ""
	}
	defer r.Close()
	return sum(stopping{ctx, r})
}

// onDisk reports whether a file lies on disk and is no member of an archive.
func onDisk(f *model.File) bool { return f.Disk != "" && f.Archive == "" }

// sum is the SHA-256 of what r holds, in hex, "" where it cannot be read to its end.
func sum(r io.Reader) string {
	h := sha256.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{r}, make([]byte, 128<<10)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
