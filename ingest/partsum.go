package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync"
	"sync/atomic"
)

// A piece is the text of a part in memory that is given back once it is both parsed
// and summed.
type piece struct {
	text  []byte
	from  *pieces
	users atomic.Int32
}

func (p *piece) release() {
	if p.users.Add(-1) > 0 {
		return
	}
	p.from.mu.Lock()
	defer p.from.mu.Unlock()
	p.from.free = append(p.from.free, p)
}

// pieces are those that were given back.
type pieces struct {
	mu   sync.Mutex
	free []*piece
}

const (
	// pieceSpare is how much larger than needed a piece is made: parts end with a line, so
	// that one is a little longer than the other.
	pieceSpare = 16 << 10
	// mostPiece is the largest part that is read into memory in one piece: where a
	// file has no line end, it is all one part.
	mostPiece = 4 * mostPart
)

// take returns one that was given back, or a new one.
func (p *pieces) take() *piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return &piece{from: p}
	}
	x := p.free[n-1]
	p.free = p.free[:n-1]
	return x
}

// read reads a range of a file, in one call. What the file has lost of it since is
// missing from the text, without an error.
func (p *pieces) read(at io.ReaderAt, from, to int64) (*piece, error) {
	x := p.take()
	if n := int(to - from); cap(x.text) < n {
		x.text = make([]byte, n+pieceSpare)
	}
	x.users.Store(1)
	n, err := at.ReadAt(x.text[:to-from], from)
	if x.text = x.text[:n]; err == io.EOF {
		err = nil
	}
	return x, err
}

// A partSum is the SHA-256 of a file whose parts are read at the same time. Whoever
// reads the part that is next sums it while it is in the processor's cache, and those
// behind it that wait. It costs no second reading of the file. Where many processors read
// faster than one sums, they wait for it.
type partSum struct {
	most    int // parts that wait
	mu      sync.Mutex
	moved   *sync.Cond // next is another one, or nothing is summed any more
	hash    hash.Hash
	next    int // part
	waiting map[int]*piece
	busy    bool // somebody sums
	damaged bool // a part was not read in one piece
}

// newPartSum returns a sum for which so many parts wait at most.
func newPartSum(most int) *partSum {
	s := &partSum{most: most, hash: sha256.New(), waiting: map[int]*piece{}}
	s.moved = sync.NewCond(&s.mu)
	return s
}

// add adds part n; whole is whether all of it was read. Parts are begun in their order: the
// next one is on its way when a later one waits. A nil sum takes any.
func (s *partSum) add(n int, p *piece, whole bool) {
	if s == nil {
		return
	}
	p.users.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[n] = p
	if !whole || s.damaged {
		s.giveUp()
	}
	if !s.busy {
		s.sum()
	}
	for n >= s.next+s.most && !s.damaged {
		s.moved.Wait()
	}
}

// sum sums what is next, as far as it is there.
func (s *partSum) sum() {
	s.busy = true
	for p := s.waiting[s.next]; p != nil; p = s.waiting[s.next] {
		delete(s.waiting, s.next)
		s.next++
		s.moved.Broadcast()
		s.mu.Unlock()
		s.hash.Write(p.text)
		p.release()
		s.mu.Lock()
	}
	s.busy = false
}

// skip says that a part is not summed, and so the file is not.
func (s *partSum) skip() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp()
}

func (s *partSum) giveUp() {
	s.damaged = true
	for _, p := range s.waiting {
		p.release()
	}
	clear(s.waiting)
	s.moved.Broadcast()
}

// text is the sum in hex once all parts are added, "" where it is not known.
func (s *partSum) text(parts int) string {
	if s == nil || s.damaged || s.next < parts {
		return ""
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}
