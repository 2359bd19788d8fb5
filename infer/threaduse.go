package infer

import "tidemark/model"

// A SideThreads is the CPU use of one side's threads.
type SideThreads struct {
	CPU   float64 // mean share of a core
	Share float64 // CPU over the level of a thread that never pauses, 0 where that is unknown
	N     int
	At    []model.Pos
}

// ThreadUse is what thread telemetry says about who pauses.
type ThreadUse struct{ Sides map[string]*SideThreads }

// ThreadActivity reads the CPU use of each side's threads.
var ThreadActivity = &Analyzer{
	Name: "threads",
	Doc: `CPU share of each side's threads, over the level of a side that never pauses.

Evidence where one side's threads use most of a core: then the other side's lower share is pausing. Where no side does (threads that share the GIL, waits without a spin), CPU tells waiting from working only if measured waits show that the drafters' threads use a core while they work.`,
	Requires: []*Analyzer{Roles},
	Run: func(p *Pass) (any, error) {
		roles, ok := Result[*RoleMap](p, Roles)
		if !ok || len(roles.Usage) == 0 {
			return nil, &SkipError{Needs: "CPU use by thread", Record: "pidstat -t -u -p PID 1 > pidstat.txt"}
		}
		u := &ThreadUse{Sides: map[string]*SideThreads{}}
		top := 0.0
		for _, side := range []string{model.Target, model.Drafter} {
			if s := sideThreads(roles, side); s != nil {
				u.Sides[side] = s
				top = max(top, s.CPU)
			}
		}
		if len(u.Sides) == 0 {
			return nil, &SkipError{Needs: "a side whose threads use most of a core each", Record: "pidstat -t -u -p PID 1 > pidstat.txt"}
		}
		for _, s := range u.Sides {
			if top >= fullCore {
				s.Share = min(s.CPU/max(top, activeLevel), 1)
			}
		}
		return u, nil
	},
}

func sideThreads(roles *RoleMap, side string) *SideThreads {
	s := &SideThreads{}
	for _, t := range roles.Sorted() {
		if t.Role != side || t.Total || t.Seconds < threadSeconds {
			continue
		}
		s.N++
		s.CPU += t.CPU
		s.At = append(s.At, t.First)
	}
	if s.N == 0 {
		return nil
	}
	s.CPU /= float64(s.N)
	return s
}
