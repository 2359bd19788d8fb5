package ingest

import (
	"bytes"
	"io"

	"tidemark/internal/archive"
	"tidemark/model"
)

const (
	// leastPart and mostPart bound how much of a file one processor reads at a
	// time: a 48th of it, so that all have work to the end, but not so little
	// that joining costs more than it gains, nor so much that the parts in work
	// fill the memory. The last parts are smaller, down to lastPart, so that none
	// is long at work when the others are done.
	leastPart = 512 << 10
	mostPart  = 2 << 20
	lastPart  = 256 << 10
	// firstPart is short, since every later part waits for the header it binds.
	firstPart = 64 << 10
	// shortLine is in how many bytes a line end is looked for first.
	shortLine = 4 << 10
	// mostAhead is how many parts are in memory at most that are read and not joined, and
	// mostUnsummed how many that wait to be summed: a few processors read as fast as one
	// sums, and the memory must not grow with their number.
	mostAhead    = 16
	mostUnsummed = 8
)

// A part is a range of a file that begins and ends at a line end.
type part struct {
	from, to int64
	out      *model.RunBuilder
	bound    string
	learned  any
	err      error
	whole    bool // the file must be read in one piece
	ready    chan struct{}
	ahead    <-chan struct{} // holds one for each part that is read and not yet joined, nil for no bound
}

// parts reads a large plain file in parts, at the same time. Every part is
// read under the header that the first one bound; where an earlier part turns
// out to have bound another one, the part is read again under that. header is
// what is bound before the file begins.
func (r *reader) parts(f *Format, header string, m archive.Member, file *model.File) (*model.RunBuilder, error) {
	m.At = stoppingAt{r.ctx, m.At}
	cuts, err := cut(f, m.At, m.Bytes)
	if err != nil {
		return model.NewRunBuilder(file), err
	}
	list := make([]*part, len(cuts)-1)
	for i := range list {
		list[i] = &part{from: cuts[i], to: cuts[i+1], ready: make(chan struct{})}
	}
	first := list[0]
	first.out = model.NewRunBuilder(file)
	var sum *partSum
	if r.sums != nil && onDisk(file) {
		sum = newPartSum(min(cap(r.slots)+2, mostUnsummed))
	}
	r.slots <- struct{}{}
	r.part(first, f, m, header, nil, 0, sum)
	<-r.slots
	if first.whole {
		return r.whole(f, header, m, file)
	}
	seed := first.out.Seed()
	ahead := make(chan struct{}, min(2*cap(r.slots)+2, mostAhead))
	go func() {
		for i, p := range list[1:] {
			p.ahead = ahead
			ahead <- struct{}{}
			r.slots <- struct{}{}
			go func() {
				p.out = seed.NewPart(&model.File{Path: file.Path}, float64(p.to-p.from)/float64(first.to))
				r.part(p, f, m, first.bound, first.learned, i+1, sum)
				<-r.slots
				close(p.ready)
			}()
		}
	}()
	out, err := r.join(f, header, m, list)
	if text := sum.text(len(list)); text != "" {
		r.sums.known(file, text)
	}
	return out, err
}

// join appends the parts to the first one, in order.
func (r *reader) join(f *Format, begin string, m archive.Member, list []*part) (*model.RunBuilder, error) {
	out, header := list[0].out, list[0].bound
	err, whole := list[0].err, list[0].whole
	for i, p := range list[1:] {
		<-p.ready
		if p.ahead != nil {
			<-p.ahead
		}
		if err != nil || whole {
			continue
		}
		if header != list[0].bound {
			p.out = model.NewRunBuilder(&model.File{Path: out.File.Path})
			r.part(p, f, m, header, nil, i+1, nil)
		}
		if p.bound != "" {
			header = p.bound
		}
		whole = p.whole
		out.Part(p.out)
		p.out = nil
		err = p.err
	}
	if whole {
		return r.whole(f, begin, m, out.File)
	}
	r.keep(out.File.Path, f, header)
	return out, err
}

// whole reads a file in one piece of which a part has said that it must be.
func (r *reader) whole(f *Format, header string, m archive.Member, file *model.File) (*model.RunBuilder, error) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	file.Restart()
	out := model.NewRunBuilder(file)
	src := newSource(f, out, stem(m.Path), io.NewSectionReader(m.At, 0, m.Bytes), 0)
	src.Header = header
	err := r.parse(f, src, out)
	r.keep(file.Path, f, src.bound)
	return out, err
}

// part reads a part into p.out, and adds it to the sum of the file unless that is nil.
// learned goes with a p.out that has the first part's strings.
func (r *reader) part(p *part, f *Format, m archive.Member, header string, learned any, n int, sum *partSum) {
	src := newSource(f, p.out, stem(m.Path), io.NewSectionReader(m.At, p.from, p.to-p.from), p.from)
	if size := p.to - p.from; size > mostPiece {
		sum.skip()
	} else {
		b, err := r.pieces.read(m.At, p.from, p.to)
		defer b.release()
		sum.add(n, b, int64(len(b.text)) == size)
		src.hold(b.text, err)
	}
	src.Header, src.Part, src.part, src.Learned = header, n, true, learned
	src.before, src.from = m.At, p.from
	p.err = r.parse(f, src, p.out)
	p.bound, p.whole = src.bound, src.whole
	if n == 0 {
		p.learned = src.learned // holds on to the part's rows
	}
}

// cut returns where parts begin, and the size at the end. A part begins after
// a line end, and with a line that the format allows there.
func cut(f *Format, at io.ReaderAt, size int64) ([]int64, error) {
	cuts := []int64{0}
	buf := make([]byte, 64<<10)
	step := min(max(size/48, leastPart), mostPart)
	for next := int64(firstPart); next < size; {
		off, err := lineStart(f, at, next, size, buf)
		if err != nil {
			return nil, err
		}
		if off >= size {
			break
		}
		cuts = append(cuts, off)
		next = off + min(step, max((size-off)/4, lastPart))
	}
	return append(cuts, size), nil
}

// lineStart returns the first place from off on where a part may begin.
func lineStart(f *Format, at io.ReaderAt, off, size int64, buf []byte) (int64, error) {
	for most := shortLine; off < size; most = len(buf) {
		n, err := at.ReadAt(buf[:most], off)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if n == 0 {
			break // the file has become shorter
		}
		b := buf[:n]
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			off += int64(n)
			continue
		}
		for ; i >= 0; i = bytes.IndexByte(b, '\n') {
			b, off = b[i+1:], off+int64(i+1)
			end := bytes.IndexByte(b, '\n')
			if f.Cut == nil || end >= 0 && f.Cut(b[:end]) {
				return off, nil
			}
			if end < 0 {
				break
			}
		}
	}
	return size, nil
}
