package ingest

import "testing"

func TestUnknown(t *testing.T) {
	for head, want := range map[string]string{
		"":                                   "empty file",
		"version https://git-lfs.github.com": "a git-lfs pointer, not the data: run git lfs pull",
		"\x89PNG\r\n\x1a\n":                  "a picture or a document, not data",
		"%PDF-1.7\n":                         "a picture or a document, not data",
		"\x00\x01\x00\x02\x00\x00\x00\x00":   "binary content that no format claims",
		"{\n \"schema\": \"tidemark/report/v1\",\n \"kind\": \"run\"}": "a report of this tool, not a recording",
		"{\"weight_map\": {}}\n":                              "JSON of which no format knows the keys: want a step or a time beside metrics, depths or readings of devices",
		"ts,device,sm,fb\n2026/11/29 14:03:35,0,37,1011\n":    "a table whose columns no format knows: want step or epoch among its columns for metrics, depth for a queue, and for readings of GPUs " + namedColumns,
		"timestamp;index;power\n2026/11/29 14:03:35;0;37,5\n": "a table whose columns no format knows: its cells stand between semicolons, want commas, and points in numbers",
		"name,model,size\na,b,c\n":                            "no format claims it",
		"import torch\nmodel.train()\n":                       "no format claims it",
	} {
		_, err := Detect("file", []byte(head))
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", head, err, want)
		}
	}
}
