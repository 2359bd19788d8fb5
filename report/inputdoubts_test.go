package report

import (
	"slices"
	"testing"

	"tidemark/model"
)

func TestInputDoubts(t *testing.T) {
	readme := model.Input{Path: "README.md", Bytes: 9, Reason: "no format claims it"}
	picture := model.Input{Path: "plot.png", Bytes: 9, Reason: "a picture"}
	for _, c := range []struct {
		name string
		list []model.Input
		want []string
	}{
		{"one", []model.Input{readme, {Path: "q.csv", Format: "queue-csv", Lines: 500, Rejected: 5}}, []string{"! README.md not read: no format claims it"}},
		{"several", []model.Input{readme, picture, readme}, []string{"! 3 files of no known format (README.md, plot.png, …): analyze inspect says why"}},
		{"two and a broken one", []model.Input{readme, {Path: "t.json", Format: "kineto", Reason: "cut short"}, picture}, []string{
			"! t.json not read: cut short", "! 2 files of no known format (README.md, plot.png): analyze inspect says why",
		}},
		{"in part", []model.Input{{Path: "q.csv.gz", Format: "queue-csv", Lines: 500, Rows: 498, Reason: "cut short after line 500", Damaged: true}}, []string{"! q.csv.gz read in part: cut short after line 500"}},
		{"damaged", []model.Input{readme, {Path: "q.csv", Bytes: 9, Reason: "binary content", Damaged: true}, picture}, []string{
			"! q.csv not read: binary content", "! 2 files of no known format (README.md, plot.png): analyze inspect says why",
		}},
		{"rejected", []model.Input{{Path: "q.csv", Format: "queue-csv", Lines: 500, Rejected: 6}}, []string{"! q.csv: 6 of 500 lines rejected"}},
	} {
		if got := inputDoubts(c.list, 0.01); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
