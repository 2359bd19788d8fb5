package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// inMemory is the largest member of a tar that is held in memory; larger ones
// go through a temporary file.
const inMemory = 32 << 20

// zip hands over the members of a zip. Members may share their compressed
// bytes, so all that comes out is held against the size of the archive.
func (w *walker) zip(f io.ReaderAt, size int64, shown, within string) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return w.refuse(shown, size, "zip: %w", err)
	}
	files := slices.Clone(z.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	if len(files) == 0 {
		return w.refuse(shown, size, "a zip without members")
	}
	all, names := &guard{in: &counter{n: size}}, zipNames(files)
	for _, e := range files {
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if strings.HasSuffix(e.Name, "/") {
			continue
		}
		m := zipMember(e, all, shown, within)
		m.Spare = names.has(zipTarget(e))
		if err := w.member(m); err != nil {
			return err
		}
	}
	return nil
}

func zipMember(e *zip.File, all *guard, shown, within string) Member {
	m := Member{Path: within + clean(e.Name), Archive: shown, Bytes: int64(min(e.UncompressedSize64, 1<<62))}
	switch {
	case e.Flags&1 != 0:
		m.Err = errors.New("zip: encrypted, want it unpacked")
		return m
	case !e.Mode().IsRegular():
		m.Err = fmt.Errorf("zip: %s, not followed", special(e.Mode()))
		return m
	}
	r, err := e.Open()
	if err != nil {
		m.Err = fmt.Errorf("zip: %w", err)
		return m
	}
	defer r.Close()
	all.r = r
	hold(&m, all)
	return m
}

func special(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a link"
	}
	return "a special file"
}

// stream hands over the members of a tar on standard input.
func (w *walker) stream(stdin io.Reader) error {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	br := bufio.NewReaderSize(stdin, 64<<10)
	head, err := br.Peek(512)
	switch {
	case len(head) == 0 && err != nil && err != io.EOF:
		return w.emit(Member{Path: "-", Err: err})
	case len(head) == 0:
		return w.refuse("-", 0, "nothing on standard input, want a tar")
	case IsZip(head):
		return w.refuse("-", 0, "a zip on standard input, want a tar or the zip as a file")
	}
	return w.tar("-", "", br)
}

func (w *walker) tar(shown, within string, r io.Reader) error {
	in := &counter{r: r}
	u, packed, err := Decompress(in)
	if err != nil {
		return w.emit(Member{Path: shown, Err: err})
	}
	defer u.Close()
	t := tar.NewReader(u)
	all := &guard{r: t, in: in} // a sparse member has more bytes than its archive
	links := &tarLinks{names: names{}}
	for n := 0; ; n++ {
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return w.refuse(shown, 0, "a tar without members")
		case errors.Is(err, io.EOF):
			return cmp.Or(links.hand(w), w.rest(u, shown, n, packed))
		case errors.Is(err, tar.ErrHeader) && n == 0:
			return w.refuse(shown, 0, "no tar: %w", err)
		case err != nil:
			return cmp.Or(links.hand(w), w.refuse(shown, 0, "tar, after %d members: %w", n, err))
		}
		if err := w.tarMember(h, all, links, shown, within); err != nil {
			return err
		}
	}
}

// rest reads what follows the last of n members, up to the checksum of what
// was packed.
func (w *walker) rest(u io.Reader, shown string, n int, packed bool) error {
	if !packed {
		return nil
	}
	if _, err := io.Copy(io.Discard, u); err != nil {
		return w.refuse(shown, 0, "after %d members: %w", n, err)
	}
	return nil
}

func (w *walker) tarMember(h *tar.Header, all *guard, links *tarLinks, shown, within string) error {
	m := Member{Path: within + clean(h.Name), Archive: shown, Bytes: h.Size}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		links.names.add(h.Name)
		hold(&m, all)
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	case tar.TypeLink, tar.TypeSymlink:
		m.Bytes, m.Err = 0, errors.New("tar: a link, not followed")
		return links.meet(w, m, tarTarget(h))
	default:
		m.Bytes, m.Err = 0, fmt.Errorf("tar: a member of type %q, not a regular file", h.Typeflag)
		m.Spare = true
	}
	return w.member(m)
}

// member hands over a member, or what is in it if it is an archive itself: one
// deep, as the artifacts of a CI run are when they are fetched together.
func (w *walker) member(m Member) error {
	if m.At == nil || w.nested {
		return w.emit(m)
	}
	k := kind(m.At, m.Bytes)
	if k == "" {
		return w.emit(m)
	}
	w.nested = true
	defer func() {
		w.nested = false
		m.Done()
	}()
	if k == "zip" {
		return w.zip(m.At, m.Bytes, m.Path, m.Path+"/")
	}
	return w.tar(m.Path, m.Path+"/", io.NewSectionReader(m.At, 0, m.Bytes))
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

// clean makes a member's name one that leads nowhere else; nothing is ever
// written under it.
func clean(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, "\\", "/")), "/")
	if name == "" {
		return "(no name)"
	}
	return name
}
