package ingest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/model"
)

// TestMutants damages the samples of each format: lines are dropped, doubled,
// swapped, joined and cut, bytes changed, inserted and taken out. No parser may
// panic, no line may be lost, no share may leave its range, and a text read in
// parts must give what it gives as a whole. A few mutants a
// format are tried here; make mutants tries TIDEMARK_MUTANTS of them.
func TestMutants(t *testing.T) {
	n := 20
	if v, err := strconv.Atoi(os.Getenv("TIDEMARK_MUTANTS")); err == nil {
		n = v
	}
	for _, f := range Formats {
		samples := samplesOf(t, f)
		if len(samples) == 0 || f.Refuse != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			for range n {
				data := bytes.Clone(samples[r.IntN(len(samples))])
				for range 1 + r.IntN(4) {
					data = mutate(r, data)
				}
				tryMutant(t, f, data)
			}
		})
	}
}

// samplesOf returns the inputs in a format's archives.
func samplesOf(t *testing.T, f *Format) (list [][]byte) {
	paths, _ := filepath.Glob("testdata/" + f.Name + "/*.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range a.Files {
			if x.Name != "want" && len(x.Data) < 64<<10 {
				list = append(list, x.Data)
			}
		}
	}
	return list
}

func tryMutant(t *testing.T, f *Format, data []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v\n%q", p, data)
		}
	}()
	f.Detect("x", data)
	out := model.NewRunBuilder(&model.File{Path: "f"})
	err := f.Parse(newSource(f, out, "f", bytes.NewReader(data), 0), out)
	if f.Finish != nil {
		f.Finish(out)
	}
	if c := out.File; err == nil && c.Claimed+c.Skipped+c.Rejected != c.Lines {
		t.Fatalf("claimed %d + skipped %d + rejected %d != %d lines\n%q", c.Claimed, c.Skipped, c.Rejected, c.Lines, data)
	}
	if f.Parts && f != Kineto { // whose events may hold the next ones once a brace is lost
		sameInParts(t, f, data)
	}
	for _, b := range out.GPU.Batches {
		for row := range b.Rows() {
			for _, col := range []int{model.GPUSMUtil, model.GPUMemUtil} {
				if v, ok := b.Float(col, row); ok && (v < 0 || v > 1.5) {
					t.Fatalf("line %d: a share of %g\n%q", b.Line(row), v, data)
				}
			}
		}
	}
}

// warning is a line of a dump whose words may depend on what came before.
var warning = regexp.MustCompile(`(?m)^  warning: .*\n`)

// sameInParts checks that damaged text gives the same read in parts and whole.
func sameInParts(t *testing.T, f *Format, data []byte) {
	t.Helper()
	var whole, parts strings.Builder
	dump(&whole, parseWhole(f, data))
	dump(&parts, parseParts(f, data))
	a, b := warning.ReplaceAllString(whole.String(), ""), warning.ReplaceAllString(parts.String(), "")
	if a != b {
		t.Fatalf("read in parts differs\n%q\n%s", data, cmp.Diff(a, b))
	}
}

// mutate damages data in one way.
func mutate(r *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return data
	}
	at := r.IntN(len(data))
	switch kind := r.IntN(9); kind {
	case 0:
		return data[:at]
	case 1:
		data[at] = byte(r.IntN(256))
		return data
	case 2: // bytes are lost
		return append(data[:at:at], data[min(len(data), at+1+r.IntN(8)):]...)
	case 3: // a piece comes twice
		end := min(len(data), at+r.IntN(40))
		return append(data[:end:end], data[at:]...)
	case 4:
		pieces := []string{"-", "9999999999999999999", "\x00", "\r", "\r\n", "{", "}", "[", "\"", ",", "e9", ".", "  ", "\t", "<", ">", "|", "#", "nan"}
		return append(append(data[:at:at], pieces[r.IntN(len(pieces))]...), data[at:]...)
	default:
		return mutateLines(r, data, kind)
	}
}

func mutateLines(r *rand.Rand, data []byte, kind int) []byte {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	switch kind {
	case 5:
		lines = append(lines[:i:i], lines[i+1:]...)
	case 6:
		lines = append(lines[:i+1:i+1], lines[i:]...)
	case 7:
		lines[i], lines[j] = lines[j], lines[i]
	default:
		lines[i] = bytes.TrimSuffix(lines[i], []byte{'\n'})
	}
	return bytes.Join(lines, nil)
}
