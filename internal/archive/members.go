package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// inMemory is the largest member of a tar that is held in memory; larger ones
// go through a temporary file.
const inMemory = 32 << 20

func walkZip(ctx context.Context, f *os.File, size int64, shown, within string, fn func(Member) error) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return fn(Member{Path: shown, Bytes: size, Err: fmt.Errorf("zip: %w", err)})
	}
	files := slices.Clone(z.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.HasSuffix(e.Name, "/") {
			continue
		}
		m := Member{Path: within + clean(e.Name), Archive: shown, Bytes: int64(e.UncompressedSize64)}
		r, err := e.Open()
		if err != nil {
			m.Err = fmt.Errorf("zip: %w", err)
		} else {
			in := &counter{}
			in.n = int64(e.CompressedSize64)
			hold(&m, &guard{r: r, in: in, close: r.Close})
			r.Close()
		}
		if err := fn(m); err != nil {
			return err
		}
	}
	return nil
}

func walkTar(ctx context.Context, shown, within string, r io.Reader, fn func(Member) error) error {
	u, _, err := Decompress(r)
	if err != nil {
		return fn(Member{Path: shown, Err: err})
	}
	defer u.Close()
	t := tar.NewReader(u)
	for n := 0; ; n++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return fn(Member{Path: shown, Err: fmt.Errorf("a tar without members")})
			}
			return nil
		}
		if err != nil {
			return fn(Member{Path: shown, Err: fmt.Errorf("tar, after %d members: %w", n, err)})
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		m := Member{Path: within + clean(h.Name), Archive: shown, Bytes: h.Size}
		hold(&m, t)
		if err := fn(m); err != nil {
			return err
		}
	}
}

// hold keeps a member's content until it is done with.
func hold(m *Member, r io.Reader) {
	var buf bytes.Buffer
	_, err := io.CopyN(&buf, r, inMemory+1)
	switch {
	case err == nil:
		spill(m, io.MultiReader(&buf, r))
		return
	case !errors.Is(err, io.EOF):
		m.Err = fmt.Errorf("cut short after %d bytes: %w", buf.Len(), err)
	}
	b := buf.Bytes()
	m.At, m.Done = bytes.NewReader(b), func() {}
	m.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	m.Bytes = int64(len(b))
}

func spill(m *Member, r io.Reader) {
	f, err := os.CreateTemp("", "tidemark-*")
	if err != nil {
		m.Err = err
		return
	}
	m.Done = func() { f.Close(); os.Remove(f.Name()) }
	n, err := io.Copy(f, r)
	if err != nil {
		m.Err = fmt.Errorf("cut short after %d bytes: %w", n, err)
	}
	m.At, m.Bytes = f, n
	m.Open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, n)), nil }
}

// clean makes a member's name safe to show; nothing is ever written under it.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, "\\", "/")), "/")
}
