package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func say(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// only fails unless dir holds exactly the files with these contents.
func only(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; err != nil || !ok || w != string(b) {
			t.Errorf("%s holds %q (%v), want %q", e.Name(), b, err, w)
		}
	}
	if len(list) != len(want) {
		t.Errorf("%d files, want %d", len(list), len(want))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	for _, s := range []string{"first", "second, longer", ""} {
		if err := Write(path, nil, say(s)); err != nil {
			t.Fatal(err)
		}
		only(t, dir, map[string]string{"out.json": s})
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		fmt.Fprint(w, strings.Repeat("x", 1<<20))
		return broken
	}
	if err := Write(path, nil, half); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	only(t, dir, map[string]string{})
	if err := Write(path, nil, say("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, nil, half); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		Write(path, nil, func(io.Writer) error { panic("no") })
	}()
	only(t, dir, map[string]string{"out": "old"})
}

func TestRefusesInputs(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	in := filepath.Join(dir, "train.log")
	os.WriteFile(in, []byte("data"), 0o666)
	os.WriteFile(filepath.Join(other, "far.log"), []byte("data"), 0o666)
	os.Symlink(in, filepath.Join(other, "link"))
	os.Link(in, filepath.Join(other, "hard"))
	os.Symlink(filepath.Join(other, "far.log"), filepath.Join(dir, "out-of-dir"))
	os.Symlink(dir, filepath.Join(other, "dirlink"))
	for _, c := range []struct {
		path   string
		inputs []string
	}{
		{in, []string{in}},
		{in, []string{dir}},
		{filepath.Join(other, "link"), []string{in}},
		{filepath.Join(other, "hard"), []string{in}},
		{filepath.Join(other, "link"), []string{dir}},
		{filepath.Join(other, "hard"), []string{dir}},
		{filepath.Join(other, "far.log"), []string{dir}},
		{in, []string{filepath.Join(other, "dirlink")}},
		{filepath.Join(other, "dirlink", "train.log"), []string{"-", dir}},
	} {
		err := Write(c.path, c.inputs, say("no"))
		if err == nil || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), "input") {
			t.Errorf("Write(%s, %v) = %v, want an error that names the input", c.path, c.inputs, err)
		}
	}
	if b, _ := os.ReadFile(in); string(b) != "data" {
		t.Errorf("the input was overwritten: %q", b)
	}
	if err := Write(filepath.Join(dir, "new"), []string{dir}, say("yes")); err != nil {
		t.Errorf("a new file beside the inputs: %v", err)
	}
}

func TestSymlinkStays(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(other, "real"), []byte("old"), 0o666)
	link := filepath.Join(dir, "link")
	os.Symlink(filepath.Join(other, "real"), link)
	if err := Write(link, nil, say("new")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", st, err)
	}
	only(t, other, map[string]string{"real": "new"})
}

func TestBadTargets(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, nil, say("x")); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	missing := filepath.Join(dir, "none", "out")
	if err := Write(missing, nil, say("x")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing directory: %v", err)
	}
	only(t, dir, map[string]string{})
	if os.Getuid() != 0 {
		os.Chmod(dir, 0o555)
		if err := Write(filepath.Join(dir, "out"), nil, say("x")); !errors.Is(err, os.ErrPermission) {
			t.Errorf("a read-only directory: %v", err)
		}
	}
	if runtime.GOOS == "linux" {
		if err := Write("/dev/null", nil, say("x")); err != nil {
			t.Errorf("a device: %v", err)
		}
		if err := Write("/proc/out", nil, say("x")); err == nil {
			t.Error("a file system that takes no files: want an error")
		}
	}
}

func TestMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := Write(path, nil, say("x")); err != nil {
		t.Fatal(err)
	}
	plain := path + "2"
	os.WriteFile(plain, nil, 0o666)
	got, _ := os.Stat(path)
	want, _ := os.Stat(plain)
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v as of any new file", got.Mode(), want.Mode())
	}
}
