package archive

import "io"

// A Peeked is a reader whose first bytes are known.
type Peeked struct {
	Head []byte // not changed by reading
	rest []byte // of Head, to be read
	r    io.Reader
	err  error // behind Head
}

// Peek reads the first n bytes of r, or all where there are fewer. Reading the
// result gives all of r.
func Peek(r io.Reader, n int) *Peeked {
	p := &Peeked{Head: make([]byte, 0, n), r: r}
	for len(p.Head) < n && p.err == nil {
		var k int
		k, p.err = r.Read(p.Head[len(p.Head):n])
		p.Head = p.Head[:len(p.Head)+k]
	}
	p.rest = p.Head
	return p
}

// Discard leaves out the next n bytes, of Head at most.
func (p *Peeked) Discard(n int) { p.rest = p.rest[min(n, len(p.rest)):] }

// Err is why Head is all that there is, nil where more may follow.
func (p *Peeked) Err() error { return p.err }

func (p *Peeked) Read(b []byte) (int, error) {
	switch {
	case len(p.rest) > 0:
		n := copy(b, p.rest)
		p.rest = p.rest[n:]
		return n, nil
	case p.err != nil:
		return 0, p.err
	}
	return p.r.Read(b)
}
