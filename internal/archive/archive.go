// Package archive finds the files behind the paths a user gives: directories,
// files, zip and tar archives, a tar on standard input.
package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Member is one file found.
type Member struct {
	Path    string // as shown: relative to the path it was found under; no two are alike
	Archive string // the archive it is a member of, "" for a plain file
	Disk    string // the file on disk that holds it, "" for standard input
	Bytes   int64  // on disk; of a member, its listed size
	Err     error  // why it cannot be read
	Spare   bool   // nothing is lost by that: it is read under another name, or no content
	// At gives random access to the content, and Done gives it back. At is nil
	// where only Open works.
	At   io.ReaderAt
	Open func() (io.ReadCloser, error)
	Done func()
}

// Walk calls fn for every file behind paths, in the order of their names
// within each path. stdin is read where a path is "-". A path that does not
// exist is an error; anything else that cannot be read is a Member with Err.
// A file that is reached twice, by a link or by two paths, is read once.
func Walk(ctx context.Context, paths []string, stdin io.Reader, fn func(Member) error) error {
	w := &walker{ctx: ctx, fn: fn, names: map[string]int{}, seen: map[identity][]found{}}
	prefixes := prefixes(paths)
	for i, p := range paths {
		if err := w.path(p, prefixes[i], stdin); err != nil {
			return err
		}
	}
	return nil
}

// prefixes keep the members of several directories apart: the directory's
// name, or the whole path where two have the same name.
func prefixes(paths []string) []string {
	out := make([]string, len(paths))
	names := map[string]int{}
	for i, p := range paths {
		if st, err := os.Stat(p); p != "-" && err == nil && st.IsDir() {
			out[i] = base(p) + "/"
			names[out[i]]++
		}
	}
	total := 0
	for _, n := range names {
		total += n
	}
	for i, p := range paths {
		switch {
		case total < 2:
			out[i] = ""
		case names[out[i]] > 1:
			out[i] = filepath.ToSlash(filepath.Clean(p)) + "/"
		}
	}
	return out
}

// base is the name of a path, also of one such as "." or "..".
func base(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	return filepath.Base(p)
}

// A walker hands over members, each with a name of its own.
type walker struct {
	nested bool // the members are those of an archive within an archive
	ctx    context.Context
	fn     func(Member) error
	disk   string // the file that is being read
	names  map[string]int
	seen   map[identity][]found
}

// identity is what two names of one file have in common, to be looked up by.
type identity struct{ size, modified int64 }

type found struct {
	info fs.FileInfo
	path string
}

// emit hands over a member under a name that is fit to be printed.
func (w *walker) emit(m Member) error {
	m.Path = printable(m.Path)
	m.Archive = printable(m.Archive)
	m.Disk = w.disk
	m.Path = w.unique(m.Path)
	m.Err = short(m.Err)
	return w.fn(m)
}

// unique numbers a name that was given before. names counts how often a name
// was asked for, so that many alike cost no more than few.
func (w *walker) unique(name string) string {
	n := w.names[name] + 1
	w.names[name] = n
	if n == 1 {
		return name
	}
	return w.unique(fmt.Sprintf("%s (%d)", name, n))
}

func (w *walker) refuse(path string, size int64, format string, args ...any) error {
	return w.emit(Member{Path: path, Bytes: size, Err: fmt.Errorf(format, args...)})
}

// spare names what nothing is lost by: it is read elsewhere, or holds no content.
func (w *walker) spare(path string, size int64, format string, args ...any) error {
	return w.emit(Member{Path: path, Bytes: size, Spare: true, Err: fmt.Errorf(format, args...)})
}

// printable replaces what a name has no right to do to a terminal.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
}

// short drops the operation and the path of the file system's errors: the
// member has a path.
func short(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (w *walker) path(p, prefix string, stdin io.Reader) error {
	if p == "-" {
		return w.stream(stdin)
	}
	st, err := os.Stat(p)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return w.file(p, base(p), st, true)
	}
	root, err := filepath.EvalSymlinks(p)
	if err != nil {
		return err
	}
	links, err := w.dir(root, prefix)
	for _, l := range links { // after the files that they may lead to
		if err == nil {
			err = w.link(l, root, prefix)
		}
	}
	return err
}

