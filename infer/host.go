package infer

import (
	"fmt"

	"tidemark/internal/say"
	"tidemark/model"
)

// Host holds processors in use against those allowed.
var Host = &Analyzer{
	Name: "host",
	Doc: `Processors in use against the quota of the control group, and the share of its periods in which the quota ran out.

Processors in use are those of the group where it counts them, else the sum of the measured threads, which misses others. A whole machine at its limit shows in the host's own use. A spin counts as use: it does no work, but takes a core all the same.`,
	Requires: []*Analyzer{Roles},
	Run: func(p *Pass) (any, error) {
		h := hostOf(p.Run)
		if h.n == 0 {
			return nil, &SkipError{Needs: "the processors allowed and in use", Record: "while :; do date +%s.%N; cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu.stat; sleep 1; done > cgroup.txt"}
		}
		roles, _ := Result[*RoleMap](p, Roles)
		h.throttled(p)
		h.full(p, roles)
		return nil, nil
	},
}

// A hostMean is the mean of one metric of the host.
type hostMean struct {
	sum, n, last float64
	at           []model.Pos
}

func (m *hostMean) add(v float64, at model.Pos) {
	m.sum, m.n, m.last = m.sum+v, m.n+1, v
	if m.n == 1 {
		m.at = []model.Pos{at}
	}
}

func (m *hostMean) mean() float64 { return m.sum / max(m.n, 1) }

type hostUse struct {
	n                                int
	cpu, quota, throttledShare, host hostMean
}

func hostOf(run *model.Run) *hostUse {
	h := &hostUse{}
	into := map[int32]*hostMean{}
	for key, m := range map[string]*hostMean{"cgroup.cpu": &h.cpu, "cgroup.quota": &h.quota, "cgroup.throttled": &h.throttledShare, "host.cpu": &h.host} {
		if code := run.Strings.Find(key); code >= 0 {
			into[code] = m
		}
	}
	if len(into) == 0 {
		return h
	}
	for _, b := range run.Metrics.Batches {
		for _, row := range b.RowsWith(nil, model.MetricKey, func(code int32) bool { return into[code] != nil }) {
			r := int(row)
			if v, ok := b.Float(model.MetricValue, r); ok {
				k, _ := b.Text(model.MetricKey, r)
				h.n++
				into[k].add(v, run.Pos(b, r))
			}
		}
	}
	return h
}

func (h *hostUse) throttled(p *Pass) {
	share := h.throttledShare.mean()
	if h.throttledShare.n == 0 || share < throttledShare {
		return
	}
	allowed := ""
	if h.quota.n > 0 {
		allowed = fmt.Sprintf(" of %.3g processors", h.quota.last)
	}
	p.Find(model.Finding{
		ID:       "host.throttled",
		Claim:    fmt.Sprintf("The quota%s ran out in %s of the control group's periods: all threads of the run stood still until the next one.", allowed, say.Percent(share)),
		Evidence: []model.Evidence{{What: "periods throttled", Value: share, Unit: "share", At: h.throttledShare.at}},
		Advice:   "Raise cpu.max, or lower the threads that spin or compute at once (OMP_NUM_THREADS, loader workers).",
	})
}

// full reports that all processors allowed, or all of the host, are in use.
func (h *hostUse) full(p *Pass, roles *RoleMap) {
	used, at, what := h.cpu.mean(), h.cpu.at, "processors in use by the control group"
	if h.cpu.n == 0 && roles != nil && len(roles.Usage) > 0 {
		used, what = roles.cores(), "processors in use by the measured threads"
		at = []model.Pos{roles.Sorted()[0].First}
	}
	f := model.Finding{ID: "host.oversubscribed", Advice: "Fewer threads at once: OMP_NUM_THREADS, torch.set_num_threads, loader workers; or more processors."}
	switch share := h.host.mean(); {
	case h.quota.n > 0 && len(at) > 0 && used >= coresFull*h.quota.last:
		f.Claim = fmt.Sprintf("%.3g of %.3g allowed processors are in use: threads wait for a core, on either side.", used, h.quota.last)
		f.Evidence = []model.Evidence{{What: what, Value: used, Unit: "cores", At: at}, {What: "processors allowed", Value: h.quota.last, Unit: "cores", At: h.quota.at}}
	case h.host.n > 0 && share >= coresFull:
		f.Claim = fmt.Sprintf("The host's processors are in use for %s of their time: threads wait for a core, on either side.", say.Percent(share))
		f.Evidence = []model.Evidence{{What: "processors of the host in use", Value: share, Unit: "share", At: h.host.at}}
	default:
		return
	}
	p.Find(f)
}
