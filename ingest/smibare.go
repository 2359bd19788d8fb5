package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
)

// smiUnitField is the quantity taken for a unit that one column alone has.
var smiUnitField = map[string]string{"%": "utilization.gpu", "MiB": "memory.used", "W": "power.draw", "MHz": "clocks.current.sm"}

// smiBare binds the columns of a table without a header by its first row, as
// far as the cells tell what they are: a time, a uuid, a bus id, a number with
// its unit. A unit tells the quantity where one column alone has it: with two
// columns in MiB nobody can say which is memory.used. Bare numbers tell
// nothing: utilisation is never guessed from its range. known is whether a
// reading was bound; ok is false where the row is none of nvidia-smi's.
func smiBare(line []byte) (cols []smiColumn, known, ok bool) {
	if len(line) > 64<<10 {
		return nil, false, false
	}
	var of [smiRate + 1]int
	shaped := false
	for _, cell := range bytes.Split(line, []byte{','}) {
		name, ok := bareName(scan.Trim(cell))
		if !ok {
			return nil, false, false
		}
		f, ok := smiFields[name]
		if !ok {
			f = smiField{col: -1}
		}
		shaped = shaped || f.class == smiTime || f.class >= smiShare
		of[f.class]++
		cols = append(cols, newSMIColumn(f, name, ""))
	}
	for k := range cols {
		c := &cols[k]
		if c.class != smiOther && of[c.class] > 1 {
			c.smiField = smiField{col: -1}
		}
		known = known || c.class >= smiShare
	}
	return cols, known, shaped && len(cols) > 1
}

// bareTwice are the units that several columns have.
func bareTwice(cols []smiColumn) (units []string) {
	for _, unit := range [...]string{"%", "MiB", "W", "MHz"} {
		for _, c := range cols {
			if c.name == smiUnitField[unit] && c.col < 0 {
				units = append(units, unit)
				break
			}
		}
	}
	return units
}

// bareName tells which field a cell belongs to by its shape, "" where that is
// open. ok is false for text that no query of a GPU prints.
func bareName(cell []byte) (name string, ok bool) {
	s := string(cell)
	switch {
	case smiStamp(cell):
		return "timestamp", true
	case strings.HasPrefix(s, "GPU-"), strings.HasPrefix(s, "MIG-"):
		return "uuid", true
	case busID(s):
		return "pci.bus_id", true
	case smiMissing(cell), smiWord(s), strings.HasPrefix(s, "0x"):
		return "", true
	}
	if _, n := scan.Decimal(cell); n > 0 {
		unit := string(scan.Trim(cell[n:]))
		return smiUnitField[unit], unit == "" || smiUnitField[unit] != "" || unit == "us" || unit == "ms"
	}
	return "", false
}

// smiStamp reports the shape YYYY/MM/DD HH:MM:SS.mmm.
func smiStamp(b []byte) bool {
	const shape = "0000/00/00 00:00:00.000"
	if len(b) != len(shape) {
		return false
	}
	for i, c := range b {
		if shape[i] == '0' && c-'0' > 9 || shape[i] != '0' && c != shape[i] {
			return false
		}
	}
	return true
}

// busID reports the shape 00000000:18:00.0.
func busID(s string) bool {
	domain, rest, ok := strings.Cut(s, ":")
	return ok && (len(domain) == 4 || len(domain) == 8) && len(rest) == 7 && rest[2] == ':' && rest[5] == '.'
}

// smiWord reports what a query of a GPU prints in words: its model, its
// performance state, modes.
func smiWord(s string) bool {
	if (len(s) == 2 || len(s) == 3) && s[0] == 'P' && s[1]-'0' < 10 {
		return true
	}
	first, _, _ := strings.Cut(s, " ")
	switch first {
	case "NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN", "GRID":
		return true
	}
	switch s {
	case "Enabled", "Disabled", "Default", "Exclusive_Process", "Prohibited", "Active", "Not Active", "Yes", "No":
		return true
	}
	return false
}

// smiMissing reports the ways to say "no value": what stands in brackets is
// the driver's reason.
func smiMissing(cell []byte) bool {
	return missing(cell) || string(cell) == "ERR!"
}
