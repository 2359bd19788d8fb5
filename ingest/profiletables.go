package ingest

import (
	"bytes"
	"strings"
)

// Output of profilers for a reader's eyes, or without stacks: recognised, so
// that the way to one that is read can be said.
var (
	PStats = &Format{
		Name:   "pstats",
		Doc:    "profile of cProfile, or of another profiler in its form (pstats), as a file or as the printed table",
		Refuse: "a profile of calls (pstats): times by function and caller, no stacks and no threads; record py-spy record -f raw --threads --native, or pyinstrument -r json",
		Detect: func(_ string, head []byte) bool { return marshalledStats(head) || printedStats(head) },
	}
	Callgrind = &Format{
		Name:   "callgrind",
		Doc:    "profile in the form of callgrind, as valgrind, yappi and others write it",
		Refuse: "a profile in callgrind's form: costs by line and call, no stacks and no threads; record py-spy record -f raw --threads --native",
		Detect: func(_ string, head []byte) bool {
			first, _, _ := bytes.Cut(head, []byte{'\n'})
			return bytes.HasPrefix(first, []byte("# callgrind format")) ||
				bytes.HasPrefix(first, []byte("version: ")) && bytes.Contains(head, []byte("\nevents: ")) && bytes.Contains(head, []byte("\nfl="))
		},
	}
	PyinstrumentOutput = &Format{
		Name:   "pyinstrument-output",
		Doc:    "session, page or tree in text of pyinstrument",
		Refuse: "pyinstrument's own session, or its output for a reader: pyinstrument --load SESSION -r json -o profile.json, or record with -r json",
		Detect: detectPyinstrumentOutput,
	}
	PerfReport = &Format{
		Name:   "perf-report",
		Doc:    "table of perf report",
		Refuse: "a table of perf report: shares by symbol, no samples; perf script --header -i perf.data > perf.txt",
		Detect: func(_ string, head []byte) bool {
			return bytes.HasPrefix(head, []byte("# To display the perf.data header info")) ||
				bytes.HasPrefix(head, []byte{'#'}) && bytes.Contains(head, []byte("\n# Samples: ")) && bytes.Contains(head, []byte("\n# Overhead "))
		},
	}
	PProfText = &Format{
		Name:   "pprof-text",
		Doc:    "what go tool pprof prints (-top, -traces, -raw, -peek)",
		Refuse: "text of go tool pprof: give the profile itself, or go tool pprof -proto PROFILE > out.pb.gz",
		Detect: detectPProfText,
	}
	TorchTable = &Format{
		Name:   "torch-table",
		Doc:    "table of torch.profiler's key_averages, in a file of its own",
		Refuse: "torch.profiler's table: totals by operator, no calls and no threads; export the trace: prof.export_chrome_trace(\"trace.json\")",
		Detect: func(_ string, head []byte) bool {
			rule, rest, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
			names, _, _ := bytes.Cut(rest, []byte{'\n'})
			return bytes.HasPrefix(rule, []byte("-----")) && bytes.HasPrefix(bytes.TrimLeft(names, " "), []byte("Name  ")) && bytes.Contains(names, []byte("  # of Calls"))
		},
	}
	PProfCounts = &Format{
		Name:   "pprof-counts",
		Doc:    "memory, locks or threads by stack in pprof's text, and stacks of goroutines as a panic prints them",
		Refuse: "counts of memory, locks, threads or goroutines by stack, no CPU time; record a profile of CPU, as curl -o cpu.pb.gz HOST/debug/pprof/profile?seconds=30 does of a Go program",
		Detect: detectPProfCounts,
	}
)

func detectPProfCounts(_ string, head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	for _, s := range []string{"heap profile: ", "goroutine profile: ", "threadcreate profile: ", "--- contention", "--- mutex:", "--- heapz", "--- growthz", "--- threadz"} {
		if bytes.HasPrefix(first, []byte(s)) {
			return true
		}
	}
	return bytes.HasPrefix(first, []byte("goroutine ")) && bytes.HasSuffix(trimRight(first), []byte("]:"))
}

// marshalledStats goes by how Python marshals a dictionary whose keys are
// (file, line, function): { and a tuple of three, of which the first is a string.
func marshalledStats(head []byte) bool {
	const shared = 0x80 // set where the object is referred to later
	if len(head) < 8 || head[0]&^shared != '{' {
		return false
	}
	switch head[1] &^ shared {
	case ')':
		return head[2] == 3 && strings.IndexByte("zZuaAst", head[3]&^shared) >= 0
	case '(':
		return bytes.HasPrefix(head[2:], []byte{3, 0, 0, 0}) && strings.IndexByte("zZuaAst", head[6]&^shared) >= 0
	}
	return false
}

// printedStats goes by the first line of pstats' table, or the two before it.
func printedStats(head []byte) bool {
	head = head[:min(len(head), 4096)]
	for range 3 {
		line, rest, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
		_, after, digits := leadingNumber(bytes.TrimLeft(line, " "))
		if digits && bytes.HasPrefix(after, []byte(" function calls")) && bytes.Contains(after, []byte(" seconds")) {
			return bytes.Contains(rest, []byte("ncalls  tottime"))
		}
		head = rest
	}
	return false
}

func detectPyinstrumentOutput(_ string, head []byte) bool {
	if jsonObject(head) {
		return bytes.Contains(head, []byte(`"start_call_stack"`)) && bytes.Contains(head, []byte(`"sample_count"`))
	}
	if isPage(head) {
		return bytes.Contains(head, []byte("pyinstrumentHTMLRenderer"))
	}
	return bytes.Contains(head[:min(len(head), 512)], []byte("/_//_/// /_\\ / //_// / //_'/ //"))
}

func detectPProfText(_ string, head []byte) bool {
	head = head[:min(len(head), 4096)]
	if bytes.HasPrefix(head, []byte("PeriodType: ")) {
		return bytes.Contains(head, []byte("\nSamples:\n"))
	}
	return (bytes.HasPrefix(head, []byte("File: ")) || bytes.HasPrefix(head, []byte("Type: "))) &&
		(bytes.Contains(head, []byte("\nShowing nodes accounting for ")) || bytes.Contains(head, []byte("\n-----------+---")))
}

// isPage reports whether a file is an HTML page.
func isPage(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 512)], " \t\r\n"))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}
