package ingest

import (
	"bytes"
	"encoding/json"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// An unwrap takes off what a container's log, journald, a CI runner or a
// filter such as ts puts in front of each line, and reads its time. ok is false for a line without it.
type unwrap func(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool)

// A wrapping is what may stand in front of each line of a file, and what the
// reader is told of it.
type wrapping struct {
	take unwrap
	note string
}

const (
	stampNote  = "a stamp stands in front of each line, as a container's log or ts puts it: taken off, and used where the line has no time"
	nameNote   = "the name of a service stands in front of each line, as docker compose logs puts it: taken off"
	recordNote = "a log in records of JSON: the text of each is read, with the record's time"
	colourNote = "holds what moves a terminal's cursor or colours its text: taken off"
)

// wrappings are the kinds of it.
var wrappings = []*wrapping{
	{unwrapISO, stampNote},
	{unwrapDocker, stampNote},
	{unwrapJournal, stampNote},
	{unwrapStamp, stampNote},
	{unwrapCompose, nameNote},
}

// unwrapISO takes off "2026-11-29T13:49:00.123456789Z " and, of Kubernetes,
// "stdout F " behind it, or of journald the host and the unit. The time has a zone and a T: other writers' have not.
func unwrapISO(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	if len(line) < 21 || line[10] != 'T' {
		return nil, w, false
	}
	t, n, zoned, ok := s.DateTime(line)
	if !ok || !zoned || n < len(line) && line[n] != ' ' {
		return nil, w, false
	}
	rest = line[min(n+1, len(line)):]
	for _, p := range [...]string{"stdout F ", "stderr F ", "stdout P ", "stderr P "} {
		if cut, ok := bytes.CutPrefix(rest, []byte(p)); ok {
			rest = cut
			break
		}
	}
	return rest[journalUnit(rest):], smiWhen{t, model.ClockUTC}, true
}

// unwrapStamp takes off "2026-11-29 13:49:00 ", perhaps in brackets, as ts and
// awk put it in front of each line.
func unwrapStamp(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	open := 0
	if len(line) > 0 && line[0] == '[' {
		open = 1
	}
	if len(line) < 20+open || line[open+4] != '-' || line[open+10] != ' ' {
		return nil, w, false
	}
	t, n, zoned, ok := s.DateTime(line[open:])
	if n += open; ok && open > 0 {
		ok = n < len(line) && line[n] == ']'
		n++
	}
	if !ok || n < len(line) && line[n] != ' ' {
		return nil, w, false
	}
	return line[min(n+1, len(line)):], smiWhen{t, clockKind(zoned)}, true
}

// unwrapDocker takes the line out of a record of Docker's json-file driver.
func unwrapDocker(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	if !bytes.HasPrefix(line, []byte(`{"log":"`)) {
		return nil, w, false
	}
	var rec struct{ Log, Time string }
	if json.Unmarshal(line, &rec) != nil {
		return nil, w, false
	}
	t, n, zoned, ok := s.DateTime([]byte(rec.Time))
	if !ok || !zoned || n != len(rec.Time) {
		return nil, w, false
	}
	return []byte(strings.TrimRight(rec.Log, "\r\n")), smiWhen{t, model.ClockUTC}, true
}

// unwrapJournal takes off "Nov 29 13:49:00 host unit[123]: ", or of ts the time
// alone. It has no year, so that its time is one of day.
func unwrapJournal(_ *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	if len(line) < 15 || month(line[:3]) == 0 || line[3] != ' ' || line[6] != ' ' {
		return nil, w, false
	}
	tod, n, ok := scan.Clock(line[7:])
	if n += 7; !ok || n < len(line) && line[n] != ' ' {
		return nil, w, false
	}
	rest = line[min(n+1, len(line)):]
	return rest[journalUnit(rest):], smiWhen{tod, model.ClockDay}, true
}

// unwrapCompose takes off "trainer-1  | ", perhaps in colour, as docker compose
// logs puts it in front of each line, and with -t the time behind it.
func unwrapCompose(s *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	line = stripANSI(line)
	name, rest, ok := bytes.Cut(line[:min(len(line), 256)], []byte("|"))
	service := bytes.TrimRight(name, " ")
	if !ok || len(service) == 0 || len(service) == len(name) || len(rest) > 0 && rest[0] != ' ' || bytes.ContainsAny(service, " \t,;:\"'{}()[]") {
		return nil, w, false
	}
	rest = line[min(len(name)+2, len(line)):]
	if inner, w, ok := unwrapISO(s, rest); ok {
		return inner, w, true
	}
	return rest, w, true
}

// unwrapColour takes off what moves a terminal's cursor or colours its text.
func unwrapColour(_ *scan.Stamp, line []byte) (rest []byte, w smiWhen, ok bool) {
	return stripANSI(line), w, true
}

// journalUnit returns the length of "host unit[123]: ", 0 where b does not
// begin so.
func journalUnit(b []byte) int {
	host := bytes.IndexByte(b[:min(len(b), 256)], ' ')
	if host < 1 {
		return 0
	}
	unit := b[host+1 : min(len(b), host+256)]
	end := bytes.Index(unit, []byte("]: "))
	open := bytes.IndexByte(unit, '[')
	if open < 1 || end < open+2 || bytes.IndexByte(unit[:open], ' ') >= 0 {
		return 0
	}
	if _, ok := scan.Int(unit[open+1 : end]); !ok {
		return 0
	}
	return host + 1 + end + len("]: ")
}

// wrapLines is how many lines must be wrapped for a file to be.
const wrapLines = 20

// findUnwrap returns the wrapping that the first lines of a file all have, nil
// for none, and the head without it.
func findUnwrap(head []byte) (*wrapping, []byte) {
	for _, u := range wrappings {
		if inner := unwrapped(u.take, head); inner != nil {
			return u, inner
		}
	}
	return nil, nil
}

func unwrapped(u unwrap, head []byte) []byte {
	var s scan.Stamp
	var out []byte
	for n := 0; len(head) > 0; n++ {
		i := bytes.IndexByte(head, '\n')
		if i < 0 && n > 0 {
			break // may be cut by the end of what detection sees
		}
		line := head
		if i >= 0 {
			line = head[:i]
		}
		head = head[len(line)+min(1, len(head)-len(line)):]
		rest, _, ok := u(&s, bytes.TrimSuffix(line, []byte{'\r'}))
		if !ok && n < wrapLines {
			return nil
		}
		if out == nil {
			out = make([]byte, 0, len(line)+1+len(head))
		}
		out = append(append(out, rest...), '\n')
	}
	return out
}

// detectInside returns the format of a file, and how its lines are wrapped
// where they are: only for formats that do not read such lines themselves, as
// logs do, but for records of JSON that nothing else claims.
func detectInside(name string, head []byte) (*Format, *wrapping, error) {
	if u, inner := findUnwrap(head); u != nil {
		f, err := detect(name, inner, false)
		if err == nil && f.Refuse == "" && !f.Document {
			return f, u, nil
		}
	}
	f, err := detect(name, head, true)
	if f == nil && jsonObject(head) {
		if inner := unwrapped(unwrapText, head); inner != nil {
			// every service logs times and levels so
			if d := gatherLog(inner); d.enough() && d.records > 0 {
				return TrainLog, &wrapping{unwrapText, recordNote}, nil
			}
		}
	}
	if (f == nil || f.Parts) && bytes.Contains(head, []byte("\x1b[")) {
		inner, err := detect(name, stripANSI(head), false)
		if err == nil && inner.Refuse == "" && !inner.Document {
			return inner, &wrapping{unwrapColour, colourNote}, nil
		}
	}
	return f, nil, err
}
