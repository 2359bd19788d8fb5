package stackrules

import "slices"

// Mechanisms returns the ids of all mechanisms that stacks can be given.
func Mechanisms() []string {
	ids := []string{"native.other", "python.other"}
	for _, m := range ruleSpec.Mechanisms {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
