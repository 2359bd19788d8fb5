// Package say puts numbers into the words of a report: three digits at most,
// counts in full with commas, a real minus, an en dash in ranges, a unit once.
package say

import (
	"math"
	"strconv"
	"strings"
	"time"

	"tidemark/model"
)

// Count returns a count in full: 22,275.
func Count[T int | int64 | float64](n T) string {
	s := strconv.FormatFloat(math.Round(math.Abs(float64(n))), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return minus(float64(n) <= -0.5) + s
}

// SI returns v at three digits with K, M or G: 11.9K, 4.09, 612.
func SI(v float64) string {
	f, unit := scaleOf(v)
	if math.Abs(v/f) >= 1e6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return digits(v/f) + unit
}

// Short is SI without zeros behind the point: 45, 1.7, 4.6K.
func Short(v float64) string {
	f, unit := scaleOf(v)
	if math.Abs(v/f) >= 1e6 {
		return SI(v)
	}
	s := digits(v / f)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + unit
}

// scaleOf returns the factor and letter in which v is said.
func scaleOf(v float64) (factor float64, unit string) {
	switch a := math.Abs(v); {
	case a >= 999.5e6:
		return 1e9, "G"
	case a >= 999.5e3:
		return 1e6, "M"
	case a >= 999.5:
		return 1e3, "K"
	}
	return 1, ""
}

// digits returns v with three digits.
func digits(v float64) string {
	a, prec := math.Abs(v), 2
	switch {
	case a > 0 && a < 0.00995:
		prec = 4
	case a > 0 && a < 0.0995:
		prec = 3
	case a >= 99.95:
		prec = 0
	case a >= 9.995:
		prec = 1
	}
	return signed(v, prec)
}

// signed formats v with prec decimals and a real minus; never minus zero.
func signed(v float64, prec int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', prec, 64)
	return minus(v < 0 && strings.Trim(s, "0.") != "") + s
}

func minus(neg bool) string {
	if neg {
		return "−"
	}
	return ""
}

// Range returns the ends of an interval in the scale of its middle: 11.7–12.0.
func Range(i model.Interval) string {
	f, _ := scaleOf(i.Mid)
	return digits(i.Lo/f) + "–" + digits(i.Hi/f)
}

// Percent returns a share with one decimal, 18.7 %, and 100 % without.
func Percent(share float64) string { return percent(share, 99.95) + " %" }

// visible is the smallest share that does not round to 0.0 %.
const visible = 0.0005

// Share returns a share with its interval, where that is to be seen.
func Share(v model.Interval) string {
	if v.Hi < visible {
		return Percent(v.Mid)
	}
	return Percent(v.Mid) + " (" + PercentRange(v) + ")"
}

// Round returns a share with one decimal below ten percent, else none: 41 %, 8.1 %.
func Round(share float64) string { return percent(share, 9.95) + " %" }

func percent(share, whole float64) string {
	p := 100 * share
	if math.Abs(p) >= whole {
		return signed(p, 0)
	}
	return signed(p, 1)
}

// PercentRange returns the ends of a share as Percent would say its middle.
func PercentRange(i model.Interval) string { return shares(i, 99.95) }

// RoundRange returns the ends of a share as Round would say its middle.
func RoundRange(i model.Interval) string { return shares(i, 9.95) }

func shares(i model.Interval, whole float64) string {
	if i.Hi > 0 && strings.HasPrefix(Gain(i.Lo), "−") {
		return GainRange(i)
	}
	prec := 1
	if math.Abs(100*i.Mid) >= whole {
		prec = 0
	}
	lo, hi := signed(100*i.Lo, prec), signed(100*i.Hi, prec)
	if strings.HasPrefix(lo, "−") {
		return lo + " to " + hi
	}
	return lo + "–" + hi
}

// Gain returns a relative change with its sign: +23 %, −18 %, 0.0 %.
func Gain(share float64) string {
	s := Round(share)
	if share > 0 && strings.Trim(s, "0. %") != "" {
		return "+" + s
	}
	return s
}

// GainRange returns the ends of a relative change with their signs, each as
// Gain says it: −49 to +45.
func GainRange(i model.Interval) string {
	return strings.TrimSuffix(Gain(i.Lo), " %") + " to " + strings.TrimSuffix(Gain(i.Hi), " %")
}

// Limiting says that some limit, as surely as the strength of a verdict is:
// the targets limit, it leans to the targets limiting.
func Limiting(who, strength string) string {
	switch strength {
	case "limits":
		return who + " limit"
	case "probably limits":
		return who + " probably limit"
	}
	return "it leans to " + who + " limiting"
}

// Elapsed returns seconds as m:ss, or h:mm:ss from an hour on.
func Elapsed(s float64) string {
	n := int(math.Round(math.Max(s, 0)))
	two := func(v int) string { return string([]byte{byte('0' + v/10), byte('0' + v%10)}) }
	if n >= 3600 {
		return strconv.Itoa(n/3600) + ":" + two(n/60%60) + ":" + two(n%60)
	}
	return strconv.Itoa(n/60) + ":" + two(n%60)
}

// Window returns the date and times of a run in UTC, or its length alone, if
// that is known.
func Window(start string, seconds float64) string {
	t, err := time.Parse(time.RFC3339Nano, start)
	switch {
	case err != nil && seconds <= 0:
		return "no times recorded"
	case err != nil:
		return Elapsed(seconds) + " long, start not recorded"
	}
	a := t.UTC()
	b := a.Add(time.Duration(seconds * float64(time.Second)))
	if a.YearDay() == b.YearDay() && a.Year() == b.Year() {
		return a.Format("2006-01-02 15:04:05") + " – " + b.Format("15:04:05") + " UTC"
	}
	return a.Format("2006-01-02 15:04:05") + " – " + b.Format("2006-01-02 15:04:05") + " UTC"
}

// Indices returns sorted numbers as runs: 0–4, 7.
func Indices(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		s := strconv.Itoa(n[i])
		if j > i {
			s += "–" + strconv.Itoa(n[j])
		}
		parts = append(parts, s)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Ends returns two whole numbers as a range, one where they are the same: 9 – 11.
func Ends(lo, hi float64) string {
	if a, b := Count(lo), Count(hi); a != b {
		return a + " – " + b
	}
	return Count(lo)
}

// Function returns a function's own name, without the functions that it was
// defined in: train_step of main.<locals>.train_step.
func Function(name string) string {
	if i := strings.LastIndex(name, "<locals>."); i >= 0 {
		return name[i+len("<locals>."):]
	}
	return name
}

// Words splits text where a line may end: a number keeps its percent sign.
func Words(s string) []string {
	var words []string
	for _, w := range strings.Fields(s) {
		if n := len(words); n > 0 && strings.HasPrefix(w, "%") {
			words[n-1] += " " + w
			continue
		}
		words = append(words, w)
	}
	return words
}

// Break returns where to break a word of which n bytes fit a line: behind the
// last comma, else the last slash or the like, in the line's second half, else at n.
func Break(word string, n int) int {
	if i := strings.LastIndexByte(word[:n], ','); i+1 > n/2 {
		return i + 1
	}
	if i := strings.LastIndexAny(word[:n], ",;/=_-"); i+1 > n/2 {
		return i + 1
	}
	return n
}

// Bytes returns a size in binary units: 3.50 MiB.
func Bytes(n int64) string {
	v := float64(n)
	for _, u := range []string{"B", "KiB", "MiB", "GiB"} {
		if v < 1023.5 {
			if u == "B" {
				return strconv.FormatInt(n, 10) + " B"
			}
			return digits(v) + " " + u
		}
		v /= 1024
	}
	return digits(v) + " TiB"
}
