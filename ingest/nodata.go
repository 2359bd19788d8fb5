package ingest

import (
	"bytes"

	"tidemark/internal/scan"
)

// What the tools whose recordings are read print beside them, and what they
// write so that no reader can tell what it is.
var (
	// SMIInfo is help and topology.
	SMIInfo = &Format{
		Name:   "nvidia-smi-info",
		Doc:    "nvidia-smi topo, -h and the help of its commands",
		Refuse: "what nvidia-smi says of itself or of the machine, not readings over time: record nvidia-smi --query-gpu=… --format=csv -lms 200",
		Detect: detectSMIInfo,
	}
	// BareNumbers is a table whose columns nothing names.
	BareNumbers = &Format{
		Name:   "bare-numbers",
		Doc:    "numbers between commas without a header, as nvidia-smi dmon --format=csv,noheader,nounit writes them",
		Refuse: "columns unknown: numbers without a header, a time or units; want a recording without noheader, or " + namedColumns,
		Detect: detectBareNumbers,
	}
	// Schedstat is /proc/PID/task/*/schedstat without what tells the threads apart.
	Schedstat = &Format{
		Name:   "proc-schedstat",
		Doc:    "/proc/PID/task/*/schedstat beside names of threads",
		Refuse: "counters since the start of each thread, without thread ids and times: record pidstat -t -u 1, whose %wait is the same over intervals",
		Detect: detectSchedstat,
	}
	// SarData is the binary file of sar -o.
	SarData = &Format{
		Name:   "sar-data",
		Doc:    "the binary file that sar -o, or the daily job of sysstat, writes",
		Refuse: "sysstat's own file, whose layout changes with its version: sadf -d -U FILE -- -u ALL -P ALL -q > sadf.csv on the machine that wrote it",
		Detect: func(_ string, head []byte) bool {
			return len(head) > 8 && (string(head[:2]) == "\x96\xd5" || string(head[:2]) == "\xd5\x96")
		},
	}
)

// detectSMIInfo looks for words that only these outputs have.
func detectSMIInfo(_ string, head []byte) bool {
	head = head[:min(len(head), 8<<10)]
	plain := stripANSI(head)
	first, _, _ := bytes.Cut(bytes.TrimLeft(plain, " \t\r\n"), []byte{'\n'})
	switch {
	case bytes.Contains(first, []byte("CPU Affinity")) && bytes.Contains(first, []byte("GPU0")):
		return true
	case bytes.HasPrefix(first, []byte("NVIDIA System Management Interface -- v")):
		return true
	}
	return bytes.Contains(plain, []byte("Usage: nvidia-smi ")) && !bytes.Contains(plain, []byte("# $ "))
}

// detectBareNumbers wants three or more cells in each line, all of them
// numbers or a dash, and no first cell that is a time.
func detectBareNumbers(_ string, head []byte) bool {
	lines := 0
	for line := range wholeLines(head, 50) {
		if line = scan.Trim(bytes.TrimRight(line, "\r")); len(line) == 0 {
			continue
		}
		cells := bytes.Split(line, []byte{','})
		if len(cells) < 3 || len(line) > 4096 {
			return false
		}
		for k, c := range cells {
			c = scan.Trim(c)
			if _, ok := scan.Float(c); !ok && string(c) != "-" {
				return false
			} else if _, epoch := scan.Epoch(c); epoch && k == 0 && len(c) >= 10 {
				return false
			}
		}
		lines++
	}
	return lines > 0
}

// detectSchedstat wants a name and three whole numbers in turn.
func detectSchedstat(_ string, head []byte) bool {
	pairs := 0
	for len(head) > 0 {
		name, rest, _ := bytes.Cut(head, []byte{'\n'})
		line, rest, _ := bytes.Cut(rest, []byte{'\n'})
		head = rest
		f := bytes.Fields(line)
		if len(name) == 0 || len(name) > 16 || len(f) != 3 {
			return pairs > 0 && len(head) == 0 && len(line) == 0
		}
		for _, c := range f {
			if _, ok := scan.Int(c); !ok {
				return false
			}
		}
		if _, number := scan.Float(f[0]); !number || bytes.IndexByte(name, ',') >= 0 || bytes.IndexByte(name, '=') >= 0 {
			return false
		}
		pairs++
	}
	return pairs > 1
}
