package infer

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/say"
	"tidemark/internal/stats"
	"tidemark/model"
)

// GPUFindings says what the devices' readings show beside their activity.
var GPUFindings = &Analyzer{
	Name: "gpu-findings",
	Doc: `A device slower than its side's others by clock, with NVML's reasons, power and temperature; full utilisation at low power; the load of PCIe; memory that swings or grows.

A clock is compared under load only. Full utilisation at under 45 % of the power limit without memory traffic is a kernel that spins or hangs, not work. The link is taken as x16: its generation is not in the readings, so it is that of the device's type, else the fourth. Memory is what the driver reports: a caching allocator hides what happens inside it.`,
	Requires: []*Analyzer{Steady, GPUActivity, GPUStates, Throughput, Stacks, Roles},
	Run: func(p *Pass) (any, error) {
		u, ok := Result[*GPUUse](p, GPUActivity)
		s, ok2 := Result[*SteadyState](p, Steady)
		if !ok || !ok2 {
			return nil, &SkipError{Needs: "GPU readings with clocks, power and memory", Record: "nvidia-smi --query-gpu=timestamp,index,name,uuid,utilization.gpu,utilization.memory,memory.used,power.draw,power.limit,clocks.sm,temperature.gpu,clocks_event_reasons.active --format=csv -lms 200 -f nvidia-smi.csv"}
		}
		pace, _ := Result[*Pace](p, Throughput)
		classes, _ := Result[*StackClasses](p, Stacks)
		roles, _ := Result[*RoleMap](p, Roles)
		states := statesOf(p, u.Devices)
		for i, d := range states {
			slowDevice(p, u, states, i)
			spinOrHang(p, d, s)
		}
		pcieLoad(p, states, pace)
		for _, side := range []string{model.Target, model.Drafter} {
			memoryMoves(p, u, s, classes, roles, side)
		}
		return nil, nil
	},
}

// slowDevice compares a device's clock with those of its side's others.
func slowDevice(p *Pass, u *GPUUse, states []*deviceState, i int) {
	d := states[i]
	var others []float64
	for k, o := range states {
		if k != i && u.Devices[k].Side == u.Devices[i].Side && o.meters[clockMeter].n > 0 {
			others = append(others, o.meters[clockMeter].mean())
		}
	}
	if d.meters[clockMeter].n < 10 || len(others) == 0 {
		return
	}
	clock, typical := d.meters[clockMeter].mean(), stats.Median(others)
	if clock >= (1-slowClock)*typical {
		return
	}
	f := model.Finding{
		ID: "gpu.slow_device",
		Claim: fmt.Sprintf("GPU %d runs at %.0f MHz under load, %s under the %.0f MHz of the other %s%s.",
			d.index, clock/1e6, say.Percent(1-clock/typical), typical/1e6, ofSide(u.Devices[i].Side), d.why()),
		Evidence: []model.Evidence{{What: "mean SM clock under load", Value: clock, Unit: "Hz", At: []model.Pos{d.first}}},
		Advice:   "Look at the cooling and the power limit of that device (nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE); in step with others, it sets their pace.",
	}
	if d.reasonAt.File != "" {
		f.Evidence = append(f.Evidence, model.Evidence{What: "first reading with a reason", Value: 1, Unit: "readings", At: []model.Pos{d.reasonAt}})
	}
	p.Find(f)
}

func ofSide(side string) string {
	if side == model.Target || side == model.Drafter {
		return side + " GPUs"
	}
	return "GPUs"
}

// why lists what limits the clock: the driver's reasons, power, temperature.
func (d *deviceState) why() string {
	var list []string
	for _, bit := range []int{2, 3, 5, 6, 7} {
		if d.reasonN > 0 && d.reasons[bit] >= 0.1*d.reasonN {
			list = append(list, fmt.Sprintf("%s in %s of its readings", clockReasons[bit], say.Percent(d.reasons[bit]/d.reasonN)))
		}
	}
	if d.meters[powerMeter].n > 0 && d.limit > 0 {
		list = append(list, fmt.Sprintf("%.0f W of %.0f W", d.meters[powerMeter].mean(), d.limit))
	}
	if !math.IsNaN(d.hottest) {
		list = append(list, fmt.Sprintf("up to %.0f °C", d.hottest))
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", ")
}

func spinOrHang(p *Pass, d *deviceState, s *SteadyState) {
	seconds := float64(d.longEnd-d.longFrom) / 1e9
	if seconds < spinSeconds {
		return
	}
	p.Find(model.Finding{
		ID: "gpu.spin_or_hang",
		Claim: fmt.Sprintf("GPU %d reads 100 %% busy for %.0f s from %s on at %.0f W of %.0f W and without memory traffic: a kernel that spins (a collective that waits) or hangs, not work.",
			d.index, seconds, say.Elapsed(s.at(d.longFrom)), d.longPower, d.limit),
		Evidence: []model.Evidence{
			{What: "time at full utilisation and low power", Value: seconds, Unit: "s", At: []model.Pos{d.longAt}},
			{What: "mean power there", Value: d.longPower, Unit: "W", At: []model.Pos{d.longAt}},
		},
		Advice: "Take that time off the device's activity; py-spy dump of its process shows what it waits for.",
	})
}

// pcieLoad holds the busiest direction of the busiest device against a x16 link.
func pcieLoad(p *Pass, states []*deviceState, pace *Pace) {
	var worst *deviceState
	var mean, top float64
	way := ""
	for _, d := range states {
		for i, word := range []string{"into", "out of"} {
			if m := d.meters[intoMeter+i]; m.n > 0 && m.mean() >= mean {
				worst, mean, top, way = d, m.mean(), m.top, word
			}
		}
	}
	if worst == nil {
		return
	}
	link, name := pcieLink(p.Run)
	share := mean / link
	item := ""
	if pace != nil && pace.ItemsS != nil && pace.ItemsS.Mid > 0 {
		item = fmt.Sprintf(", %s an item", say.Bytes(int64(mean/pace.ItemsS.Mid)))
	}
	text := fmt.Sprintf("%s/s %s GPU %d over PCIe (peak %s/s%s): %s of %s", say.Bytes(int64(mean)), way, worst.index, say.Bytes(int64(top)), item, say.Percent(share), name)
	p.Check(model.Check{Name: "pcie.load", OK: share < pcieBusy, Value: &share, Limit: new(pcieBusy), Text: text})
	if share < pcieBusy {
		return
	}
	p.Find(model.Finding{
		ID: "pcie.load", Claim: "Copies may wait for the link: " + text + ".",
		Evidence: []model.Evidence{{What: "mean traffic " + way + " the device", Value: mean, Unit: "B/s", At: []model.Pos{worst.first}}},
		Advice:   "Keep hidden states on the device or in one process, or send them in a narrower type; see that host memory is pinned.",
	})
}

// pcieLink is the assumed bandwidth of one direction of a x16 link.
func pcieLink(run *model.Run) (float64, string) {
	for _, f := range run.Facts {
		if f.Key != "gpu_name" {
			continue
		}
		for _, t := range []string{"H100", "H200", "H800", "H20", "GH200", "B100", "B200", "B300", "GB200"} {
			if strings.Contains(strings.ToUpper(f.Value), t) {
				return pcieGen5, "a x16 link of generation 5 (63 GB/s, assumed from " + strings.TrimSpace(f.Value) + ")"
			}
		}
	}
	return pcieGen4, "a x16 link of generation 4 (31.5 GB/s, assumed: nothing names a device of generation 5)"
}
