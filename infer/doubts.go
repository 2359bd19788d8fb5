package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// Doubt is what the run itself leaves open, whatever its readings say.
type Doubt struct {
	Mass float64 // probability that moves to unknown
	IDs  []string
}

func (d *Doubt) add(p *Pass, mass float64, f model.Finding) {
	d.Mass, d.IDs = 1-(1-d.Mass)*(1-mass), append(d.IDs, f.ID)
	p.Find(f)
}

// Doubts weakens verdicts about runs that cannot carry them.
var Doubts = &Analyzer{
	Name: "doubts",
	Doc: `Runs that cannot carry a strong verdict: too few items, no steady state, another queue's counters of the same time, a queue that still fills when the record ends, a depth above its capacity, sources a time zone apart, GPUs under other numbers than the configuration's, waits that the gate does not explain.

Each is a finding and moves probability to unknown, so that "limits" becomes "probably limits" or less. Few items move more, as the error of a share grows.`,
	Requires: []*Analyzer{SeriesOf, ReadingsOf, Topology, Steady, Throughput, QueueClass, Waits, GPUActivity},
	Run: func(p *Pass) (any, error) {
		r, ok := Result[*Readings](p, ReadingsOf)
		s, ok2 := Result[*SteadyState](p, Steady)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "a steady state"}
		}
		topo, _ := Result[*model.Topology](p, Topology)
		pace, _ := Result[*Pace](p, Throughput)
		depth, _ := Result[*DepthUse](p, QueueClass)
		waits, _ := Result[*WaitUse](p, Waits)
		gpus, _ := Result[*GPUUse](p, GPUActivity)
		d := &Doubt{}
		d.short(p, r, s, pace)
		d.unsteady(p, r, s)
		if series, ok := Result[*runSeries](p, SeriesOf); ok {
			d.several(p, series.other)
		}
		d.unfilled(p, r, depth)
		d.overfull(p, r, depth)
		d.apart(p, r)
		d.beyondGate(p, waits, depth)
		d.renumbered(p, topo, gpus)
		return d, nil
	},
}

// place is where the run's own record begins.
func (r *Readings) place() []model.Pos {
	if r.Queue != nil {
		return []model.Pos{r.Queue.First}
	}
	if r.Log != nil {
		for _, k := range []string{keyItems, keyTokens} {
			if at, ok := r.Log.First[k]; ok {
				return []model.Pos{at}
			}
		}
		for _, k := range sortedKeys(r.Log.First) {
			return []model.Pos{r.Log.First[k]}
		}
	}
	return nil
}

func (d *Doubt) short(p *Pass, r *Readings, s *SteadyState, pace *Pace) {
	at := r.place()
	if pace == nil || pace.ItemsS == nil || len(at) == 0 {
		return
	}
	n := pace.ItemsS.Mid * s.Seconds()
	if math.IsNaN(n) || n >= fewItems {
		return
	}
	d.add(p, doubt+0.3*(1-n/fewItems), model.Finding{
		ID:       "run.short",
		Claim:    fmt.Sprintf("Only %.0f items lie in the steady state (%.0f s): a share is uncertain by about %s, whatever its source.", n, s.Seconds(), say.Percent(0.5/math.Sqrt(max(n, 1)))),
		Evidence: []model.Evidence{{What: "items in the steady state", Value: n, Unit: "items", At: at}},
		Advice:   fmt.Sprintf("Record %.0f items or more before a change is decided on this.", 10*fewItems),
	})
}

func (d *Doubt) unsteady(p *Pass, r *Readings, s *SteadyState) {
	at := r.place()
	if s.Found || len(at) == 0 {
		return
	}
	d.add(p, doubt, model.Finding{
		ID:       "run.no_steady",
		Claim:    fmt.Sprintf("The run has no steady state (%s), so the verdict is about the %.0f s that were left and may not hold for the next ones.", strings.TrimPrefix(p.Out.Steady.Why, "no steady state: "), s.Seconds()),
		Evidence: []model.Evidence{{What: "time taken as steady", Value: s.Seconds(), Unit: "s", At: at}},
		Advice:   "Record longer, or give the part that is meant: --from and --to.",
	})
}

// unfilled: the depth still rises when the record ends, without a line that
// says that the run ended.
func (d *Doubt) unfilled(p *Pass, r *Readings, u *DepthUse) {
	if u == nil || r.Queue == nil || r.Log == nil || len(u.Depth.V) < 20 || ended(p.Run) {
		return
	}
	v := u.Depth.V
	half, n := len(v)/2, max(len(v)/10, 1)
	rise := stats.Median(v[len(v)-n:]) - stats.Median(v[half:half+n])
	early := stats.Median(v[half:half+n]) - stats.Median(v[:n])
	top := stats.Quantile(v, 1)
	if rise < filling*u.Capacity || early < filling*u.Capacity || top > 0.95*u.Capacity {
		return
	}
	seconds := float64(u.Depth.T[len(v)-1]-u.Depth.T[half]) / 1e9
	d.add(p, doubt, model.Finding{
		ID:       "queue.unfilled",
		Claim:    fmt.Sprintf("The queue still fills when the record ends: at %.0f of %.0f items, %.3g items/min up, and the log has no line of an end. Its class tells how far it got, not where it would stay.", v[len(v)-1], u.Capacity, 60*rise/seconds),
		Evidence: []model.Evidence{{What: "rise over the last half", Value: rise, Unit: "items", At: u.At}},
		Advice:   "Record until the depth has stayed at one level for some minutes.",
	})
}

