package benchdata

const gpuHeader = "timestamp, index, name, uuid, pstate, temperature.gpu, utilization.gpu [%], utilization.memory [%], " +
	"memory.total [MiB], memory.used [MiB], power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz], fan.speed [%], clocks_event_reasons.active\n"

// A reading is what nvidia-smi says of one GPU at one time.
type reading struct {
	util, mem int // %
	used      int // MiB
	power     int // 0.01 W
	clock     int // MHz
	reasons   int // bits
}

// writeGPU writes nvidia-smi --query-gpu=... --format=csv -lms 200; the loop
// takes some milliseconds more than asked for.
func writeGPU(o *output, r *run, _ int64) {
	d, at := r.dice(streamGPU), r.stamp("2006/01/02 15:04:05")
	o.text(gpuHeader)
	for ms := 0; ms < r.seconds*1000 && o.flush(); ms += d.between(202, 204) {
		ph := r.phase(ms / 1000)
		for g := range workers {
			at.write(o, ms/1000)
			o.text(".")
			o.zeros(ms%1000, 3)
			o.reading(g, d.reading(g, ph))
		}
	}
}

// reading draws what a GPU does: those of targets are full, those of drafters
// are not, and idle at checkpoints.
func (d *dice) reading(gpu int, ph phase) reading {
	v := reading{clock: 1980 - 15*d.IntN(4)}
	switch {
	case ph == warmUp:
		v.util, v.mem, v.power = d.between(0, 70), d.between(0, 30), d.between(15000, 38000)
	case gpu < targets:
		v.util, v.mem, v.power = d.between(96, 100), d.between(55, 72), d.around(65500, 1400, 50000, 70000)
	case ph == checkpoint:
		v.util, v.power = 3*d.IntN(2), d.between(11800, 13100)
	default:
		v.util, v.mem, v.power = d.around(38, 12, 0, 100), d.between(8, 24), d.around(31800, 3000, 12000, 70000)
	}
	v.used = 118234 + 512*gpu
	if gpu >= targets {
		v.used = 96310 + 256*gpu + 2*d.IntN(91)
	}
	switch { // gpu_idle, sw_power_cap
	case v.power > 66500:
		v.clock, v.reasons = v.clock-90, 4
	case v.power < 20000:
		v.reasons = 1
	}
	return v
}

func (o *output) reading(gpu int, v reading) {
	o.text(", ")
	o.int(gpu)
	o.text(", NVIDIA H200, GPU-7c41e0d2-")
	o.zeros(gpu, 4)
	o.text("-4000-9000-")
	o.zeros(gpu, 12)
	o.text(", P0, ")
	o.int(30 + v.power/1800)
	o.text(", ")
	o.int(v.util)
	o.text(" %, ")
	o.int(v.mem)
	o.text(" %, 143771 MiB, ")
	o.int(v.used)
	o.text(" MiB, ")
	o.fixed(v.power, 2)
	o.text(" W, ")
	o.int(v.clock)
	o.text(" MHz, 3201 MHz, [N/A], 0x")
	o.zeros(v.reasons, 16)
	o.text("\n")
}
