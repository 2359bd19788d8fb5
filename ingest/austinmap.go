package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// An austinMap is a range of addresses at which a process had an object loaded.
type austinMap struct {
	from, to uint64
	object   string
}

// maxAustinMaps is how many ranges are kept; a large process has some thousand.
const maxAustinMaps = 1 << 14

// austinRange reads "7f3948a00000-7f3948a3b000 /usr/lib/libc.so.6", as austinp
// says what lies where.
func austinRange(value string) (m austinMap, ok bool) {
	place, object, ok := strings.Cut(value, " ")
	from, to, two := strings.Cut(place, "-")
	var err, err2 error
	m.from, err = strconv.ParseUint(from, 16, 64)
	m.to, err2 = strconv.ParseUint(to, 16, 64)
	m.object = object
	return m, ok && two && err == nil && err2 == nil && m.from < m.to && strings.HasPrefix(object, "/")
}

// mapped keeps a range. Processes of one capture that have other objects at one
// address are rare, and the later one's holds.
func (a *austinCapture) mapped(value string) {
	m, ok := austinRange(value)
	if !ok || len(a.maps) >= maxAustinMaps {
		return
	}
	i, _ := slices.BinarySearchFunc(a.maps, m.from, func(e austinMap, from uint64) int { return cmp.Compare(e.from, from) })
	if i < len(a.maps) && a.maps[i].from == m.from {
		a.maps[i] = m
		return
	}
	a.maps = slices.Insert(a.maps, i, m)
}

// object returns what lies at an address, "" where that is not known.
func (a *austinCapture) object(at uint64) string {
	i, found := slices.BinarySearchFunc(a.maps, at, func(e austinMap, at uint64) int { return cmp.Compare(e.from, at) })
	if !found {
		i--
	}
	if i < 0 || at >= a.maps[i].to {
		return ""
	}
	return a.maps[i].object
}

// settle tells machine code from Python. austinp writes the address in place of
// the file, now and then the symbol, and how far into the symbol in place of the
// line.
func (a *austinCapture) settle(f frameText) frameText {
	if hex, ok := bytes.CutPrefix(f.file, []byte("native@")); ok {
		at, err := strconv.ParseUint(string(hex), 16, 64)
		f.native, f.file, f.line = true, nil, 0
		if err == nil {
			f.file = []byte(a.object(at))
		}
		return f
	}
	if len(f.file) > 0 && bytes.Equal(f.file, f.function) {
		f.native, f.file, f.line = true, nil, 0
		return f
	}
	f.native = string(f.file) == "kernel" || bytes.Contains(f.file, []byte(".so")) || nativeFile(f.file, f.line) || isAddress(f.function)
	return f
}
