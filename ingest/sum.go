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

// Sums are the SHA-256 of files that lie on disk as they are, worked out while
// they are read and while others work on the run.
type Sums struct {
	ctx   context.Context
	wg    sync.WaitGroup
	mu    sync.Mutex
	known map[*model.File]bool
	todo  []*model.File
	done  map[*model.File]string
}

// NewSums returns sums of no file. They end early when ctx does.
func NewSums(ctx context.Context) *Sums {
	return &Sums{ctx: ctx, known: map[*model.File]bool{}, done: map[*model.File]string{}}
}

// add begins to sum files, as many at a time as there are workers.
func (s *Sums) add(files []*model.File, workers int) {
	s.mu.Lock()
	for _, f := range files {
		if !s.known[f] && onDisk(f) {
			s.known[f] = true
			s.todo = append(s.todo, f)
		}
	}
	s.mu.Unlock()
	for range min(workers, len(files)) {
		s.wg.Go(s.work)
	}
}

func (s *Sums) work() {
	for s.ctx.Err() == nil {
		s.mu.Lock()
		if len(s.todo) == 0 {
			s.mu.Unlock()
			return
		}
		f := s.todo[0]
		s.todo = s.todo[1:]
		s.mu.Unlock()
		sum := sumFile(s.ctx, f)
		s.mu.Lock()
		s.done[f] = sum
		s.mu.Unlock()
	}
}

// Rest sums what is left of the files of a run, on all processors.
func (s *Sums) Rest(run *model.Run) { s.add(run.Files, runtime.GOMAXPROCS(0)) }

// Wait gives every file of a run its sum, "" to one that could not be read again.
func (s *Sums) Wait(run *model.Run) {
	s.wg.Wait()
	for _, f := range run.Files {
		if sum := s.done[f]; sum != "" {
			f.SHA256 = sum
		}
	}
}

func sumFile(ctx context.Context, f *model.File) string {
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
