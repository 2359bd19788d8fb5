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
	meters            [meters]meter
	limit             float64 // W, the last one read, 0 unknown
	hottest           float64 // degC, NaN unknown
	reasonN           float64
	reasons           [9]float64 // readings with each bit of clockReasons
	reasonAt          model.Pos
	spin, spinFrom    int64 // ns: start of the stretch that is read, and of the longest
	spinTo            int64
	spinPower, spinN  float64
	spinAt            model.Pos
	longPower         float64
	longAt            model.Pos
	longFrom, longEnd int64
}

// A meter is readings added up.
type meter struct {
	sum, top float64
	n        int
}

func (m *meter) add(v float64) {
	m.sum, m.n = m.sum+v, m.n+1
	if v > m.top {
		m.top = v
	}
}

func (m *meter) mean() float64 { return m.sum / float64(m.n) }

// The meters of a device.
const (
	clockMeter = iota // Hz, under load
	powerMeter        // W
	intoMeter         // B/s, over PCIe
	outMeter
	meters
)

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
	groups := &deviceGroups{}
	var within []int32
	for _, b := range p.Run.GPU.Batches {
		if !placed(p.Run, b) {
			continue
		}
		rows.Read(b)
		file, cols := p.Run.Recorder(b.File), stateColumnsOf(rows)
		for _, g := range groups.of(rows) {
			k := deviceKey{file, g.gpu}
			d := all[k]
			if d == nil {
				d = newDeviceState()
				all[k] = d
			}
			d.spinning(p.Run, rows, &cols, g.rows)
			within = rowsWithin(within[:0], rows, g.rows, s)
			d.read(p.Run, rows, &cols, within)
		}
	}
	for _, d := range all {
		d.endSpin()
	}
	return all
}

// rowsWithin appends those of rows that are in the steady state.
func rowsWithin(within []int32, b *model.Reader, rows []int32, s *SteadyState) []int32 {
	if first, last, ok := b.Rising(); ok && first >= s.From && last <= s.To {
		return append(within, rows...)
	}
	for _, r := range rows {
		if t, _ := b.Int(model.GPUT, int(r)); t >= s.From && t <= s.To {
			within = append(within, r)
		}
	}
	return within
}

// stateColumns are the columns of a batch, as floatsOf returns them.
type stateColumns struct{ power, limit, into, out, clock, util, memory, temperature []float64 }

func stateColumnsOf(b *model.Reader) stateColumns {
	return stateColumns{
		floatsOf(b, model.GPUPower), floatsOf(b, model.GPUPowerLimit), floatsOf(b, model.GPUPCIeRX), floatsOf(b, model.GPUPCIeTX),
		floatsOf(b, model.GPUSMClock), floatsOf(b, model.GPUSMUtil), floatsOf(b, model.GPUMemUtil), floatsOf(b, model.GPUTemperature),
	}
}

// read adds rows of a batch, by the column.
func (d *deviceState) read(run *model.Run, b *model.Reader, c *stateColumns, rows []int32) {
	d.rows += float64(len(rows))
	d.meter(powerMeter, c.power, rows)
	d.meter(intoMeter, c.into, rows)
	d.meter(outMeter, c.out, rows)
	if c.clock != nil {
		m := d.meters[clockMeter]
		for _, r := range rows {
			if v := c.clock[r]; !math.IsNaN(v) && (c.util == nil || !(c.util[r] < underLoad)) {
				m.add(v)
			}
		}
		d.meters[clockMeter] = m
	}
	if v := c.temperature; v != nil {
		hottest := d.hottest
		for _, r := range rows {
			if !math.IsNaN(v[r]) && !(v[r] <= hottest) {
				hottest = v[r]
			}
		}
		d.hottest = hottest
	}
	if !b.Has(model.GPUClockReasons) {
		return
	}
	reasons, n := b.Ints(model.GPUClockReasons), 0
	for _, row := range rows {
		v, ok := int64(0), true
		if reasons != nil {
			v = reasons[row]
		} else if v, ok = b.Int(model.GPUClockReasons, int(row)); !ok {
			continue
		}
		if n++; v != 0 {
			d.reason(run, b, int(row), v)
		}
	}
	d.reasonN += float64(n)
}

func (d *deviceState) meter(k int, v []float64, rows []int32) {
	if v == nil {
		return
	}
	m := d.meters[k]
	for _, r := range rows {
		if x := v[r]; !math.IsNaN(x) {
			m.add(x)
		}
	}
	d.meters[k] = m
}

// floatsOf returns the cells of a column, NaN where one is missing; nil where all
// are.
func floatsOf(b *model.Reader, col int) []float64 {
	if !b.Has(col) {
		return nil
	}
	v := b.Floats(col)
	if v == nil {
		v = make([]float64, b.Rows())
		for r := range v {
			if x, ok := b.Float(col, r); ok {
				v[r] = x
			} else {
				v[r] = math.NaN()
			}
		}
	}
	return v
}

// reason counts the bits of a reading of clock reasons.
func (d *deviceState) reason(run *model.Run, b *model.Reader, r int, v int64) {
	for left := uint64(v) & (1<<len(d.reasons) - 1); left != 0; left &= left - 1 {
		d.reasons[bits.TrailingZeros64(left)]++
	}
	if v&0xec != 0 && d.reasonAt.File == "" {
		d.reasonAt = run.Pos(b.Batch, r)
	}
}

// spinning follows stretches of full utilisation at low power without memory traffic.
func (d *deviceState) spinning(run *model.Run, b *model.Reader, c *stateColumns, rows []int32) {
	read := c.util != nil && c.power != nil && c.memory != nil
	if c.limit == nil && (d.limit == 0 || !read) {
		return
	}
	for _, r := range rows {
		if c.limit != nil && c.limit[r] > 0 {
			d.limit = c.limit[r]
		}
		if !read {
			continue
		}
		util, power, memory := c.util[r], c.power[r], c.memory[r]
		switch {
		case math.IsNaN(util) || math.IsNaN(power) || math.IsNaN(memory):
		case util < spinUtil || memory > spinMemory || d.limit == 0 || power >= spinPower*d.limit:
			if d.spin != 0 {
				d.endSpin()
			}
		default:
			d.spins(run, b, int(r), power)
		}
	}
}

// spins goes on with a stretch, or begins one.
func (d *deviceState) spins(run *model.Run, b *model.Reader, r int, power float64) {
	t, _ := b.Int(model.GPUT, r)
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
