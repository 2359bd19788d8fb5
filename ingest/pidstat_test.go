package ingest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/archive"
	"tidemark/model"
)

// pidstatFile writes what pidstat -t -u -w prints of one process with threads
// threads over seconds intervals from 23:58:00 on, with a restart on each of
// the days given, two hours after its midnight.
func pidstatFile(threads, seconds int, days ...int) []byte {
	var b bytes.Buffer
	at := 23*3600 + 58*60
	stamp := func(s int) string { return fmt.Sprintf("%02d:%02d:%02d", s/3600%24, s/60%60, s%60) }
	run := func(day int) {
		fmt.Fprintf(&b, "Linux 6.8.0 (node) \t11/%02d/26 \t_x86_64_\t(96 CPU)\n", day)
		for s := at + 1; s <= at+seconds; s++ {
			fmt.Fprintf(&b, "\n%s      UID      TGID       TID    %%usr %%system  %%guest   %%wait    %%CPU   CPU  Command\n", stamp(s-1))
			fmt.Fprintf(&b, "%s     1000      4100         -   93.37    2.00    0.00    0.40   95.37    73  python3\n", stamp(s))
			for k := range threads {
				fmt.Fprintf(&b, "%s     1000         - %9d    5.67    1.00    0.00    0.20    6.67    31  |__worker-%d\n", stamp(s), 4101+k, k)
			}
			fmt.Fprintf(&b, "\n%s      UID      TGID       TID   cswch/s nvcswch/s  Command\n", stamp(s-1))
			fmt.Fprintf(&b, "%s     1000      4100         -    193.37      2.00  python3\n", stamp(s))
		}
	}
	run(1)
	for _, day := range days {
		at = 2 * 3600
		run(day)
	}
	return b.Bytes()
}

// TestPidstatParts reads a file that is too long to be looked back at as a
// whole: parts begin under what the first one bound.
func TestPidstatParts(t *testing.T) {
	for _, tt := range []struct {
		name             string
		threads, seconds int
		days             []int
		size             int
	}{
		{"midnight", 20, 600, nil, 200_000},
		{"restarts after a midnight", 20, 300, []int{2, 2, 4}, 150_000},
		{"intervals longer than the first look back", 1500, 12, nil, 100_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := pidstatFile(tt.threads, tt.seconds, tt.days...)
			var whole, parts strings.Builder
			dump(&whole, parseWhole(Pidstat, data))
			dump(&parts, parseSized(t, Pidstat, data, tt.size))
			if diff := cmp.Diff(strings.Split(whole.String(), "\n"), strings.Split(parts.String(), "\n")); diff != "" {
				t.Errorf("(-whole +parts):\n%.3000s", diff)
			}
		})
	}
}

// parseSized reads data in parts of about size bytes.
func parseSized(t *testing.T, f *Format, data []byte, size int) *model.RunBuilder {
	t.Helper()
	r := &reader{ctx: context.Background(), slots: make(chan struct{}, 2)}
	m := archive.Member{Path: "f", At: bytes.NewReader(data), Bytes: int64(len(data))}
	var list []*part
	for from := 0; from < len(data); {
		to := min(from+size, len(data))
		if i := bytes.IndexByte(data[to:], '\n'); i >= 0 {
			to += i + 1
		} else {
			to = len(data)
		}
		list = append(list, &part{from: int64(from), to: int64(to), ready: make(chan struct{})})
		from = to
	}
	for i, p := range list {
		p.out = model.NewRunBuilder(&model.File{Path: "f"})
		header := ""
		if i > 0 {
			header = list[0].bound
		}
		r.part(p, f, m, header, nil, i, nil)
		close(p.ready)
	}
	out, err := r.join(f, "", m, list)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPidstatCut reads a file whose writer was killed in the middle of a line,
// at every byte of it: no number is shortened and no name is half.
func TestPidstatCut(t *testing.T) {
	whole := []byte("12:00:00      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n" +
		"12:00:01     1000      4100         -   13.37    2.00    0.00    0.40   15.37    73  python3\n")
	first := bytes.IndexByte(whole, '\n') + 1
	for n := first + 1; n < len(whole)-1; n++ {
		b := parseWhole(Pidstat, whole[:n])
		conserved(t, b.File)
		for _, batch := range b.Threads.Batches {
			cpu, _ := batch.Float(model.ThreadCPU, 0)
			core, _ := batch.Int(model.ThreadCore, 0)
			if cpu != 0.1537 || core != 73 || batch.Has(model.ThreadName) {
				t.Errorf("%q: cpu %v, core %v, name %v", whole[first:n], cpu, core, batch.Has(model.ThreadName))
			}
		}
	}
}

// BenchmarkPidstat reads one process of 30 threads over 40 minutes.
func BenchmarkPidstat(b *testing.B) {
	data := pidstatFile(30, 2400)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		parseWhole(Pidstat, data)
	}
}
