package archive

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Made by xz -9 and bzip2 -9 from "some text\n"; neither package writes both.
const (
	xzText    = "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jMAQAJc29tZSB0ZXh0CgAAAIBBSQ0R2v4bAAEiChUa4WcftvN9AQAAAAAEWVo="
	bzip2Text = "QlpoOTFBWSZTWRBpYvUAAANRgAAQQAACAoxAIAAiAxqEMCJy1xgeLuSKcKEgINLF6g=="
)

func packed(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPackers reads a file of each packer, whole and cut.
func TestPackers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.xz": xzText, "a.bz2": bzip2Text} {
		data := packed(t, text)
		same(t, walk(t, nil, write(t, dir+"/"+name, data)), name+": some text\n")
		for n := 12; n < len(data); n++ {
			if got := walk(t, nil, write(t, dir+"/"+name, data[:n])); len(got) != 1 || !strings.Contains(got[0], "!") {
				t.Errorf("%s cut at %d of %d: %q", name, n, len(data), got)
			}
		}
	}
	for _, text := range []string{"BZh is no packer\n", "BZh9 and more text than ten bytes\n"} {
		same(t, walk(t, nil, write(t, dir+"/plain", text)), "plain: "+text)
	}
}

// TestXZWindow wants the window of the first block to be held against a limit
// before memory is taken for it.
func TestXZWindow(t *testing.T) {
	data := []byte(packed(t, xzText))
	if w := xzWindow(data); w != 64<<20 {
		t.Errorf("window %d, want that of xz -9, 64 MiB", w)
	}
	data[16] = 40
	same(t, walk(t, nil, write(t, t.TempDir()+"/big.xz", string(data))), "big.xz: ! xz: a window of 4096 MiB, want at most 128")
}

// TestNested reads archives one deep in archives, and no deeper.
func TestNested(t *testing.T) {
	dir := t.TempDir()
	inner := zipOf(entry{name: "gpu.csv", text: "rows"}, entry{name: "deep.zip", text: zipOf(entry{name: "x", text: "y"})})
	write(t, dir+"/art/target.zip", zipOf(entry{name: "gpu.csv", text: "t"}))
	write(t, dir+"/art/drafter.zip", zipOf(entry{name: "gpu.csv", text: "d"}))
	same(t, walk(t, nil, dir+"/art"), "drafter.zip/gpu.csv: d", "target.zip/gpu.csv: t")
	for name, data := range map[string]string{
		"all.zip": zipOf(entry{name: "a.zip", text: inner}),
		"all.tar": tarOf(entry{name: "a.zip", text: inner}), "all.tgz": gz(tarOf(entry{name: "a.zip", text: inner})),
	} {
		got := walk(t, nil, write(t, dir+"/"+name, data))
		if len(got) != 2 || got[1] != "a.zip/gpu.csv: rows" && got[0] != "a.zip/gpu.csv: rows" || !strings.Contains(strings.Join(got, "|"), "a.zip/deep.zip: PK") {
			t.Errorf("%s: %q", name, got)
		}
	}
	same(t, walk(t, nil, write(t, dir+"/t.zip", zipOf(entry{name: "b.tar.gz", text: gz(tarOf(entry{name: "q.csv", text: "q"}))}))), "b.tar.gz/q.csv: q")
	same(t, walk(t, nil, write(t, dir+"/bad.zip", zipOf(entry{name: "b.zip", text: "PK\x03\x04 cut"}))), "b.zip: ! zip: zip: not a valid zip file")
}
