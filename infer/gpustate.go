package infer

import (
	"math"
	"math/bits"

	"tidemark/model"
)

// A deviceState is what one GPU's readings say beside its utilisation, as sums.
type deviceState struct {
	index             int
	first             model.Pos
	rows              float64
	clock, clockN     float64 // Hz, under load
	power, powerN     float64 // W
	limit             float64 // W, the last one read, 0 unknown
	hottest           float64 // degC, NaN unknown
	reasonN           float64
	reasons           [9]float64 // readings with each bit of clockReasons
	reasonAt          model.Pos
	rx, tx, rxN, txN  float64 // B/s
	rxTop, txTop      float64
	spin, spinFrom    int64 // ns: start of the stretch that is read, and of the longest
	spinTo            int64
	spinPower, spinN  float64
	spinAt            model.Pos
	longPower         float64
	longAt            model.Pos
	longFrom, longEnd int64
}

// clockReasons are the bits of NVML's clocks event reasons (nvml.h:
// nvmlClocksEventReason*), by number. The first two and the last tell of no
// limit of the device's own.
var clockReasons = [9]string{
	"GPU idle", "applications clocks setting", "SW power cap", "HW slowdown", "sync boost",
	"SW thermal slowdown", "HW thermal slowdown", "HW power brake slowdown", "display clock setting",
}

// GPUStates reads what every GPU's readings say beside its utilisation.
var GPUStates = &Analyzer{
	Name: "gpu-states",
	Doc: `Clock under load, power, temperature, clock reasons and PCIe traffic of every GPU over the steady state, and its longest stretch of full utilisation at low power.

Right for what the driver prints at the time of a reading; what happens between two readings is not seen. A stretch is looked for over the whole run, and needs the power limit.`,
	Requires: []*Analyzer{Steady},
	Run: func(p *Pass) (any, error) {
		s, ok := Result[*SteadyState](p, Steady)
		if !ok {
			return nil, nil
		}
		return deviceStates(p, s), nil
	},
}

// statesOf returns the states of devices, in the files that their utilisation was
// taken from.
func statesOf(p *Pass, devices []*Device) []*deviceState {
	all, _ := Result[map[deviceKey]*deviceState](p, GPUStates)
	list := make([]*deviceState, len(devices))
	for i, d := range devices {
		list[i] = newDeviceState()
		for f, file := range p.Run.Files {
			if x := all[deviceKey{p.Run.Recorder(int32(f)), int64(d.Index)}]; x != nil && file.Path == d.First.File {
				list[i] = x
			}
		}
		list[i].index, list[i].first = d.Index, d.First
	}
	return list
}

func newDeviceState() *deviceState { return &deviceState{hottest: math.NaN()} }

func deviceStates(p *Pass, s *SteadyState) map[deviceKey]*deviceState {
	all := map[deviceKey]*deviceState{}
	rows := model.NewReader(
		model.GPU, model.GPUT, model.GPUIndex, model.GPUSMUtil, model.GPUMemUtil, model.GPUPower, model.GPUPowerLimit,
		model.GPUSMClock, model.GPUTemperature, model.GPUClockReasons, model.GPUPCIeRX, model.GPUPCIeTX,
	)
	for _, b := range p.Run.GPU.Batches {
		if !placed(p.Run, b) {
			continue
		}
		find := func(k deviceKey, _ int) *deviceState {
			if all[k] == nil {
				all[k] = newDeviceState()
			}
			return all[k]
		}
		rows.Read(b)
		deviceRows(p.Run, rows, find, func(d *deviceState, r int, t int64) {
			d.spinning(p.Run, rows, r, t)
			if t >= s.From && t <= s.To {
				d.read(p.Run, rows, r)
			}
		})
	}
	for _, d := range all {
		d.endSpin()
	}
	return all
}

func (d *deviceState) read(run *model.Run, b *model.Reader, r int) {
	d.rows++
	util, ok := b.Float(model.GPUSMUtil, r)
	if v, ok2 := b.Float(model.GPUSMClock, r); ok2 && (!ok || util >= underLoad) {
		d.clock, d.clockN = d.clock+v, d.clockN+1
	}
	if v, ok := b.Float(model.GPUPower, r); ok {
		d.power, d.powerN = d.power+v, d.powerN+1
	}
	if v, ok := b.Float(model.GPUTemperature, r); ok && !(v <= d.hottest) {
		d.hottest = v
	}
	if v, ok := b.Int(model.GPUClockReasons, r); ok {
		d.reasonN++
		for left := uint64(v) & (1<<len(d.reasons) - 1); left != 0; left &= left - 1 {
			d.reasons[bits.TrailingZeros64(left)]++
		}
		if v&0xec != 0 && d.reasonAt.File == "" {
			d.reasonAt = run.Pos(b.Batch, r)
		}
	}
	if v, ok := b.Float(model.GPUPCIeRX, r); ok {
		d.rx, d.rxN, d.rxTop = d.rx+v, d.rxN+1, max(d.rxTop, v)
	}
	if v, ok := b.Float(model.GPUPCIeTX, r); ok {
		d.tx, d.txN, d.txTop = d.tx+v, d.txN+1, max(d.txTop, v)
	}
}

// spinning follows stretches of full utilisation at low power without memory traffic.
func (d *deviceState) spinning(run *model.Run, b *model.Reader, r int, t int64) {
	if v, ok := b.Float(model.GPUPowerLimit, r); ok && v > 0 {
		d.limit = v
	}
	util, ok := b.Float(model.GPUSMUtil, r)
	power, ok2 := b.Float(model.GPUPower, r)
	memory, ok3 := b.Float(model.GPUMemUtil, r)
	if !ok || !ok2 || !ok3 {
		return
	}
	if util < spinUtil || memory > spinMemory || d.limit == 0 || power >= spinPower*d.limit {
		d.endSpin()
		return
	}
	if d.spin == 0 {
		d.spin, d.spinFrom, d.spinAt, d.spinPower, d.spinN = t, t, run.Pos(b.Batch, r), 0, 0
	}
	d.spinTo, d.spinPower, d.spinN = t, d.spinPower+power, d.spinN+1
}

// endSpin keeps the longest stretch.
func (d *deviceState) endSpin() {
	if d.spin != 0 && d.spinTo-d.spinFrom > d.longEnd-d.longFrom {
		d.longFrom, d.longEnd, d.longAt, d.longPower = d.spinFrom, d.spinTo, d.spinAt, d.spinPower/d.spinN
	}
	d.spin = 0
}
