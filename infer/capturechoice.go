package infer

import (
	"fmt"
	"slices"

	"tidemark/model"
)

// choose returns the captures to use: one, or several of one kind that show
// different threads, such as one for each process. Those that show both sides
// come first, then native ones, then long ones.
func choose(run *model.Run, list []*CaptureUse, roles *RoleMap, may func(*CaptureUse) bool) []int32 {
	sides := sidesOf(run.Stacks, roles)
	var best []int32
	var worth [3]float64
	for _, c := range list {
		if !may(c) {
			continue
		}
		use := together(run.Stacks, list, c, may)
		shown := map[string]bool{}
		var w [3]float64
		for _, i := range use {
			for side := range sides[i] {
				shown[side] = true
			}
			w[2] += list[i].Samples
		}
		w[0] = float64(len(shown))
		if c.Native && w[2] >= minActive {
			w[1] = 1
		}
		if best == nil || slices.Compare(w[:], worth[:]) > 0 {
			best, worth = use, w
		}
	}
	return best
}

// together returns a capture and those that complete it. Samples of different
// rates are different times, and are never added.
func together(prof *model.Profile, list []*CaptureUse, first *CaptureUse, may func(*CaptureUse) bool) []int32 {
	use := []int32{first.Index}
	seen := map[string]bool{}
	addIDs(prof, first.Index, seen)
	for _, c := range list {
		if c != first && may(c) && c.Threads && first.Threads && c.Native == first.Native && c.Idle == first.Idle && c.Rate == first.Rate && !overlaps(prof, c.Index, seen) {
			use = append(use, c.Index)
			addIDs(prof, c.Index, seen)
		}
	}
	return use
}

// sidesOf returns the sides that each capture shows.
func sidesOf(prof *model.Profile, roles *RoleMap) map[int32]map[string]bool {
	m := map[int32]map[string]bool{}
	for _, s := range prof.Samples {
		role := roles.Of(s)
		if role != model.Target && role != model.Drafter {
			continue
		}
		c := prof.Threads[s.Thread].Capture
		if m[c] == nil {
			m[c] = map[string]bool{}
		}
		m[c][role] = true
	}
	return m
}

func addIDs(prof *model.Profile, capture int32, seen map[string]bool) {
	for _, t := range prof.Threads {
		if t.Capture == capture {
			seen[threadID(t)] = true
		}
	}
}

func overlaps(prof *model.Profile, capture int32, seen map[string]bool) bool {
	for _, t := range prof.Threads {
		if t.Capture == capture && (t.TID == "" || seen[threadID(t)]) {
			return true
		}
	}
	return false
}

func threadID(t model.StackThread) string { return fmt.Sprint(t.PID, " ", t.TID, " ", t.Name) }
