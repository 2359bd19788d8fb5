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

// Sums are the SHA-256 of files that lie on disk as they are. Large ones that are read
// in parts are summed by the way: see partSum. Others are while the last files are
// read, and while others work on the run.
type Sums struct {
	ctx  context.Context
	wg   sync.WaitGroup
	mu   sync.Mutex
	done map[*model.File]*string // of files that somebody sums
}

// NewSums returns sums of no file. They end early when ctx does.
func NewSums(ctx context.Context) *Sums {
	return &Sums{ctx: ctx, done: map[*model.File]*string{}}
}

// known keeps the sum of a file that was summed while it was read.
func (s *Sums) known(f *model.File, sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[f] = &sum
}

// spareSum is how long a file may be that is summed beside the reading of others:
// the rest of the run is not to wait for it.
const spareSum = 4 << 20

// spare sums files on one processor.
func (s *Sums) spare(files []*model.File) { s.work(s.claim(files), 1) }

// Rest sums what is left of the files of a run, on all processors.
func (s *Sums) Rest(run *model.Run) {
	s.work(s.claim(run.Files), runtime.GOMAXPROCS(0))
}

// A claimed file is summed by who claims it.
type claimed struct {
	file *model.File
	sum  *string
}

// claim returns the files that nobody has begun to sum.
func (s *Sums) claim(files []*model.File) (list []claimed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range files {
		if onDisk(f) && s.done[f] == nil {
			s.done[f] = new(string)
			list = append(list, claimed{f, s.done[f]})
		}
	}
	return list
}

// work sums files, so many at a time.
func (s *Sums) work(list []claimed, workers int) {
	next := make(chan claimed, len(list))
	for _, c := range list {
		next <- c
	}
	close(next)
	for range min(workers, len(list)) {
		s.wg.Go(func() {
			block := make([]byte, sumBlock)
			for c := range next {
				*c.sum = s.file(c.file, block)
			}
		})
	}
}

// Wait gives every file of a run its sum, "" to one that could not be read again.
func (s *Sums) Wait(run *model.Run) {
	s.wg.Wait()
	for _, f := range run.Files {
		if sum := s.done[f]; sum != nil {
			f.SHA256 = *sum
		}
	}
}

// file is the sum of a file, empty where it cannot be read.
func (s *Sums) file(f *model.File, block []byte) string {
	r, err := os.Open(f.Disk)
	if err != nil {
		return ""
	}
	defer r.Close()
	return sum(stopping{s.ctx, r}, block)
}

// onDisk reports whether a file lies on disk and is no member of an archive.
func onDisk(f *model.File) bool { return f.Disk != "" && f.Archive == "" }

// sumBlock is how much of a file is read at a time to be summed.
const sumBlock = 128 << 10

// sum is the SHA-256 of what r holds, in hex, "" where it cannot be read to its
// end; block is memory to read into.
func sum(r io.Reader, block []byte) string {
	h := sha256.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{r}, block); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
