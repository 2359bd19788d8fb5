package ingest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tidemark/internal/config"
)

// A zone is what local times are off by, and how that is known.
type zone struct {
	shift int64 // added to local times
	how   string
	err   float64 // s, half of what other zones leave open; infinite where none fits
}

// oddZones are the offsets, in minutes, of the zones that are not whole hours,
// in summer and in winter.
var oddZones = [...]int64{-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825}

// zoneSlack is how far the ends of two recordings may lie apart more than with
// another zone: one was started or stopped a few minutes after the other.
const zoneSlack = int64(600e9)

// A zoneFit is how well local times and sources in UTC agree under a zone.
type zoneFit struct {
	off     int64 // of the zone from UTC
	overlap float64
	gap     int64 // between their beginnings and between their ends
}

// findZone decides the zone of all local times at once: they come from one host.
// Where several zones fit alike, as when one recording lies within the other,
// UTC is taken, which machines in a data centre have, and the doubt is said.
func findZone(cfg *config.Config, utc, local stretch) zone {
	if loc, err := cfg.Location(); err == nil && loc != nil {
		z := zone{how: "zone " + cfg.TZ + " as given"}
		switch {
		case !local.empty():
			z.shift = -zoneOffset(loc, local.first, true)
		case !utc.empty(): // for times of day
			_, off := time.Unix(0, utc.first).In(loc).Zone()
			z.shift = -int64(off) * 1e9
		}
		return z
	}
	if local.empty() || utc.empty() {
		return zone{0, "zone not recorded, shown as printed", 0}
	}
	fits := zoneFits(utc, local)
	if len(fits) == 0 {
		return zone{0, "zone unknown: no zone makes local times overlap the sources in UTC", math.Inf(1)}
	}
	best := fits[0]
	for _, f := range fits[1:] {
		if best.off != 0 && (f.off == 0 || f.overlap > best.overlap || f.overlap == best.overlap && abs(f.off) < abs(best.off)) {
			best = f
		}
	}
	how := "local time taken as " + zoneName(best.off)
	if len(fits) == 1 {
		return zone{-best.off, how + ", inferred from the overlap with sources in UTC", 0}
	}
	return zone{-best.off, how + ", though " + otherZones(fits, best) + " as well: --tz says which", float64(fits[len(fits)-1].off-fits[0].off) / 2e9}
}

// zoneFits returns the zones that make local times overlap the sources in UTC
// about as well as any does, from west to east.
func zoneFits(utc, local stretch) []zoneFit {
	var fits []zoneFit
	least := int64(math.MaxInt64)
	try := func(off int64) {
		moved := stretch{local.first - off, local.last - off}
		f := zoneFit{off, utc.overlap(moved), abs(moved.first-utc.first) + abs(moved.last-utc.last)}
		if f.overlap >= 0.5 {
			fits, least = append(fits, f), min(least, f.gap)
		}
	}
	for hour := int64(-12); hour <= 14; hour++ {
		try(hour * int64(3600e9))
	}
	for _, minutes := range oddZones {
		try(minutes * int64(60e9))
	}
	fits = slices.DeleteFunc(fits, func(f zoneFit) bool { return f.gap > least+zoneSlack })
	slices.SortFunc(fits, func(a, b zoneFit) int { return int(a.off/int64(60e9) - b.off/int64(60e9)) })
	return fits
}

// otherZones names the zones that fit beside the one that is taken.
func otherZones(fits []zoneFit, taken zoneFit) string {
	first, last := fits[0].off, fits[len(fits)-1].off
	if len(fits) == 2 {
		other := first
		if other == taken.off {
			other = last
		}
		return zoneName(other) + " fits the sources in UTC"
	}
	return fmt.Sprintf("%d zones from %s to %s fit the sources in UTC", len(fits), zoneName(first), zoneName(last))
}

func zoneName(off int64) string {
	if off == 0 {
		return "UTC"
	}
	sign := '+'
	if off < 0 {
		sign, off = '-', -off
	}
	return fmt.Sprintf("UTC%c%02d:%02d", sign, off/int64(3600e9), off/int64(60e9)%60)
}
