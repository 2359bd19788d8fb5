// Package archive finds the files behind the paths a user gives: directories,
// files, zip and tar archives, a tar on standard input.
package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Member is one file found.
type Member struct {
	Path    string // as shown: relative to the path it was found under
	Archive string // the archive it is a member of, "" for a plain file
	Bytes   int64  // on disk; of a member, its listed size
	Err     error  // why it cannot be read
	// At gives random access to the content, and Done gives it back. At is nil
	// where only Open works.
	At   io.ReaderAt
	Open func() (io.ReadCloser, error)
	Done func()
}

// Walk calls fn for every file behind paths, in the order of their names
// within each path. stdin is read where a path is "-". A path that does not
// exist is an error; anything else that cannot be read is a Member with Err.
func Walk(ctx context.Context, paths []string, stdin io.Reader, fn func(Member) error) error {
	for _, p := range paths {
		if err := walkPath(ctx, p, prefix(paths, p), stdin, fn); err != nil {
			return err
		}
	}
	return nil
}

// prefix keeps the members of several directories apart.
func prefix(paths []string, p string) string {
	dirs := 0
	for _, q := range paths {
		if st, err := os.Stat(q); err == nil && st.IsDir() {
			dirs++
		}
	}
	if dirs < 2 {
		return ""
	}
	return filepath.Base(filepath.Clean(p)) + "/"
}

func walkPath(ctx context.Context, p, prefix string, stdin io.Reader, fn func(Member) error) error {
	if p == "-" {
		return walkTar(ctx, "-", "", stdin, fn)
	}
	st, err := os.Stat(p)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return file(ctx, p, filepath.Base(p), st, true, fn)
	}
	root, err := filepath.EvalSymlinks(p)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, _ := filepath.Rel(root, name)
		shown := prefix + filepath.ToSlash(rel)
		switch {
		case err != nil:
			return fn(Member{Path: shown, Err: err})
		case d.IsDir() && rel != "." && strings.HasPrefix(d.Name(), "."):
			if err := fn(Member{Path: shown + "/", Err: fmt.Errorf("a hidden directory, not read")}); err != nil {
				return err
			}
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		st, err := os.Stat(name)
		if err != nil {
			return fn(Member{Path: shown, Err: err})
		}
		return file(ctx, name, shown, st, false, fn)
	})
}

// file hands over one file of the file system, or what is in it if it is an
// archive. alone: it was named by the user, so its members need no prefix.
func file(ctx context.Context, name, shown string, st fs.FileInfo, alone bool, fn func(Member) error) error {
	if st.IsDir() {
		return fn(Member{Path: shown, Err: fmt.Errorf("a link to a directory, not followed")})
	}
	if !st.Mode().IsRegular() {
		return fn(Member{Path: shown, Err: fmt.Errorf("not a regular file")})
	}
	f, err := os.Open(name)
	if err != nil {
		return fn(Member{Path: shown, Bytes: st.Size(), Err: err})
	}
	within := shown + "/"
	if alone {
		within = ""
	}
	switch kind(f, st.Size()) {
	case "zip":
		defer f.Close()
		return walkZip(ctx, f, st.Size(), shown, within, fn)
	case "tar":
		defer f.Close()
		return walkTar(ctx, shown, within, f, fn)
	}
	return fn(Member{
		Path: shown, Bytes: st.Size(), At: f, Done: func() { f.Close() },
		Open: func() (io.ReadCloser, error) { return os.Open(name) },
	})
}

// kind tells an archive by its content. A tar may be compressed.
func kind(f *os.File, size int64) string {
	head := make([]byte, 512)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		return "zip"
	}
	if IsTar(head) {
		return "tar"
	}
	if r, packed, err := Decompress(io.NewSectionReader(f, 0, size)); err == nil && packed {
		defer r.Close()
		n, _ := io.ReadFull(r, head[:cap(head)])
		if IsTar(head[:n]) {
			return "tar"
		}
	}
	return ""
}

// IsTar reports whether a first block is that of a tar archive.
func IsTar(head []byte) bool {
	return len(head) >= 262 && string(head[257:262]) == "ustar"
}
