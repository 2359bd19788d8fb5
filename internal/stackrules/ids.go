package stackrules

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Mechanisms returns the ids of all mechanisms that stacks can be given.
func Mechanisms() ([]string, error) {
	var s spec
	if err := json.Unmarshal(document, &s); err != nil {
		return nil, fmt.Errorf("rules.json: %w", err)
	}
	ids := []string{"native.other", "python.other"}
	for _, m := range s.Mechanisms {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
