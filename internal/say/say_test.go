package say

import (
	"strings"
	"testing"

	"tidemark/model"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"printable", Printable("a\tb\x00ä\U0001F600"), "a b ä\ufffd"},
		{"count", Count(22275), "22,275"},
		{"count-negative", Count(-1234567), "−1,234,567"},
		{"count-small", Count(999.4), "999"},
		{"si", SI(11917), "11.9K"},
		{"si-small", SI(4.094), "4.09"},
		{"si-round-up", SI(999.7), "1.00K"},
		{"si-huge", SI(1e308), "1e+308"},
		{"range", Range(model.Interval{Lo: 11700, Mid: 11900, Hi: 12000}), "11.7–12.0"},
		{"percent", Percent(0.187), "18.7 %"},
		{"percent-full", Percent(1), "100 %"},
		{"round", Round(0.411), "41 %"},
		{"round-small", Round(0.081), "8.1 %"},
		{"round-range", RoundRange(model.Interval{Lo: .398, Mid: .411, Hi: .424}), "40–42"},
		{"small-range", RoundRange(model.Interval{Lo: .076, Mid: .081, Hi: .087}), "7.6–8.7"},
		{"negative-range", RoundRange(model.Interval{Lo: -.2, Mid: -.18, Hi: -.16}), "−20 to −16"},
		{"range-over-zero", RoundRange(model.Interval{Lo: -.344, Mid: -.182, Hi: .021}), "−34 to +2.1"},
		{"wide-range-over-zero", RoundRange(model.Interval{Lo: -.559, Mid: -.077, Hi: 1.002}), "−56 to +100"},
		{"range-to-zero", RoundRange(model.Interval{Lo: -.011, Mid: -.001, Hi: 1e-9}), "−1.1 to 0.0"},
		{"range-from-zero", RoundRange(model.Interval{Lo: -1e-16, Mid: .04, Hi: .1}), "0.0–10.0"},
		{"limits", Limiting("the targets", "limits"), "the targets limit"},
		{"probably", Limiting("the targets", "probably limits"), "the targets probably limit"},
		{"leans", Limiting("the targets", "leans"), "it leans to the targets limiting"},
		{"gain", Gain(0.1), "+10 %"},
		{"gain-zero", Gain(0.0001), "0.0 %"},
		{"gain-negative-zero", Gain(-0.0001), "0.0 %"},
		{"elapsed", Elapsed(880), "14:40"},
		{"elapsed-hours", Elapsed(36061), "10:01:01"},
		{"window", Window("2026-05-07T21:27:51Z", 900), "2026-05-07 21:27:51 – 21:42:51 UTC"},
		{"window-none", Window("", 0), "no times recorded"},
		{"window-unknown", Window("", 900), "15:00 long, start not recorded"},
		{"indices", Indices([]int{0, 1, 2, 3, 4, 7}), "0–4, 7"},
		{"bytes", Bytes(3665114), "3.50 MiB"},
		{"unit-bytes", Unit(9.78e9, "B"), "9.11 GiB"},
		{"unit-count", Unit(22275, "samples"), "22,275 samples"},
		{"unit-share", Unit(0.411, "share"), "41.1 %"},
		{"unit-rate", Unit(10120, "1/s"), "10.1K/s"},
		{"unit-time", Unit(16.4, "us"), "16.4 µs"},
		{"ends", Ends(9, 11), "9 – 11"},
		{"ends-one", Ends(8.9, 9.2), "9"},
		{"function", Function("main.<locals>.drafter_worker.<locals>.train_step pipeline.py:310"), "train_step pipeline.py:310"},
		{"break-comma", "puts_total,get_wait"[:Break("puts_total,get_wait", 15)], "puts_total,"},
		{"break-none", "averylongword"[:Break("averylongword", 5)], "avery"},
		{"words", strings.Join(Words("idle 59 % of the time"), "|"), "idle|59 %|of|the|time"},
		{"points", Points(-0.017), "−1.7"},
		{"points-zero", Points(-0.0001), "0.0"},
		{"points-range", PointsRange(model.Interval{Lo: -0.062, Hi: 0.028}), "−6.2 to +2.8"},
		{"factor", Factor(model.Interval{Lo: -0.0315, Hi: 0.0816}), "(−3.1 to +8.5)"},
		{"q", Q(new(0.0004)), "<0.001"},
		{"runs", Runs(make([]model.ComparedRun, 6)), ", , , , 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}
