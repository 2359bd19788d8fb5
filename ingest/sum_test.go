package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Every file gets the sum of its bytes, whether it was recognised, is empty, or
// was read in parts.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{}
	for i, n := range []int{0, 3, 200, 60000, 300000} {
		name := fmt.Sprintf("f%d.csv", i)
		text := "timestamp,depth,capacity\n" + strings.Repeat("1795939200.000,9,60\n", n)
		if i == 0 {
			text = "neither a table nor a log"
		}
		sum := sha256.Sum256([]byte(text))
		want[name] = hex.EncodeToString(sum[:])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sums := NewSums(context.Background())
	run, err := Read(context.Background(), []string{dir}, nil, nil, sums)
	if err != nil {
		t.Fatal(err)
	}
	sums.Rest(run)
	sums.Wait(run)
	if len(run.Files) != len(want) {
		t.Fatalf("%d files, want %d", len(run.Files), len(want))
	}
	for _, f := range run.Files {
		if f.SHA256 != want[f.Path] {
			t.Errorf("%s: sum %q, want %q", f.Path, f.SHA256, want[f.Path])
		}
	}
}

// TestPartSum: the sum is that of the parts in their order, in whatever order they come;
// it is unknown where one was not read whole, and no piece is held on to.
func TestPartSum(t *testing.T) {
	const parts = 40
	rng := rand.New(rand.NewPCG(3, 9))
	for round := range 60 {
		list, h := &pieces{}, sha256.New()
		texts := make([][]byte, parts)
		for i := range texts {
			texts[i] = bytes.Repeat([]byte{byte(i)}, rng.IntN(5000))
			h.Write(texts[i])
		}
		lost, skipped := round%3 == 1, round%3 == 2
		s := newPartSum(1 + rng.IntN(parts))
		var wg sync.WaitGroup
		for n := range parts {
			pause := rng.IntN(5)
			wg.Go(func() {
				for range pause {
					runtime.Gosched()
				}
				if skipped && n == 17 {
					s.skip()
					return
				}
				p, err := list.read(bytes.NewReader(texts[n]), 0, int64(len(texts[n])))
				if err != nil {
					t.Error(err)
				}
				s.add(n, p, !lost || n != 17)
				p.release()
			})
		}
		wg.Wait()
		want := hex.EncodeToString(h.Sum(nil))
		if lost || skipped {
			want = ""
		}
		if got := s.text(parts); got != want {
			t.Errorf("a part lost %t, skipped %t: sum %q, want %q", lost, skipped, got, want)
		}
		for _, p := range list.free {
			if n := p.users.Load(); n != 0 {
				t.Errorf("a piece given back has %d users", n)
			}
		}
		if len(s.waiting) > 0 {
			t.Errorf("%d pieces held on to", len(s.waiting))
		}
	}
	var none *partSum
	if none.skip(); none.text(0) != "" {
		t.Error("a sum that nobody wants")
	}
}

// TestSumOfOneLine: a file without a line end where a part may begin is summed as well.
func TestSumOfOneLine(t *testing.T) {
	event := `{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":%d,"dur":2},`
	var b bytes.Buffer
	b.WriteString(`{"traceEvents":[`)
	for i := range 150000 {
		fmt.Fprintf(&b, event, 1000+4*i)
	}
	b.Truncate(b.Len() - 1)
	b.WriteString("]}\n")
	if b.Len() < mostPiece+leastPart {
		t.Fatalf("%d bytes, want more than a piece holds", b.Len())
	}
	path := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	sums := NewSums(context.Background())
	run, err := Read(context.Background(), []string{path}, nil, nil, sums)
	if err != nil {
		t.Fatal(err)
	}
	sums.Rest(run)
	sums.Wait(run)
	sum := sha256.Sum256(b.Bytes())
	if f := run.Files[0]; f.SHA256 != hex.EncodeToString(sum[:]) || f.Rejected > 0 || f.Claimed == 0 {
		t.Errorf("sum %q, %d lines claimed, %d rejected; want %x and no line lost", f.SHA256, f.Claimed, f.Rejected, sum)
	}
}
