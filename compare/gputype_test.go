package compare_test

import (
	"testing"

	"tidemark/compare"
	"tidemark/model"
)

// TestGPUType: another model voids a comparison; another spelling, a name cut
// short, or a recording that has begun to print names does not.
func TestGPUType(t *testing.T) {
	type known struct{ names, sizes []string }
	list := func(v ...string) []string { return v }
	for name, c := range map[string]struct {
		base, fresh known
		void        string
	}{
		"another model":        {known{names: list("NVIDIA H100 80GB HBM3")}, known{names: list("NVIDIA H200")}, "GPU type H100 80GB HBM3 against H200"},
		"names that are close": {known{names: list("NVIDIA H100")}, known{names: list("NVIDIA H100 NVL")}, "GPU type H100 against H100 NVL"},
		"one of two models":    {known{names: list("NVIDIA H200", "NVIDIA L40S")}, known{names: list("NVIDIA H200")}, "GPU type H200 and L40S against H200"},
		"without the maker":    {known{names: list("A100-SXM4-80GB")}, known{names: list("NVIDIA A100-SXM4-80GB")}, ""},
		"cut short":            {known{names: list("NVIDIA A100-SXM...")}, known{names: list("NVIDIA A100-SXM4-80GB")}, ""},
		"cut short, another":   {known{names: list("NVIDIA A100-SXM...")}, known{names: list("NVIDIA H200")}, "GPU type A100-SXM... against H200"},
		"name against size":    {known{sizes: list("140 GiB, 700 W")}, known{names: list("NVIDIA H200")}, ""},
		"by size":              {known{sizes: list("80 GiB, 700 W")}, known{names: list("NVIDIA H200"), sizes: list("140 GiB, 700 W")}, "GPU type 80 GiB, 700 W against 140 GiB, 700 W"},
		"same name, capped":    {known{names: list("NVIDIA H200"), sizes: list("140 GiB, 700 W")}, known{names: list("NVIDIA H200"), sizes: list("140 GiB, 500 W")}, ""},
		"older file":           {known{names: list("140 GiB, 700 W")}, known{names: list("NVIDIA H200"), sizes: list("140 GiB, 700 W")}, ""},
		"one side open":        {known{}, known{names: list("NVIDIA H200")}, ""},
	} {
		w := calm(5)
		base, fresh := w.runs(2, 1, 1, 1), w.runs(1, 1, 1, 1)
		for _, r := range base {
			r.Pipeline.GPUs, r.Pipeline.GPUSizes = c.base.names, c.base.sizes
		}
		fresh[0].Pipeline.GPUs, fresh[0].Pipeline.GPUSizes = c.fresh.names, c.fresh.sizes
		var want []string
		if c.void != "" {
			want = list(c.void)
		}
		res, cmp, err := compare.Check(compare.Default(true), base, fresh)
		if err != nil {
			t.Fatal(err)
		}
		if len(cmp.Void) != len(want) || len(want) == 1 && cmp.Void[0] != want[0] {
			t.Errorf("%s: void %v, want %v", name, cmp.Void, want)
		}
		if (res.Status == model.Inconclusive) != (c.void != "") {
			t.Errorf("%s: %s", name, res.Headline)
		}
		h, err := compare.History(base, fresh, "throughput")
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Left) != 2*len(want) {
			t.Errorf("%s: history leaves out %v", name, h.Left)
		}
	}
}
