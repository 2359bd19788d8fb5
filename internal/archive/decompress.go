package archive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tidemark/model"
)

// Decompress returns the content of r, unpacked if it begins like gzip or
// zstd, and whether it was packed.
func Decompress(r io.Reader) (io.ReadCloser, bool, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, _ := br.Peek(4)
	in := &counter{r: br}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, true, fmt.Errorf("gzip: %w", err)
		}
		return &guard{r: z, in: in, close: z.Close}, true, nil
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, true, fmt.Errorf("zstd: %w", err)
		}
		return &guard{r: z, in: in, close: func() error { z.Close(); return nil }}, true, nil
	}
	return io.NopCloser(br), false, nil
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
