package benchdata

// pid of a worker's process; its threads follow.
func pid(worker int) int { return 4100 + 100*worker }

// writePidstat writes pidstat -t -u 1: each process, then its threads.
func writePidstat(o *output, r *run, _ int64) {
	d, at := r.dice(streamPidstat), r.stamp("15:04:05")
	o.text("Linux 6.8.0-generic (node-7) \t03/14/26 \t_x86_64_\t(96 CPU)\n")
	for s := 1; s < r.seconds && o.flush(); s++ {
		o.text("\n")
		at.write(o, s)
		o.text("      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n")
		for w := range workers {
			o.process(d, at, s, w, r.phase(s))
		}
	}
}

func (o *output) process(d *dice, at *stamp, second, w int, ph phase) {
	busy, queue := d.around(9600, 200, 0, 9900), "|__hs_queue_put" // 0.01 %
	if w >= targets {
		busy, queue = d.around(7900, 500, 0, 9900), "|__hs_queue_get"
		if ph == checkpoint {
			busy = 800
		}
	}
	put, nccl := d.between(200, 600), d.IntN(100)
	for _, t := range []struct {
		tgid, tid      int // 0: none
		usr, sys, wait int
		name           string
	}{
		{pid(w), 0, busy + put, 300 + nccl, 0, "python3"},
		{0, pid(w), busy - 200, 200, 40, "|__python3"},
		{0, pid(w) + 1, put, 100, 20, queue},
		{0, pid(w) + 2, 0, nccl, 0, "|__pt_nccl_watchdg"},
	} {
		at.write(o, second)
		o.text("     1000 ")
		o.id(t.tgid)
		o.id(t.tid)
		for _, v := range []int{t.usr, t.sys, 0, t.wait, t.usr + t.sys} {
			from := len(o.b)
			o.fixed(v, 2)
			o.align(from, 7)
			o.text(" ")
		}
		from := len(o.b)
		o.int(d.IntN(96))
		o.align(from, 5)
		o.text("  ")
		o.text(t.name)
		o.text("\n")
	}
}

// id writes the number of a process or thread, or that there is none.
func (o *output) id(v int) {
	from := len(o.b)
	if v == 0 {
		o.text("-")
	} else {
		o.int(v)
	}
	o.align(from, 9)
	o.text(" ")
}
