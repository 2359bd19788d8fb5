package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"tidemark/model"
)

// maxWindow is the largest window of a packer that is held in memory; xz -9
// takes half of it.
const maxWindow = 128 << 20

// Decompress returns the content of r, unpacked if it begins like gzip, zstd,
// xz or bzip2, and whether it was packed.
func Decompress(r io.Reader) (io.ReadCloser, bool, error) {
	plain := Peek(r, magicSize)
	head := plain.Head
	if !isPacked(head) {
		return io.NopCloser(plain), false, nil
	}
	in := &counter{r: bufio.NewReaderSize(plain, 64<<10)}
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, true, fmt.Errorf("gzip: %w", err)
		}
		return &guard{r: z, in: in, close: z.Close}, true, nil
	case bytes.HasPrefix(head, []byte(zstdMagic)):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, true, fmt.Errorf("zstd: %w", err)
		}
		return &guard{r: z, in: in, close: func() error { z.Close(); return nil }}, true, nil
	case bytes.HasPrefix(head, []byte(xzMagic)):
		if w := xzWindow(head); w > maxWindow {
			return nil, true, fmt.Errorf("xz: a window of %d MiB, want at most %d", w>>20, maxWindow>>20)
		}
		end := &xzEnd{r: in}
		z, err := xz.NewReader(end)
		if err != nil {
			return nil, true, fmt.Errorf("xz: %w", err)
		}
		end.z = z
		return &guard{r: readFunc(end.unpacked), in: in, close: noClose}, true, nil
	}
	return &guard{r: bzip2.NewReader(in), in: in, close: noClose}, true, nil
}

// magicSize is how much of a file tells whether and how it is packed.
const magicSize = 64

// The first bytes of what packers write. See also isBzip2.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	xzMagic   = "\xfd7zXZ\x00"
)

// isPacked reports whether a file begins as one that Decompress unpacks.
func isPacked(head []byte) bool {
	for _, magic := range [...]string{gzipMagic, zstdMagic, xzMagic} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return isBzip2(head)
}

func noClose() error { return nil }

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// An xzEnd watches how a stream ends: the unpacker takes some cut files for
// whole ones.
type xzEnd struct {
	r, z io.Reader
	last [2]byte // before zeros, which may pad a stream
}

func (x *xzEnd) Read(p []byte) (int, error) {
	n, err := x.r.Read(p)
	switch b := bytes.TrimRight(p[:n], "\x00"); len(b) {
	case 0:
	case 1:
		x.last = [2]byte{x.last[1], b[0]}
	default:
		x.last = [2]byte{b[len(b)-2], b[len(b)-1]}
	}
	return n, err
}

// unpacked reads what comes out; the end counts only behind a footer.
func (x *xzEnd) unpacked(p []byte) (int, error) {
	n, err := x.z.Read(p)
	if err == io.EOF && x.last != [2]byte{'Y', 'Z'} {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// isBzip2 wants the level and the mark of the first block, or of an empty
// file's end, behind "BZh": three letters alone may begin any text.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && string(head[:3]) == "BZh" && head[3]-'1' < 9 &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// xzWindow returns the window of the first block as its header says, 0 where
// that is not the plain one: the stream's header has 12 bytes, then come size,
// flags, the optional sizes, and the filter 0x21 with one byte of properties.
func xzWindow(head []byte) int64 {
	if len(head) < 20 || head[12] == 0 {
		return 0
	}
	i := 14
	for _, flag := range []byte{0x40, 0x80} {
		if head[13]&flag == 0 {
			continue
		}
		for i < len(head) && head[i]&0x80 != 0 {
			i++
		}
		i++
	}
	if i+2 >= len(head) || head[i] != 0x21 || head[i+1] != 1 || head[i+2] > 40 {
		return 0
	}
	bits := int64(head[i+2])
	return (2 | bits&1) << (bits/2 + 11)
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// guard stops a member, or an archive, that unpacks to far more than it should.
type guard struct {
	r     io.Reader
	in    *counter
	out   int64
	err   error // once over, always over
	close func() error
}

func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	g.out += int64(n)
	if g.out > model.MaxExpansionFrom && g.out/model.MaxExpansion > g.in.n {
		g.err = fmt.Errorf("unpacks to over %d times its size, want at most %d", g.out/max(g.in.n, 1), model.MaxExpansion)
		return n, g.err
	}
	return n, err
}

func (g *guard) Close() error { return g.close() }
