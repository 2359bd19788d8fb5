package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// walk lists what Walk finds, one line a member: its content, or why not.
func walk(t *testing.T, stdin io.Reader, paths ...string) []string {
	t.Helper()
	var out []string
	err := Walk(context.Background(), paths, stdin, func(m Member) error {
		out = append(out, m.Path+": "+content(t, m))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// content reads a member in both ways and gives it back.
func content(t *testing.T, m Member) string {
	t.Helper()
	if m.Done != nil {
		defer m.Done()
	}
	if m.Err != nil && m.At == nil {
		return "! " + m.Err.Error()
	}
	r, err := m.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	u, _, err := Decompress(r)
	if err != nil {
		return "! " + err.Error()
	}
	defer u.Close()
	b, err := io.ReadAll(u)
	at, _ := io.ReadAll(io.NewSectionReader(m.At, 0, m.Bytes))
	if raw, _ := m.Open(); !bytes.Equal(at, must(io.ReadAll(raw))) {
		t.Errorf("%s: At and Open differ", m.Path)
	}
	return string(b) + strings.Join(slices.Concat(why(err), why(m.Err)), "")
}

func why(err error) []string {
	if err == nil {
		return nil
	}
	return []string{" ! " + err.Error()}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func zst(s string) string {
	return string(must(zstd.NewWriter(nil)).EncodeAll([]byte(s), nil))
}

type entry struct {
	name, text string
	typ        byte
}

func tarOf(entries ...entry) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: e.typ}
		if e.typ == tar.TypeSymlink || e.typ == tar.TypeLink {
			h.Size, h.Linkname, e.text = 0, e.text, ""
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		io.WriteString(w, e.text)
	}
	w.Close()
	return b.String()
}

func zipOf(entries ...entry) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.typ == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			panic(err)
		}
		io.WriteString(f, e.text)
	}
	w.Close()
	return b.String()
}

func TestDirectory(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir+"/train.log", "log")
	write(t, dir+"/sub/deep/q.csv.gz", gz("queue"))
	write(t, dir+"/.git/config", "hidden")
	write(t, outside+"/far.log", "far")
	for name, to := range map[string]string{
		"latest.log": "train.log", "loop": "loop", "up": "..", "away.log": outside + "/far.log", "gone": "nothing",
		"sub/deep/back": "../../sub",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	os.Link(dir+"/train.log", dir+"/zhard.log")
	got := walk(t, nil, dir)
	for i, s := range got {
		if strings.HasPrefix(s, "loop: ! a link that leads nowhere") {
			got[i] = "loop: !"
		}
	}
	same(t, got,
		".git/: ! a hidden directory, not read",
		"sub/deep/q.csv.gz: queue",
		"train.log: log",
		"zhard.log: ! the same file as train.log, read once",
		"away.log: far",
		"gone: ! a link that leads nowhere: no such file or directory",
		"latest.log: ! the same file as train.log, read once",
		"loop: !",
		"sub/deep/back: ! a link to a directory, not followed",
		"up: ! a link to a directory, not followed",
	)
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a/run/x.csv", "1")
	write(t, dir+"/b/run/x.csv", "2")
	write(t, dir+"/c/other/x.csv", "3")
	same(t, walk(t, nil, dir+"/a/run", dir+"/c/other"), "run/x.csv: 1", "other/x.csv: 3")
	same(t, walk(t, nil, dir+"/a/run", dir+"/b/run"), dir+"/a/run/x.csv: 1", dir+"/b/run/x.csv: 2")
	same(t, walk(t, nil, dir+"/a/run/x.csv", dir+"/b/run/x.csv"), "x.csv: 1", "x.csv (2): 2")
	same(t, walk(t, nil, dir+"/a/run", dir+"/a/run/x.csv"), "x.csv: 1", "x.csv (2): ! the same file as x.csv, read once")
	same(t, walk(t, nil, t.TempDir()))
	err := Walk(context.Background(), []string{dir + "/none"}, nil, func(Member) error { return nil })
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that does not exist: %v", err)
	}
}

func TestSpecialFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no named pipes in a directory")
	}
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/bad\x1b[2J\n\xffname", "text")
	same(t, walk(t, nil, dir), "bad\uFFFD[2J\uFFFD\uFFFDname: text", "pipe: ! not a regular file")
	if os.Getuid() == 0 {
		return // may read everything
	}
	os.Chmod(write(t, dir+"/locked/file", "x"), 0)
	os.Chmod(dir+"/locked", 0)
	defer os.Chmod(dir+"/locked", 0o777)
	os.Chmod(write(t, dir+"/secret", "x"), 0)
	same(t, walk(t, nil, dir), "bad\uFFFD[2J\uFFFD\uFFFDname: text", "locked: ! permission denied", "pipe: ! not a regular file", "secret: ! permission denied")
}

func TestTar(t *testing.T) {
	data := tarOf(
		entry{name: "run/"},
		entry{name: "run/train.log", text: "log"},
		entry{name: "../../etc/passwd", text: "up"},
		entry{name: "/abs/file", text: "abs"},
		entry{name: "a\\..\\b.csv", text: "windows"},
		entry{name: "..", text: "dots"},
		entry{name: "run/train.log", text: "again"},
		entry{name: "run/q.csv.zst", text: zst("packed")},
		entry{name: "link", text: "run/train.log", typ: tar.TypeSymlink},
		entry{name: "hard", text: "run/train.log", typ: tar.TypeLink},
		entry{name: "dev", typ: tar.TypeChar},
	)
	want := []string{
		"run/train.log: log", "etc/passwd: up", "abs/file: abs", "b.csv: windows", "(no name): dots", "run/train.log (2): again",
		"run/q.csv.zst: packed", "link: ! tar: a link, not followed", "hard: ! tar: a link, not followed",
		"dev: ! tar: a member of type '3', not a regular file",
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"r.tar": data, "r.tar.gz": gz(data), "r.tar.zst": zst(data), "any-name": gz(data)} {
		same(t, walk(t, nil, write(t, dir+"/"+name, text)), want...)
	}
	same(t, walk(t, strings.NewReader(data), "-"), want...)
	same(t, walk(t, strings.NewReader(zst(data)), "-"), want...)
}

func TestZip(t *testing.T) {
	data := zipOf(
		entry{name: "run/"},
		entry{name: "run/train.log", text: "log"},
		entry{name: "run/train.log", text: "again"},
		entry{name: "../../up", text: "up"},
		entry{name: "q.csv.gz", text: gz("packed")},
		entry{name: "to", text: "run/train.log", typ: tar.TypeSymlink},
		entry{name: "inner.zip", text: zipOf(entry{name: "x", text: "y"})},
	)
	dir := t.TempDir()
	same(t, walk(t, nil, write(t, dir+"/r.zip", data)),
		"up: up", "inner.zip/x: y", "q.csv.gz: packed", "run/train.log: log", "run/train.log (2): again", "to: ! zip: a link, not followed")
	locked := []byte(zipOf(entry{name: "secret", text: "x"}))
	locked[bytes.Index(locked, []byte("PK\x01\x02"))+8] |= 1
	same(t, walk(t, nil, write(t, dir+"/locked.zip", string(locked))), "secret: ! zip: encrypted, want it unpacked")
	same(t, walk(t, nil, write(t, dir+"/none.zip", zipOf())), "none.zip: ! a zip without members")
}

func TestStdin(t *testing.T) {
	for _, c := range []struct {
		in   io.Reader
		want string
	}{
		{nil, "-: ! nothing on standard input, want a tar"},
		{strings.NewReader(""), "-: ! nothing on standard input, want a tar"},
		{strings.NewReader(zipOf()), "-: ! a zip on standard input, want a tar or the zip as a file"},
		{strings.NewReader(strings.Repeat("step 1 loss 2\n", 100)), "-: ! no tar: archive/tar: invalid tar header"},
		{strings.NewReader("short"), "-: ! tar, after 0 members: unexpected EOF"},
		{strings.NewReader(gz("no tar")), "-: ! tar, after 0 members: unexpected EOF"},
		{strings.NewReader("\x1f\x8b"), "-: ! gzip: unexpected EOF"},
		{io.MultiReader(strings.NewReader(tarOf()), strings.NewReader("x")), "-: ! a tar without members"},
	} {
		same(t, walk(t, c.in, "-"), c.want)
	}
}
