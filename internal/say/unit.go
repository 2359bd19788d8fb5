package say

import "math"

// Unit returns a reading in its unit: 9.10 GiB, 10.1K/s, 16.4 µs, 41.1 %,
// 22,275 samples.
func Unit(v float64, unit string) string {
	switch unit {
	case "":
		return Short(v)
	case "ratio", "share":
		return Percent(v)
	case "B", "bytes":
		return Bytes(int64(v))
	case "B/s":
		return Bytes(int64(v)) + "/s"
	case "1/s":
		return Short(v) + "/s"
	case "us":
		return Short(v) + " µs"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return Count(v) + " " + unit
	}
	return Short(v) + " " + unit
}
