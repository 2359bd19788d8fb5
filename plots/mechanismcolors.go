package plots

import "image/color"

// MechanismColor returns the colour of a mechanism as the figures have it, its
// tint for frames above it, the text colour that reads on it, and the word of
// its group; a mechanism that is open has the group "unresolved".
func MechanismColor(mechanism string) (fill, tint, text color.NRGBA, word string) {
	k, ok := kindOf(mechanism)
	if !ok {
		return parentGrey, parentGrey, ink, "unresolved"
	}
	return k.color, mix(k.color, white, 0.68), onFill(k.color), k.word
}
