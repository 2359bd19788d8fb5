package plots

import (
	"image/color"
	"strings"

	"tidemark/model"
)

// The palette: one meaning a colour, in every figure and on every page.
var (
	targetFill  = rgb(0x0B5C96)
	drafterFill = rgb(0xE39A0C)
	drafterInk  = rgb(0x8F5600)
	drafterPale = rgb(0xFBEBCB)
	targetPale  = rgb(0xD6E6F2)

	zoneFull, zoneFullInk       = rgb(0xEAE6F2), rgb(0x6A51A3)
	zoneMark, zoneMarkInk       = rgb(0xDDF0ED), rgb(0x1F776C)
	zoneStarved, zoneStarvedInk = rgb(0xF7E3E1), rgb(0xB8403A)
	zoneBetween, zoneBetweenInk = rgb(0xB4BAC0), rgb(0x6B747D)
	depthLine                   = rgb(0x2A9D8F)

	unknownFill, unknownInk = rgb(0xB4BAC0), rgb(0x5B6570)
	upstreamFill            = rgb(0x7D6B5D)

	ink, muted, rule, grid = rgb(0x1B1F23), rgb(0x5B6570), rgb(0xC9CFD5), rgb(0xE6E9EC)
	white                  = rgb(0xFFFFFF)
	panel                  = rgb(0xF4F6F8)
	parentGrey             = rgb(0xE8EBEE)
	phaseSteady            = rgb(0xE2E8E6)
	hatchInk               = rgb(0xC9CFD5)
	unresolvedInk          = rgb(0x8793A0)
	laneFill               = rgb(0x8793A0)
	captureInk             = rgb(0x882255)
	capturePale            = rgb(0xF3E1EA)
	bestPale, bestDeep     = rgb(0xEDF0F3), rgb(0xDDE2E9)
)

// activity orders 0 to 100 % from pale to dark.
var activity = []color.NRGBA{
	rgb(0xF4F6F1), rgb(0xCFE5D6), rgb(0x8CC7B5), rgb(0x3F9A97), rgb(0x17627A), rgb(0x0A3350),
}

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// mix returns a with a share of b.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share + 0.5) }
	return color.NRGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}

// heatLevels is how many steps the activity map has.
const heatLevels = 40

// heatLevel returns the step of a share, heat the colour of a step.
func heatLevel(share float64) int {
	return int(min(max(share, 0), 1)*heatLevels + 0.5)
}

func heat(level int) color.NRGBA {
	at := float64(level) / heatLevels * float64(len(activity)-1)
	i := min(int(at), len(activity)-2)
	return mix(activity[i], activity[i+1], at-float64(i))
}

// A kind is a group of mechanisms with one colour and one word.
type kind struct {
	prefixes []string
	color    color.NRGBA
	word     string
}

// kinds are tried in order; a prefix matches an id or the beginning of it up to a dot.
var kinds = []kind{
	{[]string{"gpu.launch"}, rgb(0x882255), "launch"},
	{[]string{"gpu.sync_explicit", "gpu.sync_scalar_read", "gpu.sync"}, rgb(0xD27C8B), "synchronise"},
	{[]string{"gpu.alloc_cache", "gpu.alloc_driver", "gpu.alloc_oom_retry", "gpu.alloc"}, rgb(0x7A7A1F), "allocator"},
	{[]string{"gpu.copy"}, rgb(0x8CC8E6), "copy"},
	{[]string{"gil"}, rgb(0x332288), "GIL wait"},
	{[]string{"wait", "comm"}, rgb(0xA9B0B7), "waiting, queue"},
	{[]string{"python", "data", "ser", "io"}, rgb(0xE3D284), "Python, data"},
	{[]string{"torch", "native", "compile", "gpu"}, rgb(0xC2B59B), "other native"},
}

// kindOf returns the group of a mechanism, false where it has none: a Python
// line above C code, whose mechanism is open.
func kindOf(mechanism string) (kind, bool) {
	mechanism, _, _ = strings.Cut(mechanism, ",") // a family names its largest members
	if mechanism == "" || strings.Contains(mechanism, "unresolved") {
		return kind{}, false
	}
	for _, k := range kinds {
		for _, p := range k.prefixes {
			if mechanism == p || strings.HasPrefix(mechanism, p+".") {
				return k, true
			}
		}
	}
	return kind{color: rgb(0xC2B59B), word: "other"}, true
}

// queueCode is the colour of Python code around the queue itself, which is no wait.
var queueCode = rgb(0xA9B0B7)

// side returns the fill, the text colour and the pale tint of a side.
func side(name string) (fill, text, pale color.NRGBA) {
	switch name {
	case model.Target:
		return targetFill, targetFill, targetPale
	case model.Drafter:
		return drafterFill, drafterInk, drafterPale
	}
	return unknownFill, unknownInk, grid
}

// onFill returns a text colour that reads on a fill: white, or ink.
func onFill(c color.NRGBA) color.NRGBA {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 140 {
		return white
	}
	return ink
}
