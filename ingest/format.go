// Package ingest turns files into the tables of a model.Run. Each format is
// one file here and one line in formats.go; Read opens, detects, parses in
// parallel and puts all sources on one clock.
package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/archive"
	"tidemark/internal/lines"
	"tidemark/internal/scan"
	"tidemark/model"
)

// A Format is one kind of input file, as a constant value.
type Format struct {
	Name   string                                 // "nvidia-smi-csv"
	Doc    string                                 // first line: what writes such files
	Record string                                 // the command that records such a file; "" if nobody should
	Refuse string                                 // not read: why, and what to export instead; "" for formats that are read
	Detect func(name string, head []byte) bool    // pure, name is the path in the run without .gz; exactly one format says yes, proved by a test matrix
	Parse  func(*Source, *model.RunBuilder) error // bad lines go to Reject with file:line; only a broken file is an error
	Parts  bool                                   // a large Source may come as parts cut at line ends
	// Finish settles what only the whole file can tell, once after all parts are joined.
	Finish func(*model.RunBuilder)
	// Cut says of a line whether a part may begin with it; nil means any may.
	Cut func(line []byte) bool
	// Ahead returns, for one file, what makes the lookers at its lines, with which
	// other processors spare Parse work: see Source.pass. It is nil in most formats.
	Ahead func() (looker func() lines.Looker[rawLook])
	// LongLines: stacks, whose lines may be model.MaxStackLine long.
	LongLines bool
	// Document: read whole, has no line limit.
	Document bool
	// Named: the file's name decides, whatever text is in it; no other format
	// is asked where it says yes.
	Named bool
	// Sure: what it is known by cannot stand in a file of another format, so that
	// none is asked where it says yes.
	Sure bool
	// Last: its Detect parses, and is only asked where no other format claims
	// the file; that none of the others would claim its files, tests prove.
	Last bool
}

// lineLimit is how long a line of the format may be.
func (f *Format) lineLimit() int {
	if f.LongLines {
		return model.MaxStackLine
	}
	return model.MaxLine
}

// A DetectError says why a file has no format.
type DetectError struct{ Reason string }

func (e *DetectError) Error() string { return e.Reason }

// Detect returns the one format that claims a file by its path in the run and
// its first bytes, decompressed and transcoded.
func Detect(name string, head []byte) (*Format, error) { return detectAmong(name, head, true) }

// detectAmong is Detect; without last the last formats are not asked.
func detectAmong(name string, head []byte, last bool) (*Format, error) {
	for _, f := range Formats {
		if f.Named && f.Detect(name, head) {
			return f, nil
		}
	}
	for _, f := range Formats {
		if f.Sure && f.Detect(name, head) {
			return f, nil
		}
	}
	var found []*Format
	for _, f := range Formats {
		if !f.Last && !f.Sure && f.Detect(name, head) {
			found = append(found, f)
		}
	}
	if last && len(found) == 0 {
		for _, f := range Formats {
			if f.Last && f.Detect(name, head) {
				found = append(found, f)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &DetectError{unknown(head)}
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.Name
	}
	return nil, &DetectError{fmt.Sprintf("claimed by %s: rename or split the file, or report this", strings.Join(names, " and "))}
}

// unknown words why no format claims a file.
func unknown(head []byte) string {
	switch {
	case len(head) == 0:
		return emptyReason
	case begins(head, "version https://git-lfs"):
		return lfsReason
	case isPage(head):
		return pageReason
	case archive.IsZip(head) || archive.IsTar(head):
		return "an archive inside an archive, want it unpacked"
	case begins(head, "\x1f\x8b"), begins(head, "\x28\xb5\x2f\xfd"), begins(head, "\xfd7zXZ\x00"), begins(head, "BZh91AY&SY"):
		return "packed three times, want it unpacked once"
	case begins(head, lz4Frame):
		return "packed by LZ4, want it unpacked (lz4 -d), or packed by gzip, zstd, xz or bzip2"
	case begins(head, "\x89PNG"), begins(head, "\xff\xd8\xff"), begins(head, "%PDF-"):
		return "a picture or a document, not data"
	case isBinary(head):
		return binaryReason
	case ownReport(head):
		return "a report of this tool, not a recording"
	}
	if jsonObject(head) {
		return "JSON of which no format knows the keys: want a step or a time beside metrics, depths or readings of devices"
	}
	return unknownTable(head)
}

// begins reports whether a head begins with a text.
func begins(head []byte, text string) bool {
	return len(head) >= len(text) && string(head[:len(text)]) == text
}

// unknownTable says of a table what would make it one of a format.
func unknownTable(head []byte) string {
	header, rest, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
	row, _, _ := bytes.Cut(rest, []byte{'\n'})
	for _, sep := range [...]struct{ char, name string }{{",", ""}, {";", "semicolons"}, {"\t", "tabs"}} {
		names, cells := bytes.Split(header, []byte(sep.char)), bytes.Split(row, []byte(sep.char))
		number := func(c []byte) bool { _, ok := scan.Float(scan.Trim(c)); return ok }
		switch {
		case len(names) < 3 || len(names) != len(cells) || slices.ContainsFunc(names, number) || !slices.ContainsFunc(cells, number):
		case sep.name != "":
			return tableReason + ": its cells stand between " + sep.name + ", want commas, and points in numbers"
		default:
			return tableReason + ": want step or epoch among its columns for metrics, depth for a queue, and for readings of GPUs " + namedColumns
		}
	}
	return unknownReason
}

// ownReport reports whether a file begins as the JSON of a report does.
func ownReport(head []byte) bool {
	return jsonObject(head) && bytes.Contains(head[:min(len(head), 256)], []byte(`"schema": "tidemark/`))
}

// isBinary reports whether over a fiftieth of the first bytes are control
// characters of which neither text nor a terminal makes use.
func isBinary(head []byte) bool {
	head = head[:min(len(head), 4096)]
	control := 0
	for _, c := range head {
		if c < ' ' && strings.IndexByte("\b\t\n\v\f\r\x1b", c) < 0 {
			control++
		}
	}
	return control > len(head)/50
}