// dir hands over the files below root, and returns the symbolic links there.
func (w *walker) dir(root, prefix string) (links []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		shown := shown(root, name, prefix)
		switch {
		case w.ctx.Err() != nil:
			return w.ctx.Err()
		case err != nil:
			return w.emit(Member{Path: shown, Err: err})
		case d.IsDir() && name != root && strings.HasPrefix(d.Name(), "."):
			if err := w.spare(shown+"/", 0, "a hidden directory, not read"); err != nil {
				return err
			}
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			links = append(links, name)
			return nil
		}
		st, err := os.Stat(name)
		if err != nil {
			return w.emit(Member{Path: shown, Err: err})
		}
		return w.file(name, shown, st, false)
	})
	return links, err
}

func shown(root, name, prefix string) string {
	rel, err := filepath.Rel(root, name)
	if err != nil {
		rel = name
	}
	return prefix + filepath.ToSlash(rel)
}

func (w *walker) link(name, root, prefix string) error {
	st, err := os.Stat(name)
	if err != nil {
		return w.emit(Member{Path: shown(root, name, prefix), Err: fmt.Errorf("a link that leads nowhere: %w", short(err))})
	}
	if st.IsDir() && walked(name, root) {
		return w.spare(shown(root, name, prefix), 0, "a link to a directory, not followed")
	}
	return w.file(name, shown(root, name, prefix), st, false)
}

// walked reports whether a link leads to what is found below root without it.
func walked(link, root string) bool {
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, to)
	return err == nil && filepath.IsLocal(rel) && (rel == "." || !hidden(filepath.ToSlash(rel)))
}

// hidden reports whether a path leads through a directory that is not read.
func hidden(rel string) bool { return strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") }

// file hands over one file of the file system, or what is in it if it is an
// archive. alone: it was named by the user, so its members need no prefix.
func (w *walker) file(name, shown string, st fs.FileInfo, alone bool) error {
	switch {
	case st.IsDir():
		return w.refuse(shown, 0, "a link to a directory, not followed")
	case !st.Mode().IsRegular():
		return w.spare(shown, 0, "not a regular file")
	}
	if first := w.first(st, shown); first != "" {
		return w.spare(shown, st.Size(), "the same file as %s, read once", first)
	}
	w.disk = name
	defer func() { w.disk = "" }()
	f, err := os.Open(name)
	if err != nil {
		return w.emit(Member{Path: shown, Bytes: st.Size(), Err: err})
	}
	within := shown + "/"
	if alone {
		within = ""
	}
	switch kind(f, st.Size()) {
	case "zip":
		defer f.Close()
		return w.zip(f, st.Size(), shown, within)
	case "tar":
		defer f.Close()
		return w.tar(shown, within, f)
	}
	return w.emit(Member{
		Path: shown, Bytes: st.Size(), At: f, Done: func() { f.Close() },
		Open: func() (io.ReadCloser, error) { return os.Open(name) },
	})
}

// first returns the name under which a file was met before, "" for a new one.
func (w *walker) first(st fs.FileInfo, shown string) string {
	id := identity{st.Size(), st.ModTime().UnixNano()}
	for _, f := range w.seen[id] {
		if os.SameFile(f.info, st) {
			return f.path
		}
	}
	w.seen[id] = append(w.seen[id], found{st, shown})
	return ""
}

// kind tells an archive by its content. A tar may be compressed.
func kind(f io.ReaderAt, size int64) string {
	head := make([]byte, 512)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	if IsZip(head) {
		return "zip"
	}
	if IsTar(head) {
		return "tar"
	}
	if !isPacked(head) {
		return ""
	}
	if r, _, err := Decompress(io.NewSectionReader(f, 0, size)); err == nil {
		defer r.Close()
		n, _ := io.ReadFull(r, head[:cap(head)])
		if IsTar(head[:n]) {
			return "tar"
		}
	}
	return ""
}

// IsZip reports whether a file that begins so is a zip archive.
func IsZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// IsTar reports whether a first block is that of a tar archive.
func IsTar(head []byte) bool {
	return len(head) >= 262 && string(head[257:262]) == "ustar"
}
