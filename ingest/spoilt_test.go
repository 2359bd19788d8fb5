package ingest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/model"
)

// TestSpoilt: what should have given rows and did not is damaged; what stands
// beside recordings is not.
func TestSpoilt(t *testing.T) {
	header := "timestamp,queue,depth,capacity,min_ready,puts_total,gets_total\n"
	noise := strings.Repeat("\x01\x9f\xe2\x8a\x02\xc3\x07\x88\x10\xff", 40)
	banner := "Linux 6.1.0-18-amd64 (n)\t05/07/26\t_x86_64_\t(192 CPU)\n\n"
	for name, c := range map[string]struct {
		text    string
		damaged bool
	}{
		"header/queue.csv":       {header, true},
		"header/gpu.csv":         {"timestamp, index, utilization.gpu [%]\n", true},
		"header/pidstat.txt":     {banner + "# Time        UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n", true},
		"header/apps.csv":        {"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n", false},
		"empty/depths.csv":       {"", true},
		"empty/queue.csv.gz":     {"", true},
		"empty/train.log":        {"", true},
		"empty/stderr.log":       {"", false},
		"empty/notes.txt":        {"", false},
		"noise/queue.csv":        {noise, true},
		"noise/phase012.log":     {noise, true},
		"noise/weights.bin":      {noise, false},
		"page/metrics.json":      {"<!DOCTYPE html>\n<title>404</title>\n", true},
		"page/report.html":       {"<!DOCTYPE html>\n<title>report</title>\n", false},
		"pointer/queue.csv":      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", true},
		"pointer/model.bin":      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", false},
		"strange/pidstat.txt":    {"bash: pidstat: command not found\n", true},
		"strange/queue.csv":      {"a;b\n1;2\n", true},
		"strange/evaluation.csv": {"task;score\ngsm8k;71.2\n", false},
		"strange/README.md":      {"# A run\n", false},
		"part/queue.csv":         {header, false},
		"part/queue.csv.1":       {header + "2026-05-07T21:27:51Z,hs,9,60,10,1,1\n", false},
	} {
		dir := t.TempDir()
		writeMember(t, filepath.Join(dir, name), []byte(c.text))
		if name == "part/queue.csv" {
			writeMember(t, filepath.Join(dir, "part/queue.csv.1"), []byte(header+"2026-05-07T21:27:51Z,hs,9,60,10,1,1\n"))
		}
		run, err := Read(context.Background(), []string{dir}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := slices.IndexFunc(run.Files, func(f *model.File) bool { return f.Path == name })
		if k < 0 {
			t.Fatalf("%s is not among the files", name)
		}
		if f := run.Files[k]; f.Damaged != c.damaged || f.Damaged && f.Reason == "" {
			t.Errorf("%s: damaged %t (%s), want %t", name, f.Damaged, f.Reason, c.damaged)
		}
	}
}
