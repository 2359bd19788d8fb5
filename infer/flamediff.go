package infer

import (
	"slices"

	"tidemark/model"
)

// A flameKey is a frame below its parent, wherever its line moved.
type flameKey struct {
	parent     int
	name, file string
}

// mergeFlames joins the flames of one name: Value is that of base, Value2 that
// of now.
func mergeFlames(base, now []model.Flame) []model.Flame {
	var names []string
	for _, f := range append(slices.Clone(base), now...) {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	out := []model.Flame{}
	for _, name := range names {
		m := &model.Flame{Name: name, Unit: "samples"}
		index := map[flameKey]int{}
		for _, f := range base {
			if f.Name == name {
				merge(m, f, index, false)
			}
		}
		for _, f := range now {
			if f.Name == name {
				merge(m, f, index, true)
			}
		}
		out = append(out, *m)
	}
	return out
}

func merge(m *model.Flame, f model.Flame, index map[flameKey]int, now bool) {
	at := make([]int, len(f.Nodes))
	for i, n := range f.Nodes {
		k := flameKey{-1, n.Name, n.File}
		if i > 0 {
			k.parent = at[n.Parent]
		}
		j, ok := index[k]
		if !ok {
			j = len(m.Nodes)
			index[k] = j
			m.Nodes = append(m.Nodes, model.FlameNode{Parent: k.parent, Name: n.Name, File: n.File, Line: n.Line, Role: n.Role, Mechanism: n.Mechanism, Value2: new(0.0)})
		}
		at[i] = j
		if now {
			*m.Nodes[j].Value2 += n.Value
		} else {
			m.Nodes[j].Value += n.Value
		}
	}
	if !now {
		m.Total += f.Total
	}
}
