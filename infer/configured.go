package infer

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/config"
	"tidemark/internal/say"
	"tidemark/model"
)

// CheckRoles refuses a role that no analyzer knows, and a pattern that is
// neither a glob nor an expression.
func CheckRoles(c *config.Config) error {
	known := []string{model.Target, model.Drafter, RoleAutograd, RoleLoader, RoleCollective, RoleCompile, RoleOther}
	for _, p := range rolePatterns(c.Roles) {
		if _, err := path.Match(p.glob, ""); err != nil && p.re == nil || p.glob == "" {
			return fmt.Errorf("roles: %s=%s: no pattern, want a name, a glob such as target-* or an expression", p.glob, c.Roles[p.glob])
		}
		if !slices.Contains(known, p.role) {
			return fmt.Errorf("roles: %s=%s: no role is called so, want one of %s", p.glob, c.Roles[p.glob], strings.Join(known, ", "))
		}
	}
	return nil
}

// configuredGate refuses a min_ready that no depth reaches.
func configuredGate(t *model.Topology) error {
	if t.From["min_ready"] != configuration && t.From["queue_capacity"] != configuration {
		return nil
	}
	if t.MinReady == nil || t.QueueCapacity == nil || *t.MinReady <= *t.QueueCapacity {
		return nil
	}
	return &config.Error{Err: fmt.Errorf("min_ready %v (%s) above capacity %v (%s): want at most the capacity", *t.MinReady, t.From["min_ready"], *t.QueueCapacity, t.From["queue_capacity"])}
}

// leastHost is from how many GPUs, counted on from 0, a recording is taken for
// one of all that the host has, and not of some that were chosen.
const leastHost = 4

// configuredGPUs refuses GPUs that a host whose GPUs were recorded does not have.
func configuredGPUs(t *model.Topology, devices []*Device) error {
	for i, d := range devices {
		if d.Index != i {
			return nil
		}
	}
	if len(devices) < leastHost {
		return nil
	}
	for _, side := range []struct {
		name, from string
		given      []int
	}{{"targets", t.From["target_gpus"], t.TargetGPUs}, {"drafters", t.From["drafter_gpus"], t.DrafterGPUs}} {
		k := slices.IndexFunc(side.given, func(g int) bool { return g >= len(devices) })
		if side.from == configuration && k >= 0 {
			return &config.Error{Err: fmt.Errorf("%s %s: there is no GPU %d, %s has readings of 0–%d", side.name, say.Indices(side.given), side.given[k], devices[0].First.File, len(devices)-1)}
		}
	}
	return nil
}

// unusedOffsets names the files whose clocks are given and that are not there.
func unusedOffsets(p *Pass) {
	for _, name := range slices.Sorted(maps.Keys(p.Config.ClockOffset)) {
		if !slices.ContainsFunc(p.Run.Files, func(f *model.File) bool { return config.Names(name, f.Path) }) {
			p.Check(model.Check{Name: "clock_offset", Text: fmt.Sprintf("clock_offset of %s: no file is called so", name)})
		}
	}
}

// overruled says which values of the files the user's stand in place of.
func overruled(p *Pass, t *model.Topology, r *Readings) {
	files := &model.Topology{From: map[string]string{}}
	fromFacts(p, files)
	fromReadings(files, r)
	for _, v := range []struct{ name, field, given, found string }{
		{"targets", "target_gpus", say.Indices(t.TargetGPUs), say.Indices(files.TargetGPUs)},
		{"drafters", "drafter_gpus", say.Indices(t.DrafterGPUs), say.Indices(files.DrafterGPUs)},
		{"capacity", "queue_capacity", number(t.QueueCapacity), number(files.QueueCapacity)},
		{"min_ready", "min_ready", number(t.MinReady), number(files.MinReady)},
	} {
		if t.From[v.field] == configuration && v.found != "" && v.given != v.found {
			p.Check(model.Check{Name: "configuration", Text: fmt.Sprintf("%s: %s says %s, the configuration %s, which counts", v.name, files.From[v.field], v.found, v.given)})
		}
	}
}

// number is a value in digits, "" where there is none.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
