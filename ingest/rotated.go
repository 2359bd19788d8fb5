package ingest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/lazy"
	"tidemark/model"
)

// A binding is the header that a file's rows stand under.
type binding struct {
	format *Format
	header string
	note   string // where it is from
}

// keep remembers a file's header for parts of its recording that have none.
func (r *reader) keep(path string, f *Format, header string) {
	if f != SMIQuery && f != QueueCSV && f != Nvitop && f != SMIDmon {
		return
	}
	if _, ok := dmonBound(header); f == SMIDmon && !ok {
		return
	}
	if _, table := smiHeader([]byte(header)); header == "" || f == SMIQuery && table != smiGPUHeader {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named != nil {
		return // from a file that had no header either
	}
	if r.bound == nil {
		r.bound = map[string]binding{}
	}
	r.bound[path] = binding{f, header, "no header: columns as in " + path + ", a part of the same recording"}
}

// olderHeader finds the header of a rotated recording's part in an older part
// of it, or else in the next newer one.
func (r *reader) olderHeader(path string, format *Format, head []byte) (b binding, ok bool) {
	own, ok := rotation(path)
	if !ok {
		return b, false
	}
	var best rotatedName
	from := ""
	for _, part := range slices.Sorted(maps.Keys(r.bound)) { // of two that are as near the first by name
		b := r.bound[part]
		n, ok := rotation(part)
		if !ok || n.base != own.base || format == SMIQuery && b.format != SMIQuery {
			continue
		}
		older, bestOlder := n.before(own), best.before(own)
		switch {
		case from == "", older && !bestOlder:
		case older != bestOlder, older && !best.before(n), !older && !n.before(best):
			continue // further away, or as near
		}
		best, from = n, part
	}
	if from == "" || !r.bound[from].holds(path, head) {
		return b, false
	}
	return r.bound[from], true
}

// holds reports whether the first rows may stand under a header.
func (b binding) holds(path string, head []byte) bool {
	if b.format != SMIDmon {
		return fits(path, head, b.header) == nil
	}
	l, _ := dmonBound(b.header)
	row := dmonRow(head)
	return row != nil && len(row) == len(l.cols)
}

// rotatedEnd is what logrotate and Python's handlers put behind a name.
var rotatedEnd = lazy.Regexp(`^(.+?)(?:\.(\d{1,3})|[-._](\d{4}-?\d{2}-?\d{2}(?:[-_T]?[\d-]{2,10})?))$`)

// splitFolder is a folder or archive of a recording that was cut up: part-2.
var splitFolder = lazy.Regexp(`(?i)^(.*(?:/|\b|_)(?:part|chunk|segment|split)[-_ ]?)(\d{1,4})((?:\.[a-z]+)*/.*)$`)

// A rotatedName is the name of a part of a rotated or split recording.
type rotatedName struct {
	base  string
	count int    // 1 is the part before the one in work, 0 that one; of a split recording −1 the first
	date  string // of parts named by date, "" for the one in work
}

// rotation reads the name of a file that may be a part of a rotated recording.
func rotation(path string) (rotatedName, bool) {
	dir := path[:strings.LastIndexByte(path, '/')+1]
	name := stem(path)
	if name != "" && strings.IndexByte("0123456789-", name[len(name)-1]) >= 0 {
		if m := rotatedEnd().FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[2])
			return rotatedName{dir + m[1], n, m[3]}, true
		}
	}
	if dir != "" {
		if m := splitFolder().FindStringSubmatch(dir); m != nil {
			n, _ := strconv.Atoi(m[2])
			return rotatedName{base: m[1] + m[3] + name, count: -n}, true
		}
	}
	return rotatedName{base: dir + name}, name != ""
}

// before reports whether a part is older than another one by their names.
func (a rotatedName) before(b rotatedName) bool {
	if a.date != "" && b.date != "" {
		return a.date < b.date
	}
	return a.date != "" && b.date == "" || a.date == "" && b.date == "" && a.count > b.count
}

