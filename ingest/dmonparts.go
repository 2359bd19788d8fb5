package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
)

// dmonBound reads the header that a file of dmon binds: its names, between what
// times the rows have and the units.
func dmonBound(bound string) (dmonLayout, bool) {
	_, rest, _ := strings.Cut(bound, "\n")
	names, units, _ := strings.Cut(rest, "\n")
	return dmonHeader([]byte(names), []byte(units))
}

// dmonRow returns the cells of the first line of a file that has no header, as
// a later part of a rotated recording of dmon: whole numbers and dashes, perhaps
// behind a time. It is nil for any other line.
func dmonRow(head []byte) [][]byte {
	for line := range firstLines(head, 5) {
		cells := dmonCells(line)
		if len(cells) == 0 {
			continue
		}
		for k, c := range cells {
			_, number := scan.Int(c)
			if _, n, clock := scan.Clock(c); !number && string(c) != "-" && !(clock && n == len(c) && k < 2) {
				return nil
			}
		}
		if len(cells) < 3 || bytes.HasPrefix(scan.Trim(line), []byte("#")) {
			return nil
		}
		return cells
	}
	return nil
}
