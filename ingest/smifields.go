package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// An smiClass is what kind of value a column of GPU readings holds.
type smiClass uint8

const (
	smiOther smiClass = iota // a column nobody needs
	smiTime
	smiIndex
	smiUUID
	smiBus
	smiShare
	smiMemory
	smiPower
	smiClock
	smiTemperature
	smiMask
	smiRate
	smiRatio // a share in [0,1], which counters of MIG devices exceed
)

// An smiField is a quantity of a device. Where several columns give the same
// one, the lowest rank is taken. weak names are also used by other programs:
// they do not make a header alone.
type smiField struct {
	col   int // of model.GPU
	class smiClass
	rank  int
	weak  bool
}

// smiFields are the names that nvidia-smi prints, over all drivers, and those
// of hand-made headers. memory_util and the like are left out: scripts use
// them for the fill level, which is not utilization.memory.
var smiFields = map[string]smiField{
	"timestamp": {model.GPUT, smiTime, 0, true}, "time": {model.GPUT, smiTime, 0, true}, "datetime": {model.GPUT, smiTime, 0, true}, "date": {model.GPUT, smiTime, 0, true},
	"index": {model.GPUIndex, smiIndex, 0, true}, "gpu": {model.GPUIndex, smiIndex, 0, true}, "gpu_index": {model.GPUIndex, smiIndex, 0, true}, "gpu_id": {model.GPUIndex, smiIndex, 0, true},
	"uuid": {model.GPUUUID, smiUUID, 0, true}, "gpu_uuid": {model.GPUUUID, smiUUID, 0, true},
	"pci.bus_id": {model.GPUBus, smiBus, 0, true}, "gpu_bus_id": {model.GPUBus, smiBus, 0, true}, "pci_bus_id": {model.GPUBus, smiBus, 0, true},

	"utilization.gpu": {model.GPUSMUtil, smiShare, 0, false}, "utilization_gpu": {model.GPUSMUtil, smiShare, 0, false}, "gpu_utilization": {model.GPUSMUtil, smiShare, 0, false},
	"gpu_util": {model.GPUSMUtil, smiShare, 0, false}, "utilization": {model.GPUSMUtil, smiShare, 1, true}, "util": {model.GPUSMUtil, smiShare, 1, true},
	"utilization.memory": {model.GPUMemUtil, smiShare, 0, false}, "utilization_memory": {model.GPUMemUtil, smiShare, 0, false},

	"memory.used": {model.GPUMemUsed, smiMemory, 0, false}, "memory_used": {model.GPUMemUsed, smiMemory, 0, true}, "mem_used": {model.GPUMemUsed, smiMemory, 0, true},
	"memory.total": {model.GPUMemTotal, smiMemory, 0, false}, "memory_total": {model.GPUMemTotal, smiMemory, 0, true}, "mem_total": {model.GPUMemTotal, smiMemory, 0, true},

	"power.draw": {model.GPUPower, smiPower, 0, false}, "power_draw": {model.GPUPower, smiPower, 0, false}, "power": {model.GPUPower, smiPower, 3, true},
	"power.draw.instant": {model.GPUPower, smiPower, 1, false}, "gpu.power.draw.instant": {model.GPUPower, smiPower, 1, false},
	"power.draw.average": {model.GPUPower, smiPower, 2, false}, "gpu.power.draw.average": {model.GPUPower, smiPower, 2, false},
	"enforced.power.limit": {model.GPUPowerLimit, smiPower, 0, false}, "gpu.power.current_limit": {model.GPUPowerLimit, smiPower, 0, false},
	"power.limit": {model.GPUPowerLimit, smiPower, 1, false}, "gpu.power.requested_limit": {model.GPUPowerLimit, smiPower, 1, false}, "power_limit": {model.GPUPowerLimit, smiPower, 1, true},

	"clocks.current.sm": {model.GPUSMClock, smiClock, 0, false}, "clocks.sm": {model.GPUSMClock, smiClock, 0, false}, "sm_clock": {model.GPUSMClock, smiClock, 0, true},
	"temperature.gpu": {model.GPUTemperature, smiTemperature, 0, false}, "temperature_gpu": {model.GPUTemperature, smiTemperature, 0, false},
	"gpu_temp": {model.GPUTemperature, smiTemperature, 0, true}, "temperature": {model.GPUTemperature, smiTemperature, 1, true}, "temp": {model.GPUTemperature, smiTemperature, 1, true},
	"clocks_event_reasons.active": {model.GPUClockReasons, smiMask, 0, false}, "clocks_throttle_reasons.active": {model.GPUClockReasons, smiMask, 0, false},

	"pcie.rx_throughput": {model.GPUPCIeRX, smiRate, 0, true}, "pcie_rx": {model.GPUPCIeRX, smiRate, 0, true}, "rx_throughput": {model.GPUPCIeRX, smiRate, 0, true},
	"pcie.tx_throughput": {model.GPUPCIeTX, smiRate, 0, true}, "pcie_tx": {model.GPUPCIeTX, smiRate, 0, true}, "tx_throughput": {model.GPUPCIeTX, smiRate, 0, true},
}