// A rotatedPart is a file of a rotated recording.
type rotatedPart struct {
	b           *model.RunBuilder
	name        rotatedName
	first, last int64
	timed       bool
}

// follows reports whether the part may come right after an older one. Two of
// the same hours have times of day that begin nearly a day after the end of the
// other; parts that go on begin at once, or after a pause.
func (p *rotatedPart) follows(older *rotatedPart) bool {
	kind := p.b.File.Clock.Kind
	switch {
	case !p.timed || !older.timed:
		return true
	case kind != older.b.File.Clock.Kind:
		return false
	case kind == model.ClockDay:
		return ((p.first-older.last+rotatedGap)%day+day)%day < day/2
	}
	return p.first >= older.last-rotatedGap
}

// joinRotated puts the parts of each rotated recording one after another,
// oldest first, and marks them as one.
func joinRotated(files []*model.RunBuilder) []*model.RunBuilder {
	sets := map[string][]*rotatedPart{}
	var order []string
	for _, b := range files {
		n, _ := rotation(b.File.Path)
		key := n.base + "\x00" + b.File.Format
		if b.File.Format == "" || b.File.Clock.Kind == model.ClockNone {
			key = "\x00" + b.File.Path // alone
		}
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], &rotatedPart{b: b, name: n})
	}
	out := files[:0:0]
	for _, key := range order {
		set := sets[key]
		joined := inTurn(set)
		oldest := int32(len(out)) + 1
		for _, p := range set {
			if out = append(out, p.b); joined {
				p.b.File.Oldest = oldest
			}
		}
		if joined {
			noteParts(set)
			countSessions(set)
		}
	}
	return out
}

// rotatedGap, in ns, is how far the next part may begin before the last row of
// the part before: lines of one moment on both sides of the cut.
const rotatedGap = int64(1e9)

// inTurn sorts the files of one name by their times, or, where those have no
// date, by their names. It reports whether they follow each other, as the
// parts of one recording do; where they do not, they stay in their order.
func inTurn(set []*rotatedPart) bool {
	if len(set) < 2 {
		return false
	}
	sorted := slices.Clone(set)
	dated := true
	for _, p := range set {
		kind := p.b.File.Clock.Kind
		p.first, p.last, p.timed = p.b.Span()
		dated = dated && p.timed && kind >= model.ClockLocal && kind == set[0].b.File.Clock.Kind
	}
	slices.SortStableFunc(sorted, func(a, b *rotatedPart) int {
		if dated {
			return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last))
		}
		switch {
		case a.name.before(b.name):
			return -1
		case b.name.before(a.name):
			return 1
		}
		return 0
	})
	for i, p := range sorted[1:] {
		if !p.follows(sorted[i]) {
			for _, p := range set {
				p.b.File.Note("named like a part of a rotated recording, but others of that name are of the same time, or of another clock: read on its own")
			}
			return false
		}
	}
	copy(set, sorted)
	return true
}

func noteParts(set []*rotatedPart) {
	names := make([]string, len(set))
	for i, p := range set {
		names[i] = p.b.File.Path
	}
	if len(names) > 6 {
		names = append(names[:5:5], strconv.Itoa(len(names)-6)+" more", names[len(names)-1])
	}
	kind := "rotated"
	if set[0].name.count < 0 {
		kind = "split"
	}
	for _, p := range set {
		p.b.File.Note("part of a " + kind + " recording, read as one source: " + strings.Join(names, ", "))
	}
}

// countSessions lets the sessions of a later part of a log go on from those of
// the part before it.
func countSessions(set []*rotatedPart) {
	base := int64(0)
	for _, p := range set {
		last := base
		for _, batch := range p.b.Metrics.Batches {
			batch.Shift(model.MetricSession, base)
			for r := range batch.Rows() {
				if s, ok := batch.Int(model.MetricSession, r); ok {
					last = max(last, s)
				}
			}
		}
		base = last
	}
}
