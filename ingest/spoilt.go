package ingest

import (
	"path"
	"slices"
	"strings"

	"tidemark/model"
)

// Reasons by which spoilt knows what a file of no format holds.
const (
	emptyReason   = "empty file"
	binaryReason  = "binary content that no format claims"
	lfsReason     = "a git-lfs pointer, not the data: run git lfs pull"
	pageReason    = "an HTML page, not data: was the download an error page?"
	unknownReason = "no format claims it"
	tableReason   = "a table whose columns no format knows"
)

// markSpoilt marks the files that should have given rows and did not as
// damaged: a recording of a known format without a row in it, and what bears
// the name of a recording and holds none. A README or a checkpoint is neither.
func markSpoilt(files []*model.RunBuilder) {
	for _, b := range files {
		f := b.File
		switch {
		case (rowless(f) || f.Reason == emptyReason) && hasOtherPart(f, files):
		case rowless(f):
			f.Reason, f.Damaged = "a header, and no row under it", true
		case f.Format == "":
			f.Damaged = f.Damaged || spoilt(unpackedName(path.Base(f.Path)), f.Reason)
		}
	}
}

// maxHeader is how many lines may stand before the first row: pidstat's banner,
// an empty line and the names of the columns.
const maxHeader = 3

// rowless reports whether a file of a known format, read to its end, holds no
// more than a header. A list of processes may: no container sees those of
// another.
func rowless(f *model.File) bool {
	switch f.Format {
	case "", SMIApps.Name, SMIPmon.Name, Settings.Name, StackRules.Name:
		return false
	}
	return f.Reason == "" && f.Rows == 0 && f.Claimed == 0 && f.Lines <= maxHeader
}

// hasOtherPart reports whether a file is the part in work of a rotated recording
// of which another gave rows: what has just begun may be empty.
func hasOtherPart(f *model.File, files []*model.RunBuilder) bool {
	own, ok := rotation(f.Path)
	return ok && own.count == 0 && own.date == "" && slices.ContainsFunc(files, func(b *model.RunBuilder) bool {
		n, ok := rotation(b.File.Path)
		return ok && n.base == own.base && b.File.Rows > 0
	})
}

// spoilt reports whether a file of no format should have had one by its name:
// that of a recording, or an ending that promises what is not in it. Logs of
// errors are empty where all went well.
func spoilt(name, reason string) bool {
	switch reason {
	case emptyReason:
		return recordingName(name) || endsIn(name, ".csv", ".tsv", ".jsonl", ".ndjson")
	case binaryReason, lfsReason, pageReason:
		return recordingName(name) || endsIn(name, ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".log", ".txt")
	}
	return (reason == unknownReason || strings.HasPrefix(reason, tableReason)) && recordingName(name)
}

// recordingName reports whether a name is one that a format's command to
// record it writes to.
func recordingName(name string) bool {
	return slices.ContainsFunc(Formats, func(f *Format) bool {
		return slices.ContainsFunc(strings.Fields(f.Record), func(w string) bool { return strings.Trim(w, `"'():,;`) == name })
	})
}

func endsIn(name string, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(name)))
}
