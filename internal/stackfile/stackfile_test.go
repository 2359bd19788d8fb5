package stackfile_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/ingest"
	"tidemark/internal/stackfile"
	"tidemark/model"
)

// raw has every odd thing that a stack in lines can hold: rows, an empty
// stack, native frames with and without symbols, names with blanks, brackets
// and semicolons, and a thread without frames.
const raw = `process 10:"python -c 'a; b'";thread (11): target-0;target_worker (app/run.py:10);forward (app/model.py:7);at::native::(anonymous namespace)::f<a, b> (libtorch_cuda.so);cudaLaunchKernel (libcudart.so.12) 400
process 10:"python -c 'a; b'";thread (0x7F02): Thread-1 (work);drafter_worker (app/run.py:30);<listcomp> (app/run.py:31);0x7f10 (libcuda.so.1) 300
process 10:"python -c 'a; b'";thread (0x7F02): Thread-1 (work);drafter_worker (app/run.py:30);operator() (x.cpp:12) 7
process 10:"python -c 'a; b'";thread (13) 5
process 20:"other";main (main.py:3) 2
`

func read(t *testing.T, name string, data []byte) *model.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run, err := ingest.Read(context.Background(), []string{path}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := run.Files[0].Reason; r != "" {
		t.Fatalf("%s: %s", name, r)
	}
	return run
}

// stacks is a run's samples by thread and frames.
func stacks(run *model.Run, process bool) map[string]float64 {
	m := map[string]float64{}
	for _, s := range run.Stacks.Samples {
		th := run.Stacks.Threads[s.Thread]
		key := fmt.Sprintf("%d %s %q", th.PID, th.TID, th.Name)
		if process {
			key += " " + th.Process
		}
		for _, code := range run.Stacks.Set.Path(s.Stack, nil) {
			f := run.Stacks.Set.At(code)
			key += fmt.Sprintf(";%s %s:%d native=%t", run.Text(f.Function), run.Text(f.File), f.Line, f.Native)
		}
		m[key] += s.N
	}
	return m
}

// TestRoundTrip writes stacks in every form and reads them back.
func TestRoundTrip(t *testing.T) {
	run := read(t, "pyspy.raw.txt", []byte(raw))
	for _, w := range stackfile.Writers {
		for _, rate := range []float64{0, 20} {
			var b bytes.Buffer
			if err := w.Write(&b, &stackfile.Stacks{Run: run, Rate: rate}); err != nil {
				t.Fatal(w.Ending, err)
			}
			back := read(t, "x"+w.Ending, b.Bytes())
			process := w == stackfile.Folded
			want := stacks(run, process)
			if diff := cmp.Diff(want, stacks(back, process)); diff != "" {
				t.Errorf("%s, rate %g (-want +got):\n%s", w.Ending, rate, diff)
			}
		}
	}
}

func label(run *model.Run) func(int) stackfile.Label {
	return func(i int) stackfile.Label {
		role := "drafter"
		if run.Stacks.Threads[run.Stacks.Samples[i].Thread].Name == "target-0" {
			role = "target"
		}
		return stackfile.Label{Role: role, State: "cpu", Mechanism: "gpu.launch", Cause: "forward"}
	}
}

// TestRole writes the samples of one role alone.
func TestRole(t *testing.T) {
	run := read(t, "pyspy.raw.txt", []byte(raw))
	var b bytes.Buffer
	if err := stackfile.Folded.Write(&b, &stackfile.Stacks{Run: run, Label: label(run), Role: "target"}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 1 || !strings.HasSuffix(b.String(), " 400\n") {
		t.Errorf("%q, want the one line of the target", b.String())
	}
}

// TestGoTool opens a written profile with go tool pprof: its totals, the
// callers of a function, and the samples with a label.
func TestGoTool(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	run := read(t, "pyspy.raw.txt", []byte(raw))
	for _, c := range []struct {
		rate float64
		args []string
		want []string
	}{
		{0, []string{"-top"}, []string{"Type: samples", "of 714 total", `400 56\.02% 56\.02%        400 56\.02%  cudaLaunchKernel`}},
		{20, []string{"-top", "-sample_index=time"}, []string{"Type: time", `20s 56\.02% .* cudaLaunchKernel`}},
		{0, []string{"-peek", "cudaLaunchKernel"}, []string{`400   100% \|   at::native::`}},
		{0, []string{"-top", "-tagfocus=role=target"}, []string{"tagfocus=role=target", "accounting for 400, 56.02% of 714 total"}},
		{0, []string{"-tags"}, []string{`(?s)mechanism: Total 714.*role: Total 714.*400 .*: target`}},
	} {
		path := filepath.Join(t.TempDir(), "out.pb.gz")
		var b bytes.Buffer
		if err := stackfile.PProf.Write(&b, &stackfile.Stacks{Run: run, Rate: c.rate, Label: label(run)}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", append(append([]string{"tool", "pprof"}, c.args...), path)...).CombinedOutput()
		if err != nil {
			t.Fatalf("go tool pprof %v: %v\n%s", c.args, err, out)
		}
		for _, want := range c.want {
			if ok, _ := regexp.Match(want, out); !ok {
				t.Errorf("go tool pprof %v: no %q in\n%s", c.args, want, out)
			}
		}
	}
}
