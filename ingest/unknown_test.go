package ingest

import (
	"strings"
	"testing"

	"tidemark/model"
)

func TestUnknown(t *testing.T) {
	for head, want := range map[string]string{
		"":                                   "empty file",
		"version https://git-lfs.github.com": "a git-lfs pointer, not the data: run git lfs pull",
		"\x89PNG\r\n\x1a\n":                  "a picture or a document, not data",
		"%PDF-1.7\n":                         "a picture or a document, not data",
		"\x00\x01\x00\x02\x00\x00\x00\x00":   "binary content that no format claims",
		"{\n \"schema\": \"tidemark/report/v1\",\n \"kind\": \"run\"}": "a report of this tool, not a recording",
		"{\"weight_map\": {}}\n":                              "JSON of which no format knows the keys: want a step or a time beside metrics, depths or readings of devices",
		"\x04\x22\x4d\x18\x40\x40\xc0\x10\x00\x00\x00":        "packed by LZ4, want it unpacked (lz4 -d), or packed by gzip, zstd, xz or bzip2",
		"\n <!doctype HTML>\n<html>":                          pageReason,
		strings.Repeat("\x00", model.HeadSize):                binaryReason,
		"import torch\nmodel.train()\n":                       "no format claims it",
		"ts,device,sm,fb\n2026/11/29 14:03:35,0,37,1011\n":    "a table whose columns no format knows: want step or epoch among its columns for metrics, depth for a queue, and for readings of GPUs " + namedColumns,
		"timestamp;index;power\n2026/11/29 14:03:35;0;37,5\n": "a table whose columns no format knows: its cells stand between semicolons, want commas, and points in numbers",
		"name,model,size\na,b,c\n":                            "no format claims it",
	} {
		_, err := Detect("file", []byte(head))
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", head, err, want)
		}
	}
}

// TestBinaryProfiles: the first bytes are those of files of memray 1.20.0 (packed by
// LZ4), of cProfile under 3.11.7 and under 2.7.18.
func TestBinaryProfiles(t *testing.T) {
	for head, want := range map[string]*Format{
		"\x04\x22\x4d\x18\x40\x40\xc0\xd6\x3f\x00\x00\xf9\x05memray\x00\x0d\x00\x00\x00\xf0\x0f": Memray,
		"\xfb\x29\x03\xfa\x08small.py\xe9\x04\x00\x00\x00\xda\x01f\x29\x05":                      PStats,
		"{(\x03\x00\x00\x00t\x01\x00\x00\x00~i\x00\x00\x00\x00":                                  PStats,
	} {
		if f, err := Detect("file", []byte(head)); f != want {
			t.Errorf("%q: %v, %v, want %s", head, f, err, want.Name)
		}
	}
}

// TestNothingRead: where no line of a file could be read, why not the first is said.
func TestNothingRead(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("\x00;\x00 5\n", 100):                      "begins like py-spy-raw, but none of its 100 lines could be read (line 1: NUL bytes, as a crash or a full disk leaves them)",
		strings.Repeat("f (a.py:1);", model.MaxDepth+1) + "g 5\n": "begins like py-spy-raw, but none of its 1 lines could be read (line 1: more frames than a sampler follows",
	} {
		f := readBytes(t, "x.txt", []byte(text)).File
		if !strings.HasPrefix(f.Reason, want) || f.Format != "" || !f.Damaged {
			t.Errorf("%.20q: %q, want %q", text, f.Reason, want)
		}
	}
}
