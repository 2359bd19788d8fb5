package ingest

import "bytes"

// A logRedraw places bars that were drawn over each other behind one stamp, as a
// container's log keeps them: the stamp is the time of the last, and each has
// been drawn as long before it as their elapsed times differ.
type logRedraw struct {
	line   []byte // the physical line in work
	drawn  bool   // it holds several texts
	number int    // of a line that a stamp leads
	stamp  int64  // its time
	base   int64  // when the bar began
	based  bool
}

// stamped takes the time that a line has printed.
func (r *logRedraw) stamped(number int, t int64) {
	if r.number != number {
		r.number, r.stamp, r.based = number, t, false
	}
}

// at returns when a bar with so many ns elapsed was drawn, in a line that a
// stamp leads.
func (r *logRedraw) at(number int, elapsed int64) (t int64, ok bool) {
	if r.number != number || number == 0 {
		return 0, false
	}
	if !r.based {
		last, ok := lastElapsed(r.line)
		if !ok {
			return 0, false
		}
		r.base, r.based = r.stamp-last, true
	}
	return r.base + elapsed, true
}

// lastElapsed returns the elapsed time of the last whole bar in a line.
func lastElapsed(line []byte) (int64, bool) {
	for range 3 {
		i := bytes.LastIndexByte(line, '\r')
		if bar, ok := barAt(line[i+1:], 0); ok && bar.elapsed.to > bar.elapsed.from {
			v, ok := duration(line[i+1:][bar.elapsed.from:bar.elapsed.to])
			return int64(v * 1e9), ok
		}
		if i < 0 {
			break
		}
		line = line[:i]
	}
	return 0, false
}
