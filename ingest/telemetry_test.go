package ingest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/config"
	"tidemark/model"
)

// readDir reads files as the command would, on one clock.
func readDir(t *testing.T, files map[string]string) *model.Run {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run, err := Read(context.Background(), []string{dir}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	Align(run, &config.Config{})
	return run
}

// lines puts a prefix before each line of a text.
func prefixed(text, prefix string) string {
	var sb strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&sb, prefix, i)
		sb.WriteString(line)
	}
	return sb.String() + "\n"
}

const dmonText = "# gpu    pwr     sm    mem\n# Idx      W      %      %\n    0    295     97      1\n    1    129      3      -\n"

// TestContainerLogs reads a format without times as container runtimes and
// journald write its lines down: rows are the same, and have the time of their line.
func TestContainerLogs(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		timed bool
	}{
		"ts, its own form":               {prefixed(dmonText, "Nov 29 13:49:0%d "), true},
		"compose":                        {prefixed(dmonText, "trainer-%d  | "), false},
		"compose, in colour, with times": {prefixed(dmonText, "\x1b[36mtrainer  |\x1b[0m 2026-11-29T13:49:0%d.123456789Z "), true},
		"terminal":                       {prefixed(dmonText, "\x1b[%dm") + "\x1b[K", false},
		"kubernetes":                     {prefixed(dmonText, "2026-11-29T13:49:0%d.123456789Z stdout F "), true},
		"docker":                         {prefixed(dmonText, "2026-11-29T13:49:0%d.123456789Z "), true},
		"offset":                         {prefixed(dmonText, "2026-11-29T14:49:0%d.123+01:00 "), true},
		"ts":                             {prefixed(dmonText, "2026-11-29 13:49:0%d "), true},
		"brackets":                       {prefixed(dmonText, "[2026-11-29 13:49:0%d.25] "), true},
		"journal":                        {prefixed(dmonText, "Nov 29 13:49:0%d node7 dmon[4242]: "), true},
		"journal iso":                    {prefixed(dmonText, "2026-11-29T13:49:0%d+0000 node7 dmon[4242]: "), true},
		"crlf":                           {strings.ReplaceAll(prefixed(dmonText, "2026-11-29T13:49:0%d.123456789Z stdout F "), "\n", "\r\n"), true},
	} {
		b := readBytes(t, "dmon.log", []byte(c.text))
		conserved(t, b.File)
		if b.File.Format != "nvidia-smi-dmon" || b.GPU.Rows() != 2 {
			t.Errorf("%s: %s, %d rows, reason %q", name, b.File.Format, b.GPU.Rows(), b.File.Reason)
			continue
		}
		got, ok := b.GPU.Batches[0].Int(model.GPUT, 1)
		want := int64(1795960143)
		if b.File.Clock.Kind == model.ClockDay {
			want %= 86400
		}
		if ok != c.timed || ok && got/1e9 != want {
			t.Errorf("%s: second row at %d, %t", name, got, ok)
		}
	}
}

// TestDockerJSON reads lines inside the records of Docker's json-file driver.
func TestDockerJSON(t *testing.T) {
	var sb strings.Builder
	for _, line := range strings.SplitAfter(dmonText, "\n") {
		if line != "" {
			fmt.Fprintf(&sb, "{\"log\":%q,\"stream\":\"stdout\",\"time\":\"2026-11-29T13:49:00.5Z\"}\n", line)
		}
	}
	b := readBytes(t, "container-json.log", []byte(sb.String()))
	conserved(t, b.File)
	if b.File.Format != "nvidia-smi-dmon" || b.GPU.Rows() != 2 || b.File.Clock.Kind != model.ClockUTC {
		t.Errorf("%s, %d rows, %s, reason %q", b.File.Format, b.GPU.Rows(), b.File.Clock.Kind, b.File.Reason)
	}
}

// TestStampedLog leaves logs alone: their times are their own business.
func TestStampedLog(t *testing.T) {
	b := readBytes(t, "train.log", []byte(prefixed("INFO step=1 loss=2.5\nINFO step=2 loss=2.4\nINFO step=3 loss=2.3\n", "2026-11-29T13:49:0%d.5Z ")))
	if b.File.Format != "train-log" || b.Metrics.Rows() == 0 {
		t.Errorf("%s, %d rows, reason %q", b.File.Format, b.Metrics.Rows(), b.File.Reason)
	}
}

