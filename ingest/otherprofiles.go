package ingest

import (
	"bytes"
	"strings"
)

// Profiles that are recognised and not read: what they hold is another thing
// than sampled stacks, or needs its own tool to be opened.
var (
	PerfData = &Format{
		Name:   "perf.data",
		Doc:    "recording of perf, before perf script",
		Refuse: "a recording of perf, which only perf of the same machine opens: perf script --header -i perf.data > perf.txt",
		Detect: func(_ string, head []byte) bool {
			return bytes.HasPrefix(head, []byte("PERFILE2")) || bytes.HasPrefix(head, []byte("2ELIFREP"))
		},
	}
	Memray = &Format{
		Name:   "memray",
		Doc:    "capture of memray, packed by LZ4 or not, and its reports",
		Refuse: "a capture of memray: allocations, neither CPU time nor GPU memory; record py-spy record -f raw --threads --native for time",
		Detect: detectMemray,
	}
	CoreDump = &Format{
		Name:   "core",
		Doc:    "core dump",
		Refuse: "a core dump: py-spy dump --core FILE > dump.txt, or gdb PROGRAM FILE -batch -ex 'thread apply all bt' > gdb.txt",
		Detect: func(_ string, head []byte) bool {
			return len(head) > 18 && bytes.HasPrefix(head, []byte("\x7fELF")) && (head[5] == 1 && head[16] == 4 && head[17] == 0 || head[5] == 2 && head[17] == 4)
		},
	}
	NsysReport = &Format{
		Name:   "nsys-report",
		Doc:    "report of Nsight Systems",
		Refuse: "a report of Nsight Systems: nsys export --type sqlite or nsys stats reads it; for stacks record py-spy record --native, for kernels torch.profiler",
		Detect: func(name string, head []byte) bool {
			named := strings.HasSuffix(name, ".nsys-rep") || strings.HasSuffix(name, ".qdrep") || strings.HasSuffix(name, ".qdstrm")
			return named && isBinary(head) && !bytes.HasPrefix(head, []byte("PERFILE2")) || bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && named
		},
	}
	SQLite = &Format{
		Name:   "sqlite",
		Doc:    "SQLite database, such as nsys exports or a local tracking store",
		Refuse: "a SQLite database: export what is in it as CSV (of MLflow: mlflow experiments csv, or its metrics table)",
		Detect: func(name string, head []byte) bool {
			return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && !NsysReport.Detect(name, head)
		},
	}
	Scalene = &Format{
		Name:   "scalene",
		Doc:    "JSON of scalene",
		Refuse: "a profile of scalene: shares of CPU by line, which tell neither threads nor callers apart; record py-spy record -f raw --threads --native",
		Detect: func(_ string, head []byte) bool {
			return jsonObject(head) && (jsonOpens(head, `"n_cpu_percent_python"`) || jsonOpens(head, `"alloc_samples"`) && bytes.Contains(head, []byte(`"combined_stacks"`)))
		},
	}
)

// detectMemray: a packed capture begins with what cannot be packed, its name.
func detectMemray(_ string, head []byte) bool {
	switch {
	case bytes.HasPrefix(head, []byte(lz4Frame)):
		return bytes.Contains(head[:min(len(head), 64)], []byte("memray\x00"))
	case isPage(head):
		return bytes.Contains(head, []byte("<title>memray - "))
	}
	return bytes.HasPrefix(head, []byte("memray\x00")) || bytes.HasPrefix(head, []byte("allocator,num_allocations,size,tid,thread_name,stack_trace"))
}

// lz4Frame is what a file packed by LZ4 begins with.
const lz4Frame = "\x04\x22\x4d\x18"
