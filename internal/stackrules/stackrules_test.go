package stackrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"tidemark/internal/txtartest"
)

// TestClassify classifies one stack a line, written as a sampler does: root
// first, frames apart by ;.
func TestClassify(t *testing.T) {
	txtartest.Run(t, "testdata/*/*.txtar", func(t *testing.T, in []txtar.File) string {
		rules := load(t)
		var sb strings.Builder
		for _, f := range in {
			for line := range strings.Lines(string(f.Data)) {
				if line = strings.TrimSpace(line); line != "" {
					sb.WriteString(classify(rules, line) + "\n    " + line + "\n")
				}
			}
		}
		return sb.String()
	})
}

func load(t testing.TB) *Rules {
	t.Helper()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func classify(r *Rules, line string) string {
	frames, path := stack(line)
	k := NewClassifier(r, len(frames), func(c int32) Frame { return frames[c] }).Classify(path)
	at := "-"
	if k.Frame >= 0 {
		at = frames[k.Frame].Function
	}
	return fmt.Sprintf("%s x %s, %s, by %s at %s%s%s", k.Mechanism, k.Cause, k.State, k.Rule, at, [...]string{"", ", put", ", get"}[k.Op], map[bool]string{true: ", own line"}[k.Own])
}

// stack reads frames of the form "name (file)"; a file with .so, or none, is native.
func stack(line string) (frames []Frame, path []int32) {
	for i, s := range strings.Split(line, ";") {
		f := Frame{Function: s}
		if j := strings.LastIndex(s, " ("); j >= 0 {
			f.Function, f.File = s[:j], strings.TrimSuffix(s[j+2:], ")")
			if k := strings.LastIndexByte(f.File, ':'); k > 0 && strings.HasSuffix(f.File[:k], ".py") {
				f.File = f.File[:k]
			}
		}
		f.Native = strings.Contains(f.File, ".so") || f.File == "" || f.File == "?"
		frames, path = append(frames, f), append(path, int32(i))
	}
	if line == "-" {
		return frames, nil
	}
	return frames, path
}

// TestRulesAreRefusedWithPlace checks that a broken rule is an error that names it.
func TestRulesAreRefusedWithPlace(t *testing.T) {
	for _, m := range []mechanismSpec{
		{ID: "a.b", Scope: "top9", RE: "x", State: "cpu"},
		{ID: "a.b", Scope: "leaf", RE: "(", State: "cpu"},
		{ID: "a.b", Scope: "leaf", RE: "x", State: "busy"},
	} {
		if _, err := build(&spec{Mechanisms: []mechanismSpec{m}}, "", nil); err == nil || !strings.Contains(err.Error(), "a.b") {
			t.Errorf("%+v: error %v, want one that names a.b", m, err)
		}
	}
}

// TestHostileFrames checks that odd stacks are classified at all.
func TestHostileFrames(t *testing.T) {
	r := load(t)
	for _, s := range []string{"-", "", ";", " ()", "x (", ")", ".", "a. (b.py)", "0x0 (?)", strings.Repeat("f (x.py);", 4096), strings.Repeat("((((", 1000)} {
		classify(r, s)
	}
}

func BenchmarkClassify(b *testing.B) {
	r := load(b)
	const n = 4000
	var frames []Frame
	for i := range n {
		frames = append(frames, Frame{Function: fmt.Sprintf("Layer%d.forward", i), File: "model/layers.py"})
	}
	path := make([]int32, 25)
	b.ReportAllocs()
	i := 0
	c := NewClassifier(r, len(frames), func(k int32) Frame { return frames[k] })
	for b.Loop() {
		for k := range path {
			path[k] = int32((i*7 + k*13) % n)
		}
		i++
		c.Classify(path)
	}
}

// BenchmarkFrame tests frames that were not seen before.
func BenchmarkFrame(b *testing.B) {
	r := load(b)
	frames := []Frame{
		{"c10::impl::OperatorEntry::lookup", "libtorch_cpu.so", true},
		{"0x7f8de1498e51", "libc.so.6", true},
		{"main.<locals>.target_worker.<locals>.produce", "app/run.py", false},
		{"Module._call_impl", "torch/nn/modules/module.py", false},
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.bits(frames[i%len(frames)])
	}
}

// TestUserRules: a user's rules come first, and their faults are told with the
// file's name and line.
func TestUserRules(t *testing.T) {
	own := `{"mechanisms": [{"id": "gpu.sync_explicit", "rule": "our.meters", "re": "^log_metrics \\("}],
"causes": [{"id": "mask_build", "re": "^log_metrics \\("}]}`
	r, err := LoadWith("stack-rules.json", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	const line = "main (train.py:3);log_metrics (app/meters.py:4);cudaLaunchKernel (libcudart.so.12)"
	if k := classified(r, line); k.Rule != "our.meters" || k.Cause != "mask_build" || k.State != CPU {
		t.Errorf("%+v, want our.meters x mask_build, cpu", k)
	}
	if k := classified(load(t), line); k.Rule != "gpu.launch" || k.Cause != "logging" {
		t.Errorf("without them %+v, want gpu.launch x logging", k)
	}
	for doc, want := range map[string]string{
		"{\"mechanisms\": [\n{\"id\": \"x\", \"res\": \"a\"}]}":    "stack-rules.json:2: unknown field",
		"{\n\n\"mechanisms\": 3}":                                  "stack-rules.json:3:",
		`{"mechanisms": [{"id": "x", "re": "("}]}`:                 "stack-rules.json: mechanism x: ",
		`{"mechanisms": [{"id": "x"}]}`:                            "stack-rules.json: mechanism 1: want an id and a pattern",
		`{"causes": [{"re": "x"}]}`:                                "stack-rules.json: cause 1: want an id",
		`{"mechanisms": [{"id": "x", "re": "a", "scope": "all"}]}`: "stack-rules.json: mechanism x: scope",
	} {
		if _, err := LoadWith("stack-rules.json", []byte(doc)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", doc, err, want)
		}
	}
}
