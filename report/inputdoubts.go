package report

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// inputDoubts says which files were not read, and of which more than a share of
// the lines was rejected. Several of no known format (a README, pictures, a
// checkpoint) are one entry; what is damaged has its own.
func inputDoubts(list []model.Input, share float64) (out []string) {
	var strange []model.Input
	for _, in := range list {
		switch {
		case in.Format == "" && in.Lines == 0 && in.Bytes > 0 && !in.Damaged:
			strange = append(strange, in)
		case in.Reason != "" && in.Rows > 0:
			out = append(out, "! "+in.Path+" read in part: "+in.Reason)
		case in.Reason != "":
			out = append(out, "! "+in.Path+" not read: "+in.Reason)
		case float64(in.Rejected) > share*float64(in.Lines):
			out = append(out, fmt.Sprintf("! %s: %s of %s lines rejected", in.Path, say.Count(in.Rejected), say.Count(in.Lines)))
		}
	}
	switch n := len(strange); {
	case n == 1:
		out = append(out, "! "+strange[0].Path+" not read: "+strange[0].Reason)
	case n > 1:
		names := []string{strange[0].Path, strange[1].Path}
		if n > 2 {
			names = append(names, "…")
		}
		out = append(out, fmt.Sprintf("! %d files of no known format (%s): analyze inspect says why", n, strings.Join(names, ", ")))
	}
	return out
}
