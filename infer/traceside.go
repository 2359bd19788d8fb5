package infer

import (
	"slices"
	"strconv"

	"tidemark/model"
)

// A traceGroup is the threads of one side in a trace, and the devices that
// their kernels ran on.
type traceGroup struct {
	side, from string
	threads    []model.TraceThread
	devices    []model.TraceDevice
	shared     bool // another side's kernels ran on one of them too
}

// traceSides finds whose threads a trace shows.
type traceSides struct {
	run      *model.Run
	t        *model.Trace
	roles    *RoleMap
	topo     *model.Topology
	patterns []rolePattern
}

// groups returns the sides of a trace that have calls.
func (x traceSides) groups() []*traceGroup {
	side, from := make([]string, len(x.t.Threads)), make([]string, len(x.t.Threads))
	for i, t := range x.t.Threads {
		side[i], from[i] = x.known(t)
	}
	x.pools(side, from)
	x.trains(side, from)
	x.rest(side, from)
	var out []*traceGroup
	for _, want := range []string{model.Target, model.Drafter, model.Unknown} {
		g := &traceGroup{side: want}
		for i, t := range x.t.Threads {
			if side[i] == want {
				g.threads = append(g.threads, t)
				if g.from == "" || t.Launches > 0 && from[i] != "" {
					g.from = from[i]
				}
			}
		}
		if len(g.threads) > 0 && (want != model.Unknown || len(out) == 0 || g.launches() > 0) {
			out = append(out, g)
		}
	}
	x.devices(out)
	return out
}

func (g *traceGroup) launches() (n int64) {
	for _, t := range g.threads {
		n += t.Launches
	}
	return n
}

// known reads a thread's side out of the configuration, its name, the roles of
// threads with its id in other sources, its process's name, and its device.
func (x traceSides) known(t model.TraceThread) (side, from string) {
	name, process := x.run.Text(t.Name), x.run.Text(t.Process)
	tid := strconv.FormatInt(t.TID, 10)
	if r := configured(x.patterns, name, tid, process, strconv.FormatInt(t.PID, 10)); r != "" {
		return r, configuration
	}
	if r := nameRole(name); r != "" {
		return r, "the thread's name"
	}
	if x.roles != nil {
		if r := x.byID(t); r != "" {
			return r, "the thread's role in other files"
		}
	}
	if r := commandRole(process); r != "" {
		return r, "the process's name"
	}
	if x.topo != nil && t.Device >= 0 {
		target, drafter := slices.Contains(x.topo.TargetGPUs, int(t.Device)), slices.Contains(x.topo.DrafterGPUs, int(t.Device))
		switch {
		case target && !drafter:
			return model.Target, "the device's side"
		case drafter && !target:
			return model.Drafter, "the device's side"
		}
	}
	return "", ""
}

// byID looks a thread up in the telemetry and among the sampled threads.
func (x traceSides) byID(t model.TraceThread) string {
	for _, u := range x.roles.Sorted() {
		if u.TID == t.TID && (u.PID == 0 || u.PID == t.PID) && u.Role != RoleOther && u.Role != "" && !u.Inferred {
			return u.Role
		}
	}
	tid := strconv.FormatInt(t.TID, 10)
	for i, s := range x.run.Stacks.Threads {
		if s.TID == tid && (s.PID == 0 || s.PID == t.PID) && x.roles.Thread[i] != RoleOther && !x.roles.Inferred[i] {
			return x.roles.Thread[i]
		}
	}
	return ""
}

// pools gives autograd's threads to the drafters, which train; other pools
// belong to no side.
func (x traceSides) pools(side, from []string) {
	for i := range side {
		switch side[i] {
		case "", model.Target, model.Drafter:
		case RoleAutograd:
			side[i], from[i] = model.Drafter, "backward runs there"
		default:
			side[i], from[i] = "pool", ""
		}
	}
}

// trains infers the sides where some threads of the trace train and others run
// forward only: those that train are the drafters'.
func (x traceSides) trains(side, from []string) {
	trains := false
	for i, t := range x.t.Threads {
		if t.Optimizer > 0 || t.Backward > 0 {
			trains = true
			if side[i] == "" {
				side[i], from[i] = model.Drafter, "backward and the optimizer run there"
			}
		}
	}
	for i, t := range x.t.Threads {
		if side[i] == "" && trains && t.Launches > 0 && x.drives(t, side) {
			side[i], from[i] = model.Target, "launches without training, beside threads that train"
		}
	}
}

// drives reports whether a thread launches about as much as those that train:
// a helper of the trainer launches little.
func (x traceSides) drives(t model.TraceThread, side []string) bool {
	most := int64(0)
	for i, o := range x.t.Threads {
		if side[i] == model.Drafter {
			most = max(most, o.Launches)
		}
	}
	return t.Launches*20 >= most
}

// rest gives threads without a side to the one side that the trace shows, if
// their process is that side's alone.
func (x traceSides) rest(side, from []string) {
	of := map[int64]string{}
	for i, t := range x.t.Threads {
		s := side[i]
		if s != model.Target && s != model.Drafter {
			continue
		}
		if old, ok := of[t.PID]; ok && old != s {
			s = model.Unknown
		}
		of[t.PID] = s
	}
	for i, t := range x.t.Threads {
		if side[i] != "" {
			continue
		}
		side[i] = model.Unknown
		if s := of[t.PID]; s != "" && s != model.Unknown {
			side[i], from[i] = s, "the side of its process"
		}
	}
}

// devices gives each group the devices that its kernels ran on.
func (x traceSides) devices(groups []*traceGroup) {
	for _, d := range x.t.Devices {
		var users []*traceGroup
		for _, g := range groups {
			if slices.ContainsFunc(g.threads, func(t model.TraceThread) bool { return t.Device == d.Index }) {
				users = append(users, g)
			}
		}
		for _, g := range users {
			g.devices = append(g.devices, d)
			g.shared = g.shared || len(users) > 1
		}
	}
}
