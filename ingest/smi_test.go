package ingest

import (
	"bytes"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestSMICutLastLine: a recorder was killed in the middle of a line. A number
// there may have lost digits, unless its unit follows it.
func TestSMICutLastLine(t *testing.T) {
	const query = "timestamp, index, utilization.gpu [%], power.draw [W]\n" +
		"2026/10/25 02:00:05.220, 0, 98 %, 683.54 W\n"
	const dmon = "# gpu    pwr     sm\n# Idx      W      %\n    0    295     37\n"
	for _, c := range []struct{ name, text, want string }{
		{"unit whole", query + "2026/10/25 02:00:06.220, 0, 98 %, 683.54 W", "gpu 3: t=1792893606220000000 gpu=0 sm_util=0.98 power=683.54"},
		{"unit cut off", query + "2026/10/25 02:00:06.220, 0, 98 %, 683.54", "gpu 3: t=1792893606220000000 gpu=0 sm_util=0.98"},
		{"cell missing", query + "2026/10/25 02:00:06.220, 0, 98 %", "warning: q:3: the file ends within a row: 3 cells, want 4 as in the header"},
		{"time alone", query + "2026/10/25 02:00", `warning: q:3: "2026/10/25 02:00", want a row of 4 cells`},
		{"dmon number", dmon + "    0    294     3", "gpu 4: gpu=0 power=294"},
		{"dmon cell missing", dmon + "    0    29", "warning: q:4: 2 cells, want 3 as in the header"},
	} {
		b := readBytes(t, "q", []byte(c.text))
		conserved(t, b.File)
		if !b.File.Truncated {
			t.Errorf("%s: not marked as cut", c.name)
		}
		var sb strings.Builder
		dump(&sb, b)
		if !strings.Contains(sb.String(), "  "+c.want+"\n") {
			t.Errorf("%s (-want +got):\n%s", c.name, cmp.Diff(c.want, sb.String()))
		}
	}
}

// TestSMINotClaimed: what looks alike and is another tool's, or has no
// readings of a GPU.
func TestSMINotClaimed(t *testing.T) {
	for _, head := range []string{
		"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n2026/11/29 13:56:50.724, GPU-5a1d, 425, python3, 1002 MiB\n",
		"2026/11/29 13:56:50.724, GPU-5a1d, 425, python3, 1002 MiB\n",
		"timestamp,queue,depth,capacity\n1795960140.0,hs,42,60\n",
		"# gpu        pid   type    sm   mem   enc   dec   command\n# Idx          #    C/G     %     %     %     %   name\n",
		"#Entity   GRACT        SMACT        TENSO        DRAMA\nID\n     GPU 0     0.912        0.81         0.1       0.2\n",
		"# Time        UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n",
		"step,loss,lr,gpu_util\n1,2.5,0.1,90\n",
		"Sun Nov 29 13:56:50 2026\n+-----------------------------------------------------------------------------------------+\n",
		"2026/11/29 13:56:50 step=1 loss=2.5, lr=0.1\n",
		"1, 2, 3, 4\n",
		" 0, 0, 0, 0, 0, 0, 0\n",
		"",
	} {
		if SMIQuery.Detect("gpu.csv", []byte(head)) || SMIDmon.Detect("dmon.log", []byte(head)) {
			t.Errorf("claimed: %q", head)
		}
	}
}

// TestSMIAllocations: rows do not allocate, beyond the table itself.
func TestSMIAllocations(t *testing.T) {
	row := "2026/10/25 02:00:05.220, 0, GPU-5a1d, 98 %, 98233 MiB, 683.54 W, [N/A], 0x0000000000000004\n" +
		"2026/10/25 02:00:05.223, 1, GPU-5a1e, 7 %, 98233 MiB, 83.54 W, [N/A], 0x0000000000000000\n"
	head := "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W], fan.speed [%], clocks_event_reasons.active\n"
	few, many := []byte(head+strings.Repeat(row, 10)), []byte(head+strings.Repeat(row, 400))
	a := testing.AllocsPerRun(20, func() { parseWhole(SMIQuery, few) })
	b := testing.AllocsPerRun(20, func() { parseWhole(SMIQuery, many) })
	if b > a {
		t.Errorf("%.0f allocations for 800 rows, %.0f for 20", b, a)
	}
}

// TestSMIShuffled drops, repeats and mixes the lines of all samples: what is
// remembered of earlier rows must never show, so a file read in parts, each of
// which begins without a memory, gives the same as one read in one piece.
func TestSMIShuffled(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, format := range []*Format{SMIQuery, SMIDmon} {
		paths, _ := filepath.Glob("testdata/" + format.Name + "/*.txtar")
		var lines [][]byte
		for _, p := range paths {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				if f.Name != "want" {
					lines = append(lines, bytes.SplitAfter(f.Data, []byte("\n"))...)
				}
			}
		}
		for range 40 {
			shuffled(t, format, mix(rng, lines))
		}
	}
}

// TestSMICells: the same of cells of all lengths and kinds, in rows of two devices that are
// now and then one cell short or long, or end in another way.
func TestSMICells(t *testing.T) {
	cells := [][]string{
		{" 0", " 1", " 1", ""},
		{" GPU-5a1d", " GPU-5a1d", " GPU-0000-0000-0000-0001", " [N/A]"},
		{" 7 %", " 37 %", " 7\x00 %", " 7\n %", " 100 %", " 101 %", "", " ", " [N/A]", " [Unknown Error]", " 12345678901234 %", " x %"},
		{" 0 MiB", " 143771 MiB", " 118234 MiB", " 1 GiB", " 1.25 GiB", "", " [Not Supported]", " 123456 MiB of it"},
		{" 291.39 W", " 9 W", " 83540 mW", " 83.54", "", " [N/A]", " -1 W", " 1e2 W"},
		{" 46", " 7", "", " N/A", " 1000"},
	}
	head := "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu\n"
	rng := rand.New(rand.NewSource(2))
	for range 400 {
		text := []byte(head)
		for i := range 40 {
			text = append(text, "2026/10/25 02:00:0"...)
			text = append(text, byte('0'+i/2%10))
			for _, list := range cells[rng.Intn(60)/59:] {
				text = append(append(text, ','), list[rng.Intn(len(list))*rng.Intn(2)]...)
			}
			if rng.Intn(50) == 0 {
				text = append(text, ", 1"...)
			}
			text = append(text, []string{"\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", "\r\r\n", " \n", ",\n", ""}[rng.Intn(12)]...)
		}
		shuffled(t, SMIQuery, text)
	}
}

// mix returns some 40 lines, mostly neighbours.
func mix(rng *rand.Rand, lines [][]byte) []byte {
	var text []byte
	at := rng.Intn(len(lines))
	for range 40 {
		line := lines[(at+rng.Intn(3))%len(lines)]
		if at++; rng.Intn(8) == 0 {
			at = rng.Intn(len(lines))
		}
		text = append(text, line...)
	}
	return text[:len(text)-rng.Intn(4)]
}

func shuffled(t *testing.T, format *Format, text []byte) {
	t.Helper()
	var whole, parts, held strings.Builder
	b := parseWhole(format, text)
	conserved(t, b.File)
	dump(&whole, b)
	dump(&parts, parseParts(format, text))
	if diff := cmp.Diff(whole.String(), parts.String()); diff != "" {
		t.Fatalf("%s\nread in parts (-whole +parts):\n%s", text, diff)
	}
	dump(&held, parseHeld(format, text))
	if diff := cmp.Diff(whole.String(), held.String()); diff != "" {
		t.Fatalf("%s\nheld in memory (-whole +held):\n%s", text, diff)
	}
}
