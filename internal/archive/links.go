package archive

import (
	"archive/tar"
	"archive/zip"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxTarget is the longest path that a link may lead to.
const maxTarget = 4096

// names are the files of an archive and the directories they lie in, cleaned.
type names map[string]bool

func (n names) add(name string) {
	for name = clean(name); len(name) <= maxTarget && !n[name]; name = path.Dir(name) {
		n[name] = true
	}
}

func (n names) has(target string) bool { return target != "" && n[target] }

// target is what a link leads to within its archive, "" for what may lie
// outside, or is hidden.
func target(link, to string) string {
	to = strings.ReplaceAll(to, "\\", "/")
	if path.IsAbs(to) {
		return ""
	}
	to = path.Join(path.Dir(clean(link)), to)
	if to == ".." || strings.HasPrefix(to, "../") {
		return ""
	}
	return to
}

// tarTarget is the target of a link; a hard link names it from the top.
func tarTarget(h *tar.Header) string {
	if h.Typeflag == tar.TypeLink {
		return clean(h.Linkname)
	}
	return target(h.Name, h.Linkname)
}

// zipNames are the names of a zip's files.
func zipNames(files []*zip.File) names {
	n := names{}
	for _, e := range files {
		if e.Mode().IsRegular() && !strings.HasSuffix(e.Name, "/") {
			n.add(e.Name)
		}
	}
	return n
}

// zipTarget is the target of a link, which is its content; "" for all else.
func zipTarget(e *zip.File) string {
	if e.Mode()&fs.ModeSymlink == 0 || e.UncompressedSize64 > maxTarget {
		return ""
	}
	r, err := e.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	to, err := io.ReadAll(io.LimitReader(r, maxTarget))
	if err != nil {
		return ""
	}
	return target(e.Name, string(to))
}

// tarLinks are the links of a tar whose targets have not come yet.
type tarLinks struct {
	names   names
	waiting []tarLink
}

type tarLink struct {
	m      Member
	target string
}

// meet hands over a link to what was met, and keeps any other.
func (l *tarLinks) meet(w *walker, m Member, target string) error {
	if m.Spare = l.names.has(target); m.Spare {
		return w.member(m)
	}
	l.waiting = append(l.waiting, tarLink{m, target})
	return nil
}

// hand hands over the links that were kept, once all members have come.
func (l *tarLinks) hand(w *walker) error {
	for _, x := range l.waiting {
		x.m.Spare = l.names.has(x.target)
		if err := w.member(x.m); err != nil {
			return err
		}
	}
	return nil
}