func ended(run *model.Run) bool {
	for _, b := range run.Events.Batches {
		for row := range b.Rows() {
			if k, ok := b.Text(model.EventKind, row); ok && run.Text(k) == "end" {
				return true
			}
		}
	}
	return false
}

// overfull: a depth above the capacity, of another queue or another unit.
func (d *Doubt) overfull(p *Pass, r *Readings, u *DepthUse) {
	if u == nil || len(u.Depth.V) == 0 {
		return
	}
	over := 0
	top, when := 0.0, int64(0)
	for i, v := range u.Depth.V {
		if v > u.Capacity+1 { // one may be between a put and its count
			over++
		}
		if v > top {
			top, when = v, u.Depth.T[i]
		}
	}
	if float64(over) < overfullShare*float64(len(u.Depth.V)) || over == 0 {
		return
	}
	d.add(p, doubt, model.Finding{
		ID:       "queue.overfull",
		Claim:    fmt.Sprintf("The depth is above its capacity of %.0f in %s of the readings, up to %.0f: the capacity is another queue's, or the depth counts other things than items.", u.Capacity, say.Percent(float64(over)/float64(len(u.Depth.V))), top),
		Evidence: []model.Evidence{{What: "largest depth", Value: top, Unit: "items", At: []model.Pos{posAt(p.Run, r.Queue, when)}}},
		Advice:   "Give the capacity: --capacity N, or capacity in tidemark.yaml.",
	})
}

// beyondGate: a level gate holds drafters up only while the depth is under
// min_ready, so they cannot wait for longer than that.
func (d *Doubt) beyondGate(p *Pass, w *WaitUse, u *DepthUse) {
	if w == nil || u == nil || w.Gate == nil || w.Gate.Bound != 0 || u.Gate != "level" {
		return
	}
	slack := gateSlack + 2*math.Sqrt(max(u.BelowGate*(1-u.BelowGate), 0)/max(u.Effective, 1))
	over := w.Gate.Share.Mid - u.BelowGate
	if over <= slack {
		return
	}
	d.add(p, doubt, model.Finding{
		ID: "waits.beyond_gate",
		Claim: fmt.Sprintf("Drafters wait at the queue for %s of their time, but the depth is under min_ready for %s: %s of their time is another wait (the interpreter lock, a fetch, a collective) or a wrong counter, not starvation.",
			say.Percent(w.Gate.Share.Mid), say.Percent(u.BelowGate), say.Percent(over)),
		Evidence: []model.Evidence{
			{What: "gate wait", Value: w.Gate.Share.Mid, Unit: "share", At: w.Gate.At},
			{What: "time under min_ready", Value: u.BelowGate, Unit: "share", At: u.At},
		},
		Advice: "Count the wait for the gate and the time to fetch an item apart; take stacks of the drafters with --idle.",
	})
}

// renumbered: the devices read are not those that the configuration names.
func (d *Doubt) renumbered(p *Pass, topo *model.Topology, u *GPUUse) {
	if topo == nil || u == nil || len(u.Unseen) == 0 {
		return
	}
	var seen, extra []int
	var at []model.Pos
	for _, dev := range u.Devices {
		seen, at = append(seen, dev.Index), append(at, dev.First)
		if dev.Side == "" {
			extra = append(extra, dev.Index)
		}
	}
	named := slices.Compact(slices.Sorted(slices.Values(slices.Concat(topo.TargetGPUs, topo.DrafterGPUs))))
	what := "so part of a side is not seen."
	if len(extra) > 0 {
		what = "so the numbers may be another count (CUDA_VISIBLE_DEVICES, the order of the bus), and a side's activity that of the other."
	}
	d.add(p, doubt, model.Finding{
		ID:    "gpu.renumbered",
		Claim: fmt.Sprintf("The configuration names GPUs %s, the readings show %s: %s not seen, %s", say.Indices(named), say.Indices(seen), say.Indices(u.Unseen), what),
		Evidence: []model.Evidence{
			{What: "GPUs named but not read", Value: float64(len(u.Unseen)), Unit: "GPUs", At: at[:min(len(at), 5)]},
			{What: "GPUs read that no side names", Value: float64(len(extra)), Unit: "GPUs", At: at[:min(len(at), 5)]},
		},
		Advice: "Name the GPUs as nvidia-smi numbers them: targets and drafters in tidemark.yaml.",
	})
}