// TestIdentifyByList finds the index of a device in the list of nvidia-smi -L.
// Where two lists differ on a device it has none, least of all that of another
// one by its order.
func TestIdentifyByList(t *testing.T) {
	rows := "timestamp, uuid, utilization.gpu [%]\n2026/11/29 13:49:00.000, GPU-b, 20 %\n2026/11/29 13:49:00.000, GPU-a, 10 %\n"
	list := "GPU 0: NVIDIA H200 (UUID: GPU-a)\nGPU 5: NVIDIA H200 (UUID: GPU-b)\n"
	for _, tc := range []struct{ other, want string }{
		{"", "5 true, 0 true"},
		{"GPU 4: NVIDIA H200 (UUID: GPU-b)\n", "0 false, 0 true"},
	} {
		run := readDir(t, map[string]string{"gpu.csv": rows, "list.txt": list, "other.txt": tc.other})
		b := run.GPU.Batches[0]
		v0, ok0 := b.Int(model.GPUIndex, 0)
		v1, ok1 := b.Int(model.GPUIndex, 1)
		if got := fmt.Sprint(v0, " ", ok0, ", ", v1, " ", ok1); got != tc.want {
			t.Errorf("with %q: %s, want %s", tc.other, got, tc.want)
		}
		if notes := strings.Join(run.Files[0].Notes, "|"); !strings.Contains(notes, "GPU index by its uuid, as in list.txt") {
			t.Errorf("notes %q", notes)
		}
	}
}

// TestIdentify finds the index of a device by its uuid, and by its place on
// the bus, in the rows of another file; nothing tells that of a third one.
func TestIdentify(t *testing.T) {
	run := readDir(t, map[string]string{
		"a.csv": "timestamp, index, uuid, pci.bus_id, utilization.gpu [%]\n" +
			"2026/11/29 13:49:00.000, 5, GPU-a, 00000000:18:00.0, 10 %\n2026/11/29 13:49:00.000, 6, GPU-b, 00000000:2A:00.0, 20 %\n",
		"b.csv":   "timestamp, uuid, utilization.gpu [%]\n2026/11/29 13:49:00.000, GPU-b, 20 %\n2026/11/29 13:49:01.000, GPU-a, 10 %\n2026/11/29 13:49:02.000, GPU-c, 10 %\n",
		"c.jsonl": "{\"ts\":1795960140,\"pci_bus_id\":\"0000:18:00.0\",\"gpu_util\":10,\"uuid\":\"x\"}\n",
	})
	var got []string
	for _, b := range run.GPU.Batches {
		for r := range b.Rows() {
			i, ok := b.Int(model.GPUIndex, r)
			got = append(got, fmt.Sprint(run.Files[b.File].Path, " ", i, " ", ok))
		}
	}
	want := []string{"a.csv 5 true", "a.csv 6 true", "b.csv 6 true", "b.csv 5 true", "b.csv 2 true", "c.jsonl 5 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := strings.Join(run.Files[1].Notes, "|"); !strings.Contains(notes, "GPU index by its uuid, as in a.csv") {
		t.Errorf("notes of b.csv: %s", notes)
	}
}

// TestXZ reads a recording packed by xz, if there is one to pack it.
func TestXZ(t *testing.T) {
	for _, tool := range []string{"xz", "bzip2"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, "-c")
		cmd.Stdin = strings.NewReader(dmonText)
		data, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		b := readBytes(t, "dmon.log."+tool, data)
		if b.File.Format != "nvidia-smi-dmon" || b.GPU.Rows() != 2 {
			t.Errorf("%s: %s, %d rows, reason %q", tool, b.File.Format, b.GPU.Rows(), b.File.Reason)
		}
	}
}

// TestSarData recognises the file of sar -o by its first bytes.
func TestSarData(t *testing.T) {
	f, err := Detect("sa29", []byte("\x96\xd5\x75\x21\x0c\x06\x01\x00\x00\x00\x00\x00"))
	if err != nil || f != SarData {
		t.Errorf("%v, %v; want sar-data", f, err)
	}
}

// TestMetricsOfHost keeps what a host is measured by apart from what a training
// log says.
func TestMetricsOfHost(t *testing.T) {
	run := readDir(t, map[string]string{"vmstat.txt": "procs\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
		" 1  0 0 1 1 1 0 0 1 1 1 1 27 6 67 0 0\n 1  0 0 1 1 1 0 0 1 1 1 1 27 6 67 0 0\n"})
	if run.Files[0].Format == "vmstat" {
		for _, b := range run.Metrics.Batches {
			for r := range b.Rows() {
				if c, _ := b.Text(model.MetricSource, r); run.Text(c) != model.Telemetry {
					t.Fatalf("source %q", run.Text(c))
				}
			}
		}
	} else {
		t.Errorf("%s: %s", run.Files[0].Format, run.Files[0].Reason)
	}
}
