package bench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tidemark/internal/bench"
	"tidemark/internal/benchdata"
)

// TestBench measures with a few MB whether everything runs and agrees, never
// how fast; with TIDEMARK_BENCH=MB and TIDEMARK_ROUNDS it measures with so much
// and writes docs/benchmarks.md.
func TestBench(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pins processes to one processor and reads their memory, which it can on Linux only")
	}
	size, full := number(t, "TIDEMARK_BENCH", 6)
	rounds, _ := number(t, "TIDEMARK_ROUNDS", 1)
	if !full && testing.Short() {
		t.Skip("-short: builds the command and its peers and runs them on several MB")
	}
	c := bench.Config{Dir: t.TempDir(), Size: int64(size) * 1e6, Rounds: rounds, Logf: t.Logf}
	c.Analyze, c.Peers = build(t, "../../cmd/analyze"), build(t, "./peers")
	results, err := bench.Measure(c)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := (bench.Document{Machine: bench.Machine(), Config: c, Results: results}).Write(&text); err != nil {
		t.Fatal(err)
	}
	if full {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "benchmarks.md"), text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	checkDocument(t, text.String())
	checkUsage(t, results)
	checkPeers(t, c)
}

func number(t *testing.T, name string, other int) (int, bool) {
	v := os.Getenv(name)
	if v == "" {
		return other, false
	}
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		t.Fatalf("%s is %q, want a whole number over 0", name, v)
	}
	return n, true
}

func build(t *testing.T, pkg string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if b, err := exec.Command("go", "build", "-o", out, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, b)
	}
	return out
}

// checkDocument checks that every row is there and every cell is a figure.
func checkDocument(t *testing.T, text string) {
	for _, c := range bench.Cases {
		for _, p := range c.Peers {
			if !strings.Contains(text, "| "+p.Doc+" |") {
				t.Errorf("no row for %s:\n%s", p.Doc, text)
			}
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a cell without a figure:\n%s", text)
	}
}

// checkUsage checks what holds on any machine.
func checkUsage(t *testing.T, results []bench.Result) {
	for _, r := range results {
		for _, f := range append(r.Peers, r.Ours) {
			for _, u := range append(f.One.Used, f.All.Used...) {
				if u.Wall <= 0 || u.CPU <= 0 || u.Peak < 1<<20 {
					t.Errorf("%v: %+v, want time, and memory of a MB or more", f.All.Args, u)
				}
			}
		}
	}
}

// checkPeers checks that each peer reads every record of its file.
func checkPeers(t *testing.T, c bench.Config) {
	dir := t.TempDir()
	if err := benchdata.Write(dir, 1, 1e6); err != nil {
		t.Fatal(err)
	}
	for work, w := range map[string]struct{ kind, record string }{
		"gpu":     {"gpu", "NVIDIA"},
		"queue":   {"queue", ",hs,"},
		"steps":   {"log", " step="},
		"values":  {"log", "\n"},
		"pidstat": {"pidstat", "     1000 "},
		"stacks":  {"stacks", "process "},
		"frames":  {"stacks", "process "},
		"trace":   {"trace", `"ph": "`},
	} {
		path := filepath.Join(dir, benchdata.Named(w.kind).File)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(c.Peers, work, path).Output()
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := strings.Cut(string(out), "\n")
		if want := bytes.Count(b, []byte(w.record)); got != strconv.Itoa(want) {
			t.Errorf("peers %s has read %s records, want %d", work, got, want)
		}
	}
}
