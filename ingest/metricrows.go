package ingest

import (
	"bytes"

	"tidemark/internal/scan"
	"tidemark/model"
)

// metricRows writes readings of a host as rows of the metrics table, with the
// source model.Telemetry. Keys are host.*, core.N.*, cgroup.*, perf.*; shares
// of processors are those of all of them together.
type metricRows struct {
	src *Source
	out *model.RunBuilder
	// at is the place of the rows, where it is not the line read last
	line int
	off  int64
}

// add writes one row, at the line read last or at the place set.
func (m *metricRows) add(w smiWhen, key string, v float64, unit string) {
	line, off := m.line, m.off
	if line == 0 {
		line, off = m.src.Line(), m.src.Offset()
	}
	b := m.out.Metrics.Add(line, off)
	if w.kind != model.ClockNone {
		b.SetInt(model.MetricT, w.t)
		m.out.File.Clock.Kind = max(m.out.File.Clock.Kind, w.kind)
	}
	b.SetText(model.MetricSource, m.out.Strings.Code(model.Telemetry))
	b.SetText(model.MetricKey, m.out.Strings.Code(key))
	b.SetFloat(model.MetricValue, v)
	if unit != "" {
		b.SetText(model.MetricUnit, m.out.Strings.Code(unit))
	}
}

// A cpuShares is the time of a processor, or of all, by use, as shares.
type cpuShares struct {
	part [cpuParts]float64
	has  [cpuParts]bool
}

type cpuPart uint8

const (
	cpuUsr cpuPart = iota
	cpuNice
	cpuSys
	cpuIOWait
	cpuIRQ
	cpuSoft
	cpuSteal
	cpuGuest
	cpuGNice
	cpuIdle
	cpuParts
)

// cpuNames are the parts' names in mpstat, sar, sadf and vmstat.
var cpuNames = map[string]cpuPart{
	"usr": cpuUsr, "user": cpuUsr, "us": cpuUsr, "nice": cpuNice, "sys": cpuSys, "system": cpuSys, "sy": cpuSys,
	"iowait": cpuIOWait, "wa": cpuIOWait, "irq": cpuIRQ, "soft": cpuSoft, "steal": cpuSteal, "st": cpuSteal,
	"guest": cpuGuest, "gu": cpuGuest, "gnice": cpuGNice, "idle": cpuIdle, "id": cpuIdle,
}

var cpuKeys = [cpuParts]string{"usr", "nice", "sys", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle"}

// set takes a share in percent; it reports whether that can be.
func (c *cpuShares) set(p cpuPart, percent float64) bool {
	if percent < 0 || percent > 100.5 {
		return false
	}
	c.part[p], c.has[p] = min(percent/100, 1), true
	return true
}

// busy is the share in which the processor ran something of this host: not
// idle, not waiting for a disk, not taken away by another machine.
func (c *cpuShares) busy() float64 {
	return max(0, 1-c.part[cpuIdle]-c.part[cpuIOWait]-c.part[cpuSteal])
}

// write adds the rows of all processors together: host.cpu and its parts.
func (c *cpuShares) write(m *metricRows, w smiWhen) {
	if c.has[cpuIdle] {
		m.add(w, "host.cpu", c.busy(), "ratio")
	}
	for p, key := range cpuKeys {
		if c.has[p] && cpuPart(p) != cpuIdle {
			m.add(w, "host.cpu."+key, c.part[p], "ratio")
		}
	}
}

// commaFloat reads a number that may have a decimal comma.
func commaFloat(b []byte) (float64, bool) {
	i := bytes.IndexByte(b, ',')
	if i < 0 || len(b) > 32 {
		return scan.Float(b)
	}
	var buf [32]byte
	n := copy(buf[:], b)
	buf[i] = '.'
	return scan.Float(buf[:n])
}
