package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/lines"
	"tidemark/model"
)

// TestRawAhead reads awkward stacks with the help of other processors, in blocks
// of any size: what comes of it is what one pass alone gives.
func TestRawAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 13))
	for range 25 {
		text := awkwardStacks(rng)
		want := rawOutcome(parseWhole(PySpyRaw, text))
		for _, step := range []int{1 + rng.IntN(200), 1 + rng.IntN(8000), lines.BlockSize} {
			if diff := cmp.Diff(want, rawOutcome(parseAhead(PySpyRaw, text, step))); diff != "" {
				t.Fatalf("blocks of %d bytes (-alone +ahead):\n%s\n%.3000q", step, diff, text)
			}
		}
	}
}

// parseAhead is parseWhole in blocks of step bytes.
func parseAhead(f *Format, text []byte, step int) *model.RunBuilder {
	out := model.NewRunBuilder(&model.File{Path: "f"})
	ahead := lines.NewAhead(bytes.NewReader(text), int64(len(text)), f.lineLimit(), step, f.Ahead())
	defer ahead.Close()
	if err := parse(f, &Source{Name: "f", out: out, lr: ahead, ahead: ahead, size: int64(len(text))}, out); err != nil {
		out.File.Reason = err.Error()
	}
	finish(f, out)
	return out
}

// rawOutcome is all that was read, in order.
func rawOutcome(out *model.RunBuilder) []any {
	var texts []string
	for i := range out.Strings.Len() {
		texts = append(texts, out.Strings.At(int32(i)))
	}
	p := out.Stacks
	var frames []model.Frame
	for i := range p.Set.Frames() {
		frames = append(frames, p.Set.At(int32(i)))
	}
	var stacks [][]int32
	for i := range p.Set.Stacks() {
		stacks = append(stacks, p.Set.Path(int32(i), nil))
	}
	return []any{out.File, texts, frames, stacks, p.Threads, p.Captures, p.Samples}
}

// awkwardStacks are lines of py-spy and of other samplers among what else such
// files hold, with records over several lines, and a cut end.
func awkwardStacks(rng *rand.Rand) []byte {
	pieces := []string{
		"f (a.py:1)", "g (lib/b.py:22)", "<module> (m.py:3)", "k (libx.so)", "a; b (c.py:4)", "", "0x7f001", "0x7f00ff (libcuda.so.1)", "plain", "n\xe4me (d.py:5)",
		"c.py:9:h", "train.py(7):_step", "(", "mid (x) y", "nul\x00 (e.py:1)",
	}
	rows := []string{"", "", "", "thread (7): w;", `process 3:"run a";thread (0x1F): main;`, "process 4:\"python -c\nimport x;f\ny\";thread (9);", `process 5:"open;`, "tid:12;"}
	noise := []string{
		"", "# comment 1", "py-spy> 1.50s behind in sampling, results may be inaccurate.", "step 12", "no count", "\x00\x00f (a.py:1) 3", "f (a.py:1) 3\x00", "\t \r", ";;; 4", " 5", "7",
		"1;2;3 4 5", strings.Repeat("deep (z.py:1);", model.MaxDepth) + "f (a.py:1) 1",
	}
	counts := []string{"1", "23", "0", "-4", "2.5", "1e3", "nan", "99999999999999999999", "x", "007"}
	var b bytes.Buffer
	var seen []string
	for range rng.IntN(400) {
		line := noise[rng.IntN(len(noise)-1+rng.IntN(10)/9)]
		if rng.IntN(8) > 0 {
			line = rows[rng.IntN(len(rows))]
			for range rng.IntN(12) {
				line += pieces[rng.IntN(1+rng.IntN(len(pieces)))] + ";"
			}
			line = strings.TrimSuffix(line, ";") + " "
			if len(seen) > 0 && rng.IntN(3) == 0 {
				line = seen[rng.IntN(len(seen))]
			}
			seen = append(seen, line)
			line += counts[rng.IntN(1+rng.IntN(len(counts)))]
		}
		fmt.Fprint(&b, line, []string{"\n", "\n", "\r\n", " \n"}[rng.IntN(4)])
	}
	return b.Bytes()[:max(0, b.Len()-rng.IntN(20))]
}
