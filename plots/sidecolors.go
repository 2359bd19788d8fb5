package plots

import "image/color"

// SideColors returns the fill, the text colour and the pale tint of a side, for
// what renderers write beside the figures.
func SideColors(name string) (fill, text, pale color.NRGBA) { return side(name) }