// smiFamilies are the first words of names that nvidia-smi prints and nobody
// here needs: they count when a line is judged to be a header.
var smiFamilies = map[string]bool{
	"name": true, "gpu_name": true, "serial": true, "gpu_serial": true, "pstate": true, "count": true, "driver_version": true, "vbios_version": true,
	"pci": true, "pcie": true, "clocks": true, "clocks_event_reasons": true, "clocks_throttle_reasons": true, "clocks_event_reasons_counters": true,
	"memory": true, "utilization": true, "temperature": true, "power": true, "gpu": true, "enforced": true, "module": true, "power_smoothing": true,
	"fan": true, "ecc": true, "encoder": true, "mig": true, "gom": true, "gsp": true, "inforom": true, "fabric": true, "platform": true,
	"retired_pages": true, "remapped_rows": true, "compute_mode": true, "compute_cap": true, "display_mode": true, "display_active": true, "display_attached": true,
	"persistence_mode": true, "addressing_mode": true, "accounting": true, "driver_model": true, "protected_memory": true, "c2c": true, "dramencryption": true,
	"vgpu_driver_capability": true, "vgpu_device_capability": true, "gpu_recovery_action": true, "edpp_multiplier": true, "confidential_compute": true,
}

// smiProcess are the names that only tables with one row a process have.
var smiProcess = map[string]bool{"pid": true, "process_name": true, "used_gpu_memory": true, "used_memory": true, "gpu_instance_id": true, "max_memory_usage": true}

// A factor turns a printed number into the base unit: v * mul / div.
type factor struct{ mul, div float64 }

// smiUnits are the units of each class; the empty one is what a bare number
// without a unit in the header means: nvidia-smi's own. NVML reads PCIe
// traffic in KB/s.
var smiUnits = map[smiClass]map[string]factor{
	smiShare:       {"": {1, 100}, "%": {1, 100}},
	smiMemory:      {"": {1 << 20, 1}, "MiB": {1 << 20, 1}, "GiB": {1 << 30, 1}, "KiB": {1 << 10, 1}, "MB": {1e6, 1}, "GB": {1e9, 1}, "B": {1, 1}},
	smiPower:       {"": {1, 1}, "W": {1, 1}, "mW": {1, 1e3}},
	smiClock:       {"": {1e6, 1}, "MHz": {1e6, 1}, "GHz": {1e9, 1}},
	smiTemperature: {"": {1, 1}, "C": {1, 1}},
	smiRate:        {"": {1e3, 1}, "B/s": {1, 1}, "KB/s": {1e3, 1}, "MB/s": {1e6, 1}, "GB/s": {1e9, 1}, "KiB/s": {1 << 10, 1}, "MiB/s": {1 << 20, 1}},
	smiIndex:       {"": {1, 1}},
	smiRatio:       {"": {1, 1}},
}

// smiRange is what a reading can be, in base units. Utilisation ends at 1 by
// its definition; the other ends lie beyond any device, and keep out the
// numbers that a driver prints for "no value" (4294967295 and the like).
func smiRange(c smiClass) (lo, hi float64) {
	switch c {
	case smiShare:
		return 0, 1
	case smiMemory:
		return 0, 1 << 44
	case smiPower:
		return 0, 1e4
	case smiClock:
		return 0, 1e11
	case smiTemperature:
		return -100, 300
	case smiIndex:
		return 0, 1 << 12
	case smiRatio:
		return 0, 1.5
	}
	return 0, 1e13
}

// wish names what a cell of a class should hold.
func (c smiClass) wish() string {
	switch c {
	case smiShare:
		return "0 to 100 %"
	case smiMemory:
		return "memory in MiB"
	case smiPower:
		return "power in W"
	case smiClock:
		return "a clock in MHz"
	case smiTemperature:
		return "degrees C"
	case smiMask:
		return "a bit mask such as 0x0000000000000004"
	case smiIndex:
		return "the index of a GPU"
	case smiRatio:
		return "a share of 0 to 1"
	}
	return "a rate in KB/s"
}

