package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"tidemark/model"
)

// TestCut cuts archives at every byte: whatever is left must be found, and
// nothing may be lost in silence.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("a line of text\n", 40)
	plain := tarOf(entry{name: "one", text: long}, entry{name: "two", text: "2"})
	for name, data := range map[string]string{
		"r.tar": plain, "r.tar.gz": gz(plain), "r.tar.zst": zst(plain),
		"r.zip": zipOf(entry{name: "one", text: long}, entry{name: "two", text: "2"}),
		"r.gz":  gz(long), "r.zst": zst(long),
	} {
		end := len(data) - 1
		if name == "r.tar" {
			end = 2048 // the last member's text, then the blocks that end an archive
		}
		for n := 1; n < end; n++ {
			got := walk(t, nil, write(t, dir+"/"+name, data[:n]))
			all := strings.Join(got, "|")
			if len(got) == 0 || strings.Contains(all, long) && strings.Contains(all, "two: 2") && !strings.Contains(all, "!") {
				t.Fatalf("%s cut at %d of %d: %q", name, n, len(data), got)
			}
			if name == "r.gz" && n > 20 && !strings.Contains(all, "!") {
				t.Fatalf("%s cut at %d is read as if whole", name, n)
			}
		}
	}
}

// TestDamaged flips every byte of small archives: no panic, no hang.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	entries := []entry{{name: "one", text: "some text"}, {name: "two", text: "2"}}
	for name, data := range map[string]string{"r.tar": tarOf(entries...), "r.zip": zipOf(entries...), "r.tar.gz": gz(tarOf(entries...)), "r.tar.zst": zst(tarOf(entries...))} {
		for i := range len(data) {
			b := []byte(data)
			b[i] ^= 0xff
			walk(t, nil, write(t, dir+"/"+name, string(b)))
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestBomb(t *testing.T) {
	g := &guard{r: zeros{}, in: &counter{n: 1 << 20}}
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, g, make([]byte, 1<<20))
	if err == nil || !strings.Contains(err.Error(), "unpacks to over") || n > model.MaxExpansionFrom+2<<20 {
		t.Errorf("stopped after %d bytes: %v", n, err)
	}
	if n, again := g.Read(make([]byte, 9)); n != 0 || again != err {
		t.Errorf("read on after the end: %d, %v", n, again)
	}
	// What is large but not out of proportion passes.
	g = &guard{r: io.LimitReader(zeros{}, model.MaxExpansionFrom+10<<20), in: &counter{n: 1 << 30}}
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, g, make([]byte, 1<<20)); err != nil {
		t.Error(err)
	}
}

// record is a PAX record: its length, that of the length included, key and value.
func record(key, value string) string {
	return fmt.Sprintf("%d %s=%s\n", len(key)+len(value)+5, key, value)
}

// TestSparseTar reads a member that claims a terabyte of holes.
func TestSparseTar(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: writes 1 GiB of zeros to a temporary file")
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	pax := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
		record("GNU.sparse.name", "sparse.log") + record("GNU.sparse.realsize", "1099511627776")
	w.WriteHeader(&tar.Header{Name: "sparse.data", Size: 512, Mode: 0o644})
	w.Write(append([]byte("0\n"), make([]byte, 510)...))
	w.Close()
	body := b.Bytes()
	// A PAX header of its own: Go's writer refuses these records.
	head := bytes.Clone(body[:512])
	head[156] = 'x'
	copy(head[124:136], fmt.Sprintf("%011o\x00", len(pax)))
	copy(head[148:156], "        ")
	sum := 0
	for _, c := range head {
		sum += int(c)
	}
	copy(head[148:156], fmt.Sprintf("%06o\x00 ", sum))
	data := string(head) + pax + strings.Repeat("\x00", 512-len(pax)) + string(body)
	var got []string
	err := Walk(context.Background(), []string{"-"}, strings.NewReader(data), func(m Member) error {
		got = append(got, fmt.Sprintf("%s: %v", m.Path, m.Err))
		if m.Done != nil {
			m.Done()
		}
		return nil
	})
	if err != nil || len(got) == 0 || !strings.HasPrefix(got[0], "sparse.log: ") || !strings.Contains(got[0], "unpacks to over") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a", "1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Walk(ctx, []string{dir}, nil, func(Member) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzWalk reads any bytes as an archive: the first byte says of what kind. It
// must end, and not panic.
func FuzzWalk(f *testing.F) {
	entries := []entry{{name: "one", text: "some text"}, {name: "../two", text: gz("2")}}
	f.Add([]byte("t" + tarOf(entries...)))
	f.Add([]byte("t" + gz(tarOf(entries...))))
	f.Add([]byte("t" + zst(tarOf(entries...))))
	f.Add([]byte("z" + zipOf(entries...)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		w := &walker{ctx: context.Background(), names: map[string]int{}, fn: func(m Member) error {
			content(t, m)
			return nil
		}}
		if data[0] == 'z' {
			w.zip(bytes.NewReader(data[1:]), int64(len(data)-1), "f.zip", "")
		} else {
			w.stream(bytes.NewReader(data[1:]))
		}
	})
}
