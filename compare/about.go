package compare

import (
	"fmt"
	"slices"

	"tidemark/internal/config"
)

// CheckAbout refuses a name that no trait has.
func CheckAbout(about []string) error {
	var known []string
	for _, t := range Traits {
		known = append(known, t.Name)
	}
	for _, a := range about {
		if !slices.Contains(known, a) {
			return fmt.Errorf("unknown trait %q, the nearest known one is %q", a, config.Nearest(a, known))
		}
	}
	return nil
}
