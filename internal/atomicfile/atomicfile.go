// Package atomicfile writes a file whole or not at all, and never over an
// input of the run.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Write calls fn with a buffered writer and puts what it wrote at path. The
// bytes go to a hidden file beside path, which takes its place when all went
// well and is removed otherwise; readers see the old file or the new one. It
// is not synced: a crash of the machine, not of the program, may still lose it.
//
// inputs are the files that the run was read from. A directory among them
// stands for every file in it. Write refuses to replace any of them.
//
// A path that is a device or a pipe (/dev/stdout) is written straight. Errors
// begin with path.
func Write(path string, inputs []string, fn func(io.Writer) error) error {
	err := write(path, inputs, fn)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, cause(err))
}

// cause is an error without the file names that the calls below added.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

// Directory makes a directory, and those above it. Errors do not name it.
func Directory(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot be made: %w, want the name of a directory", cause(err))
	}
	return nil
}

func write(path string, inputs []string, fn func(io.Writer) error) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, fn)
	case err != nil:
		return err
	case st.IsDir():
		return errors.New("is a directory, want a file name")
	case !st.Mode().IsRegular():
		return straight(path, fn)
	}
	if in, err := inputOf(path, st, inputs); err != nil {
		return err
	} else if in != "" {
		return fmt.Errorf("is the input %s, want another name for the output", in)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return replace(real, fn)
}

// replace writes beside path and renames.
func replace(path string, fn func(io.Writer) error) (err error) {
	tmp, err := create(path)
	if err != nil {
		return err
	}
	done := false
	defer func() { // also where fn panics
		if !done {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if err := fill(tmp, fn); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	done = true
	return nil
}

func straight(path string, fn func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, fn), f.Close())
}

func fill(f *os.File, fn func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fn(w); err != nil {
		return err
	}
	return w.Flush()
}

// create makes a new hidden file beside path, with the mode that the umask leaves.
func create(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for range 100 {
		name := dir + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot be written: %w, want a directory that is there and may be written to", cause(err))
		}
		return f, nil
	}
	return nil, errors.New("no free name for a temporary file beside it")
}

// inputOf returns the input that path, an existing file, is; "" if it is none.
func inputOf(path string, st fs.FileInfo, inputs []string) (string, error) {
	for _, in := range inputs {
		info, err := os.Stat(in)
		if err != nil {
			continue // gone, or "-": nothing to overwrite
		}
		if os.SameFile(st, info) {
			return in, nil
		}
		if !info.IsDir() {
			continue
		}
		if name, err := member(path, st, in); name != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}

// member returns the file of directory dir that path is; "" if it is none.
func member(path string, st fs.FileInfo, dir string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if root, err = filepath.Abs(root); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(dir, rel), nil
	}
	return linked(st, root)
}

// linked returns the file below dir that is st under another name: a hard
// link, or a symbolic link that leads out of dir.
func linked(st fs.FileInfo, dir string) (found string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be listed was not read either
		}
		if info, err := os.Stat(name); err == nil && os.SameFile(st, info) {
			found = name
			return filepath.SkipAll
		}
		return nil
	})
	return found, err
}