// An smiColumn is one bound column of a table.
type smiColumn struct {
	smiField
	name string // without its unit
	bare factor // of a number without a unit
	// lo and hi are what a reading can be, in base units
	lo, hi float64
	// tail is the unit that the cell read last had behind its number, with the
	// blank between: cells of a column have the same. word is tail and a comma
	// in the bits of mask.
	tail       []byte
	word, mask uint64
	tailed     factor // of a number with this unit
	noted      bool   // a missing value was noted,
	reason     []byte // the last with this reason
}

func newSMIColumn(f smiField, name, unit string) smiColumn {
	units := smiUnits[f.class]
	if other, ok := gpuUnits[unit]; ok {
		unit = other
	}
	bare, ok := units[unit]
	if !ok {
		bare = units[""]
	}
	lo, hi := smiRange(f.class)
	c := smiColumn{smiField: f, name: name, bare: bare, lo: lo, hi: hi}
	c.follow(nil, bare)
	return c
}

// smiName parts a header cell into its lower-case name and its unit, which
// stands in brackets, or, in hand-made headers, at the end of the name. Such
// scripts call nvidia-smi's MiB mb.
func smiName(cell []byte) (name, unit string) {
	name = strings.Trim(string(scan.Trim(cell)), `"`)
	if i := strings.IndexAny(name, "[("); i >= 0 {
		unit = strings.TrimSpace(strings.Trim(name[i:], "[]()"))
		name = name[:i]
	}
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "_")
	for _, u := range [...][2]string{{"_mib", "MiB"}, {"_mb", "MiB"}, {"_pct", "%"}, {"_percent", "%"}, {"_watts", "W"}, {"_w", "W"}, {"_mhz", "MHz"}, {"_c", "C"}} {
		if cut, ok := strings.CutSuffix(name, u[0]); ok && unit == "" {
			return cut, u[1]
		}
	}
	return name, unit
}

// An smiTable is what a header line, or a row without one, says of the rows below.
type smiTable uint8

const (
	smiNoHeader   smiTable = iota // not a header
	smiGPUHeader                  // one row a GPU
	smiProcHeader                 // one row a process, which holds no readings of a GPU
)

// smiHeader binds the columns of a header: at least 60 % of its names are
// known, no cell is a number, and one is a reading of a GPU.
func smiHeader(line []byte) ([]smiColumn, smiTable) {
	if len(line) == 0 || line[0] >= '0' && line[0] <= '9' || len(line) > 64<<10 {
		return nil, smiNoHeader
	}
	cells := bytes.Split(line, []byte{','})
	cols := make([]smiColumn, 0, len(cells))
	known, strong, process := 0, false, false
	for _, cell := range cells {
		name, unit := smiName(cell)
		if _, ok := scan.Float([]byte(name)); ok {
			return nil, smiNoHeader
		}
		f, ok := smiFields[name]
		ok = ok && !foreignUnit(f.class, unit)
		family, _, _ := strings.Cut(name, ".")
		if ok || smiProcess[name] || smiFamilies[family] {
			known++
		}
		if !ok {
			f = smiField{col: -1}
		}
		process = process || smiProcess[name]
		strong = strong || f.class >= smiShare && !f.weak && (len(cells) > 1 || unit != "")
		cols = append(cols, newSMIColumn(f, name, unit))
	}
	switch {
	case known*10 < len(cells)*6 || !strong && !process:
		return nil, smiNoHeader
	case process:
		return nil, smiProcHeader
	}
	return preferred(cols), smiGPUHeader
}

// foreignUnit reports a unit of another quantity: memory in percent is how full
// it is.
func foreignUnit(class smiClass, unit string) bool {
	if other, ok := gpuUnits[unit]; ok {
		unit = other
	}
	if _, own := smiUnits[class][unit]; own || unit == "" {
		return false
	}
	for _, units := range smiUnits {
		if _, ok := units[unit]; ok {
			return true
		}
	}
	return false
}

// smiStrangers are the names in a header that are none of nvidia-smi's, or none
// of the quantities for their unit: their columns are not read.
func smiStrangers(line []byte) (names []string) {
	for cell := range bytes.SplitSeq(line, []byte{','}) {
		name, unit := smiName(cell)
		f, ok := smiFields[name]
		family, _, _ := strings.Cut(name, ".")
		if !ok && !smiFamilies[family] || ok && foreignUnit(f.class, unit) {
			names = append(names, clip(scan.Trim(cell)))
		}
	}
	return names
}

// preferred keeps one column for each quantity.
func preferred(cols []smiColumn) []smiColumn {
	best := map[int]int{}
	for k, c := range cols {
		if o, ok := best[c.col]; !ok || c.rank < cols[o].rank {
			best[c.col] = k
		}
	}
	for k := range cols {
		if c := &cols[k]; c.col >= 0 && best[c.col] != k {
			c.smiField = smiField{col: -1}
		}
	}
	return cols
}
