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
// the last of them are read and while others work on the run.
type Sums struct {
	ctx  context.Context
	wg   sync.WaitGroup
	mu   sync.Mutex
	done map[*model.File]*string // of files that are begun
	rest chan struct{}           // closed by Rest
}

// NewSums returns sums of no file. They end early when ctx does.
func NewSums(ctx context.Context) *Sums {
	return &Sums{ctx: ctx, done: map[*model.File]*string{}, rest: make(chan struct{})}
}

// In ns, for the choice of what is summed when: what a byte to sum costs, measured on
// one machine, and how much of the work on a row there is for that to be done beside;
// of 30 to 70 the quickest there.
const (
	byteCost = 0.75
	rowCost  = 50
)

// early begins to sum a large file while it is read, as much of it as the
// analysis of its rows will not leave time for: there is no use in more, since
// reading keeps all processors busy. Parts of the file hold so many rows a byte.
func (s *Sums) early(f *model.File, rowsPerByte float64) {
	if part := 1 - rowsPerByte*rowCost/byteCost; part > 0.1 && onDisk(f) {
		s.begin(f, int64(part*float64(f.Bytes)))
	}
}

// begin sums a file, what lies behind the first bytes after Rest.
func (s *Sums) begin(f *model.File, first int64) {
	for _, c := range s.claim([]*model.File{f}) {
		s.wg.Go(func() { *c.sum = s.file(f, first, make([]byte, sumBlock)) })
	}
}

// spareSum is how long a file may be that is summed beside the reading of others:
// the rest of the run is not to wait for it.
const spareSum = 4 << 20

// spare sums files on one processor.
func (s *Sums) spare(files []*model.File) { s.work(s.claim(files), 1) }

// Rest sums what is left of the files of a run, on all processors.
func (s *Sums) Rest(run *model.Run) {
	close(s.rest)
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
				*c.sum = s.file(c.file, whole, block)
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

// whole stands for all bytes of a file.
const whole = -1

// file sums a file, what lies behind the first bytes after Rest.
func (s *Sums) file(f *model.File, first int64, block []byte) string {
	r, err := os.Open(f.Disk)
	if err != nil {
		return ""
	}
	defer r.Close()
	if first == whole {
		return sum(stopping{s.ctx, r}, block)
	}
	return sum(stopping{s.ctx, io.MultiReader(io.LimitReader(r, first), waiting{s, r})}, block)
}

// waiting is a reader that begins when the rest of the files is summed.
type waiting struct {
	s *Sums
	io.Reader
}

func (w waiting) Read(p []byte) (int, error) {
	select {
	case <-w.s.rest:
	case <-w.s.ctx.Done():
		return 0, w.s.ctx.Err()
	}
	return w.Reader.Read(p)
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
