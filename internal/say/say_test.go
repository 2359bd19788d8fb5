package say

import (
	"testing"

	"tidemark/model"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"count", Count(22275), "22,275"},
		{"count-negative", Count(-1234567), "−1,234,567"},
		{"count-small", Count(999.4), "999"},
		{"si", SI(11917), "11.9K"},
		{"si-small", SI(4.094), "4.09"},
		{"si-round-up", SI(999.7), "1.00K"},
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
		{"window-unknown", Window("", 900), "15:00 long, start not recorded"},
		{"indices", Indices([]int{0, 1, 2, 3, 4, 7}), "0–4, 7"},
		{"bytes", Bytes(3665114), "3.50 MiB"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}
