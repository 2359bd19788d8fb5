package ingest

import (
	"fmt"

	"tidemark/internal/scan"
	"tidemark/model"
)

// An smiDocument collects the devices of one nvidia-smi -q, as text or XML,
// whose indices follow from all of them: they are listed in NVML's order.
type smiDocument struct {
	gpuReading
	when     smiWhen
	attached int64
	minor    int64 // of the device in work, -1
	mask     int64 // of its clock reasons
	masked   bool
	bus      string
	inside   bool // a device is in work
	devices  []smiDevice
	index    map[string]int64 // by bus id, of earlier documents
	part     *smiPart         // in work, nil for none
	parts    []smiPart        // of the device in work
}

type smiDevice struct {
	reading gpuReading
	bus     string
	minor   int64
	parts   []smiPart
}

// device begins a device at the line read last.
func (d *smiDocument) device(bus string) {
	d.end()
	d.part, d.parts = nil, nil
	d.inside, d.bus, d.minor, d.mask, d.masked = true, bus, -1, 0, false
	d.begin(d.src.Line(), d.src.Offset())
	if bus != "" {
		d.setText(model.GPUBus, bus)
	}
}

// end closes the device in work.
func (d *smiDocument) end() {
	if !d.inside {
		return
	}
	d.endPart()
	d.inside = false
	if d.masked {
		d.cells[model.GPUClockReasons] = gpuCell{ok: true, i: d.mask}
	}
	d.devices = append(d.devices, smiDevice{d.gpuReading, d.bus, d.minor, d.parts})
	if len(d.devices) >= maxDevices {
		when := d.when
		d.close()
		d.when = when
	}
}

// maxDevices is more than any machine has: so many are not held.
const maxDevices = 1024

// close writes the devices of the document that ends here.
func (d *smiDocument) close() {
	d.end()
	if d.index == nil {
		d.index = map[string]int64{}
	}
	for i := range d.devices {
		x := &d.devices[i]
		if x.reading.readings() {
			if n, ok := d.number(x, i); ok {
				x.reading.cells[model.GPUIndex] = gpuCell{ok: true, i: n}
			}
			x.reading.write(d.when)
		}
		for k := range x.parts {
			if part := &x.parts[k]; part.readings() {
				part.partOf(&x.reading, migName(part.instance, part.compute))
				part.write(d.when)
			}
		}
	}
	d.devices, d.attached, d.when = d.devices[:0], 0, smiWhen{}
}

// number finds the index of a device. A document of all devices has them in
// the order of their indices; one that was made with -i, or was cut, has not.
func (d *smiDocument) number(x *smiDevice, i int) (int64, bool) {
	n, ok := d.index[x.bus]
	switch {
	case ok && x.bus != "":
		return n, true
	case int64(len(d.devices)) == d.attached:
		n = int64(i)
	case x.minor >= 0:
		n = x.minor
		d.out.File.Note(fmt.Sprintf("%d of %d devices in a document: their index is taken from the minor number (inferred)", len(d.devices), d.attached))
	default:
		d.out.File.Note("a document with some of the devices, and nothing that tells their index: GPU unknown")
		return 0, false
	}
	if x.bus != "" {
		d.index[x.bus] = n
	}
	return n, true
}

// reason takes one line of the reasons for the clock.
func (d *smiDocument) reason(bit int64, value []byte) {
	switch string(value) {
	case "Active":
		d.mask |= bit
	case "Not Active":
	default:
		return
	}
	d.masked = true
}

// smiReasons are the bits that NVML gives the reasons for the clock, by their
// words in nvidia-smi -q, over all drivers.
var smiReasons = map[string]int64{
	"idle": 0x1, "gpu_idle": 0x1, "applications_clocks_setting": 0x2, "sw_power_cap": 0x4, "hw_slowdown": 0x8, "sync_boost": 0x10,
	"sw_thermal_slowdown": 0x20, "hw_thermal_slowdown": 0x40, "hw_power_brake_slowdown": 0x80, "hw_power_brake": 0x80,
	"display_clock_setting": 0x100, "display_clocks_setting": 0x100,
}

// time takes the document's own time, "Sun Nov 29 15:27:15 2026".
func (d *smiDocument) time(stamp *scan.Stamp, text []byte) bool {
	w, ok := wholeTime(stamp, text)
	if ok {
		d.when = w
	}
	return ok
}
