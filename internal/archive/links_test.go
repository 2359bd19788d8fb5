package archive

import (
	"archive/tar"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// unread lists what Walk finds and cannot read: ? where nothing is lost by
// that, ! where something may be.
func unread(t *testing.T, path string) []string {
	t.Helper()
	var out []string
	err := Walk(context.Background(), []string{path}, nil, func(m Member) error {
		if m.Done != nil {
			defer m.Done()
		}
		switch {
		case m.Spare:
			out = append(out, m.Path+" ?")
		case m.Err != nil:
			out = append(out, m.Path+" !")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSpareOnDisk: a link to what is read without it loses nothing; one that
// leads nowhere, outside, or into what is not read may.
func TestSpareOnDisk(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir+"/run-1/train.log", "log")
	write(t, dir+"/.old/train.log", "old")
	for name, to := range map[string]string{
		"a-log": "run-1/train.log", "b-run": "run-1", "c-here": ".", "d-gone": "nothing", "e-far": outside, "f-old": ".old",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(dir+"/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	same(t, unread(t, dir), ".old/ ?", "pipe ?", "a-log ?", "b-run ?", "c-here ?", "d-gone !", "e-far !", "f-old !")
}

// TestSpareInArchives: the target may come after the link.
func TestSpareInArchives(t *testing.T) {
	early := entry{name: "x/latest.log", text: "../run-1/train.log", typ: tar.TypeSymlink}
	file := entry{name: "run-1/train.log", text: "log"}
	links := []entry{
		{name: "dir", text: "run-1", typ: tar.TypeSymlink},
		{name: "gone", text: "run-2/train.log", typ: tar.TypeSymlink},
		{name: "out", text: "../run-1/train.log", typ: tar.TypeSymlink},
		{name: "abs", text: "/run-1/train.log", typ: tar.TypeSymlink},
	}
	hard := []entry{{name: "x/hard", text: "run-1/train.log", typ: tar.TypeLink}, {name: "x/none", text: "train.log", typ: tar.TypeLink}}
	all := append([]entry{early, file}, links...)
	path := write(t, t.TempDir()+"/r.tar", tarOf(append(all, hard...)...))
	same(t, unread(t, path), "dir ?", "x/hard ?", "x/latest.log ?", "gone !", "out !", "abs !", "x/none !")
	path = write(t, t.TempDir()+"/r.zip", zipOf(all...))
	same(t, unread(t, path), "abs !", "dir ?", "gone !", "out !", "x/latest.log ?")
}
